import {parseInstant} from '../core/time.ts'
import {readHttpDate} from './retry.ts'

/** Beyond this, the clock may explain a rejected signature. */
const skewWorthSayingMs = 30_000

/** An answer this quick measures well enough to replace any other. */
const quickTripMs = 1_000

/** A Date and a `meta.timestamp` that differ by no more agree. */
const datePrecisionMs = 2_000

/**
 * Service time minus local time, from the answers (P19): `Date` or `meta.timestamp`, whichever differs more. It is
 * shown and never used: a silent correction would hide the fault and sign with times that nobody chose.
 */
export class ClockSkew {
  private dateMs: number | null = null
  private timestampMs: number | null = null
  private lastDate = ''
  /** Of the quickest answer so far: the measurement may be wrong by half of it. */
  private dateTripMs = Number.POSITIVE_INFINITY
  private timestampTripMs = Number.POSITIVE_INFINITY

  get ms(): number | null {
    const {dateMs, timestampMs} = this
    if (dateMs === null || timestampMs === null) return timestampMs ?? dateMs
    // A Date is rounded by up to half a second, so it counts only if the two really differ.
    const differ = Math.abs(dateMs - timestampMs) > datePrecisionMs
    return differ && Math.abs(dateMs) > Math.abs(timestampMs) ? dateMs : timestampMs
  }

  /** From a `Date` header, which has whole seconds only. */
  measureDate(date: string, age: string, sentMs: number, receivedMs: number): void {
    // A cached answer has the Date of another call, and a repeated Date adds nothing.
    if (date === this.lastDate || (age !== '' && age !== '0')) return
    this.lastDate = date
    const serviceMs = readHttpDate(date)
    const tripMs = receivedMs - sentMs
    if (serviceMs === null || isSlow(tripMs, this.dateTripMs)) return
    this.dateTripMs = Math.min(this.dateTripMs, tripMs)
    this.dateMs = Math.round(serviceMs + 500 - (sentMs + receivedMs) / 2)
  }

  /** Measures by `meta.timestamp` of a legacy answer (service §4.5). */
  measureTimestamp(timestamp: string, sentMs: number, receivedMs: number): void {
    const serviceMs = parseInstant(timestamp)
    const tripMs = receivedMs - sentMs
    if (serviceMs === null || isSlow(tripMs, this.timestampTripMs)) return
    this.timestampTripMs = Math.min(this.timestampTripMs, tripMs)
    this.timestampMs = Math.round(serviceMs - (sentMs + receivedMs) / 2)
  }
}

/** A much slower answer measures worse than a quick one. */
function isSlow(tripMs: number, quickestMs: number): boolean {
  return tripMs > Math.max(quickestMs, quickTripMs)
}

/** A sentence with a leading space if the skew could explain a rejection, else empty. */
export function describeSkew(ms: number | null): string {
  if (ms === null || Math.abs(ms) <= skewWorthSayingMs) return ''
  return ` The service's clock is ${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'} this machine's.`
}
