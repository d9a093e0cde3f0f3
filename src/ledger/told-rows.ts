import {isNotesHeader} from './booking-words.ts'
import type {NameIndex} from './name-index.ts'
import type {PlayerEnds} from './player-ends.ts'
import {PlayerRemarks} from './player-remarks.ts'
import {type LineTaker, type NoteTaker, readColumns, type ScannedFile} from './scanned-file.ts'
import {UnreadFooters} from './unread-footers.ts'

interface Told extends Pick<ScannedFile, 'file' | 'isBooked'> {
  readonly ends: PlayerEnds
  readonly index: NameIndex
  readonly noRows: ReadonlySet<number>
  readonly takeUnread: (footers: UnreadFooters) => void
}

/** Like a scan of the rows, but cheaper: no order is looked for, and only what is said about other ledgers' orders is kept. */
export function toldRows(
  {file, isBooked, index, noRows, ends, takeUnread}: Told,
  notes: NoteTaker,
  comments = new Map<number, string[]>(),
): LineTaker {
  const {columns, headerLine, totals} = file
  const totalLines = new Set(totals.map(({line}) => line))
  const players = index.otherOrders?.players
  const footers = new UnreadFooters()
  let remarks: PlayerRemarks | null = null
  let [width, playerAt, statusAt, amountAt] = [0, -1, -1, -1]
  let read: ReadonlySet<number> = new Set()
  const isBookedRow = (line: readonly string[]) => statusAt < 0 || isBooked(line[statusAt]?.trim() ?? '')
  return {
    take: (line, lineNo) => {
      if (lineNo === headerLine) {
        footers.takeHeader(line, file)
        const placeOf = (name?: string) => line.findIndex((cell) => cell.trim() === name?.trim())
        ;[playerAt, statusAt] = [placeOf(columns.player_ref), placeOf(columns.status)]
        amountAt = placeOf(columns.amount)
        width = line.length
        read = readColumns(file, line)
        const isNotes = line.map(
          (cell, at) => !read.has(at) && (cell.trim() === '' || isNotesHeader(cell.trim())),
        )
        remarks = new PlayerRemarks(line, (at) => isNotes[at] ?? true, {playerAt, left: read})
      }
      const said = comments.get(lineNo) ?? []
      const texts = [...line, ...said]
      const player = line[playerAt] ?? ''
      const ofRow = {player, amount: line[amountAt] ?? '', line: lineNo, isBooked: isBookedRow(line)}
      if (totalLines.has(lineNo) || noRows.has(lineNo)) {
        footers.take(line, lineNo)
        remarks?.takeNoRow(ofRow, line, totalLines.has(lineNo))
        if (line.length <= width) players?.takeLine(line, player)
        if (ofRow.isBooked && !totalLines.has(lineNo)) index.otherOrders?.seeBeside(line, read, said)
        return notes.take(texts, lineNo)
      }
      notes.endBlock()
      footers.takeRow()
      remarks?.take(ofRow, line, said)
      for (const text of texts) index.find(text)
    },
    finish: () => {
      if (remarks) ends.addTold(remarks, index.otherOrders)
      notes.finish()
      takeUnread(footers)
    },
  }
}
