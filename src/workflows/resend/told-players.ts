import {mayBeOneAmount, parsePaisa} from '../../core/money.ts'
import {playerName} from '../../core/player-name.ts'
import type {RememberedRow} from '../../journal/memory-rows.ts'
import type {ToldPlayer} from '../../ledger/other-players.ts'
import type {ResendCandidate} from './unexplained-bookings.ts'

type Digest = (player: string) => string

/** As it is remembered: no journal has a player's name. */
export function toldPlayer({name, amount}: ToldPlayer, digest: Digest): string {
  return amount === null ? digest(name) : `${digest(name)} ${amount}`
}

/** Whom the ledgers of other runs name outside of their rows. */
export class ToldPlayers {
  private readonly rows = new Map<string, RememberedRow[]>()
  private readonly digest: Digest

  constructor(digest: Digest) {
    this.digest = digest
  }

  add(row: RememberedRow): void {
    const [player = ''] = row.orderNo.split(' ')
    this.rows.set(player, [...(this.rows.get(player) ?? []), row])
  }

  /** The first text that may be about the order: written after it was made. */
  async find(
    {sinceMs = null, amount, playerRef, askPlayer}: ResendCandidate,
    isTakenBack: (row: RememberedRow) => boolean,
    toldUntilMs: (row: RememberedRow) => number,
  ): Promise<RememberedRow | null> {
    if (this.rows.size === 0) return null
    const player = playerName(playerRef || (await askPlayer?.()))
    if (player === '') return null
    const mayTell = (row: RememberedRow) => {
      const {orderNo} = row
      const said = parsePaisa(orderNo.split(' ')[1] ?? '')
      const isAmount = said === null || amount == null || mayBeOneAmount(said, amount)
      return isAmount && (sinceMs === null || toldUntilMs(row) >= sinceMs)
    }
    const rows = this.rows.get(this.digest(player)) ?? []
    return rows.find((row) => mayTell(row) && !isTakenBack(row)) ?? null
  }
}
