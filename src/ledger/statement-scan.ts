import type {NameIndex} from './name-index.ts'
import {statesBooking} from './statements.ts'

/**
 * Sentences outside of rows that say that orders were booked. Where neither their numbers nor those below them tell which
 * orders, any may be one.
 */
export class StatementScan {
  private readonly index: NameIndex
  private readonly takeAll: (text: string, where: string) => void
  /** Waits for the numbers below it. */
  private heading: {readonly text: string; readonly where: string} | null = null

  constructor(index: NameIndex, takeAll: (text: string, where: string) => void) {
    this.index = index
    this.takeAll = takeAll
  }

  /** `isNamed`: it names an order. */
  add(text: string, where: string, isNamed: boolean): void {
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
