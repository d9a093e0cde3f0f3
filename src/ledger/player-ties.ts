import {plainText} from '../core/order-no-fold.ts'
import {bareOf, isPlayerKey} from './hand-lists.ts'
import {isPayerHeader, isTelephoneHeader, telephoneOf} from './payer-header.ts'

interface Column {
  readonly header: string
  /** Its header says that it names players or has their telephones. */
  readonly isOfPlayers: boolean
  readonly players: Map<string, string[]>
  readonly values: Map<string, string[]>
  /** How often a value stood beside its player again, and how many stood beside another. */
  agreed: number
  differed: number
}

/** A row that nothing explains, and whose it may be by another column than that of the players. */
export interface TiedLine {
  readonly line: number
  readonly player: string
  readonly header: string
}

const keptMax = 50_000
/** Namesakes; of more nobody can tell. */
const eachMax = 3
const linesMax = 10_000
const wordsMax = 5

/**
 * Names and telephones of players: columns whose values go one to one with the player of the row. So a row or a text without
 * the player's own number may still be known as his.
 */
export class PlayerTies {
  private readonly columns: Map<number, Column>
  private readonly playerAt: number
  private readonly own = new Set<string>()
  private readonly lines: {readonly cells: readonly string[]; readonly line: number}[] = []
  private made: ReadonlyMap<string, readonly string[]> | null = null
  private forms: Set<string> | null = null
  private names: Map<string, readonly string[]> | null = null

  /** `left`: places of columns that say nothing of players. */
  constructor(headers: readonly string[], left: ReadonlySet<number>, playerAt: number) {
    this.playerAt = playerAt
    const places = playerAt < 0 ? [] : [...headers.keys()].filter((at) => at !== playerAt && !left.has(at))
    this.columns = new Map(
      places.map((at) => {
        const header = headers[at] ?? ''
        const isOfPlayers = isPayerHeader(header) || isTelephoneHeader(header)
        return [at, {header, isOfPlayers, players: new Map(), values: new Map(), agreed: 0, differed: 0}]
      }),
    )
  }

  /** A row of an order. */
  take(cells: readonly string[]): void {
    const player = cells[this.playerAt]?.trim() ?? ''
    if (player === '') return
    if (this.own.size < keptMax) this.own.add(player)
    for (const [at, column] of this.columns) {
      const value = cells[at]?.trim() ?? ''
      if (value.length < 3) continue
      const [players = [], values = []] = [column.players.get(value), column.values.get(player)]
      if (players.includes(player)) column.agreed += 1
      else {
        if (players.length > 0 || values.length > 0) column.differed += 1
        if (column.players.size >= keptMax) continue
        if (players.length < eachMax) column.players.set(value, [...players, player])
        if (values.length < eachMax) column.values.set(player, [...values, value])
      }
      if (!column.isOfPlayers && column.differed > 3 + column.agreed / 10) this.columns.delete(at)
    }
  }

  /** A row that nothing explains. */
  takeUnexplained(cells: readonly string[], line: number): void {
    if (this.columns.size > 0 && this.lines.length < linesMax) this.lines.push({cells, line})
  }

  /** Whose those rows may be. A row with a player of the ledger is his. */
  *tied(): Generator<TiedLine> {
    const columns = [...this.columns].filter(([, column]) => isTied(column))
    for (const {cells, line} of this.lines) {
      const own = cells[this.playerAt]?.trim() ?? ''
      if (this.known().get(bareOf(own))?.includes(own)) continue
      for (const [at, {header, players}] of columns)
        for (const text of [cells[at]?.trim() ?? '', own])
          for (const player of isPlayerKey(bareOf(text)) ? (players.get(text) ?? []) : [])
            yield {line, player, header}
    }
  }

  /** What else the rows call a player, whichever of his names is given: the column of players may have another. */
  namesOf(name: string): string[] {
    this.names ??= this.namesOfPlayers()
    const players = this.known().get(bareOf(name)) ?? []
    return players.flatMap((player) => [player, ...(this.names?.get(player) ?? [])])
  }

  private namesOfPlayers(): Map<string, readonly string[]> {
    const names = new Map<string, readonly string[]>()
    for (const {values} of this.ofPlayers())
      for (const [player, some] of values) names.set(player, [...(names.get(player) ?? []), ...some])
    return names
  }

  /** The players of the rows whom a text names. */
  playersIn(text: string): string[] {
    return [...new Set(namesIn(text).flatMap((name) => this.ofName(name)))]
  }

  /** Whether a text has a name of the rows, or looks as their players do. */
  mayName(text: string): boolean {
    this.forms ??= new Set(
      [...this.own].filter((player) => /\p{L}/u.test(player)).map((player) => shapeOf(bareOf(player))),
    )
    const {forms} = this
    return namesIn(text).some(
      (name) => this.ofName(name).length > 0 || (/\p{N}/u.test(name) && forms.has(shapeOf(name))),
    )
  }

  private ofName(name: string): readonly string[] {
    return this.known().get(name) ?? this.known().get(telephoneOf(name) ?? name) ?? []
  }

  /** By what names them, without signs. To be called after the last row. */
  private known(): ReadonlyMap<string, readonly string[]> {
    if (this.made !== null) return this.made
    const made = new Map<string, string[]>()
    const add = (name: string, players: readonly string[]) => {
      if (isPlayerKey(name)) made.set(name, [...new Set([...(made.get(name) ?? []), ...players])])
    }
    for (const player of this.own) add(bareOf(player), [player])
    for (const {players} of this.ofPlayers()) for (const [name, some] of players) add(bareOf(name), some)
    this.made = made
    return made
  }

  private ofPlayers(): Column[] {
    return [...this.columns.values()].filter((column) => column.isOfPlayers && isTied(column))
  }
}

/** `mim53` and `jahid57` look alike. */
function shapeOf(bare: string): string {
  return bare.replace(/\p{L}+/gu, 'a').replace(/\p{N}+/gu, '#')
}

/** Namesakes and new telephones are usual; a column that only happens to differ in each row proves nothing. */
function isTied({isOfPlayers, agreed, differed}: Column): boolean {
  return isOfPlayers ? differed <= Math.max(3, agreed / 3) : agreed >= 3 && differed <= agreed / 10
}

/** Words of a text that may be a name, alone and with those behind them, without signs: the longest first. */
export function namesIn(text: string): string[] {
  const words = plainText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const names: string[] = []
  for (const from of words.keys())
    for (let length = Math.min(wordsMax, words.length - from); length > 0; length -= 1) {
      const name = words.slice(from, from + length).join('')
      // `Rahim Khan 3` is not `Rahim Khan`.
      const isCut = /^\p{N}{1,2}$/u.test(words[from + length] ?? '') && !/\p{N}/u.test(name)
      if (isPlayerKey(name) && !isCut) names.push(name)
    }
  return names
}
