import {describe, expect, test} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import {readPayouts} from '../../src/ledger/read-payouts.ts'
import {writeLedger} from './scratch-ledger.ts'

const header = 'out_order_no,amount,bank_type,user_name,account'
const good = 'P-1,500.00,BKASH,Rahim Uddin,01812345678'

const read = (content: string | Buffer, ignored?: readonly string[]) =>
  readPayouts(writeLedger(content, 'payouts.csv'), ignored)

async function damageOf(content: string | Buffer): Promise<string> {
  const outcome = await read(content).catch((error: unknown) => error)
  if (outcome instanceof Failure && outcome.exitStatus === 2) return outcome.message
  throw new Error(
    `it was read: ${JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  )
}

describe('a file of payouts', () => {
  /** The column and its cell in three rows. */
  test.each<[column: string, ...cells: string[]]>([
    ['status', 'x', 'x', 'x'],
    ['Order State', 'x', 'x', 'x'],
    ['অবস্থা', 'x', 'x', 'x'],
    ['Paid', 'yes', 'yes', 'yes'],
    ['Paid?', 'N', 'Y', 'N'],
    ['Paid On', '2026-11-20', '2026-11-21', '2026-11-22'],
    ['Approved', 'Yes', 'No', 'Yes'],
    ['Approval', 'Karim', 'Karim', 'Karim'],
    ['On Hold', 'x', 'x', 'x'],
    ['Do not pay', 'x', 'x', 'x'],
    ['পরিশোধিত', 'x', 'x', 'x'],
    ['Decision', 'Approved', 'Rejected', 'Approved'],
    ['Decision', '0', '1', '0'],
    ['Remarks', 'for game 1', 'already paid by hand', 'for game 2'],
    ['Remarks', 'for game 1', 'DO NOT PAY', 'for game 2'],
    ['Remarks', 'paid already', 'paid already', 'paid already'],
    ['Info', 'for game 1', 'manually credited', 'for game 2'],
    ['TrxID', '', 'BKX9F3K2LQ', ''],
    ['Net Payable', '490', '490', '490'],
    ['Correct Account', '01812345679', '01812345679', '01812345679'],
    ['Cancelled', '-', 'x', '-'],
    ['', '', 'x', ''],
  ])('with a column %j of %j, %j, %j is refused: every row of it would be paid', async (column, ...cells) => {
    const rows = cells.map((cell, at) => `P-${at},500,BKASH,Rahim,01812345678,${cell}\n`)
    const text = `${header},${column}\n${rows.join('')}`
    const failure = await read(text).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      exitStatus: 2,
      message: expect.stringContaining(`the column "${column}"`),
      hint: expect.stringContaining(`--ignore-column "${column}"`),
    })
    const file = await read(text, [column])
    expect(file.rows).toHaveLength(3)
    expect(file.notes).toEqual([`hisab does not read these columns of it: "${column}".`])
  })

  test.each(['P-101', 'WD_2026/11/20-001', 'PAY.101', 'payout:7', 'প-১০১', '20261120', 'a1b2c3d4-0000-4000'])(
    'an ordinary number %s is read',
    async (number) => {
      const {problems} = await read(`${header}\n${good.replace('P-1', number)}\n`)
      expect(problems).toEqual([])
    },
  )

  test('ordinary columns, filled in every row, are named and pay', async () => {
    const columns = {
      ...{SL: ['1', '2', '3'], 'Player ID': ['pl-1', 'pl-2', 'pl-3'], Branch: ['Dhaka', 'Sylhet', 'Dhaka']},
      ...{Date: ['2026-11-20', '2026-11-20', '2026-11-21'], Agent: ['M. Hasan', 'S. Begum', 'Md. Ali']},
      ...{
        Fee: ['0', '0', '0'],
        Type: ['Withdrawal', 'Withdrawal', 'Withdrawal'],
        Remarks: ['w1', 'w2', 'w3'],
      },
      ...{'Requested At': ['10:00', '10:01', '10:02'], 'Created By': ['a', 'b', 'c'], Empty: ['', '-', '']},
      ...{'Payment Method': ['wallet', 'wallet', 'wallet'], 'Payee NID': ['19', '20', '21']},
    }
    const rows = ['P-1', 'P-2', 'P-3'].map((number, at) =>
      [number, '500,BKASH,Rahim,01812345678', ...Object.values(columns).map((cells) => cells[at])].join(),
    )
    const file = await read(`${[header, ...Object.keys(columns)].join()}\n${rows.join('\n')}\n`)
    expect(file.rows).toHaveLength(3)
    const filled = Object.keys(columns).filter((name) => name !== 'Empty')
    expect(file.notes).toEqual([
      `hisab does not read these columns of it: ${filled.map((name) => `"${name}"`).join(', ')}.`,
    ])
  })

  test('a column to be ignored has to be there, and not to be read', async () => {
    for (const column of ['Remark', 'amount'])
      await expect(read(`${header},Remarks\n${good},x\n`, [column])).rejects.toMatchObject({
        message: expect.stringContaining(`there is no column "${column}" that hisab does not read`),
      })
  })

  test('a row that is not in BDT is not paid', async () => {
    const {problems} = await read(`${header},Currency\n${good},Tk.\nP-2,5,BKASH,Rahim,01812345678,USD\n`)
    expect(problems).toEqual([
      {line: 3, detail: 'currency "USD" is not BDT, the only currency of the service.'},
    ])
  })

  test('is read with columns in any order, other columns ignored, and a name in Bengali', async () => {
    const {rows, problems} = await read(
      '\ufeffAccount;note;User Name;bank_type;OUT_ORDER_NO;amount\r\n01812345678;x;রহিম;NAGAD;P-1;1250.5\r\n',
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
    ['P-1,১২৫০,BKASH,Rahim,01812345678', 'is written in Bengali digits'],
    ['P-1,0,BKASH,Rahim,01812345678', 'is not more than zero'],
    ['P-1,,BKASH,Rahim,01812345678', 'The amount "" is not an amount.'],
    ['P-1,500,bKash,Rahim,01812345678', 'bank_type "bKash" is not a channel; write BKASH.'],
    ['P-1,500,UPAY,Rahim,01812345678', 'write one of BKASH, NAGAD, ROCKET.'],
    ['P-1,500,BKASH, ,01812345678', 'user_name is blank.'],
    ['P-1,500,BKASH,Rahim,1812345678', 'account "1812345678" has lost its leading 0'],
    ['P-1,500,BKASH,Rahim,1.81E+09', 'was shortened by a spreadsheet'],
    ['P-1,500,BKASH,Rahim,+8801812345678', 'begins with the country code'],
    ['P-1,500,BKASH,Rahim,01812-345678', 'has blanks or hyphens'],
    ['P-1,500,BKASH,Rahim,০১৮১২৩৪৫৬৭৮', 'is written in Bengali digits'],
    ['P-1,500,BKASH,Rahim,01212345678', 'is not a mobile number of Bangladesh'],
    ['P-1,500,BKASH,Rahim', '4 fields where the header has 5.'],
    ['P-1,500,BKASH,Rahim, Uddin,01812345678', '6 fields where the header has 5.'],
    ...[
      '#P-101',
      '//P-101',
      '--P-101',
      '(P-101)',
      '~P-101~',
      'P-101*',
      'P-101 (cancelled)',
      'P-101 PAID',
    ].map((number): [string, string] => [
      `${number},500,BKASH,Rahim,01812345678`,
      'has other signs than letters',
    ]),
    ['P-101-HOLD,500,BKASH,Rahim,01812345678', 'has the word "HOLD"'],
    ['P101_paid,500,BKASH,Rahim,01812345678', 'has the word "paid"'],
    ...['VOID', 'N/A', '-', 'TBD', '0', '০'].map((number): [string, string] => [
      `${number},500,BKASH,Rahim,01812345678`,
      'has no digit but 0',
    ]),
    ['P-2,500,BKASH,Rahim (CANCELLED),01812345678', 'user_name "Rahim (CANCELLED)" has the word "CANCELLED"'],
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
    ['another sum', 'মোট:,900,,,', ['it is BDT 900.00, but the rows above it sum to BDT 1,500.00'], 0],
    ['no number, the sum', ',1500,,,', ['(no order number) is read as a total'], 0],
    ['no number, another sum', ',900,,,', [], 1],
    ['an account', 'Total,1500,,,01812345678', [], 1],
    ['all that a payout has', 'Total,1500,BKASH,Rahim,01812345678', [], 1],
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
    expect((await read(`${header},note\n${good},"one\ntwo"\n`)).rows).toHaveLength(1)
  })
})
