import {readFileSync} from 'node:fs'

import {expect, test} from 'vitest'

import {findMentions} from '../../src/ledger/mentions.ts'
import {formatOfCode, formatOfId, numberText, plainFormat} from '../../src/ledger/spreadsheet/cell-text.ts'
import {openWorkbook} from '../../src/ledger/spreadsheet/workbook.ts'
import {XmlReader} from '../../src/ledger/spreadsheet/xml.ts'
import {ZipArchive} from '../../src/ledger/spreadsheet/zip.ts'
import {sheetOf, xlsx, ZipWriter} from '../../src/report/xlsx.ts'
import {defaultOptions, readWhole, writeLedger} from './scratch-ledger.ts'

const column = {title: 'order_no', kind: 'text', width: 9, value: (text: string) => text} as const
const book = Buffer.concat([...xlsx([sheetOf('Orders', [column], ['D-1', 'D-2'])])])

test('a part is unpacked up to a limit, and a changed byte is noticed', async () => {
  const read = async (bytes: Buffer, most: number) => {
    for await (const _ of new ZipArchive(bytes).unpack('xl/worksheets/sheet1.xml', most));
  }
  await expect(read(book, 1024 ** 2)).resolves.toBeUndefined()
  await expect(read(book, 100)).rejects.toThrow('its part xl/worksheets/sheet1.xml is larger than')
  const {headerAt = 0, packed = 0} = new ZipArchive(book).entries.get('xl/worksheets/sheet1.xml') ?? {}
  const altered = Buffer.from(book)
  const at = headerAt + 30 + 'xl/worksheets/sheet1.xml'.length + Math.floor(packed / 2)
  altered.writeUInt8((altered[at] ?? 0) ^ 0xff, at)
  await expect(read(altered, 1024 ** 2)).rejects.toThrow('is damaged')
})

test.each([0, 20, 100, 1000])('cut off after %d bytes it is no workbook', (length) => {
  expect(() => openWorkbook(book.subarray(0, length))).toThrow('damaged or cut off')
})

test('a document type is refused, and an endless tag', () => {
  const nothing = {open: () => {}, close: () => {}, text: () => {}}
  expect(() => new XmlReader(nothing).write('<!DOCTYPE x [<!ENTITY a "b">]><x/>')).toThrow('document type')
  expect(() => new XmlReader(nothing).write(`<x ${'y'.repeat(5_000_000)}`)).toThrow('no XML that hisab reads')
})

test.each<[source: string, code: string | number, text: string]>([
  ['4891.8800000000001', '#,##0.00', '4891.88'],
  ['0.30000000000000004', 'General', '0.3'],
  ['1002', '00000000', '00001002'],
  ['1.23E+15', 'General', '1.23E+15'],
  ['1234567890123456', '0', '1234567890123456'],
  ['12345678901234567890', '0', '1.2345678901234567E+19'],
  ['-300', '#,##0.00;[Red](#,##0.00)', '-300'],
  ['46346.0034722222', 'dd/mm/yyyy hh:mm', '2026-11-20 00:05:00'],
  ['46346', 14, '2026-11-20'],
  ['46346', 22, '2026-11-20 00:00:00'],
  ['0.5', 20, '12:00:00'],
  ['46346', '[$-409]d-mmm-yy;@', '2026-11-20'],
  ['500', '"USD "0.00', 'USD 500'],
  ['500', '#,##0.00 [$EUR-2]', '500 EUR'],
  ['500', '$#,##0;[Red]-$#,##0', '$500'],
  ['500', '[$৳-845] #,##0.00', '500'],
  ['500.5', '_("Tk "* #,##0.00_)', '500.5'],
  ['500', '[<1000]"A"0;"B"0', '500'],
  ['23', '"DEP"000000', 'DEP000023'],
])('the number %s in the format %s reads %s', (source, code, text) => {
  const format = typeof code === 'number' ? formatOfId(code) : formatOfCode(code)
  expect(numberText(source, format, 25_569)).toBe(text)
  expect(numberText('', plainFormat, 25_569)).toBe('')
})

type Changes = Readonly<Record<string, (text: string) => string>>

test.each([
  ['<a><b>1</b>', 'cut off'],
  ['<?xml version="1.0"?>', 'cut off'],
  ['<a><b></a></b>', 'ends inside another'],
  ['<a/><b/>', 'goes on after its end'],
])('XML that is not whole is refused: %s', (text, why) => {
  const nothing = {open: () => {}, close: () => {}, text: () => {}}
  const read = (isLoose: boolean) => {
    const xml = new XmlReader(nothing, isLoose)
    xml.write(text)
    xml.end()
  }
  expect(() => read(false)).toThrow(why)
  expect(() => read(true)).not.toThrow()
})

test.each<[what: string, change: (text: string) => string, why: string]>([
  ['that is cut off', (text) => text.replace(/<\/sheetData>.*/s, ''), 'cut off'],
  [
    'with two tables',
    (text) => text.replace('</sheetData>', '</sheetData><sheetData></sheetData>'),
    'two tables of rows',
  ],
])('a sheet %s is refused', async (_, change, why) => {
  const bytes = changed(book, {'xl/worksheets/sheet1.xml': change})
  await expect(openWorkbook(bytes).read(0, () => true)).rejects.toThrow(why)
})

test.each([
  [
    'the amount of another currency',
    '<c o:value-type="currency" o:currency="USD" o:value="5"><p>$5</p></c>',
    'USD 5',
  ],
  ['an amount in taka', '<c o:value-type="currency" o:currency="BDT" o:value="5"><p>5 Tk</p></c>', '5'],
  ['a number without its value', '<c o:value-type="float"><p>5.00</p></c>', '5.00'],
  ['a formula without a result', '<c t:formula="of:=1+[.A2]"/>', '=1+[.A2]'],
  ['a formula whose result is blank', '<c t:formula="of:=[.A9]" o:value-type="string"/>', ''],
  ['a covered cell', '<covered-c o:value-type="string"><p>completed</p></covered-c>', ''],
])('a cell of an .ods: %s', async (_, cell, text) => {
  const xml = `<d><table name="S"><table-row>${cell}<c><p>end</p></c></table-row></table></d>`
  const parts = [
    ...[['mimetype', 'application/vnd.oasis.opendocument.spreadsheet']],
    ['content.xml', xml.replaceAll(/(?<=[</-])c(?=[ >])/g, 'table-cell')],
  ] as const
  const zip = new ZipWriter()
  const pieces = parts.flatMap(([part = '', content = '']) => [...zip.file(part, [content])])
  const rows: (readonly string[])[] = []
  await openWorkbook(Buffer.concat([...pieces, zip.directory()])).read(0, (cells) => rows.push(cells) > 0)
  expect(rows).toEqual([[text, 'end']])
})

test('a second table right of the last header of a sheet is refused', async () => {
  const bytes = changed(book, {
    'xl/worksheets/sheet1.xml': (text) =>
      text.replace(
        /<\/row>(?=<\/sheetData>)/,
        '<c r="F3" t="inlineStr"><is><t>Order</t></is></c><c r="G3" t="inlineStr"><is><t>Amount</t></is></c></row>',
      ),
  })
  const reading = readWhole([writeLedger(bytes, 'beside.xlsx')], defaultOptions)
  await expect(reading).rejects.toThrow('line 3: another table begins beside the rows')
})

/** A fixture with parts added or changed. */
function rebuilt(name: string, parts: Changes): Buffer {
  return changed(readFileSync(new URL(`fixtures/${name}`, import.meta.url)), parts)
}

function changed(bytes: Buffer, parts: Changes): Buffer {
  const archive = new ZipArchive(bytes)
  const texts = new Map<string, string>()
  for (const part of archive.entries.keys())
    if (/\.(?:xml|rels)$|^mimetype$/.test(part)) texts.set(part, archive.text(part))
  for (const [part, change] of Object.entries(parts)) texts.set(part, change(texts.get(part) ?? ''))
  const zip = new ZipWriter()
  const pieces = [...texts].flatMap(([part, text]) => [...zip.file(part, [text])])
  return Buffer.concat([...pieces, zip.directory()])
}

const namedParts: readonly [where: string, file: string, part: string, change: (text: string) => string][] = [
  [
    'a text box',
    'sections.xlsx',
    'xl/drawings/drawing1.xml',
    () => '<d><a:p><a:r><a:t>by hand L-</a:t></a:r><a:r><a:t>7</a:t></a:r></a:p></d>',
  ],
  [
    'a comment',
    'sections.xlsx',
    'xl/comments1.xml',
    () => '<c><comment ref="A2"><text><r><t>by hand L-7</t></r></text></comment></c>',
  ],
  [
    'a thread',
    'sections.xlsx',
    'xl/threadedComments/threadedComment1.xml',
    () => '<t><threadedComment><text>by hand L-7</text></threadedComment></t>',
  ],
  [
    'a property',
    'sections.xlsx',
    'docProps/core.xml',
    (text) =>
      text.replace('</cp:coreProperties>', '<dc:subject>by hand L-7</dc:subject></cp:coreProperties>'),
  ],
  [
    'what is printed below',
    'sections.xlsx',
    'xl/worksheets/sheet1.xml',
    (text) =>
      text.replace(
        '</worksheet>',
        '<headerFooter><oddFooter>&amp;L&amp;"Arial"by hand &amp;CL-7</oddFooter></headerFooter></worksheet>',
      ),
  ],
  [
    'a comment of .ods',
    'sections.ods',
    'content.xml',
    (text) =>
      text.replace(
        '</text:p></table:table-cell>',
        '</text:p><office:annotation><text:p>by hand <text:span>L-</text:span>7</text:p></office:annotation></table:table-cell>',
      ),
  ],
  [
    'a property of .ods',
    'sections.ods',
    'meta.xml',
    (text) => text.replace('</office:meta>', '<dc:title>by hand L-7</dc:title></office:meta>'),
  ],
  [
    'what is printed below .ods',
    'sections.ods',
    'styles.xml',
    (text) =>
      text.replace(
        '</office:master-styles>',
        '<style:footer><text:p>by hand L-7</text:p></style:footer></office:master-styles>',
      ),
  ],
]

async function notesOf(bytes: Buffer): Promise<string[]> {
  const notes = await Array.fromAsync(openWorkbook(bytes).notes())
  return notes.map(({text, at}) => `${text.replace(/\s+/g, ' ').trim()}${at ? ` in row ${at.row}` : ''}`)
}

const sheetEnd = (xml: string) => (text: string) => text.replace('</worksheet>', `${xml}</worksheet>`)

test.each<[where: string, part: string, change: (text: string) => string, note: string]>([
  [
    'a message of a validation',
    'xl/worksheets/sheet1.xml',
    sheetEnd('<dataValidations><dataValidation prompt="by hand L-7" sqref="B3:B9"/></dataValidations>'),
    'by hand L-7',
  ],
  [
    'a tooltip of a row',
    'xl/worksheets/sheet1.xml',
    sheetEnd('<hyperlinks><hyperlink ref="A3" tooltip="by hand L-7"/></hyperlinks>'),
    'by hand L-7 in row 3',
  ],
  [
    'a text in a formula',
    'xl/worksheets/sheet1.xml',
    sheetEnd(
      '<conditionalFormatting><cfRule><formula>OR(A1="by hand",A1="L-7",$L$7)</formula></cfRule></conditionalFormatting>',
    ),
    'by hand L-7',
  ],
  [
    'the title of a chart, and no cell of it',
    'xl/charts/chart1.xml',
    () =>
      '<c><a:p><a:r><a:t>by hand L-7</a:t></a:r></a:p><c:strCache><c:pt><c:v>L-8</c:v></c:pt></c:strCache></c>',
    'by hand L-7',
  ],
  [
    'a picture',
    'xl/drawings/drawing1.xml',
    () => '<d><cNvPr id="7" descr="by hand L-7"/></d>',
    'by hand L-7',
  ],
])('%s is found', async (_, part, change, note) => {
  const found = (await notesOf(rebuilt('sections.xlsx', {[part]: change}))).filter((text) =>
    /hand|L-8/.test(text),
  )
  expect(found).toEqual([note])
})

test.each(namedParts)('%s is found', async (_, file, part, change) => {
  expect((await notesOf(rebuilt(file, {[part]: change}))).join()).toContain('by hand L-7')
  expect((await notesOf(rebuilt(file, {}))).join()).not.toContain('by hand')
})

const states = ['completed', 'completed', 'pending', 'pending', 'pending']
const fields = [
  {...column, value: (nth: number) => `D-${nth}`},
  {...column, title: 'status', value: (nth: number) => states[nth] ?? ''},
] as const
const orders = Buffer.concat([...xlsx([sheetOf('Orders', fields, [...states.keys()])])])
const commented = (comments: readonly (readonly [ref: string, text: string])[]) =>
  changed(orders, {
    'xl/worksheets/_rels/sheet1.xml.rels': () =>
      '<Relationships><Relationship Id="r1" Type="http://x/comments" Target="../comments1.xml"/></Relationships>',
    'xl/comments1.xml': () =>
      `<comments>${comments.map(([ref, text]) => `<comment ref="${ref}"><text><r><t>Karim:</t></r><r><t>\n${text}</t></r></text></comment>`).join('')}</comments>`,
  })

test.each<[what: string, comments: Parameters<typeof commented>[0], held: string[]]>([
  ['on the own row', [['B4', 'booked by hand']], ['D-2']],
  ['in Bangla', [['A5', 'হাতে যোগ করা হয়েছে']], ['D-3']],
  ['of anything', [['A5', 'not booked yet']], ['D-3']],
  [
    'that booked rows have, and other open ones have not',
    [
      ['B2', 'booked'],
      ['B3', 'booked'],
      ['B4', 'booked'],
    ],
    ['D-2'],
  ],
  ['with the number of another row', [['B2', 'also D-3']], ['D-3']],
  ['on no row', [['A9', 'booked by hand']], ['D-2', 'D-3', 'D-4']],
  ['on the header', [['A1', 'all pending were credited']], ['D-2', 'D-3', 'D-4']],
])('a comment %s', async (_, comments, held) => {
  const {files} = await readWhole([writeLedger(commented(comments), 'commented.xlsx')], defaultOptions)
  const open = ['D-2', 'D-3', 'D-4'].map((orderNo, nth) => ({orderNo, platformOrderNo: `6f1c-${nth}`}))
  const isBooked = (status: string) => status === 'completed'
  const {places: found} = await findMentions(files, open, {
    unknown: [],
    unreadable: [],
    linesOf: () => [],
    isBooked,
  })
  expect([...found.keys()]).toEqual(held)
})

test('a spreadsheet that changed since it was read is refused', async () => {
  const {files} = await readWhole([writeLedger(commented([]), 'changed.xlsx')], defaultOptions)
  writeLedger(commented([['A5', 'booked by hand']]), 'changed.xlsx')
  const open = [{orderNo: 'D-2', platformOrderNo: ''}]
  const rows = {unknown: [], unreadable: [], linesOf: () => [], isBooked: () => false}
  await expect(findMentions(files, open, rows)).rejects.toMatchObject({code: 'ledger_damaged'})
})

/** 30 orders of which the last 10 were lost; another sheet beside them. */
const thirty = Array.from({length: 30}, (_, nth) => `DEP${String(nth + 1).padStart(5, '0')}`)
test.each<[what: string, title: string, cells: readonly string[], held: number]>([
  ['players with the same digits', 'Player', thirty.map((no) => no.replace('DEP', 'P')), 0],
  ['all orders once more', 'Order', thirty, 0],
  ['the lost ones', 'Order', thirty.slice(20), 10],
  [
    'a list of many days',
    'Order',
    [...thirty.slice(20), ...thirty.map((no) => no.replace('000', '009'))],
    10,
  ],
  ['a part of the file', 'Order', thirty.slice(12), 10],
  ['players, booked by hand', 'By hand', thirty.map((no) => no.replace('DEP', 'P')), 10],
  ['formulas without a result', 'Booked', ['=Orders!A22', "=TRIM('Orders'!$A$23)", '=[$Orders.A24]'], 3],
  [
    'sums without a result',
    'Total',
    ['=SUM(Orders!C2:C31)', '=COUNTIF(Orders!A2:Orders!A31,"D*")', '=A22'],
    0,
  ],
  ['formulas of another sheet', 'Total', ['=Other!A22'], 0],
])('a sheet of %s', async (_, title, cells, held) => {
  const row = [
    {...column, value: (no: string) => no},
    {...fields[1], value: (no: string) => (thirty.indexOf(no) < 20 ? 'completed' : 'pending')},
  ] as const
  const other = [{...column, title, value: (text: string) => text}] as const
  const bytes = Buffer.concat([...xlsx([sheetOf('Sheet2', other, cells), sheetOf('Orders', row, thirty)])])
  const {files} = await readWhole([writeLedger(bytes, 'sheets.xlsx')], {...defaultOptions, sheet: 'Orders'})
  const lost = thirty.slice(20).map((orderNo, nth) => ({orderNo, platformOrderNo: `6f1c-${nth}`}))
  const {places: found} = await findMentions(files, lost, {
    unknown: [],
    unreadable: [],
    linesOf: () => [],
    isBooked: (status) => status === 'completed',
  })
  expect(found.size).toBe(held)
})

/** 30 orders: DEP00007 and DEP00023 were lost, and DEP00011 to DEP00014 are not paid. */
const isPaid = (nth: number) => nth < 11 || nth > 14
const openOnes = [7, 11, 12, 13, 14, 23]
type Line = readonly (string | undefined)[]
const allLines = (say: (nth: number) => string): readonly Line[] =>
  thirty.map((no, at) => [no, say(at + 1), String(100 + at)])
const statusOf = (nth: number) => (openOnes.includes(nth) ? 'pending' : 'completed')
const butSeven = (text: string, others: (nth: number) => string = statusOf) =>
  allLines((nth) => (nth === 7 ? text : others(nth)))
const kinds: readonly [
  what: string,
  headers: Line,
  lines: readonly Line[],
  ofOrders: number,
  ofCredits: number,
][] = [
  ['a copy', ['order_no', 'status', 'amount'], allLines(statusOf), 0, 0],
  ['a copy without a header', [], allLines(statusOf), 0, 0],
  ['other headers', ['Order', 'State', 'Taka'], allLines(statusOf), 0, 0],
  ['one completed', ['order_no', 'status', 'amount'], butSeven('completed'), 1, 1],
  ['a word of the profile', ['Order', 'Final', 'Taka'], butSeven('sofol'), 1, 1],
  ['a word that no unpaid one has', ['Order', 'Check', 'Taka'], butSeven('seen'), 1, 1],
  ['a word that all have', ['Order', 'KYC', 'Taka'], allLines(() => 'Yes'), 0, 0],
  ['booked ones alone', ['Order', 'Shop'], butSeven('').filter(([, word]) => word !== 'pending'), 1, 1],
  ['all, without a state', ['Row Labels', 'Count'], allLines(() => '1'), 0, 0],
  ['paid ones', ['Order', 'Channel'], allLines(() => 'bKash').filter((_, at) => isPaid(at + 1)), 2, 2],
]
test.each(kinds)('a second sheet with the orders: %s', async (_, headers, lines, ofOrders, ofCredits) => {
  const at = (place: number) => (line: Line) => line[place] ?? ''
  const sheet = (name: string, titles: Line, rows: readonly Line[]) =>
    sheetOf(
      name,
      [0, 1, 2].map((place) => ({...column, title: titles[place] ?? '', value: at(place)})),
      rows,
    )
  const rows = allLines(statusOf)
  const orders = sheet('Orders', ['order_no', 'status', 'amount'], rows)
  const credits = sheet(
    'Orders',
    ['order_no', '', ''],
    rows.filter(([, word]) => word === 'completed').map(([no]) => [no]),
  )
  // Without a header its first row stands in its place.
  const [first = headers, ...rest] = headers.length === 0 ? lines : [headers, ...lines]
  const held = async (read: typeof orders) => {
    const bytes = Buffer.concat([...xlsx([sheet('Sheet2', first, rest), read])])
    const {files} = await readWhole([writeLedger(bytes, 'two.xlsx')], {...defaultOptions, sheet: 'Orders'})
    const {places: found} = await findMentions(
      files,
      [7, 23].map((nth) => ({orderNo: thirty[nth - 1] ?? '', platformOrderNo: `6f1c-${nth}`})),
      {
        unknown: [],
        unreadable: [],
        linesOf: () => [],
        unpaid: read === orders ? [11, 12, 13, 14].map((nth) => ({file: 0, line: nth + 1})) : [],
        isBooked: (word) => word === 'completed',
        stateOf: (word) =>
          word === 'pending' ? 'open' : word === 'completed' || word === 'sofol' ? 'booked' : null,
      },
    )
    return found.size
  }
  expect([await held(orders), await held(credits)]).toEqual([ofOrders, ofCredits])
})

test.each(['xl/sharedStrings.xml', 'xl/texts.xml'])(
  'what was deleted from a cell holds nothing, left in %s',
  async (part) => {
    const extra = (text: string) => text.replace('</sst>', '<si><t>booked by hand L-7</t></si></sst>')
    const texts = new ZipArchive(readFileSync(new URL('fixtures/sections.xlsx', import.meta.url))).text(
      'xl/sharedStrings.xml',
    )
    const bytes = rebuilt('sections.xlsx', {
      'xl/sharedStrings.xml': () => '<sst></sst>',
      [part]: () => extra(texts),
      'xl/_rels/workbook.xml.rels': (text) => text.replace('sharedStrings.xml', part.slice(3)),
    })
    const {files} = await readWhole([writeLedger(bytes, 'deleted.xlsx')], {...defaultOptions, headerRow: 1})
    const lost = [{orderNo: 'L-7', platformOrderNo: '6f1c'}]
    const {places: found} = await findMentions(files, lost, {
      unknown: [],
      unreadable: [],
      linesOf: () => [],
      isBooked: () => true,
    })
    expect([...found.values()].filter((place) => !place.includes('line'))).toEqual([])
  },
)

/** Ten orders with a remark in the cell C5, over rows 5 to 8 (D-3 to D-6); D-5 and D-8 are lost. */
const ten = Array.from({length: 10}, (_, nth) => `D-${nth}`)
const isLost = (no: string) => no === 'D-5' || no === 'D-8'
const remarked = [
  {...column, value: (no: string) => no},
  {...column, title: 'status', value: (no: string) => (isLost(no) ? 'pending' : 'completed')},
  {...column, title: 'Remarks', value: (no: string) => (no === 'D-3' ? 'booked by hand' : '')},
] as const
const unmerged = Buffer.concat([...xlsx([sheetOf('Orders', remarked, ten)])])
const odsRow = (cells: readonly string[], spanned = 1) =>
  `<table:table-row>${cells.map((text, at) => (text === '' ? '<table:covered-table-cell/>' : `<table:table-cell${at === 2 && spanned > 1 ? ` table:number-rows-spanned="${spanned}"` : ''}><text:p>${text}</text:p></table:table-cell>`)).join('')}</table:table-row>`
const ods = (spanned: number) =>
  changed(readFileSync(new URL('fixtures/sections.ods', import.meta.url)), {
    'content.xml': () =>
      `<office:document-content><office:body><office:spreadsheet><table:table table:name="Orders">${odsRow(['order_no', 'status', 'Remarks'])}${ten.map((no) => odsRow([no, isLost(no) ? 'pending' : 'completed', no === 'D-3' ? 'booked by hand' : ''], spanned)).join('')}</table:table></office:spreadsheet></office:body></office:document-content>`,
  })

test.each([
  ['xlsx', unmerged, []],
  [
    'xlsx',
    changed(unmerged, {
      'xl/worksheets/sheet1.xml': (text) =>
        text.replace('</sheetData>', '</sheetData><mergeCells><mergeCell ref="C5:C8"/></mergeCells>'),
    }),
    ['D-5'],
  ],
  ['ods', ods(1), []],
  ['ods', ods(4), ['D-5']],
])('a remark in a merged cell of %s counts for each of its rows', async (format, bytes, held) => {
  const {files} = await readWhole([writeLedger(bytes, `merged.${format}`)], defaultOptions)
  const lost = ten.filter(isLost).map((orderNo) => ({orderNo, platformOrderNo: `6f1c-${orderNo}`}))
  const {places} = await findMentions(files, lost, {
    ...{unknown: [], unreadable: [], linesOf: () => []},
    isBooked: (status) => status === 'completed',
  })
  expect([...places.keys()]).toEqual(held)
})
