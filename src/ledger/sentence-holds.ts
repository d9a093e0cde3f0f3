import {formOf, type Players} from './hand-lists.ts'
import type {NameIndex} from './name-index.ts'
import {mayNameOne} from './of-one-player.ts'
import type {PlayerEnds} from './player-ends.ts'
import type {HoldReason, TakeAt, WhereOf} from './scanned-file.ts'
import {type Place, StatementScan} from './statement-scan.ts'
import {isLegend} from './statements.ts'
import {saidByPerson, type UnreadFooters} from './unread-footers.ts'

type Spoken = 'sentence' | 'file name'

/** Holds for texts of a file that may be about any order. */
export class SentenceHolds {
  private readonly index: NameIndex
  private readonly players: Players
  private readonly ends: PlayerEnds
  private readonly takeAt: TakeAt
  private readonly isIgnored: (text: string) => boolean

  /** `ignoredTexts`: they tell of no booking, as a person stated. */
  constructor(
    index: NameIndex,
    players: Players,
    ends: PlayerEnds,
    takeAt: TakeAt,
    ignoredTexts: readonly string[] = [],
  ) {
    this.index = index
    this.players = players
    this.ends = ends
    this.takeAt = takeAt
    this.isIgnored = saidByPerson(ignoredTexts)
  }

  scan(as: Spoken = 'sentence'): StatementScan {
    return new StatementScan(this.index, (text, where, mayBeOfOne) => {
      if (mayBeOfOne && as === 'sentence') this.takeOfOne(text, where, 'all')
      else this.takeAll(text, where, as)
    })
  }

  takeUnread(footers: UnreadFooters, where: WhereOf): void {
    const {otherOrders} = this.index
    const looksLike = (word: string) =>
      this.players.hasForm([formOf(word)]) || otherOrders?.players.looksLike(word) === true
    const namesPlayer = (text: string) =>
      text.split(/[\s,;:()|/]+/).some((word) => /\p{N}/u.test(word) && looksLike(word))
    const isRead = (text: string) =>
      this.index.namesIn(text) !== 'none' || otherOrders?.namesOrders(text) === true || namesPlayer(text)
    for (const {text, line, is} of footers.all(isRead))
      if (is !== 'unread') this.takeFigures(text, where(line), is === 'usual')
      else if (mayNameOne(text)) this.takeOfOne(text, where(line), 'unread')
      else this.takeAll(text, where(line), 'sentence', {how: 'unread'})
  }

  /** A text that says nothing of bookings. `hasAmounts`: its figures may be amounts. */
  private takeFigures(text: string, where: Place, hasAmounts: boolean): void {
    if (this.isIgnored(text)) return
    this.ends.addFigures(text, this.index, hasAmounts, (orderNo) =>
      this.takeAt(orderNo, text, where, 'figures'),
    )
  }

  /** The text says that orders were booked, or may say so, without naming them: they may be any. */
  takeAll(
    text: string,
    where: Place,
    as: Spoken = 'sentence',
    {header, how = 'all'}: {readonly header?: string | undefined; readonly how?: HoldReason} = {},
  ): void {
    if (this.isIgnored(text)) return
    // A legend is about the rows beside it, not about other days.
    if (!isLegend(text)) this.index.otherOrders?.seeSentence(text, as)
    for (const orderNo of this.index.all()) this.takeAt(orderNo, text, where, how, header)
  }

  /** It may be about one player only. */
  private takeOfOne(text: string, where: Place, how: 'all' | 'unread'): void {
    const take = (orderNo: string, isOfOne: boolean) =>
      this.takeAt(orderNo, text, where, isOfOne ? 'other remark' : how)
    if (!this.isIgnored(text)) this.ends.addSentence(text, this.index, take)
  }
}
