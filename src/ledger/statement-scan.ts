import type {NameIndex} from './name-index.ts'
import {statesBooking} from './statements.ts'

/** The place of a text in words; with `sheet` if it is on a sheet that is not read. */
export type Place = string | {readonly text: string; readonly sheet: string}

/**
 * Finds sentences outside of rows that say that orders were booked. If neither the sentence nor the lines below name
 * the orders, any order may be meant.
 */
export class StatementScan {
  private readonly index: NameIndex
  private readonly takeAll: (text: string, where: Place) => void
  /** A sentence whose orders may be named below it. */
  private heading: {readonly text: string; readonly where: Place} | null = null

  constructor(index: NameIndex, takeAll: (text: string, where: Place) => void) {
    this.index = index
    this.takeAll = takeAll
  }

  /** `isNamed`: the text names an order. */
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
