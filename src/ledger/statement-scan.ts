import type {NameIndex} from './name-index.ts'
import {mayNameOne} from './of-one-player.ts'
import {statesBooking} from './statements.ts'

/** The place of a text in words; with `sheet` if it is on a sheet that is not read. */
export type Place = string | {readonly text: string; readonly sheet: string}

interface Said {
  readonly text: string
  readonly where: Place
}

/** `mayBeOfOne`: it may be about one player only, whom it names. */
type TakeAll = (text: string, where: Place, mayBeOfOne: boolean) => void

/**
 * Finds sentences outside of rows that say that orders were booked. If neither the sentence nor the lines below name
 * the orders, any order may be meant.
 */
export class StatementScan {
  private readonly index: NameIndex
  private readonly takeAll: TakeAll
  /** Sentences whose orders may be named below them. */
  private headings: Said[] = []
  private readonly ofOne: Said[] = []
  /** A line that says nothing of bookings and may have a player and an amount: what is said above or below may be of that, too. */
  private hasList = false

  constructor(index: NameIndex, takeAll: TakeAll) {
    this.index = index
    this.takeAll = takeAll
  }

  /** `isNamed`: the text names an order. */
  add(text: string, where: Place, isNamed: boolean): void {
    const said = statesBooking(text)
    if (said === null) {
      this.hasList ||= mayNameOne(text)
      if (this.headings.length > 0 && (isNamed || this.index.namesIn(text) === 'all')) this.headings = []
      return
    }
    const names = this.index.namesIn(text)
    if (names === 'some' || (said.isOfAll && names !== 'all')) this.take(text, where, names)
    else if (names === 'none' && this.headings.length < keptMax) this.headings.push({text, where})
  }

  endBlock(): void {
    for (const {text, where} of this.headings.splice(0)) this.take(text, where, 'none')
    for (const {text, where} of this.ofOne.splice(0)) this.takeAll(text, where, !this.hasList)
    this.hasList = false
  }

  private take(text: string, where: Place, names: 'some' | 'none' | 'tails'): void {
    if (names === 'none' && this.ofOne.length < keptMax && mayNameOne(text)) this.ofOne.push({text, where})
    else this.takeAll(text, where, false)
  }
}

const keptMax = 1_000
