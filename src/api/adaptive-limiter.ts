import type {Failure} from '../core/failure.ts'
import {RateFinder} from './rate-finder.ts'

export interface AdaptiveLimiterOptions {
  readonly windowMax: number
  readonly ratePerSecond: number | null
  readonly monotonic: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

interface Waiter {
  readonly admit: (permit: Permit) => void
  readonly refuse: (failure: Failure) => void
}

/** A request that was let in; release it at its end. */
export interface Permit {
  readonly epoch: number
  readonly startedMs: number
}

/** What the end of a request shows: success, an overloaded service, or a rate limit. */
export type Ending = 'well' | 'strained' | 'too_many'

const windowAtStart = 4
/**
 * Up to this share of the answers, 429s are single, whatever the speed. Many more, counted in 429s, come together:
 * the service limits the rate. At 2% this is wrong once in millions of calls.
 */
const singleShare = 0.05
const togetherAt = 8
/** A timer this late is compensated, or many short waits would add up. */
const timerLatenessMs = 2

/**
 * Limits the requests under way. The window doubles with each full window of good answers until the first sign of
 * strain, then grows by one; it halves on each sign, at most once for the requests it had let in. The rate per second
 * is found from 429s that come together; a single 429 takes one place off the window. Both limits are found instead
 * of assumed, and without them a service is at full speed within a second.
 */
export class AdaptiveLimiter {
  private readonly options: AdaptiveLimiterOptions
  private window: number
  private inFlight = 0
  private good = 0
  /** Counts the halvings. Requests let in before the last one do not halve again. */
  private epoch = 0
  private waiting: Waiter[] = []
  private firstWaiting = 0
  /** No request starts before this, by `clockMs`. */
  private heldUntilMs = 0
  private sleptUntilMs = 0
  private isSleeping = false
  private stopped: Failure | undefined
  /** 429s that are not single: each adds one, each other answer takes a part away. */
  private tooManys = 0
  private readonly finder = new RateFinder()
  private readonly wakeUp = new AbortController()

  constructor(options: AdaptiveLimiterOptions) {
    this.options = options
    this.window = Math.min(windowAtStart, options.windowMax)
  }

  /** A permit for `release`. A promise only if it must wait. */
  acquire(): Permit | Promise<Permit> {
    if (this.stopped) throw this.stopped
    if (this.waiting.length === 0 && this.inFlight < this.window && this.waitMs() === 0) return this.start()
    return new Promise((admit, refuse) => {
      this.waiting.push({admit, refuse})
      this.admitWaiting()
    })
  }

  /** Whether the service limits the rate: its 429s came together. */
  get isLimited(): boolean {
    return this.finder.perSecond !== null
  }

  release(permit: Permit, ending: Ending): void {
    this.inFlight -= 1
    const atMs = this.clockMs()
    this.tooManys = ending === 'too_many' ? this.tooManys + 1 : Math.max(0, this.tooManys - singleShare)
    if (ending === 'well') {
      this.finder.well(permit.startedMs, atMs)
      this.good += 1
      const isUnstrained = this.epoch === 0
      if ((isUnstrained || this.good >= this.window) && this.window < this.options.windowMax) {
        this.window += 1
        this.good = 0
      }
    } else if (ending === 'too_many' && !this.isLimited && this.tooManys < togetherAt) {
      this.window = Math.max(1, this.window - 1)
    } else if (ending === 'too_many') {
      const restMs = this.finder.tooMany(permit.startedMs, atMs)
      if (restMs !== null) this.hold(restMs)
    } else if (permit.epoch === this.epoch) {
      this.window = Math.max(1, Math.floor(this.window / 2))
      this.good = 0
      this.epoch += 1
    }
    this.admitWaiting()
  }

  /** A 429 asked for this wait; every request waits if the service limits the rate. */
  askedToWait(ms: number): void {
    this.finder.asked(ms)
    if (this.isLimited) this.hold(ms)
  }

  /** Delays every request by this long, as the service asked (`Retry-After`). */
  hold(ms: number): void {
    this.heldUntilMs = Math.max(this.heldUntilMs, this.clockMs() + ms)
  }

  /** Refuses waiting and new requests. Those under way continue. */
  stop(failure: Failure): void {
    this.stopped = failure
    const refused = this.waiting.slice(this.firstWaiting)
    this.waiting = []
    this.firstWaiting = 0
    this.wakeUp.abort()
    for (const waiter of refused) waiter.refuse(failure)
  }

  private start(): Permit {
    this.inFlight += 1
    const startedMs = this.clockMs()
    const perSecond = Math.min(
      this.options.ratePerSecond ?? Number.POSITIVE_INFINITY,
      this.finder.perSecond ?? Number.POSITIVE_INFINITY,
    )
    const isOnTime = startedMs - this.heldUntilMs <= timerLatenessMs
    this.heldUntilMs = (isOnTime ? this.heldUntilMs : startedMs) + 1_000 / perSecond
    return {epoch: this.epoch, startedMs}
  }

  private admitWaiting(): void {
    while (this.firstWaiting < this.waiting.length && this.inFlight < this.window) {
      const waitMs = this.waitMs()
      if (waitMs > 0) {
        this.wakeIn(waitMs)
        return
      }
      const waiter = this.waiting[this.firstWaiting]
      this.firstWaiting += 1
      waiter?.admit(this.start())
    }
    // An index, because shifting a long array moves all of it.
    if (this.firstWaiting === this.waiting.length || this.firstWaiting > 1_024) {
      this.waiting = this.waiting.slice(this.firstWaiting)
      this.firstWaiting = 0
    }
  }

  private waitMs(): number {
    return Math.max(0, this.heldUntilMs - this.clockMs())
  }

  /** A wait is over even if the timer rang slightly early. */
  private clockMs(): number {
    return Math.max(this.options.monotonic(), this.sleptUntilMs)
  }

  private wakeIn(ms: number): void {
    if (this.isSleeping) return
    this.isSleeping = true
    const untilMs = this.clockMs() + ms
    const wake = () => {
      this.isSleeping = false
      this.sleptUntilMs = untilMs
      this.admitWaiting()
    }
    // Timers drop fractions of a millisecond: 400 a second would become 500.
    this.options.sleep(Math.ceil(ms), this.wakeUp.signal).then(wake, wake)
  }
}
