import {describe, expect, test} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import {readPayouts} from '../../src/ledger/read-payouts.ts'
import {writeLedger} from './scratch-ledger.ts'

const header = 'out_order_no,amount,bank_type,user_name,account'
const good = 'P-1,500.00,BKASH,Rahim Uddin,01812345678'

const read = (content: string | Buffer, ignored?: Parameters<typeof readPayouts>[1]) =>
  readPayouts(writeLedger(content, 'payouts.csv'), ignored)

/** A file with one more column, of these cells. */
const withColumn = (column: string, cells: readonly string[]) =>
  `${header},${column}\n${cells.map((cell, at) => `P-${at + 1},500,BKASH,Rahim,01812345678,${cell.includes(',') ? `"${cell}"` : cell}\n`).join('')}`

async function damageOf(content: string | Buffer): Promise<string> {
  const outcome = await read(content).catch((error: unknown) => error)
  if (outcome instanceof Failure && outcome.exitStatus === 2) return `${outcome.message} ${outcome.hint}`
  throw new Error(
    `it was read: ${JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  )
}

describe('a file of payouts', () => {
  /** The column and its cell in three rows: hisab pays every row, so whatever it does not read may say otherwise. */
  test.each<[column: string, ...cells: string[]]>([
    ['Status', 'Approved', 'Approved', 'Approved'],
    ['Paid On', '2026-11-20', '', ''],
    ['TrxID', '', 'BKX9F3K2LQ', ''],
    ['Remarks', 'w1', 'do later', 'w3'],
    ['Remarks', 'diye disi', 'diye disi', 'diye disi'],
    ['মন্তব্য', '', 'বাতিল', ''],
    ['Action', 'skip', 'pay', 'pay'],
    ['Type', 'Withdrawal', 'Deposit', 'Withdrawal'],
    ['Turnover', 'completed', 'completed', 'completed'],
    ['Net', '490', '490', '490'],
    ['New Number', '01812345678', '01899999999', '01812345678'],
    ['Tick', '✓', '-', '✓'],
    ['', '', 'x', ''],
    // Below a header that says nothing of payments.
    ['Full Name', 'Rahim', 'Rahim DO NOT PAY', 'Rahim'],
    ['Player Type', 'new', 'cancelled', 'new'],
    ['Account Type', 'Personal', 'HOLD', 'Personal'],
    ['Mobile', '01812345678', '01899999999', '01812345678'],
    ['Mobile', '', '+880 1899-999999', ''],
    ['Payment Method', 'bKash', 'Nagad', 'bKash'],
    ['Date', '', '22/11', ''],
    ['SL', '1', 'x', '3'],
    ['Player ID', 'pl-1', 'XXXX', 'pl-3'],
    ['Player ID', 'pl-1', 'pl-2 (banned)', 'pl-3'],
    // A channel that is not the one paid.
    ...[
      'Cash',
      'By hand',
      'Bank',
      'Card',
      'UPAY',
      'Adjusted',
      'N/A',
      '-',
      'bKash off',
      'Nagad bKash',
      '✓',
    ].map((other): [string, ...string[]] => ['Payment Method', 'bKash', other, 'bKash']),
    ...['Channel', 'Method', 'Gateway', 'Wallet Type', 'Payment Channel', 'Provider', 'Source', 'মাধ্যম'].map(
      (header): [string, ...string[]] => [header, 'BKASH', 'bKash personal', 'Hand cash'],
    ),
    ['Payment Method', 'Cash', 'Cash', 'Cash'],
    ['Payment Method', 'mobile banking', 'mobile banking', 'mobile banking'],
    ['Wallet', '', 'bKash', 'Main'],
    ['Wallet', 'bKash 01812345678', 'bKash 01812345678', 'bKash 01899999999'],
    ['মাধ্যম', 'বিকাশ', 'বিকাশ', 'নগদ'],
    // A form that most rows do not have.
    ...['✓', 'already', 'same as 3', '???', 'A / B', '22/11', '3 paid?'].map(
      (other): [string, ...string[]] => ['SL', '1', '2', other],
    ),
    ...['already', 'same as 3', '✓', 'bkash off'].map((other): [string, ...string[]] => [
      'Player ID',
      'PL7001',
      other,
      'PL7003',
    ]),
    ...['cash 22/11', '22/11/2026 ok', '✓', '3', '0000-00-00'].map((other): [string, ...string[]] => [
      'Date',
      other,
      '2026-11-22 10:00',
      '22 Nov 2026, 10:15 AM',
    ]),
    ...[
      'changed',
      'use 01899999999',
      '01812345678 / 01899999999',
      '01812345678 (old)',
      '0181234567',
      '0',
    ].map((other): [string, ...string[]] => ['Phone', '01812345678', other, '+8801812-345678']),
    ['Phone', '০১৮১২৩৪৫৬৭৮', '০১৮৯৯৯৯৯৯৯৯', ''],
    ['Shop', 'Main', '✓', 'Main'],
    ...['porishodh hoyeche', 'dewa hoyeche', 'taka peye gese', 'pore dibo', 'batil'].map(
      (other): [string, ...string[]] => ['Address', 'Mirpur', other, 'Uttara'],
    ),
    ['Paid', '', '-', ''],
    ['Paid', '—', '.', '—'],
  ])('a column %j of %j, %j, %j refuses the file', async (column, ...cells) => {
    const failure = await read(withColumn(column, cells)).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      exitStatus: 2,
      message: expect.stringContaining(`does not read the column "${column}"`),
      hint: expect.stringContaining(`--ignore-column="${column}"`),
    })
    const file = await read(withColumn(column, cells), {columns: [column]})
    expect(file.rows).toHaveLength(3)
    expect(file.notes).toEqual([`hisab does not read these columns of it: "${column}".`])
  })

  test.each<[column: string, ...cells: string[]]>([
    ['Player ID', 'pl-1', 'pl-2', 'pl-3'],
    ['Email', 'a@x.example', '', 'hold@x.example'],
    ['Phone', '01812345678', '1812345678', '+8801812345678'],
    ['Registered Mobile', '', '', ''],
    ['Mobile', '01911111111', '01922222222', '01933333333'],
    ['Phone', '01812345678', '', '-'],
    ['Contact', '01812345678', 'rahim@x.example', '01812345678'],
    ['Payment Method', 'bKash Personal', 'BKASH', 'bkash'],
    ['Payment Method', 'b-Kash', '', 'বিকাশ'],
    ['Gateway', 'bKash API 1', 'bkash_api 2', 'BKASH-API'],
    ['Wallet', 'Main', 'Main', 'Bonus'],
    ['Brand', 'Rocket Games', 'Rocket Games', 'Rocket Games'],
    ['Operator', 'Robi', 'Grameenphone', ''],
    ['Requested At', '10:00', '10:01', '10:02'],
    ['Date', '2026-11-22T10:15:00Z', '22nd November 2026', '২২/১১/২০২৬ ১০:১৫ পিএম'],
    ['Date', 'Nov 22', 'Sun, 22 Nov', '22-11'],
    ['Paid', '-', '-', '-'],
    ['SL', '1', '2', '3'],
    ['SL', '#1', '২', '1,003'],
    ['NID', '1990 123 456 789', '5590123456', '19901234567890123'],
    ['Player ID', 'pl-1', 'vip-2', 'pl-3'],
    ['Player Name', 'rahim', '01812345678', '01812345678'],
    ['Shop', 'shop1', 'shop2', 'Main'],
    ['Branch', 'Dhaka', 'Sylhet', ''],
    ['Address', 'Block C, Bashundhara', 'Double Mooring', 'bazarer pore, lift er niche'],
    ['Address', 'বাজারের পরে', 'রাস্তার শেষ মাথা', 'Nice Fashion er pashe'],
  ])('a column %j of %j, %j, %j does not', async (column, ...cells) => {
    expect((await read(withColumn(column, cells))).rows).toHaveLength(3)
  })

  test('all such columns are named at once, with one of their cells and the flags to add', async () => {
    await expect(
      read(`${header},Notes,Email,Turn$over\n${good},,a@x.example,9\nP-2,${good.slice(4)},VIP,,8\n`),
    ).rejects.toMatchObject({
      message: expect.stringContaining(
        'does not read the columns "Notes", "Turn$over". Line 3 has "VIP" below "Notes"',
      ),
      hint: expect.stringContaining(`add --ignore-column="Notes" --ignore-column='Turn$over'`),
    })
  })

  const fileOf = (numbers: readonly string[], nameOf = (at: number) => `Rahim ${'ABCDEFGHIJ'[at]}`) =>
    `${header}\n${numbers.map((number, at) => `${number},50${at},BKASH,${nameOf(at)},0181234567${at}\n`).join('')}`

  test.each<[what: string, ...numbers: string[]]>([
    ['one series', 'P-8', 'P-9', 'P-10', 'P-11'],
    ['two brands', 'AC-1001', 'BD-1001', 'AC-1002'],
    ['a day and a counter', 'WD-20261120-1', 'WD-20261120-12', 'WD-20261121-1'],
    ['of one length', '7f3a9c21', '12345678', '123456a7', '7f3a9c2b'],
    ['drawn', '2srtcm40pd', '12713190', '610k3227q', '12713190h', '9x', 'k3j9', '6PD9I2', '77h1'],
    ['a sign in all', '#1001', '#1002'],
    ['a blank in all', 'WD 1001', 'TX 1002'],
    ['a single one', 'WD 1001'],
    ['in Bangla', 'প-১০১', 'প-১০২'],
    ['many signs', 'WD_2026/11/20-001', 'WD_2026/11/20-002'],
    ['other forms', 'P-101', 'PAY.101', 'payout:7', '20261120', 'a1b2c3d4-0000-4000'],
  ])('ordinary numbers pass: %s', async (_what, ...numbers) => {
    expect((await read(fileOf(numbers))).problems).toEqual([])
  })

  test.each(['VOID', 'N/A', '-', 'TBD', '0', '০', 'P-00', 'SALARY-RAHIM', 'REJECTED'])(
    '%s for a number is marked, until a person says that it is one',
    async (number) => {
      const numbers = ['P-1001', number, 'P-1003']
      const {problems} = await read(fileOf(numbers))
      const flag = `has no digit but 0. Somebody may have marked the row. Remove it if it must not be paid, or add --ignore-mark="${number}"`
      expect(problems).toEqual([{line: 3, detail: expect.stringContaining(flag)}])
      expect((await read(fileOf(numbers), {marks: [number]})).problems).toEqual([])
    },
  )

  test('among codes that are drawn at random one may have letters alone, but is no word', async () => {
    const codes = ['K3MFAN2S', 'ZNMFANBS', 'B7QX2LMA', 'W4HHT9EC', '9RTTYPAQ', 'XX2PLM4E']
    expect((await read(fileOf(codes))).problems).toEqual([])
    expect((await read(fileOf([...codes, 'REJECTED']))).problems.map(({line}) => line)).toEqual([8])
  })

  test('also behind one prefix, and with signs within them', async () => {
    const codes = ['PO-CANYDU', 'PO-K3MFA2', 'PO-ZN4FA9', 'PO-B7QX2L', 'PO-W4HHT9', 'PO-9RTTYP']
    expect((await read(fileOf(codes))).problems).toEqual([])
    for (const other of ['PO-CANCEL', 'PO-SALARY-RAHIM', 'PO-K3MFA2*'])
      expect((await read(fileOf([...codes, other]))).problems.length).toBeGreaterThan(0)
    const signed = ['b3-kQ_9xWa', '_7ZpLm-2Qr', 'k--4RtYu8s', 'Pq2_wEr-7y', 'Zx9cVb-N1m', 'aSdFgHjKl_']
    expect((await read(fileOf(signed))).problems).toEqual([])
  })

  /** One number beside P-1001, P-1002 and so on, and what is taken for a mark. */
  test.each<[number: string, ...marks: string[]]>([
    ['P-1008-PD', '-PD'],
    ['P-1008-sent', '-sent'],
    ['P-1008-OK', '-OK'],
    ['P-1008_old', '_old'],
    ['P-1008x', 'x'],
    ['P-1008X', 'X'],
    ['P-1008-2', '-2'],
    ['P-1008-BATIL', '-BATIL'],
    ['P-1008বাতিল', 'বাতিল'],
    ['P-1008✓', '✓'],
    ['P-1008.', '.'],
    ['xP-1008', 'x'],
    ['#P-1008', '#'],
    ['//P-1008', '//'],
    ['(P-1008)', '(', ')'],
    ['P-1008 (cancelled)', ' (cancelled)'],
    ['CANCELLED P-1008', 'CANCELLED '],
    ['VIP-1008', 'VI'],
    ['P--1008', '--'],
    ['Q-1008*', '*'],
    ['Q-1008-HOLD', 'HOLD'],
    ['Q 1008', ' '],
    [`'Q-1008`, `'`],
  ])('%s among numbers of another form is marked', async (number, ...marks) => {
    const numbers = ['P-1001', 'P-1002', number, 'P-1004', 'P-1005']
    const {problems} = await read(fileOf(numbers))
    const flags = marks.map((mark) => `--ignore-mark="${mark}"`)
    expect(problems).toEqual([{line: 4, detail: expect.stringContaining(`add ${flags.join(' ')}.`)}])
    expect((await read(fileOf(numbers), {marks})).problems).toEqual([])
    const twice = numbers.map((other, at) => (at === 0 ? number.replace('1008', '1009') : other))
    expect((await read(fileOf(twice))).problems.map(({line}) => line)).toEqual([2, 4])
  })

  test.each([
    ...['-', 'N/A', 'XXXX', 'test', 'TBD', '০', '---'],
    ...['#Rahim H', '-- Rahim H', '*Rahim', 'Rahim H - DO NOT PAY', 'Rahim H (paid by hand)', 'Rahim ✗'],
    ...[
      'Rahim DO_NOT_SEND',
      'Rahim DO-NOT-SEND',
      'Rahim DONOTSEND',
      'Rahim DO NOT PAYOUT',
      'Rahim not to send',
    ],
    ...['Rahim never send', 'Rahim not send', 'Rahim given already', 'Rahim পাঠাবেন না', 'Rahim টাকা দিবেন না'],
    ...[
      'Rahim batil',
      'Rahim pore dibo',
      'Rahim diye disi',
      'Rahim dewa hoise',
      'Rahim lagbe na',
      'Rahim vul number',
    ],
    ...[
      'Rahim pathabo na',
      'Rahim bad diben',
      'Rahim kal dibo',
      'Rahim hate dise',
      'Rahim cash nise',
      'Rahim peye gese',
    ],
    ...['রহিম পরে', 'রহিম বন্ধ', 'রহিম বাদ', 'রহিম পেয়েছে', 'রহিম পাঠানো শেষ', 'রহিম দিয়েছি', 'Rahim thamen'],
    ...['Rahim pending', 'Rahim block', 'Rahim dispute', 'Rahim return', 'Rahim double', 'Rahim tomorrow'],
    ...['Rahim H wrong no.', 'Rahim H refused', 'Rahim H বাতিল', 'Rahim H duplicate of P-3', 'Rahim Hold'],
  ])('the name %s is marked', async (name) => {
    const names = (at: number) => (at === 1 ? name : `Rahim ${at}`)
    const {problems} = await read(fileOf(['P-1', 'P-2', 'P-3'], names))
    expect(problems).toEqual([
      {line: 3, detail: expect.stringContaining('Somebody may have marked the row.')},
    ])
    const flags = [...(problems[0]?.detail ?? '').matchAll(/--ignore-mark="([^"]*)"/g)]
    const marks = flags.map(([, mark]) => mark ?? '')
    expect((await read(fileOf(['P-1', 'P-2', 'P-3'], names), {marks})).problems).toEqual([])
  })

  test.each([
    ...['Md. Sajid Hossain', 'রহিমা খাতুন', "D'Costa Paul", 'Abdul-Karim Mia', 'S. M. Rahim', 'Kamal/Jamal'],
    ...['"Begum, Ayesha"', 'R', 'rahim99', 'Deya Rani', 'Md: Rahim', 'Po & Sons'],
    ...[
      'Dewan Karim',
      'Badrul Alam',
      'Bul Bul Ahmed',
      'Deb Nath',
      'দেব নাথ',
      'বাদল মিয়া',
      'Batin Khan',
      'Diya Pal',
    ],
    ...['Nono Send', 'দিনা খাতুন', 'দেবী নাথ', 'Senda-Not'],
  ])('the name %s is none', async (name) => {
    const {problems} = await read(fileOf(['P-1', 'P-2'], (at) => (at === 1 ? name : 'Rahim')))
    expect(problems).toEqual([])
  })

  test('a sign that all names have is none', async () => {
    expect((await read(fileOf(['P-1', 'P-2'], (at) => `Rahim (${at})`))).problems).toEqual([])
  })

  test('a row that is not in BDT is not paid', async () => {
    const {problems} = await read(`${header},Currency\n${good},Tk.\nP-2,5,BKASH,Rahim,01812345678,USD\n`)
    expect(problems).toEqual([
      {line: 3, detail: 'currency "USD" is not BDT, the only currency of the service.'},
    ])
  })

  test('is read with columns in any order, other columns ignored, and a name in Bengali', async () => {
    const {rows, problems} = await read(
      '\ufeffAccount;email;User Name;bank_type;OUT_ORDER_NO;amount\r\n01812345678;a@x.example;রহিম;NAGAD;P-1;1250.5\r\n',
    )
    expect(problems).toEqual([])
    expect(rows).toEqual([
      {
        ...{line: 2, outOrderNo: 'P-1', amount: 125_050n, bankType: 'NAGAD'},
        ...{userName: 'রহিম', account: '01812345678'},
      },
    ])
  })

  test.each<[row: string, detail: string]>([
    [',500,BKASH,Rahim,01812345678', 'out_order_no is blank.'],
    ['1.76E+12,500,BKASH,Rahim,01812345678', 'a long number that a spreadsheet shortened'],
    [' P-1,500,BKASH,Rahim,01812345678', 'starts or ends with a blank'],
    ['P-1,"1,250",BKASH,Rahim,01812345678', 'has separators between its digits'],
    ['P-1,Tk 500,BKASH,Rahim,01812345678', 'names the currency; leave that out'],
    ['P-1,১২৫০,BKASH,Rahim,01812345678', 'is written in Bengali digits'],
    ['P-1,0,BKASH,Rahim,01812345678', 'is not more than zero'],
    ['P-1,,BKASH,Rahim,01812345678', 'The amount "" is not an amount.'],
    ['P-1,500,bKash,Rahim,01812345678', 'bank_type "bKash" is not a channel; write BKASH.'],
    ['P-1,500,UPAY,Rahim,01812345678', 'write one of BKASH, NAGAD, ROCKET.'],
    ['P-1,500,BKASH, ,01812345678', 'user_name is blank.'],
    ['P-1,500,BKASH,Rahim,1812345678', 'account "181****5678" has lost its leading 0'],
    ['P-1,500,BKASH,Rahim,018123456789', 'account "018****6789" has too many digits'],
    ['P-1,500,BKASH,Rahim,88018-123456789', 'account "880****6789" begins with the country code'],
    ['P-1,500,BKASH,Rahim,1.81E+09', 'was shortened by a spreadsheet'],
    ['P-1,500,BKASH,Rahim,+8801812345678', 'begins with the country code'],
    ['P-1,500,BKASH,Rahim,01812-345678', 'has blanks or hyphens'],
    ['P-1,500,BKASH,Rahim,০১৮১২৩৪৫৬৭৮', 'is written in Bengali digits'],
    ['P-1,500,BKASH,Rahim,01212345678', 'is not a mobile number of Bangladesh'],
    ['P-1,500,BKASH,Rahim', '4 fields where the header has 5.'],
    ['P-1,500,BKASH,Rahim, Uddin,01812345678', '6 fields where the header has 5.'],
    ['all paid by hand 22/11,,,,', '"all paid by hand 22/11" is no payout, and no total with an amount.'],
    ['P-1 paid by hand,,,,', 'is no payout, and no total with an amount.'],
  ])('%s: %s', async (row, detail) => {
    const {rows, problems} = await read(`${header}\n${good}\n${row}\n`)
    expect(rows).toHaveLength(1)
    expect(problems).toEqual([{line: 3, detail: expect.stringContaining(detail)}])
  })

  test('says everything that is wrong with a row at once, and shows no phone number', async () => {
    const {problems} = await read(`${header}\nP-1,x,y,,017 12345678\nP-2,5,BKASH,R,01712345678 \n`)
    expect(problems.map(({line}) => line)).toEqual([2, 2, 2, 2, 3])
    expect(JSON.stringify(problems)).not.toContain('01712345678')
  })

  test.each<[what: string, content: string | Buffer, message: string]>([
    ['nothing', '', 'is empty'],
    ['no row', `${header}\n`, 'a header and no row'],
    ['a column missing', 'out_order_no,amount,bank_type,account\n', 'no column user_name'],
    ['a column twice', `${header},Amount\n${good},5\n`, 'two headers mean amount'],
    ['its header again', `${header}\n${good}\n${header}\n`, 'is repeated on line 3'],
    ['an open quote', `${header}\nP-1,5,BKASH,"Rahim,01812345678\n`, 'never closed'],
    [
      'a quote that swallows a row',
      `${header},note\n${good},"x\nP-2,500.00,BKASH,Karim,01812345679,y\nP-3,1,BKASH,K,01812345670,"\n`,
      'holds the rows up to line 4',
    ],
    [
      'a quote in the header that swallows a row',
      `${header},"note\n${good},x"\nP-2,500.00,BKASH,Karim,01812345679,y\n`,
      'holds the rows up to line 2',
    ],
    ['a workbook', 'PK\u0003\u0004\u0014', 'Open the spreadsheet, and save its sheet as CSV.'],
    ['UTF-16', Buffer.from(`\ufeff${header}\n${good}\n`, 'utf16le'), 'UTF-16'],
    [
      'bytes that are no UTF-8',
      Buffer.from([...Buffer.from(`${header}\nP-`), 0xe9, 0x0a]),
      'not valid UTF-8',
    ],
    [
      'an amount at its very end, which may be cut off',
      'out_order_no,bank_type,user_name,account,amount\nP-1,BKASH,R,01812345678,15',
      'ends without a line end, inside a cell of amount',
    ],
  ])('with %s is refused whole', async (_what, content, message) => {
    expect(await damageOf(content)).toContain(message)
  })

  test.each<[what: string, row: string, totals: string[], problems: number]>([
    ['the sum', 'Total,"1,500.00",,,', ['its BDT 1,500.00 is the sum of rows above it'], 0],
    ['another sum', 'মোট:,900,,,', ['it is BDT 900.00, but the rows above it sum to BDT 1,500.00'], 1],
    ['a wrong count', 'Total payouts,3,,,', ['it is BDT 3.00, but the rows above it sum to BDT 1,500.00'], 1],
    ['no number, the sum', ',1500,,,', ['(no order number) is read as a total'], 0],
    ['no number, another sum', ',900,,,', [], 1],
    ['an account', 'Total,1500,,,01812345678', [], 1],
    ['the channel', 'Total,1500,BKASH,,', [], 1],
  ])('a total row is named and never paid: %s', async (_what, row, totals, problems) => {
    const file = await read(`${header}\n${good}\n${good.replace('P-1,500', 'P-2,1000')}\n${row}\n`)
    expect(file.rows.map(({line}) => line)).toEqual([2, 3])
    expect(new Set(file.problems.map(({line}) => line)).size).toBe(problems)
    expect(file.notes).toEqual(totals.map((says) => expect.stringContaining(says)))
  })

  test('needs no line end after an account, which cannot be cut off unnoticed', async () => {
    expect((await read(`${header}\n${good}`)).rows).toHaveLength(1)
    expect((await read(`${header}\n${good.slice(0, -1)}`)).problems).toHaveLength(1)
  })

  test('and a note of several lines is a note', async () => {
    expect((await read(`${header},note\n${good},"one\ntwo"\n`, {columns: ['note']})).rows).toHaveLength(1)
  })
})
