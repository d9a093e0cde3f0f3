import {parseInstant} from '../core/time.ts'
import {readHttpDate} from './retry.ts'

/** Over this, a rejected signature may well be the clock's fault. */
const skewWorthSayingMs = 30_000

/** An answer within this tells the time well enough to take the place of any other. */
const quickTripMs = 1_000

/**
 * Service time minus local time, from the answers themselves (P19). It is shown and never used: correcting a
 * clock in silence would hide the fault and sign with times nobody chose.
 */
export class ClockSkew {
  private measuredMs: number | null = null
  private precise = false
  private lastDate = ''
  /** Of the quickest answer so far: what is measured may be wrong by half of it. */
  private tripMs = Number.POSITIVE_INFINITY

  get ms(): number | null {
    return this.measuredMs
  }

  /** From a `Date` header, which tells whole seconds only: gives way to a `meta.timestamp`. */
  measureDate(date: string, age: string, sentMs: number, receivedMs: number): void {
    // A cached answer's Date is the time of another call. The same text again says nothing new.
    if (this.precise || date === this.lastDate || (age !== '' && age !== '0')) return
    this.lastDate = date
    const serviceMs = readHttpDate(date)
    if (serviceMs === null || this.isSlow(receivedMs - sentMs)) return
    this.measuredMs = Math.round(serviceMs + 500 - (sentMs + receivedMs) / 2)
  }

  /** From `meta.timestamp` of a legacy answer (document §4.5). */
  measureTimestamp(timestamp: string, sentMs: number, receivedMs: number): void {
    const serviceMs = parseInstant(timestamp)
    if (serviceMs === null) return
    if (!this.precise) this.tripMs = Number.POSITIVE_INFINITY
    this.precise = true
    if (this.isSlow(receivedMs - sentMs)) return
    this.measuredMs = Math.round(serviceMs - (sentMs + receivedMs) / 2)
  }

  /** An answer that took much longer than a quick one says less than that one did. */
  private isSlow(tripMs: number): boolean {
    if (tripMs > Math.max(this.tripMs, quickTripMs)) return true
    this.tripMs = Math.min(this.tripMs, tripMs)
    return false
  }
}

/** A sentence with a leading blank where the skew could explain a rejection, else nothing. */
export function describeSkew(ms: number | null): string {
  if (ms === null || Math.abs(ms) <= skewWorthSayingMs) return ''
  return ` The service's clock is ${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'} this machine's.`
}
