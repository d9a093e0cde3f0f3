import {saysGivenOutside} from './given-to-many.ts'
import type {NameIndex} from './name-index.ts'
import {speaksOfMany} from './of-many.ts'
import {mayNameOne} from './of-one-player.ts'
import {type Statement, statesBooking, trouble} from './statements.ts'

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
  /** What a list below may be of: `Outage payments:`. */
  private troubles: Said[] = []
  /** A line that says nothing of bookings and may have a player and an amount: what is said above or below may be of that, too. */
  private hasList = false

  constructor(index: NameIndex, takeAll: TakeAll) {
    this.index = index
    this.takeAll = takeAll
  }

  /** `isNamed`: the text names an order. */
  add(text: string, where: Place, isNamed: boolean): void {
    const said = statesBooking(text) ?? saidOutside(text)
    if (said === null) {
      this.hasList ||= mayNameOne(text)
      if (isNamed) this.troubles = []
      else if (ofList.test(text) && trouble.test(text) && this.troubles.length < keptMax)
        this.troubles.push({text, where})
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
    for (const {text, where} of this.troubles.splice(0)) if (this.hasList) this.takeAll(text, where, false)
    this.hasList = false
  }

  private take(text: string, where: Place, names: 'some' | 'none' | 'tails'): void {
    if (names === 'none' && this.ofOne.length < keptMax && mayNameOne(text)) this.ofOne.push({text, where})
    else this.takeAll(text, where, false)
  }
}

/** In words that would only be of one order beside a row. */
function saidOutside(text: string): Statement | null {
  const isOfWhatWasOpen = dateCleared.test(text.trim()) || (speaksOfMany(text) && trouble.test(text))
  return isOfWhatWasOpen ? {isOfAll: true} : saysGivenOutside(text) ? {isOfAll: false} : null
}

/** A heading, and no sentence. */
const ofList = /(?:(?<!\p{L})(?:payments?|deposits?|orders?|players?|list)|:)\s*$/iu
/** `28/11 clear`, and no more. */
const dateCleared =
  /^\p{N}{1,2}(?:[-/.]\p{N}{1,2}){1,2}(?:[-/.]\p{N}{2,4})?:? (?:er )?(?:s[ho]*b )?(?:clear(?:ed)?|settled|done)[.!]?$/iu

const keptMax = 1_000
