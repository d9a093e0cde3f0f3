import {isNotesHeader} from './booking-words.ts'
import type {NameIndex} from './name-index.ts'
import {PlayerRemarks} from './payer-lines.ts'
import {type LineTaker, type NoteTaker, readColumns, type ScannedFile} from './scanned-file.ts'

interface Told extends Pick<ScannedFile, 'file' | 'isBooked'> {
  readonly index: NameIndex
  readonly noRows: ReadonlySet<number>
}

/** Like a scan of the rows, but cheaper: no order is looked for, and only what is said about other ledgers' orders is kept. */
export function toldRows(
  {file, isBooked, index, noRows}: Told,
  notes: NoteTaker,
  comments = new Map<number, string[]>(),
): LineTaker {
  const {columns, headerLine, totals} = file
  const totalLines = new Set(totals.map(({line}) => line))
  const players = index.otherOrders?.players
  let remarks: PlayerRemarks | null = null
  let [width, playerAt, statusAt] = [0, -1, -1]
  let read: ReadonlySet<number> = new Set()
  const isBookedRow = (line: readonly string[]) => statusAt < 0 || isBooked(line[statusAt]?.trim() ?? '')
  return {
    take: (line, lineNo) => {
      if (lineNo === headerLine) {
        const placeOf = (name?: string) => line.findIndex((cell) => cell.trim() === name?.trim())
        ;[playerAt, statusAt] = [placeOf(columns.player_ref), placeOf(columns.status)]
        width = line.length
        read = readColumns(file, line)
        const isNotes = line.map(
          (cell, at) => !read.has(at) && (cell.trim() === '' || isNotesHeader(cell.trim())),
        )
        remarks = new PlayerRemarks((at) => isNotes[at] ?? true)
      }
      const said = comments.get(lineNo) ?? []
      const texts = [...line, ...said]
      const player = line[playerAt] ?? ''
      if (totalLines.has(lineNo) || noRows.has(lineNo)) {
        if (line.length <= width) players?.takeLine(line, player)
        if (isBookedRow(line) && !totalLines.has(lineNo))
          index.otherOrders?.seeBeside([...line.filter((_, at) => !read.has(at)), ...said])
        return notes.take(texts, lineNo)
      }
      notes.endBlock()
      if (isBookedRow(line)) remarks?.take(player, line, said, lineNo)
      for (const text of texts) index.find(text)
    },
    finish: () => {
      for (const player of remarks?.players ?? []) players?.takeLine([player])
      notes.finish()
    },
  }
}
