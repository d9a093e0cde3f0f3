import {writeFileSync} from 'node:fs'

import type {Dice} from './dice.ts'
import {type BookRow, type Kind, type State, taka} from './world.ts'

/** How this merchant exports the books. */
export interface ExportStyle {
  readonly hasTimes: boolean
  readonly words: Readonly<Record<State, readonly string[]>>
}

/** One row as it was written: what the oracle holds the report against. */
export interface WrittenRow {
  readonly line: number
  readonly kind: Kind
  readonly orderNo: string
  readonly state: State
  readonly amount: bigint | null
  readonly damage: BookRow['damage']
  readonly createdMs: number
}

export interface WrittenLedger {
  readonly path: string
  readonly rows: readonly WrittenRow[]
  readonly hasTimes: boolean
}

export function styleFrom(dice: Dice): ExportStyle {
  return {
    hasTimes: dice.chance(0.8),
    words: {
      completed: ['completed', 'Credited', 'PAID', 'success'],
      open: ['pending', 'Open', 'processing'],
      failed: ['failed', 'Cancelled', 'expired'],
    },
  }
}

/** The night's export of the books. */
export function writeLedger(path: string, books: readonly BookRow[], style: ExportStyle): WrittenLedger {
  const header = ['order_no', 'kind', 'status', 'amount', ...(style.hasTimes ? ['created_at'] : [])]
  const rows = books.map((row, index) => ({...row, line: index + 2}))
  const lines = rows.map((row) => cellsOf(row, style).join(','))
  writeFileSync(path, `${[header.join(','), ...lines].join('\n')}\n`)
  return {path, rows, hasTimes: style.hasTimes}
}

function cellsOf(row: BookRow & {line: number}, {hasTimes, words}: ExportStyle): string[] {
  const {kind, orderNo, state, amount, createdMs, damage} = row
  const spelt = words[state][row.line % words[state].length] ?? state
  const time = new Date(createdMs + 6 * 3_600_000).toISOString().replace(/\.\d+Z$/, '+06:00')
  return [
    damage === 'order_no' ? '' : orderNo,
    damage === 'kind' ? 'refund' : kind,
    damage === 'status' ? 'perhaps' : spelt,
    damage === 'amount' ? '-' : amount === null ? '' : taka(amount),
    ...(hasTimes ? [time] : []),
  ]
}
