import type {Paisa} from '../../core/money.ts'
import {playerName} from '../../core/player-name.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'
import type {RememberedRow, SeenRow} from '../../journal/memory-rows.ts'
import type {Staging} from '../../staging/staging.ts'
import type {UnexplainedRow} from '../../staging/unexplained-rows.ts'
import {amountOf} from '../resend/unexplained-bookings.ts'

/** The time of a row, and whether that and its amount tell it from the other booked rows. */
export function timeOf(
  {createdMs, amount}: {readonly createdMs: number; readonly amount: Paisa | null},
  {ledger}: Staging,
): Pick<SeenRow, 'createdMs' | 'isTimeShared'> {
  const isTimeShared = amount === null || ledger.bookedAt(amount, createdMs).length > 1
  return {createdMs, isTimeShared}
}

/**
 * Finds the rows of an earlier export in this ledger. A row that somebody left out of a new export is no proof that nobody was
 * credited; only the same row, or another one in its place, shows what became of it.
 */
export class RowsAgain {
  private readonly staging: Staging
  private readonly unexplained: () => Iterable<UnexplainedRow>
  private readonly digest: (player: string) => string
  private byNumber: ReadonlyMap<string, readonly UnexplainedRow[]> | null = null

  constructor(
    staging: Staging,
    unexplained: () => Iterable<UnexplainedRow>,
    digest: (player: string) => string,
  ) {
    this.staging = staging
    this.unexplained = unexplained
    this.digest = digest
  }

  /** Whether this ledger has the row as well. */
  has(row: RememberedRow): boolean {
    const {ledger} = this.staging
    const {orderNo, createdMs} = row
    const isSameTime = (ms?: number) => ms === undefined || createdMs === undefined || ms === createdMs
    if (ledger.rowsNamed(orderNo, row.kind).some(({createdMs: ms}) => isSameTime(ms))) return true
    // What is no number is shared by rows of other orders.
    this.byNumber ??= Map.groupBy(this.unexplained(), (one) => one.orderNo.trim())
    return (this.byNumber.get(orderNo.trim()) ?? []).some(
      (one) =>
        one.anyOrder?.amount === row.anyOrder?.amount &&
        isSameTime(one.createdMs) &&
        this.isSamePlayer(row, one.players),
    )
  }

  /** The booked rows with its amount and at its time, where its own ledger had no other there: it may have got a number since. */
  inPlaceOf(row: RememberedRow): readonly BookedRow[] {
    const amount = amountOf(row)
    const {createdMs, isTimeShared} = row
    if (amount === null || createdMs === undefined || isTimeShared !== false) return []
    const rows = this.staging.ledger.bookedAt(amount, createdMs)
    return rows.filter(({playerRef}) => this.isSamePlayer(row, playerRef))
  }

  private isSamePlayer({players}: RememberedRow, stated?: string | null): boolean {
    if (!players || !stated) return true
    const known = new Set(players.split('\n'))
    return stated.split('\n').some((player) => known.has(this.digest(playerName(player))))
  }
}
