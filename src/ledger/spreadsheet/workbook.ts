import {OdsWorkbook} from './ods.ts'
import type {Workbook} from './rows.ts'
import {XlsxWorkbook} from './xlsx.ts'
import {ZipArchive, ZipProblem} from './zip.ts'

/** Recognises the format by the archive's parts. Throws `ZipProblem` if it is no spreadsheet. */
export function openWorkbook(bytes: Buffer): Workbook {
  const archive = new ZipArchive(bytes)
  const has = (name: string) => archive.entries.has(name)
  if (has('xl/workbook.bin')) throw new ZipProblem('it is a binary workbook (.xlsb)')
  if (has('content.xml') && has('mimetype')) {
    const type = archive.text('mimetype').trim()
    if (type.endsWith('.spreadsheet') || type.endsWith('.spreadsheet-template'))
      return new OdsWorkbook(archive)
  }
  if (has('[Content_Types].xml') && has('_rels/.rels')) return new XlsxWorkbook(archive)
  const [name = 'nothing'] = archive.entries.keys()
  throw new ZipProblem(`it is an archive without a workbook (the first file in it is ${name})`)
}
