import {expect, test} from 'vitest'

import {formatOfCode, formatOfId, numberText, plainFormat} from '../../src/ledger/spreadsheet/cell-text.ts'
import {openWorkbook} from '../../src/ledger/spreadsheet/workbook.ts'
import {XmlReader} from '../../src/ledger/spreadsheet/xml.ts'
import {ZipArchive} from '../../src/ledger/spreadsheet/zip.ts'
import {sheetOf, xlsx} from '../../src/report/xlsx.ts'

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
