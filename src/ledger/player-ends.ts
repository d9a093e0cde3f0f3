import type {Paisa} from '../core/money.ts'
import {amountsIn} from './amounts-in-text.ts'
import {bareOf, formOf, type HandLists, type HandSheet, type Players} from './hand-lists.ts'
import type {LostSheet} from './lost-sheet.ts'
import {meantByFigures} from './meant-by-figures.ts'
import type {NameIndex} from './name-index.ts'
import {namesOfOne} from './of-one-player.ts'
import type {OtherOrderTexts} from './other-order-texts.ts'
import type {MayName, PayerLine, PayerLines, Payers} from './payer-lines.ts'
import type {PlayerRemarks} from './player-remarks.ts'
import type {HoldReason} from './scanned-file.ts'
import type {SharedCell} from './shared-cells.ts'
import type {Place} from './statement-scan.ts'
import {isSigned} from './unread-footers.ts'

interface End {
  readonly finish: () => void
  readonly amounts?: () => Iterable<Paisa>
  readonly mayName?: () => boolean
}

type Take = (orderNo: string, line: PayerLine & {readonly header?: string; readonly where?: Place}) => void
type TakeSentence = (orderNo: string, isOfOne: boolean) => void
type Text = Parameters<PlayerRemarks['takeText']>

const textsMax = 50_000

/** What of a file may be about players: weighed at the end, when the players of all lost orders are known. */
export class PlayerEnds implements MayName {
  private readonly players: Players
  private readonly payers: Payers
  private readonly takeShared: ((cell: SharedCell) => void) | undefined
  private readonly ends: End[] = []
  private remarks: PlayerRemarks | null = null
  /** Texts above the rows. */
  private readonly above: Text[] = []

  constructor(players: Players, payers: Payers, takeShared?: (cell: SharedCell) => void) {
    this.players = players
    this.payers = payers
    this.takeShared = takeShared
  }

  addLines(lines: PayerLines, take: Take): void {
    this.ends.push({amounts: () => lines.amounts(), finish: () => lines.finish(take)})
  }

  /** A text that is about no row. */
  takeText(...text: Text): void {
    if (this.remarks) this.remarks.takeText(...text)
    else if (this.above.length < textsMax) this.above.push(text)
  }

  /** Remarks of a file in which no order is looked for. */
  addTold(remarks: PlayerRemarks, others: OtherOrderTexts | null): void {
    this.follow(remarks)
    this.ends.push({finish: () => remarks.tell(others)})
  }

  private follow(remarks: PlayerRemarks): void {
    this.remarks = remarks
    for (const text of this.above.splice(0)) remarks.takeText(...text)
  }

  addRemarks(
    remarks: PlayerRemarks,
    others: OtherOrderTexts | null,
    taking: (how: HoldReason) => Take,
    takeAll: Parameters<PlayerRemarks['finish']>[3],
  ): void {
    const {payers, takeShared} = this
    payers.addTies(remarks.ties)
    this.follow(remarks)
    this.ends.push({
      amounts: () => remarks.amounts(),
      mayName: () => remarks.mayName || remarks.ties.tied().next().done === false,
      finish: () => {
        remarks.tell(others)
        remarks.finish(payers, taking('remark'), taking('other remark'), takeAll)
        for (const {player, ...cell} of takeShared ? remarks.ties.tied() : [])
          for (const {orderNo} of payers.lostOf(player)) takeShared?.({...cell, orderNo})
      },
    })
  }

  /** A sentence that may be about one player only: weighed when all are known. */
  addSentence(text: string, index: NameIndex, take: TakeSentence): void {
    const {otherOrders: others} = index
    this.ends.push({
      mayName: () => this.remarks?.ties.mayName(text) === true,
      finish: () => {
        const names = namesOfOne(text, (name) => this.whose(name))
        const isTold = names !== null && others?.namesOrders(text) === false && others.players.tells(names)
        if (others !== null && !isTold) others.seeSentence(text, 'sentence')
        const meant = names === null ? null : this.othersOf(names)
        for (const orderNo of index.all()) if (meant?.has(orderNo) !== true) take(orderNo, names !== null)
      },
    })
  }

  /** A text that may mean orders by their figures. */
  addFigures(text: string, index: NameIndex, hasAmounts: boolean, take: (orderNo: string) => void): void {
    const {payers} = this
    this.ends.push({
      amounts: () => amountsIn(text),
      mayName: () => this.remarks?.ties.mayName(text) === true,
      finish: () => {
        // An amount beside a player's name is his.
        const isOfOne = namesOfOne(text, (name) => this.whose(name)) !== null
        const how = {index, payers, hasAmounts: hasAmounts && !isOfOne, isSigned: isSigned(text)}
        const found = new Set(meantByFigures(text, how))
        for (const orderNo of found) take(orderNo)
      },
    })
  }

  private rowsHave(name: string): readonly string[] {
    return this.remarks?.ties.playersIn(name) ?? []
  }

  private whose(name: string): readonly string[] {
    const known = this.rowsHave(name)
    const isLost = known.length === 0 && this.payers.lostOf(name).some(({isPart}) => !isPart)
    return isLost ? [name] : known
  }

  /**
   * Orders of players other than that with these names. Only a player whom the rows have, or who looks like one of the names, is
   * surely another: the service may know him by a number that the ledger does not have.
   */
  private othersOf(names: readonly string[]): ReadonlySet<string> {
    const own = new Set(
      [...names, ...names.flatMap((name) => this.remarks?.ties.namesOf(name) ?? [])].map(bareOf),
    )
    const kinds = new Set([...own].filter((name) => /\p{N}/u.test(name)).map(kindOf))
    const [others, his] = [new Set<string>(), new Set<string>()]
    for (const [name, orderNo] of this.payers.lost()) {
      if (own.has(name)) his.add(orderNo)
      else if (kinds.has(kindOf(name)) || this.rowsHave(name).length > 0) others.add(orderNo)
    }
    for (const orderNo of his) others.delete(orderNo)
    return others
  }

  addLists(lists: HandLists, ...takes: Takes<HandLists>): void {
    const {players} = this
    this.ends.push({
      mayName: () => lists.mayNamePlayers(players),
      finish: () => lists.finish(players, ...takes),
    })
  }

  addSheet(sheet: HandSheet, lost: LostSheet): void {
    this.ends.push({mayName: () => sheet.mayNamePlayers(), finish: () => sheet.finish()})
    this.addLost(lost)
  }

  addLost(lost: LostSheet): void {
    this.ends.push({amounts: () => lost.amounts(), finish: () => lost.finish()})
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

/** Numbers of another length are of something else. */
function kindOf(name: string): string {
  return /^\p{N}+$/u.test(name) ? String(name.length) : formOf(name)
}
