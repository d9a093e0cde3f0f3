import type {NameIndex} from './name-index.ts'
import {statesBooking} from './statements.ts'

/** Where a text stands, in words, and the name of a sheet that is not read. */
export type Place = string | {readonly text: string; readonly sheet: string}

/**
 * Sentences outside of rows that say that orders were booked. Where neither their numbers nor those below them tell which
 * orders, any may be one.
 */
export class StatementScan {
  private readonly index: NameIndex
  private readonly takeAll: (text: string, where: Place) => void
  /** Waits for the numbers below it. */
  private heading: {readonly text: string; readonly where: Place} | null = null

  constructor(index: NameIndex, takeAll: (text: string, where: Place) => void) {
    this.index = index
    this.takeAll = takeAll
  }

  /** `isNamed`: it names an order. */
  add(text: string, where: Place, isNamed: boolean): void {
    const said = statesBooking(text)
    if (said === null) {
      if (this.heading !== null && (isNamed || this.index.namesIn(text) === 'all')) this.heading = null
      return
    }
    const names = this.index.namesIn(text)
    if (names === 'some' || (said.isOfAll && names !== 'all')) this.takeAll(text, where)
    else if (names === 'none') this.heading ??= {text, where}
  }

  endBlock(): void {
    if (this.heading !== null) this.takeAll(this.heading.text, this.heading.where)
    this.heading = null
  }
}
