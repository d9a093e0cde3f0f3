import {readFileSync} from 'node:fs'

import {expect, test} from 'vitest'

import {formatOfCode, formatOfId, numberText, plainFormat} from '../../src/ledger/spreadsheet/cell-text.ts'
import {openWorkbook} from '../../src/ledger/spreadsheet/workbook.ts'
import {XmlReader} from '../../src/ledger/spreadsheet/xml.ts'
import {ZipArchive} from '../../src/ledger/spreadsheet/zip.ts'
import {sheetOf, xlsx, ZipWriter} from '../../src/report/xlsx.ts'

const column = {title: 'order_no', kind: 'text', width: 9, value: (text: string) => text} as const
const book = Buffer.concat([...xlsx([sheetOf('Orders', [column], ['D-1', 'D-2'])])])

test('a part is unpacked up to a limit, and a changed byte is noticed', async () => {
  const read = async (bytes: Buffer, most: number) => {
    for await (const _ of new ZipArchive(bytes).unpack('xl/worksheets/sheet1.xml', most));
  }
  await expect(read(book, 1024 ** 2)).resolves.toBeUndefined()
  await expect(read(book, 100)).rejects.toThrow('its part xl/worksheets/sheet1.xml is larger than')
  const {headerAt = 0, packed = 0} = new ZipArchive(book).entries.get('xl/worksheets/sheet1.xml') ?? {}
  const changed = Buffer.from(book)
  const at = headerAt + 30 + 'xl/worksheets/sheet1.xml'.length + Math.floor(packed / 2)
  changed.writeUInt8((changed[at] ?? 0) ^ 0xff, at)
  await expect(read(changed, 1024 ** 2)).rejects.toThrow('is damaged')
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
])('the number %s in the format %s reads %s', (source, code, text) => {
  const format = typeof code === 'number' ? formatOfId(code) : formatOfCode(code)
  expect(numberText(source, format, 25_569)).toBe(text)
  expect(numberText('', plainFormat, 25_569)).toBe('')
})

/** A fixture with parts added or changed. */
function rebuilt(name: string, parts: Readonly<Record<string, (text: string) => string>>): Buffer {
  const archive = new ZipArchive(readFileSync(new URL(`fixtures/${name}`, import.meta.url)))
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

test.each(namedParts)('%s is found', async (_, file, part, change) => {
  const notes = await Array.fromAsync(openWorkbook(rebuilt(file, {[part]: change})).notes())
  expect(notes.map((note) => note.replace(/\s+/g, ' ').trim())).toContain('by hand L-7')
  const without = await Array.fromAsync(openWorkbook(rebuilt(file, {})).notes())
  expect(without.join()).not.toContain('by hand')
})
