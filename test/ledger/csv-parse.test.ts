import {CsvError, type Info} from 'csv-parse'
import {parse} from 'csv-parse/sync'
import {describe, expect, it, onTestFinished, vi} from 'vitest'

import {readRecords} from '../../src/ledger/records.ts'

/** Why records.ts does not trust these parts of csv-parse (P11). One that turns red is a reason to look again. */
describe('csv-parse by itself', () => {
  it('keeps the last of two equal headers', () => {
    expect(parse('order_no,amount,amount\nA1,500,1\n', {columns: true})).toEqual([
      {order_no: 'A1', amount: '1'},
    ])
  })

  it('loses the file at an unclosed quote with its skip option, without an error', () => {
    expect(parse('A1,"x\nA2,y\nA3,z\n', {skip_records_with_error: true})).toEqual([])
  })

  it('reads a cut-off 1500.00 as 15', () => {
    expect(parse('A1,1500.00\nA2,15')).toEqual([
      ['A1', '1500.00'],
      ['A2', '15'],
    ])
  })

  it('settles on the first line end it meets, and reads the rest as one field', () => {
    expect(parse('a\r\nb\nc\n')).toEqual([['a'], ['b\nc\n']])
  })

  it('counts a CRLF inside quotes as two lines', () => {
    const rows = parse('"a\r\nb"\r\nc\r\n', {info: true, record_delimiter: ['\r\n', '\n']}) as unknown as {
      info: Info
    }[]
    expect(rows.map(({info}) => info.lines)).toEqual([3, 4])
  })

  it('names the end of the file for a quote that was opened long before', () => {
    const broken = () => parse('a,b\nc,"d\ne\nf')
    expect(broken).toThrow(CsvError)
    expect(broken).toThrow('opening quote at line 4')
  })

  it('makes an error of each row of another length, though they are let through', async () => {
    const made = vi.spyOn(Error, 'captureStackTrace')
    onTestFinished(() => made.mockRestore())
    const text = `a,b\n${'\n'.repeat(50)}c\nd,e,f\n`
    parse(text, {relax_column_count: true})
    expect(made).toHaveBeenCalledTimes(52)
    made.mockClear()
    const lines: number[] = []
    async function* bytes() {
      yield Buffer.from(text)
    }
    const onRecord = (_cells: readonly string[], line: number) => void lines.push(line)
    await readRecords(bytes(), {path: 'a.csv', delimiter: ',', firstLine: 1, onRecord})
    expect([lines, made.mock.calls.length]).toEqual([[1, 52, 53], 0])
  })
})
