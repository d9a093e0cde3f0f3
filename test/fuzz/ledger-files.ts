import fc from 'fast-check'

const delimiters = [',', ';', '\t', '|'] as const
const lineEnds = ['\n', '\r\n', '\r'] as const

const orderNo = fc.oneof(
  fc.stringMatching(/^[A-Z]-[0-9]{1,6}$/),
  fc.stringMatching(/^0[0-9]{3,18}$/),
  fc.constantFrom('অর্ডার-৩', '1.23E+15', '2026-11-03', 'D\u00a01', '১২৩৪', '=1', '123456789012345000'),
)
const amount = fc.oneof(
  fc.stringMatching(/^[1-9][0-9]{0,8}(\.[0-9]{1,2})?$/),
  fc.constantFrom('', '1,500.00', '12,34,567.5', '৭৫০.৫০', '৳500', 'BDT 500', '500 Tk', '৫০০ টাকা'),
  fc.constantFrom('-', '1.2E+15', '1.005', '1234,50', '-5.00', '(5.00)', '0500', '1 500', '500.', '5,00.00'),
)
const row = fc.record({
  order_no: orderNo,
  kind: fc.constantFrom('deposit', 'payout', ''),
  status: fc.constantFrom('paid', 'Open', 'FAILED', 'completed', '', 'জমা'),
  amount,
  created_at: fc.constantFrom('2026-11-20T09:00:00Z', '2026-11-20', '20/11/2026', ''),
  note: fc.constantFrom('', 'x', 'রহিমা', 'a b', "it's", 'two\r\nlines', 'a "quote"', 'a,b;c|d\te'),
})
type Column = 'order_no' | 'kind' | 'status' | 'amount' | 'created_at' | 'note'

/** Ledgers of every layout that is supported: columns in any order and some left out, all delimiters and line ends. */
export const ledgerFile: fc.Arbitrary<Buffer> = fc
  .record({
    rows: fc.array(row, {minLength: 1, maxLength: 8}),
    columns: fc.shuffledSubarray<Column>(['order_no', 'kind', 'status', 'amount', 'created_at', 'note'], {
      minLength: 1,
    }),
    heading: fc.constantFrom(
      (name: string) => name,
      (name: string) => name.replace('_', ' ').toUpperCase(),
    ),
    delimiter: fc.constantFrom(...delimiters),
    lineEnd: fc.constantFrom(...lineEnds),
    start: fc.constantFrom('', '\ufeff', 'sep', '\n\n'),
    isQuoted: fc.boolean(),
    endsMidLine: fc.boolean(),
  })
  .map(({rows, columns, heading, delimiter, lineEnd, start, isQuoted, endsMidLine}) => {
    const all: Column[] = columns.includes('order_no') ? columns : ['order_no', ...columns]
    const mustQuote = (text: string) => /["\r\n]/.test(text) || text.includes(delimiter)
    const write = (text: string) => {
      if (isQuoted) return mustQuote(text) || text.length % 2 === 0 ? `"${text.replaceAll('"', '""')}"` : text
      return mustQuote(text) ? 'x' : text
    }
    const lines = [all.map(heading), ...rows.map((cells) => all.map((column) => cells[column]))].map(
      (cells) => cells.map(write).join(delimiter),
    )
    const before = start === 'sep' ? `sep=${delimiter}${lineEnd}` : start
    const text = before + lines.join(lineEnd) + (endsMidLine ? '' : lineEnd)
    return Buffer.from(text)
  })

const payout = fc.tuple(
  fc.stringMatching(/^P-[0-9]{1,5}$/),
  fc.oneof(
    fc.stringMatching(/^[1-9][0-9]{0,5}(\.[0-9]{1,2})?$/),
    fc.constantFrom('0', '1,500', '5e3', '-5', '1.005'),
  ),
  fc.constantFrom('BKASH', 'NAGAD', 'ROCKET', 'bkash', ''),
  fc.constantFrom('Rahim Uddin', 'রহিমা', '"Karim, Ltd"', '"a\nb"'),
  fc.constantFrom('01712345678', '01812345670', '1712345678', '+8801712345678'),
)

/** A file of payouts, separated by commas. */
export const payoutFile: fc.Arbitrary<Buffer> = fc
  .array(payout, {minLength: 1, maxLength: 6})
  .map((rows) =>
    Buffer.from(
      `out_order_no,amount,bank_type,user_name,account\n${rows.map((row) => `${row.join()}\n`).join('')}`,
    ),
  )

interface Blow {
  /** Places in the file, the first before the second. */
  readonly from: number
  readonly until: number
  readonly byte: number
  readonly text: string
}

/** What happens to files on their way, by name. */
const blows = {
  nothing: (file: Buffer) => file,
  flip: (file: Buffer, {from, byte}: Blow) =>
    Buffer.from(file.map((before, at) => (at === from ? byte : before))),
  'cut off': (file: Buffer, {from}: Blow) => file.subarray(0, from),
  'cut out': (file: Buffer, {from, until}: Blow) =>
    Buffer.concat([file.subarray(0, from), file.subarray(until)]),
  quote: (file: Buffer, {from}: Blow) => insert(file, from, '"'),
  NUL: (file: Buffer, {from}: Blow) => insert(file, from, '\0'),
  'byte order mark': (file: Buffer, {from}: Blow) => insert(file, from, '\ufeff'),
  'a few characters': (file: Buffer, {from, text}: Blow) => insert(file, from, text),
  'a huge field': (file: Buffer, {from, byte}: Blow) =>
    insert(file, from, '9'.repeat(byte < 16 ? 70_000 : 300)),
  'blank lines': (file: Buffer, {from}: Blow) => insert(file, from, '\r\n\n \n'),
  'two lines swapped': (file: Buffer, {from, until}: Blow) =>
    withLines(file, from, until, (lines, a, b) => {
      ;[lines[a], lines[b]] = [lines[b] ?? '', lines[a] ?? '']
    }),
  'a line twice': (file: Buffer, {from, until}: Blow) =>
    withLines(file, from, until, (lines, a, b) => lines.splice(b, 0, lines[a] ?? '')),
  'saved as Latin-1': (file: Buffer) => Buffer.from(file.toString('utf8'), 'latin1'),
  'saved as UTF-16': (file: Buffer, {byte}: Blow) =>
    byte < 64 ? Buffer.from(file.toString('utf8'), 'utf16le') : file,
  'saved by a spreadsheet': (file: Buffer) =>
    Buffer.from(
      file
        .toString('utf8')
        .replace(/\b0+(?=[0-9]{3})/g, '')
        .replace(/[0-9]{16,}/g, (digits) => `${digits[0]}.${digits.slice(1, 3)}E+${digits.length - 1}`),
    ),
}

const names = Object.keys(blows) as (keyof typeof blows)[]
const pieces = ['"', '""', ',', ';', '\n', '\r', '\ufeff', 'E+5', '.', '0', ' ', '\u00a0', '৭', 'é', '\u202e']

/** A part of a length, every place as likely as any other. */
export const part = fc.nat(9_999).map((tenThousandths) => tenThousandths / 10_000)

/** Up to three blows, one after the other. */
export const damages = fc.array(
  fc.record({
    what: fc.constantFrom(...names),
    places: fc.tuple(part, part),
    byte: fc.nat(255),
    text: fc.constantFrom(...pieces),
  }),
  {maxLength: 3},
)

export function damaged(
  bytes: Buffer,
  all: typeof damages extends fc.Arbitrary<infer D> ? D : never,
): Buffer {
  return all.reduce<Buffer>((file, {what, places, byte, text}) => {
    const [a, b] = places.map((place) => Math.floor(place * file.length)) as [number, number]
    return blows[what](file, {from: Math.min(a, b), until: Math.max(a, b), byte, text})
  }, bytes)
}

function insert(file: Buffer, at: number, piece: string): Buffer {
  return Buffer.concat([file.subarray(0, at), Buffer.from(piece), file.subarray(at)])
}

/** Changes the file as its lines; `from` and `until` are told as the lines they stand in. */
function withLines(
  file: Buffer,
  from: number,
  until: number,
  change: (lines: string[], from: number, until: number) => void,
): Buffer {
  const lineOf = (at: number) => file.toString('latin1', 0, at).split('\n').length - 1
  const lines = file.toString('latin1').split('\n')
  change(lines, lineOf(from), lineOf(until))
  return Buffer.from(lines.join('\n'), 'latin1')
}
