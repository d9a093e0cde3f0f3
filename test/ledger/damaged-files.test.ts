import {spawnSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdirSync, truncateSync} from 'node:fs'
import {gzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {defaultOptions, failureOf, read, readWhole, writeLedger} from './scratch-ledger.ts'

const good = 'order_no,status,amount\nA1,completed,500\nA2,open,100\n'
const latin1 = (text: string) => Buffer.from(text, 'latin1')

const damaged: [what: string, bytes: string | Buffer, message: string, hint: string][] = [
  ['nothing in it', '', 'the file is empty', 'header line'],
  ['only a byte order mark', '\ufeff', 'only blank lines', 'export'],
  ['only blank lines', '\n\r\n \n', 'only blank lines', 'export'],
  [
    'a header and no row',
    'order_no,amount\n',
    'the file has a header and no row',
    'csv --since DAY --until NEXT_DAY`',
  ],
  [
    'a header and rows of blank cells',
    'order_no,amount\n,\n,\n',
    'the file has a header and no row',
    'export',
  ],
  [
    'no header',
    'A1,completed,500\nA2,open,100\n',
    'should be the header, but is "A1", "completed"',
    '--column',
  ],
  ['a foreign header', 'Ord. Code,Amount\nA1,500\n', 'no column order_no', '--column order_no='],
  ['no header but a phone', '01712345678,500\n', 'but is "017****5678"', '--column order_no='],
  ['two equal headers', 'order_no,amount,amount\nA1,500,1\n', 'two headers mean amount', 'Rename'],
  [
    'two like headers',
    'order_no,Order No\nA1,A2\n',
    '"order_no" (column 1) and "Order No" (column 2)',
    'Rename',
  ],
  ['the header again', `${good}${good}`, 'the header line is repeated on line 4', 'two files'],
  ['the header again, with its mark', `\ufeff${good}\ufeff${good}`, 'is repeated on line 4', 'two files'],
  ['a quote never closed', `${good}A3,"open,100\nA4,open,1\n`, 'the quote that opens on line 4', 'Close it'],
  [
    'a quote never closed, after a field of two lines',
    'order_no,note,amount\nA1,"one\r\ntwo","500\n',
    'the quote that opens on line 3 is never closed',
    'Close it',
  ],
  [
    'text after a closing quote',
    `${good}A3,"open"x,100\n`,
    'on line 4 goes on after its closing',
    'twice ("")',
  ],
  [
    'a quote in the middle',
    `${good}A3,5" pipe,100\n`,
    'a quote inside a field that is not quoted, on line 4',
    '""',
  ],
  [
    'a quote that swallows rows',
    'order_no,note,amount\nA1,"one,500\nA2,two,600\nA3,three",700\n',
    'a quote that opens on line 2 holds the rows up to line 4',
    'stray quote',
  ],
  [
    'a quote that swallows rows to the end of the file, its last line end with them',
    'order_no,amount\n"A1,500\nA2,600\n"',
    'a quote that opens on line 2 holds the rows up to line 4',
    'stray quote',
  ],
  [
    'a quote in the header that swallows rows',
    'order_no,amount,"note\nA1,500,x"\nA2,600,y\n',
    'a quote that opens on line 1 holds the rows up to line 2',
    'stray quote',
  ],
  ['Latin-1', latin1(`${good}A3,open,100,caf\xe9\n`), 'not valid UTF-8 on line 4 (byte 67)', 'LibreOffice'],
  ['a surrogate in UTF-8', latin1(`${good}\xed\xa0\x80\n`), 'not valid UTF-8 on line 4', 'LibreOffice'],
  ['an end inside a character', latin1(`${good}A3,\xe0\xa6`), 'ends inside a character on line 4', 'Export'],
  ['a NUL', `${good}A3,open,1\u00000\n`, 'a NUL byte on line 4 (byte 61)', 'Export'],
  ['UTF-16, cut off', Buffer.from(`\ufeff${good}`, 'utf16le').subarray(0, -1), 'not valid UTF-16', 'Save As'],
  [
    'half a character of UTF-16',
    Buffer.from(`\ufeff${good}A\ud83d,1,\n`, 'utf16le'),
    'not valid UTF-16',
    'Save As',
  ],
  ['a zip, cut off', 'PK\u0003\u0004\u0014\u0000', 'it is damaged or cut off', 'save it again as .xlsx'],
  [
    'an old spreadsheet',
    latin1('\xd0\xcf\x11\xe0\xa1\xb1'),
    'an old Excel file (.xls), or one with',
    'CSV UTF-8',
  ],
  ['a gzip, cut off', gzipSync(good).subarray(0, -9), 'this gzip archive is damaged or cut off', 'Export'],
  [
    'a gzip with another behind zeros',
    Buffer.concat([gzipSync(good), Buffer.alloc(100_000), gzipSync('A3,completed,700\n')]),
    'there is more behind the end of this gzip archive',
    'Export',
  ],
  ['a gzip of a gzip', gzipSync(gzipSync(good)), 'a gzip archive', 'Unpack'],
  ['an HTML table named .csv', '\ufeff<table><tr><td>order_no</td></tr></table>', 'HTML or XML', 'CSV UTF-8'],
  ['a PDF', '%PDF-1.7\n', 'a PDF', 'CSV UTF-8'],
  ['an unknown sep= line', 'sep=:\norder_no:amount\nA1:5\n', 'its sep= line has ":"', ', ; TAB |'],
  [
    'a field of 64 KiB and a byte',
    `order_no,note\nA1,${'x'.repeat(65_537)}\n`,
    'field 2 of the row on line 2',
    'quote',
  ],
  [
    'a field of 64 KiB in Bengali',
    `order_no,note\nA1,${'ক'.repeat(21_846)}\n`,
    'larger than 64 KiB',
    'quote',
  ],
  [
    'a row of 1 MiB',
    `${good}A3,"${'x\n'.repeat(600_000)}`,
    'the row that starts on line 4 is larger than',
    'quote',
  ],
]

describe('a damaged file stops the run before anything is read from it', () => {
  it.each(damaged)('%s', async (_what, bytes, message, hint) => {
    const failure = await failureOf(read(bytes))
    expect(failure.code).toBe('ledger_damaged')
    expect(failure.exitStatus).toBe(2)
    expect(failure.message).toContain('ledger.csv: ')
    expect(failure.message).toContain(message)
    expect(failure.hint).toContain(hint)
  })

  it('also when another file of the run is good', async () => {
    const paths = [writeLedger(good, 'good.csv'), writeLedger('nothing', 'bad.csv')]
    const failure = await failureOf(readWhole(paths, defaultOptions))
    expect(failure.message).toContain('bad.csv: ')
  })

  it('also where the damage is far from the start, with its line', async () => {
    const rows = Array.from({length: 30_000}, (_, index) => `A${index},completed,500\r\n`).join('')
    const start = `order_no,status,amount\r\n${rows}`
    const notUtf8 = await failureOf(read(Buffer.concat([Buffer.from(start), latin1('\xff')])))
    expect(notUtf8.message).toContain(`not valid UTF-8 on line 30002 (byte ${start.length})`)
    const unclosed = await failureOf(read(`${start}"`))
    expect(unclosed.message).toContain('the quote that opens on line 30002')
  })

  it('a field of exactly 64 KiB is read', async () => {
    const {entries} = await read(`order_no,player_ref\nA1,${'x'.repeat(65_536)}\n`)
    expect(entries[0]?.playerRef).toHaveLength(65_536)
  })

  it('an address of several lines is not taken for swallowed rows', async () => {
    const {entries} = await read('order_no,note,amount\nA1,"Road 3, House 7,\nDhanmondi, Dhaka,\n1205",500\n')
    expect(entries).toMatchObject([{orderNo: 'A1', amount: 50_000n}])
  })

  it('nor is a header of several lines', async () => {
    const {entries} = await read('order_no,"note,\nof the cashier","amount"\nA1,x,500\n')
    expect(entries).toMatchObject([{line: 3, orderNo: 'A1', amount: 50_000n}])
  })
})

describe('a file that cannot be read', () => {
  it('is named where it is not there', async () => {
    const failure = await failureOf(readWhole(['no/such\u001b[2J.csv'], defaultOptions))
    expect(failure).toMatchObject({
      code: 'file_unreadable',
      exitStatus: 2,
      message: 'no/such\\u{1b}[2J.csv: there is no such file',
    })
  })

  it('is named where it is a directory', async () => {
    const path = writeLedger('', 'beside')
    mkdirSync(`${path}-folder`)
    const failure = await failureOf(readWhole([`${path}-folder`], defaultOptions))
    expect(failure).toMatchObject({code: 'file_unreadable', message: expect.stringContaining('a directory')})
  })

  it('is refused over 1 GiB, before a byte of it is read', async () => {
    const path = writeLedger(good, 'large.csv')
    truncateSync(path, 1024 ** 3 + 1)
    const failure = await failureOf(readWhole([path], defaultOptions))
    expect(failure).toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('larger than 1 GiB'),
    })
  })
})

describe('what is said of a file', () => {
  it('is its hash, as sha256sum has it, its rows and its columns', async () => {
    const bytes = Buffer.from(`\ufeffsep=;\r\nOrder-No;Amount;x\r\nA1;500;\r\n\r\nA2;bad;\r\n`)
    const {files} = await read(bytes)
    expect(files).toEqual([
      {
        ...{format: 'csv', encoding: 'UTF-8', headerLine: 2, guesses: [], ignored: ['x']},
        path: expect.stringContaining('ledger.csv'),
        sha256: createHash('sha256').update(bytes).digest('hex'),
        rows: 2,
        delimiter: ';',
        columns: {order_no: 'Order-No', amount: 'Amount'},
        kinds: ['deposit'],
        kindAssumed: true,
        lastLine: 5,
        totals: [],
      },
    ])
  })

  it('tells that the last line has no newline', async () => {
    expect((await read('order_no\nA1')).files[0]?.endsMidLine).toBe(true)
    expect((await read('order_no\nA1\n')).files[0]).not.toHaveProperty('endsMidLine')
  })

  it('is the same from stdin', () => {
    const script = `
      import {readLedger} from ${JSON.stringify(new URL('../../src/ledger/read-ledger.ts', import.meta.url).href)}
      import {defaultLedgerMapping as mapping} from ${JSON.stringify(new URL('../../src/core/profile.ts', import.meta.url).href)}
      const numbers = []
      const entry = ({orderNo}) => numbers.push(orderNo)
      await readLedger(['-'], {mapping, kind: null}, {entry, unreadable: entry, line: () => {}})
      process.stdout.write(numbers.join())`
    const {stdout, stderr} = spawnSync(process.execPath, ['--input-type=module', '-e', script], {input: good})
    expect(stdout.toString(), stderr.toString()).toBe('A1,A2')
  })
})
