import {formatPaisa} from '../core/money.ts'
import {playerName} from '../core/player-name.ts'
import {amountsIn} from './amounts-in-text.ts'
import {formOf, isPlayerKey} from './hand-lists.ts'

/** A player whom a text outside of the rows names; `amount` is null where it may be about any. */
export interface ToldPlayer {
  readonly name: string
  readonly amount: string | null
}

/** The most players of the ledger that are used to recognise others like them. */
const learntMax = 2_000
const toldMax = 10_000

/**
 * Players whom a ledger names outside of its rows, and whose orders may be of another day, which no run has seen yet. Only what
 * has the form of a player is kept.
 */
export class OtherPlayers {
  private readonly told = new Map<string, ToldPlayer>()
  private readonly forms = new Set<string>()
  private areNames = false

  constructor(players: Iterable<string>) {
    let learnt = 0
    for (const player of players) {
      learnt += 1
      if (learnt > learntMax) return
      this.forms.add(formOf(player))
      this.areNames ||= !/\p{N}/u.test(player)
    }
  }

  /** A line that is no row of an order. `own`: its own player, whose orders are found by that. */
  takeLine(cells: readonly string[], own = ''): void {
    for (const name of this.namesIn(cells, own)) this.keep({name, amount: null})
  }

  /** Keeps the player of these names, all of whose orders may be meant; false if none has the form of one. */
  tells(names: readonly string[]): boolean {
    const known = names.filter((name) => this.isLikePlayer(name, name) && isPlayerKey(playerName(name)))
    for (const name of known) this.keep({name: playerName(name), amount: null})
    return known.length > 0
  }

  /** A line that counts for the player's orders of its amounts only. */
  takePayer(cells: readonly string[], own = ''): void {
    for (const [at, text] of cells.entries())
      for (const name of this.namesIn([text], own))
        for (const amount of cells.flatMap((cell, other) =>
          other === at && !/\s/u.test(cell) ? [] : amountsIn(cell),
        ))
          this.keep({name, amount: formatPaisa(amount)})
  }

  all(): Iterable<ToldPlayer> {
    return this.told.values()
  }

  /** Whether a word with figures looks like a player of the ledger. */
  looksLike(word: string): boolean {
    return this.forms.has(formOf(word))
  }

  private *namesIn(cells: readonly string[], own = ''): Generator<string> {
    if (this.told.size >= toldMax) return
    for (const text of cells)
      for (const part of new Set([text, ...text.split(/[\s,;:()|/]+/)])) {
        const name = playerName(part)
        if (isPlayerKey(name) && name !== playerName(own) && this.isLikePlayer(part, text)) yield name
      }
  }

  /** Without players in the ledger, a word alone is rather a number. */
  private isLikePlayer(part: string, text: string): boolean {
    if (this.forms.size === 0) return /\S\s\S/u.test(text) && /\p{L}.*\p{N}|\p{N}.*\p{L}|\p{N}{5}/u.test(part)
    return this.forms.has(formOf(part)) || (this.areNames && !/\p{N}/u.test(part))
  }

  private keep(told: ToldPlayer): void {
    if (this.told.size < toldMax) this.told.set(`${told.name} ${told.amount}`, told)
  }
}
