import type {Paisa} from '../core/money.ts'
import type {HandLists, HandSheet, Players} from './hand-lists.ts'
import type {MayName, PayerLine, PayerLines, Payers, PlayerRemarks} from './payer-lines.ts'

interface End {
  readonly finish: () => void
  readonly amounts?: () => Iterable<Paisa>
  readonly mayName?: () => boolean
}

type Take = (orderNo: string, line: PayerLine) => void

/** What of a file may be about players: weighed at the end, when the players of all lost orders are known. */
export class PlayerEnds implements MayName {
  private readonly players: Players
  private readonly payers: Payers
  private readonly ends: End[] = []

  constructor(players: Players, payers: Payers) {
    this.players = players
    this.payers = payers
  }

  addLines(lines: PayerLines, take: Take): void {
    this.ends.push({amounts: () => lines.amounts(), finish: () => lines.finish(take)})
  }

  addRemarks(remarks: PlayerRemarks, take: Take): void {
    this.ends.push({mayName: () => !remarks.isEmpty, finish: () => remarks.finish(this.payers, take)})
  }

  addLists(lists: HandLists, ...takes: Takes<HandLists>): void {
    const {players} = this
    this.ends.push({
      mayName: () => lists.mayNamePlayers(players),
      finish: () => lists.finish(players, ...takes),
    })
  }

  addSheet(sheet: HandSheet): HandSheet {
    this.ends.push({mayName: () => sheet.mayNamePlayers(), finish: () => sheet.finish()})
    return sheet
  }

  *amountsBeside(): Generator<Paisa> {
    for (const {amounts} of this.ends) yield* amounts?.() ?? []
  }

  mayNamePlayers(): boolean {
    return this.ends.some(({mayName}) => mayName?.() === true)
  }

  finish(): void {
    for (const [orderNo, player] of this.payers.learnt) this.players.add(player, orderNo)
    for (const {finish} of this.ends) finish()
  }
}

type Takes<List extends HandLists> =
  Parameters<List['finish']> extends [Players, ...infer Rest] ? Rest : never
