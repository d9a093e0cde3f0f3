import {foldOrderNo} from '../../core/order-no-fold.ts'
import {type OrderNoReadings, readingsOf} from '../../core/order-no-readings.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {PayoutProblem, PayoutRow} from '../../ledger/read-payouts.ts'

interface ReadRow extends OrderNoReadings {
  readonly row: PayoutRow
  readonly fold: string
}

/**
 * Rows that have one number, or two that are one but for their spelling; where two pay the same, also those whose
 * numbers may be one to a spreadsheet or a hand. Numbers of one series are none of these: those that differ in their
 * digits alone, and a long number that several others are when they are rounded.
 */
export function repeatedNumbers(rows: readonly PayoutRow[]): PayoutProblem[] {
  const read = rows.map((row) => ({row, fold: foldOrderNo(row.outOrderNo), ...readingsOf(row.outOrderNo)}))
  const byReading = rowsByReading(read)
  const pairs: [PayoutRow, PayoutRow][] = []
  const roundedTo = new Map<PayoutRow, Set<PayoutRow>>()
  for (const one of read) {
    for (const reading of one.becomes) {
      const others = byReading.get(reading) ?? []
      const other = others.find((two) => two !== one && mayBeOneRow(one, two))
      if (other) pairs.push([one.row, other.row])
      const rounded = one.is.has(reading) ? undefined : others.find(({row}) => paysTheSame(row, one.row))
      if (rounded) roundedTo.set(rounded.row, (roundedTo.get(rounded.row) ?? new Set()).add(one.row))
    }
  }
  for (const [row, [only, ...more]] of roundedTo) if (only && more.length === 0) pairs.push([row, only])
  return problemsOf(pairs)
}

function rowsByReading(read: readonly ReadRow[]): Map<string, ReadRow[]> {
  const byReading = new Map<string, ReadRow[]>()
  for (const one of read) {
    for (const reading of one.is) {
      const rows = byReading.get(reading)
      if (rows) rows.push(one)
      else byReading.set(reading, [one])
    }
  }
  return byReading
}

function mayBeOneRow(one: ReadRow, other: ReadRow): boolean {
  if (one.fold === other.fold) return true
  return paysTheSame(one.row, other.row) && shapeOf(one.row) !== shapeOf(other.row)
}

function paysTheSame(one: PayoutRow, other: PayoutRow): boolean {
  return one.account === other.account && one.amount === other.amount
}

function shapeOf({outOrderNo}: PayoutRow): string {
  return outOrderNo.replace(/\d+/g, '0')
}

function problemsOf(pairs: readonly (readonly [PayoutRow, PayoutRow])[]): PayoutProblem[] {
  const problems = new Map<number, PayoutProblem>()
  for (const [one, other] of pairs) {
    const [first, second] = other.line < one.line ? [other, one] : [one, other]
    problems.set(second.line, {line: second.line, detail: repeatedNumber(first, second)})
  }
  return [...problems.values()]
}

function repeatedNumber(first: PayoutRow, {outOrderNo}: PayoutRow): string {
  const number = `out_order_no "${escapeInvisible(outOrderNo, 40)}"`
  return first.outOrderNo === outOrderNo
    ? `${number} stands on line ${first.line} already.`
    : `${number} may be the number "${escapeInvisible(first.outOrderNo, 40)}" of line ${first.line}, changed by a spreadsheet.`
}
