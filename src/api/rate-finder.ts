/** After a 429 nothing starts for this long: rate limits count by the second at least. */
const restMs = 1_000
/** How long, and for how many requests, a rate must succeed before it counts as accepted. */
const provenMs = 2_000
const provenRequests = 10
/** How long, and for how many requests, a found rate stays before a higher one is tried. */
const quietMs = 30_000
const quietRequests = 240
/** An accepted and a refused rate this close need no further search. */
const nearEnough = 1.04
const stepMax = 2
const perSecondMin = 0.1
/** A service that asks for a wait of a second accepts nearly a request a second: slower helps nobody. */
const floorShare = 0.8
/** A pause this long, such as a person at a question, is no measure of the service. */
const lullMs = 10_000

/**
 * Finds how many requests a second a service accepts, from its 429s alone. There is no rate before the first one;
 * then it is searched between an accepted and a refused rate, kept a little below, and raised now and then in case
 * the limit has grown.
 *
 * Time is passed in; `atMs` never goes back.
 */
export class RateFinder {
  /** The most requests to start in a second, or null before the first 429. */
  perSecond: number | null = null
  private borne: number | null = null
  private refused: number | null = null
  private step = nearEnough
  private sinceMs = 0
  private wellSince = 0
  private firstMs: number | null = null
  private lastMs = 0
  private leastPerSecond = perSecondMin

  /** A 429 asked for this wait (`Retry-After`). */
  asked(waitMs: number): void {
    if (waitMs > 0) this.leastPerSecond = Math.max(perSecondMin, Math.min(1, 1_000 / waitMs) * floorShare)
  }

  /** A request succeeded. `startedMs` shows whether it ran at the present rate. */
  well(startedMs: number, atMs: number): void {
    this.beginAnew(startedMs, atMs)
    if (startedMs < this.sinceMs) return
    this.wellSince += 1
    if (this.perSecond === null) return
    const ranMs = atMs - this.sinceMs
    // Many limits let the first requests after a rest through: they prove little.
    if (ranMs < provenMs || this.wellSince < provenRequests) return
    this.borne = this.perSecond
    const isFound = this.refused !== null && this.refused <= this.borne * nearEnough
    if (!isFound && this.refused !== null) {
      this.change(Math.sqrt(this.borne * this.refused), atMs)
    } else if (ranMs >= quietMs && this.wellSince >= quietRequests) {
      this.refused = null
      this.change(this.borne * this.step, atMs)
    } else if (this.refused === null) {
      // A higher rate is accepted: the limit has grown, so the steps grow too.
      this.step = Math.min(stepMax, this.step ** 2)
      this.change(this.borne * this.step, atMs)
    }
  }

  /** A 429. Returns how long nothing should start, or null for requests that were already under way. */
  tooMany(startedMs: number, atMs: number): number | null {
    const firstMs = this.beginAnew(startedMs, atMs)
    if (startedMs < this.sinceMs) return null
    if (this.perSecond === null) {
      const well = Math.max(1, this.wellSince)
      const tookMs = Math.max(1, atMs - firstMs)
      const guess = Math.max(this.leastPerSecond, well / Math.max(1, tookMs / 1_000))
      this.refused = Math.max(well / (tookMs / 1_000), guess * nearEnough)
      this.change(guess, atMs + restMs)
      return restMs
    }
    const refused = this.perSecond
    this.step = nearEnough
    this.refused = refused
    if (this.borne !== null && this.borne < refused) {
      this.change(this.borne, atMs + restMs)
    } else {
      // The rate that seemed accepted is not, or no longer.
      this.borne = null
      const seen = this.wellSince / ((atMs - this.sinceMs + restMs) / 1_000)
      this.change(
        Math.max(this.leastPerSecond, Math.min(refused * 0.9, Math.max(seen, refused / 4))),
        atMs + restMs,
      )
    }
    return restMs
  }

  /** The beginning of the first measurement: the first request, or the first after a pause. */
  private beginAnew(startedMs: number, atMs: number): number {
    if (this.firstMs === null || (this.perSecond === null && startedMs - this.lastMs > lullMs)) {
      this.firstMs = startedMs
      this.wellSince = 0
    }
    this.lastMs = atMs
    return this.firstMs
  }

  private change(perSecond: number, fromMs: number): void {
    this.perSecond = perSecond
    this.sinceMs = fromMs
    this.wellSince = 0
  }
}
