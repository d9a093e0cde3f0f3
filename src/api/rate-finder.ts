/** After a 429 nothing starts for that long: whatever counts requests counts them by the second at least. */
const restMs = 1_000
/** How long, and for how many requests, a rate must have gone well before it counts as borne. */
const provenMs = 2_000
const provenRequests = 10
/** How long, and for how many requests, a found rate is left alone before more is tried. */
const quietMs = 30_000
const quietRequests = 240
/** A found rate and one that was refused are as near to each other as it is worth to know. */
const nearEnough = 1.04
const stepMax = 2
const perSecondMin = 0.1
/** A service that asks for a wait of a second bears nearly a request a second: slower than that helps nobody. */
const floorShare = 0.8
/** Nothing asked for that long, as while a person reads a question, is no measure of what the service bears. */
const lullMs = 10_000

/**
 * Finds how many requests a second a service bears, by its 429s alone. Until the first one there is no rate at all;
 * then the rate is searched for between one that went well and one that was refused, kept a little below, and
 * raised again now and then, for a limit that has grown.
 *
 * Time is handed in; `atMs` never goes back.
 */
export class RateFinder {
  /** Requests a second to start at most, or null while none was refused. */
  perSecond: number | null = null
  private borne: number | null = null
  private refused: number | null = null
  private step = nearEnough
  /** When the present rate came into force, and what has gone well since. */
  private sinceMs = 0
  private wellSince = 0
  private firstMs: number | null = null
  private lastMs = 0
  private leastPerSecond = perSecondMin

  /** How long a 429 asked to wait (`Retry-After`). */
  asked(waitMs: number): void {
    if (waitMs > 0) this.leastPerSecond = Math.max(perSecondMin, Math.min(1, 1_000 / waitMs) * floorShare)
  }

  /** A request went well. `startedMs` tells whether it ran at the present rate. */
  well(startedMs: number, atMs: number): void {
    this.beginAnew(startedMs, atMs)
    if (startedMs < this.sinceMs) return
    this.wellSince += 1
    if (this.perSecond === null) return
    const ranMs = atMs - this.sinceMs
    // The first requests after a rest are let through by many a limit: they prove little.
    if (ranMs < provenMs || this.wellSince < provenRequests) return
    this.borne = this.perSecond
    const isFound = this.refused !== null && this.refused <= this.borne * nearEnough
    if (!isFound && this.refused !== null) {
      this.change(Math.sqrt(this.borne * this.refused), atMs)
    } else if (ranMs >= quietMs && this.wellSince >= quietRequests) {
      this.refused = null
      this.change(this.borne * this.step, atMs)
    } else if (this.refused === null) {
      // More was tried and is borne: the limit has grown, and is followed in ever larger steps.
      this.step = Math.min(stepMax, this.step ** 2)
      this.change(this.borne * this.step, atMs)
    }
  }

  /**
   * A 429. Answers how long nothing should be started, or null where it is one more of the requests that were on
   * their way already.
   */
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
      // What seemed to be borne is not, or not any more: what went well since the last rest began.
      this.borne = null
      const seen = this.wellSince / ((atMs - this.sinceMs + restMs) / 1_000)
      this.change(
        Math.max(this.leastPerSecond, Math.min(refused * 0.9, Math.max(seen, refused / 4))),
        atMs + restMs,
      )
    }
    return restMs
  }

  /** Since when the requests of the first measure are counted: from the first one, or the first after a lull. */
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
