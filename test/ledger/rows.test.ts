import {describe, expect, it} from 'vitest'
import {defaultLedgerMapping, type LedgerMapping} from '../../src/core/profile.ts'
import {defaultOptions, failureOf, read, readWhole, writeLedger} from './scratch-ledger.ts'

const columns = 'order_no,kind,status,amount'

const badRows: [row: string, cause: string, detail: string, orderNo: string | null][] = [
  [',deposit,paid,500', 'order_no_missing', 'order_no is blank', null],
  ['\u00a0,deposit,paid,500', 'order_no_missing', 'order_no is blank', null],
  [' A1,deposit,paid,500', 'order_no_malformed', '" A1" starts or ends with a blank', null],
  ['A1\u00a0,deposit,paid,500', 'order_no_malformed', 'starts or ends with a blank', null],
  ['A1\u200b,deposit,paid,500', 'order_no_malformed', '"A1\\u{200b}" starts or ends with', null],
  ['"A\n1",deposit,paid,500', 'order_no_malformed', 'holds a control character or a line break', null],
  ['A\u00071,deposit,paid,500', 'order_no_malformed', '"A\\u{7}1" holds a control character', null],
  ['A\u202e1,deposit,paid,500', 'order_no_malformed', 'turns the writing direction', null],
  ['A\ufffd1,deposit,paid,500', 'order_no_malformed', 'lost when the file was converted', null],
  ['1.23E+15,deposit,paid,500', 'order_no_malformed', 'its digits are lost', null],
  ['"1,23E+15",deposit,paid,500', 'order_no_malformed', 'its digits are lost', null],
  ['1E+15,deposit,paid,500', 'order_no_malformed', 'Export that column as text', null],
  ['১.২৩E+১৫,deposit,paid,500', 'order_no_malformed', 'its digits are lost', null],
  ['"=""001""",deposit,paid,500', 'order_no_malformed', 'a formula instead of its value', null],
  ['#REF!,deposit,paid,500', 'order_no_malformed', 'an error or a filler of a spreadsheet', null],
  ['###,deposit,paid,500', 'order_no_malformed', 'an error or a filler of a spreadsheet', null],
  [`${'x'.repeat(33)},deposit,paid,500`, 'order_no_malformed', 'has 33 characters. The limit is 32', null],
  ['A1,refund,paid,500', 'kind_unknown', '"refund" is neither deposit nor payout', 'A1'],
  ['A1,,paid,500', 'kind_unknown', '--kind', 'A1'],
  ['A1,deposit,done,500', 'status_unknown', 'status "done" is unknown', 'A1'],
  ['A1,deposit,,500', 'status_unknown', 'status is blank', 'A1'],
  ['A1,deposit,paid,"1234,50"', 'amount_unreadable', 'a comma where the decimal point belongs', 'A1'],
  ['A1,deposit,paid,-', 'amount_unreadable', 'a dash', 'A1'],
  ['A1,deposit,paid', 'column_count', '3 fields where the header has 4.', 'A1'],
  [
    'A1,deposit,paid,1,500.00',
    'column_count',
    '5 fields where the header has 4. There may be a delimiter',
    'A1',
  ],
  ['A1,deposit,paid,500,', 'column_count', '5 fields where the header has 4', 'A1'],
]

describe('a row that cannot be read is named, and the others go on', () => {
  it.each(badRows)('%j: %s', async (row, cause, detail, orderNo) => {
    const {entries, unreadable} = await read(`${columns}\nB1,deposit,paid,1\n${row}\nB2,payout,open,2\n`)
    // The kind is read before status and amount, and said where it is known.
    const kind = cause === 'status_unknown' || cause === 'amount_unreadable' ? {kind: 'deposit'} : {}
    const expected = {line: 3, file: 0, cause, detail: expect.stringContaining(detail), orderNo, ...kind}
    // What a spreadsheet did to it has tests of its own (test/core/reconcile/corruption.test.ts), as has what is left of it.
    expect(
      unreadable.map(({line, file, cause, detail, orderNo, kind}) => ({
        ...{line, file, cause, detail, orderNo},
        ...(kind && {kind}),
      })),
    ).toEqual([expected])
    expect(entries.map(({orderNo: good}) => good)).toEqual(['B1', 'B2'])
  })

  const ledger = 'order_no,kind,status,amount,created_at,player_ref'
  const time = '2026-11-20T09:00:00Z'
  it.each<[row: string, booking: object | null]>([
    [`,deposit,paid,500,${time},u-1`, {statedKind: 'deposit', amount: '500.00', players: 'u-1'}],
    [`,deposit,open,500,${time},u-1`, null],
    [`,,,500,${time},`, {amount: '500.00'}],
    [`,,,,${time},u-1`, null],
    [`M-1,bonus,paid,500,${time},u-1`, {amount: '500.00', players: 'u-1'}],
    [`M-1,bonus,failed,500,${time},u-1`, null],
    [`M-1,deposit,by hand,500,${time},u-1`, {kind: 'deposit', amount: '500.00', players: 'u-1'}],
    [`M-1,deposit,,5oo,${time},u-1`, {kind: 'deposit', amount: null, players: 'u-1'}],
    [`M-1,deposit,paid,-,${time},u-1`, {kind: 'deposit', amount: null, players: 'u-1'}],
    [`M-1,deposit,,-,${time},u-1`, null],
    ['--- 22 November ---,,,,,', null],
    ['Page 2', null],
    ['M-1,deposit,paid,500', {amount: null}],
    [`M-1,deposit,paid,500,${time}`, {amount: '~5'}],
    [`M-1,deposit,paid,500,${time},u-1,karim`, {amount: '~5', players: 'u-1\nkarim'}],
    [`M-1,deposit,paid,1,500.00,${time},u-1`, {amount: '~1 ~15 ~5', players: `${time}\nu-1`}],
    [`M-1,deposit,paid,left,early,${time},u-1`, null],
  ])('%j may be the booking of an order: %j', async (row, booking) => {
    const {unreadable} = await read(
      `${ledger}\nB1,deposit,paid,1,${time},u-9\n${row}\nB2,payout,open,2,${time},u-9\n`,
    )
    const [found] = unreadable
    expect(unreadable).toHaveLength(1)
    expect(found?.mayBeBooking ?? false).toBe(booking !== null)
    const {kind, statedKind, players} = found ?? {}
    const amount = found?.anyOrder?.amount?.split(' ').toSorted().join(' ') ?? null
    if (booking) expect({kind, statedKind, players, amount}).toMatchObject(booking)
    if (row.split(',').length === 6 && booking) expect(found?.createdMs).toBe(Date.parse(time))
  })

  it('a number that is none is kept as it stands, for what it may have been', async () => {
    const {unreadable} = await read(`${columns}\n A1,deposit,paid,1\nA2,deposit,paid,-\n,deposit,paid,1\n`)
    expect(unreadable.map(({orderNo, rawOrderNo}) => [orderNo, rawOrderNo])).toEqual([
      [null, ' A1'],
      ['A2', undefined],
      [null, undefined],
    ])
  })

  it('a short last row was perhaps cut off, and its last field is perhaps not the whole of it', async () => {
    const file = 'kind,order_no,amount\ndeposit,A1,500\n'
    const cut = await read(`${file}deposit,A2`)
    expect(cut.unreadable).toMatchObject([
      {line: 3, cause: 'column_count', detail: expect.stringContaining('may be cut off'), orderNo: null},
    ])
    expect(cut.unreadable[0]?.rawOrderNo).toBe('A2')
    const later = await read(`${file}deposit,A2\ndeposit,A3,5\n`)
    expect(later.unreadable).toMatchObject([
      {line: 3, detail: '2 fields where the header has 3.', orderNo: 'A2'},
    ])
  })

  it('a phone that slipped into another column is not shown', async () => {
    const {unreadable} = await read(`${columns}\nA1,deposit,01712345678,500\nA2,deposit,+8801712345678,5\n`)
    expect(unreadable.map(({detail}) => detail).join()).not.toMatch(/12345678/)
  })
})

describe('an order number is kept byte for byte (P13)', () => {
  it.each([
    '0000001002',
    '১০০২',
    'অর্ডার-১০০২',
    'a b',
    "'001",
    '12E5',
    '#12',
    '1.50',
    '-5',
    '"',
    'é',
    'e\u0301',
    'x'.repeat(32),
    '😀'.repeat(32),
  ])('%j', async (orderNo) => {
    const {entries} = await read(`order_no,amount\n"${orderNo.replaceAll('"', '""')}",1\n`)
    expect(entries.map((entry) => entry.orderNo)).toEqual([orderNo])
  })
})

describe('the line of a row is the line it starts on', () => {
  const cases: [what: string, file: string, lines: number[]][] = [
    ['LF', 'order_no,note\nA1,x\nA2,x\n', [2, 3]],
    ['CRLF', 'order_no,note\r\nA1,x\r\nA2,x\r\n', [2, 3]],
    ['CR, as old Macs write it', 'order_no,note\rA1,x\rA2,x\r', [2, 3]],
    ['all three in one file', 'order_no,note\r\nA1,x\nA2,x\rA3,x', [2, 3, 4]],
    ['a byte order mark', '\ufefforder_no,note\nA1,x\n', [2]],
    ['a sep= line', 'sep=;\r\norder_no;note\r\nA1;x\r\n', [3]],
    ['a quoted sep= line after a mark', '\ufeff"sep=|"\norder_no|note\nA1|x\n', [3]],
    ['blank lines', '\n\r\norder_no,note\n\nA1,x\n \n,\n\nA2,x\n\n', [5, 9]],
    ['a quoted LF', 'order_no,note\nA1,"a\n\nb"\nA2,x\n', [2, 5]],
    ['a quoted CRLF', 'order_no,note\r\nA1,"a\r\n\r\nb"\r\nA2,x\r\n', [2, 5]],
    ['a quoted CR', 'order_no,note\rA1,"a\r\rb"\rA2,x\r', [2, 5]],
    ['a header of two lines', '"order_no","note\r\n(free)"\r\nA1,x\r\nA2,x\r\n', [3, 4]],
    ['a bad row of two lines before it', 'order_no,note\n"A\n1",x\nA2,"\n"\nA3,x\n', [4, 6]],
  ]
  it.each(cases)('%s', async (_what, file, lines) => {
    expect((await read(file)).entries.map(({line}) => line)).toEqual(lines)
  })

  it('in a quoted CRLF that stands across two chunks of the file', async () => {
    for (const filler of [65_490, 65_491, 65_492, 65_493, 65_494, 65_495, 65_496]) {
      const start = `order_no,note\r\n${'\r\n'.repeat(10)}A0,${'x'.repeat(filler - 38)}\r\n`
      const {entries} = await read(`${start}A1,"${'a\r\n'.repeat(20)}"\r\nA2,x\r\n`)
      expect(entries.map(({line}) => line)).toEqual([12, 13, 34])
    }
  })

  it('and its file is its place in the list', async () => {
    const paths = [writeLedger('order_no\nA1\n', 'one.csv'), writeLedger('order_no;x\nA2;\n;1\n', 'two.csv')]
    const {entries, unreadable, files} = await readWhole(paths, defaultOptions)
    expect(entries.map(({file, line}) => [file, line])).toEqual([
      [0, 2],
      [1, 2],
    ])
    expect(unreadable).toMatchObject([{file: 1, line: 3}])
    expect(files.map(({delimiter, rows}) => [delimiter, rows])).toEqual([
      [',', 1],
      [';', 2],
    ])
  })
})

describe('the delimiter', () => {
  it.each([',', ';', '\t', '|'] as const)('%j is found from the header', async (delimiter) => {
    const file = ['order_no,note;x|y\tz', 'A1,500;5|5\t5'].map((line) => line.replace(',', delimiter))
    const {entries, files} = await read(`${file[0]}${delimiter}amount\n${file[1]}${delimiter}7\n`, {
      delimiter,
    })
    expect([files[0]?.delimiter, entries[0]?.orderNo]).toEqual([delimiter, 'A1'])
    const found = await read(`order_no${delimiter}amount\nA1${delimiter}7\n`)
    expect(found).toMatchObject({files: [{delimiter}], entries: [{amount: 700n}]})
  })

  it('is the one that shows the mapped columns, not the one that stands most often', async () => {
    const mapping = {...defaultLedgerMapping, columns: {order_no: 'Order, of ours', amount: 'Amount, in BDT'}}
    const {entries} = await read('Order, of ours;Amount, in BDT;a,b,c,d\nA1;"1,500";\n', {mapping})
    expect(entries).toMatchObject([{orderNo: 'A1', amount: 150_000n}])
  })

  it('is the stated one, also against the sep= line', async () => {
    const {files} = await read('sep=;\norder_no|a;b\nA1|x\n', {delimiter: '|'})
    expect(files[0]?.delimiter).toBe('|')
    const failure = await failureOf(read('order_no,amount\nA1,5\n', {delimiter: ';'}))
    expect(failure.message).toContain('but is "order_no,amount"')
  })
})

describe('the columns', () => {
  it.each(['order_no', 'Order_No', ' ORDER NO ', 'order-no', '\u00a0Order  no'])(
    '%j is order_no',
    async (name) => {
      expect((await read(`${name},x\nA1,\n`)).entries).toMatchObject([{orderNo: 'A1'}])
    },
  )

  const mapped = (columnsOf: LedgerMapping['columns']) => ({
    mapping: {...defaultLedgerMapping, columns: columnsOf},
  })

  it('are the mapped ones, exactly', async () => {
    const file = 'Order ID,order_no,Amount (BDT)\nA1,B1,500\n'
    const {entries, files} = await read(file, mapped({order_no: 'Order ID', amount: 'Amount (BDT)'}))
    expect(entries).toMatchObject([{orderNo: 'A1', amount: 50_000n}])
    expect(files[0]?.columns).toEqual({order_no: 'Order ID', amount: 'Amount (BDT)'})
  })

  it('a header that is mapped to one column is not another by its own name', async () => {
    const {entries} = await read('order_no,status\nA1,payout\n', mapped({kind: 'status'}))
    expect(entries).toMatchObject([{kind: 'payout', status: 'completed'}])
  })

  it('a mapped header that is not there is an error that names the nearest', async () => {
    const failure = await failureOf(read('Order Id,Amount\nA1,5\n', mapped({order_no: 'Order ID'})))
    expect(failure.message).toContain('no header "Order ID", which is mapped to order_no')
    expect(failure.hint).toBe('Did you mean --column order_no="Order Id"?')
    const far = await failureOf(read('order_no,x\nA1,5\n', mapped({amount: 'পরিমাণ'})))
    expect(far.message).toContain('the headers are "order_no", "x"')
  })

  it('a header that stands twice matters only where it is read', async () => {
    expect((await read('order_no,x,x\nA1,1,2\n')).entries).toHaveLength(1)
    const failure = await failureOf(read('A,A,x\n1,2,3\n', mapped({order_no: 'A'})))
    expect(failure.message).toContain('two headers mean order_no')
  })
})

describe('kind', () => {
  it.each([
    ['Deposit', null, 'deposit'],
    [' PAYOUT\u00a0', null, 'payout'],
    ['', 'payout', 'payout'],
    ['deposit', 'payout', 'deposit'],
  ] as const)('%j with --kind %s is %s', async (cell, stated, kind) => {
    const {entries, files} = await read(`order_no,kind\nA1,${cell}\n`, {kind: stated})
    expect(entries).toMatchObject([{kind}])
    expect(files[0]?.kindAssumed).toBe(false)
  })

  it('of the merchant’s own words, and rows that are no orders', async () => {
    const kinds = {deposit: ['Deposit'], payout: ['Withdrawal'], other: ['Bonus', 'সমন্বয়']}
    const mapping = {...defaultLedgerMapping, columns: {kind: 'Type'}, kinds}
    const rows = ['A1,deposit,500', 'A2,WITHDRAWAL,200', ',bonus,50', 'A1,Bonus,-5', 'X,সমন্বয়,5', 'A3,Cash,1']
    const {entries, unreadable, files, notes} = await read(`order_no,Type,amount\n${rows.join('\n')}\n`, {
      mapping,
    })
    expect(entries.map(({orderNo, kind}) => [orderNo, kind])).toEqual([
      ['A1', 'deposit'],
      ['A2', 'payout'],
    ])
    expect(unreadable).toMatchObject([
      {cause: 'kind_unknown', detail: expect.stringMatching(/"Cash" .*deposit, payout or other/)},
    ])
    expect(files).toMatchObject([{rows: 3}])
    expect(notes).toContainEqual(
      expect.stringMatching(/rows that are no orders, .*"bonus": 1, "Bonus": 1, "সমন্বয়": 1/),
    )
  })

  it('without a column is the stated one, or deposit, which is said', async () => {
    const stated = await read('order_no\nA1\n', {kind: 'payout'})
    expect(stated).toMatchObject({entries: [{kind: 'payout'}], files: [{kindAssumed: false}]})
    const assumed = await read('order_no\nA1\n')
    expect(assumed).toMatchObject({entries: [{kind: 'deposit'}], files: [{kindAssumed: true}]})
  })
})

describe('status', () => {
  const words = {completed: ['জমা হয়েছে', 'Credited'], open: ['অপেক্ষা'], failed: ['বাতিল']}

  it.each([
    ['জমা হয়েছে', 'completed'],
    ['জমা হয়েছে'.normalize('NFC'), 'completed'],
    ['জমা হ\u09dfেছে', 'completed'],
    ['\u00a0CREDITED ', 'completed'],
    ['ＣＲＥＤＩＴＥＤ', 'completed'],
    ['CRED\u0130TED', 'completed'],
    ['বা\u200dতিল', 'failed'],
    ['অপেক্ষা', 'open'],
    ['বাতিল', 'failed'],
  ])('%j is %s by the profile', async (cell, status) => {
    const mapping = {...defaultLedgerMapping, status: words}
    expect((await read(`order_no,status\nA1,${cell}\n`, {mapping})).entries).toMatchObject([{status}])
  })

  it('without a column every row is completed', async () => {
    expect((await read('order_no\nA1\n')).entries).toMatchObject([{status: 'completed'}])
  })

  it('a word that means two things is a fault of the profile', async () => {
    const mapping = {...defaultLedgerMapping, status: {...words, failed: ['credited']}}
    const failure = await failureOf(read('order_no,status\nA1,Credited\n', {mapping}))
    expect(failure).toMatchObject({code: 'config_invalid', message: expect.stringContaining('"credited"')})
  })
})
