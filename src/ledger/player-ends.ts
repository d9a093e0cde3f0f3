import type {Paisa} from '../core/money.ts'
import type {HandLists, HandSheet, Players} from './hand-lists.ts'
import type {OtherOrderTexts} from './other-order-texts.ts'
import type {MayName, PayerLine, PayerLines, Payers} from './payer-lines.ts'
import type {PlayerRemarks} from './player-remarks.ts'
import type {SharedCell} from './shared-cells.ts'

interface End {
  readonly finish: () => void
  readonly amounts?: () => Iterable<Paisa>
  readonly mayName?: () => boolean
}

type Take = (orderNo: string, line: PayerLine & {readonly header?: string}) => void

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

  addRemarks(
    remarks: PlayerRemarks,
    others: OtherOrderTexts | null,
    ...[take, takeOther, takeShared]: readonly [Take, Take, ((cell: SharedCell) => void) | undefined]
  ): void {
    const {payers} = this
    payers.addTies(remarks.ties)
    remarks.tell(others)
    this.ends.push({
      amounts: () => remarks.amounts(),
      mayName: () => remarks.mayName || remarks.ties.tied().next().done === false,
      finish: () => {
        remarks.finish(payers, take, takeOther)
        for (const {player, ...cell} of takeShared ? remarks.ties.tied() : [])
          for (const orderNo of payers.lostOf(player)) takeShared?.({...cell, orderNo})
      },
    })
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
    this.payers.learnNames()
    for (const {finish} of this.ends) finish()
  }
}

type Takes<List extends HandLists> =
  Parameters<List['finish']> extends [Players, ...infer Rest] ? Rest : never
