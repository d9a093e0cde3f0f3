import type {Journal} from '../../journal/journal.ts'
import type {PersonsText} from '../../journal/memory-rows.ts'
import {saysByHand, saysOwnBooked} from '../../ledger/booking-words.ts'
import {saysMoneyBack} from '../../ledger/money-back.ts'
import {type NamedOrder, NameIndex} from '../../ledger/name-index.ts'
import {statesBooking} from '../../ledger/statements.ts'
import {holdsResend} from './notes.ts'

/**
 * What people wrote in the journal under another order or of a run: a note, a reason, a sign-off. It speaks of an order that it
 * names beside words of a booking, and of every one made before where it says so of all.
 */
export class PersonsWords {
  private readonly named = new Map<string, PersonsText[]>()
  private readonly ofAll: readonly PersonsText[]

  private constructor(texts: readonly PersonsText[], orders: () => Iterable<NamedOrder>) {
    const telling = texts.filter(({text}) => holdsResend(text))
    this.ofAll = telling.filter(({text, orderNo}) => {
      const stated = statesBooking(text)
      return stated !== null && (stated.isOfAll || orderNo === null)
    })
    const index = telling.length > 0 ? new NameIndex(orders()) : null
    for (const one of telling.filter(({text}) => tellsOfBooking(text)))
      for (const {orderNo} of index?.find(one.text, true) ?? [])
        if (orderNo !== one.orderNo) this.named.set(orderNo, [...(this.named.get(orderNo) ?? []), one])
  }

  static async read(
    journal: Pick<Journal, 'personsTexts'>,
    orders: () => Iterable<NamedOrder>,
  ): Promise<PersonsWords> {
    return new PersonsWords(await journal.personsTexts(), orders)
  }

  /** The first that may say that the order is booked, unless a person has denied it since. */
  about(orderNo: string, sinceMs: number | null, deniedMs: number): PersonsText | null {
    const named = this.named.get(orderNo)?.find(({atMs}) => atMs > deniedMs)
    const ofAll = this.ofAll.find(({atMs}) => atMs > deniedMs && (sinceMs === null || sinceMs <= atMs))
    return named ?? ofAll ?? null
  }
}

function tellsOfBooking(text: string): boolean {
  return saysByHand(text) || saysOwnBooked(text, true) !== null || saysMoneyBack(text, true) !== null
}
