import type {OrderState} from '../order.ts'
import type {LedgerSide} from './classify.ts'
import type {Finding} from './finding.ts'
import type {RememberedFinding} from './history.ts'

/**
 * The facts of an order that identify its state: of each row the cause, the action, both states and all amounts. An
 * ignore, and "nothing new", hold for these alone (P19b).
 */
export function snapshotOf(findings: readonly Finding[]): string {
  return JSON.stringify(findings.map(rowOf).toSorted())
}

/** Replaces the action: a person books it from this run's booking.csv. It stays, whatever later runs say. */
const toBook = 'book '

function rowOf({cause, action, listedBy, ledger, service, deliveredAmount}: Finding): string {
  const ours = [ledger?.status, ledger?.amount]
  const state = service?.status === 'unknown_status' ? service.rawStatus : service?.status
  const theirs = [state, service?.amount, service?.platformOrderNo]
  return JSON.stringify(
    [
      cause,
      listedBy === undefined ? action : `${toBook}${listedBy}`,
      ...ours,
      ...theirs,
      deliveredAmount,
    ].map((value) => value?.toString() ?? null),
  )
}

/** Whether a row of that run's ledger had booked the order, or may have. */
export function hadBookedRow({verdict, snapshot}: Pick<RememberedFinding, 'verdict' | 'snapshot'>): boolean {
  if (verdict === 'missing_in_ledger') return false
  if (verdict === 'unreadable_row' || snapshot === null) return true
  const rows: string[] = JSON.parse(snapshot)
  return rows.some((row) => JSON.parse(row)[2] === 'completed')
}

/** Whether the service had the order. */
export function wasFound({snapshot}: Pick<RememberedFinding, 'snapshot'>): boolean {
  const rows: string[] = snapshot === null ? [] : JSON.parse(snapshot)
  return rows.some((row) => JSON.parse(row)[4] !== null)
}

/** Whether the last run would have resent it, but held it back because it may be booked. */
export function isHeldBack({closedMs, snapshot}: Pick<RememberedFinding, 'closedMs' | 'snapshot'>): boolean {
  if (closedMs !== null || snapshot === null) return false
  const rows: string[] = JSON.parse(snapshot)
  return rows.some((row) => {
    const [cause, action]: [unknown, string | null] = JSON.parse(row)
    if (action?.startsWith(toBook)) return true
    return action === 'review' && (cause === 'delivery_exhausted' || cause === 'delivery_stuck')
  })
}

/** The run whose booking.csv had it, or null. */
export function listedBy({snapshot}: Pick<RememberedFinding, 'snapshot'>): string | null {
  const rows: string[] = snapshot === null ? [] : JSON.parse(snapshot)
  const actions = rows.map((row): string | null => JSON.parse(row)[1])
  return actions.find((action) => action?.startsWith(toBook))?.slice(toBook.length) ?? null
}

/** Whether only the amount of a payload can be new in a finding. */
export function saysTheSame(snapshot: string | null, finding: Finding): boolean {
  const withoutPayload = (text: string) => (JSON.parse(text) as unknown[]).slice(0, -1).join('\0')
  const rows: string[] = snapshot === null ? [] : JSON.parse(snapshot)
  return rows.length === 1 && rows.every((row) => withoutPayload(row) === withoutPayload(rowOf(finding)))
}

/** The order's amount at the service when last seen, or null. */
export function lastServiceAmount({snapshot}: Pick<RememberedFinding, 'snapshot'>): bigint | null {
  const [row]: string[] = snapshot === null ? [] : JSON.parse(snapshot)
  const amount: string | null = row === undefined ? null : JSON.parse(row)[5]
  return amount === null ? null : BigInt(amount)
}

/** The order's row when last seen; null if it had none or several, or was not kept. */
export function lastRow({snapshot}: Pick<RememberedFinding, 'snapshot'>): LedgerSide | null {
  const [row, ...others]: string[] = snapshot === null ? [] : JSON.parse(snapshot)
  if (row === undefined || others.length > 0) return null
  const [, , status, amount]: [unknown, unknown, OrderState | null, string | null] = JSON.parse(row)
  return status && {status, amount: amount === null ? null : BigInt(amount)}
}
