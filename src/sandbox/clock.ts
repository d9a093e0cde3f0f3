/** Runs when its time comes. A stepped clock waits for it; a running clock does not. */
type Task = () => Promise<void>

export const realClock = (): Clock => new Clock(1, Date.now())

/** Runs `timeScale` times as fast as real time: at 60, the 7 h 21 min of retries take 7 min 21 s. */
export const scaledClock = (timeScale: number, startMs: number = Date.now()): Clock =>
  new Clock(timeScale, startMs)

export const steppedClock = (startMs: number): Clock => new Clock(0, startMs)

/** Times are written with a year of four digits. */
export const latestMs = Date.UTC(9999, 0, 1)

interface Waiting {
  readonly atMs: number
  readonly task: Task
}

// setTimeout fires at once for a longer time.
const timeoutMaxMs = 2 ** 31 - 1

/**
 * The sandbox's time, in milliseconds since the epoch. What the service stamps and its retries follow it. What a
 * client checks with its own clock (`X-Timestamp`, `meta.timestamp`, `Date`) is real time.
 */
export class Clock {
  private pace: number
  /** The sandbox's time when it was last set by hand; `anchorRealMs` is the machine's time then. */
  private anchorMs: number
  private anchorRealMs = Date.now()
  /** The last reading of the machine's clock. */
  private readRealMs = this.anchorRealMs
  private isMoving = false
  /** Soonest first; at the same time, first come first. */
  private readonly waiting: Waiting[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(timeScale: number, startMs: number) {
    this.pace = timeScale
    this.anchorMs = startMs
  }

  /** Speed as a multiple of real time; 0: frozen. */
  get timeScale(): number {
    return this.pace
  }

  /** True while time moves by hand: what is due then runs one after the other. */
  get isStepping(): boolean {
    return this.isMoving || this.pace === 0
  }

  now(): number {
    if (this.isStepping) return this.anchorMs
    const realMs = Date.now()
    // The machine's clock was set back: continue from the last reading.
    if (realMs < this.readRealMs) {
      this.anchorMs += (this.readRealMs - this.anchorRealMs) * this.pace
      this.anchorRealMs = realMs
    }
    this.readRealMs = realMs
    return Math.min(latestMs, Math.floor(this.anchorMs + (realMs - this.anchorRealMs) * this.pace))
  }

  setTimeScale(timeScale: number): void {
    this.standAt(this.now())
    this.pace = timeScale
    this.arm()
  }

  /** Runs `task` once, at `atMs`. Returns a function that cancels it. */
  schedule(atMs: number, task: Task): () => void {
    const entry = {atMs, task}
    const place = this.waiting.findLastIndex((other) => other.atMs <= atMs) + 1
    this.waiting.splice(place, 0, entry)
    if (place === 0) this.arm()
    return () => {
      const at = this.waiting.indexOf(entry)
      if (at !== -1) this.waiting.splice(at, 1)
    }
  }

  /**
   * Moves on to `ms`, never back. Everything due until then runs to its end, in order, each task at its own time. One
   * move at a time.
   */
  async advanceTo(ms: number): Promise<void> {
    this.standAt(this.now())
    this.isMoving = true
    this.arm()
    try {
      for (let due = this.takeDue(ms); due; due = this.takeDue(ms)) {
        this.anchorMs = Math.max(this.anchorMs, due.atMs)
        await due.task()
      }
      this.anchorMs = Math.max(this.anchorMs, ms)
    } finally {
      this.isMoving = false
      this.standAt(this.anchorMs)
      this.arm()
    }
  }

  /** Called once with the latest time in the stored state: time must not run backwards after a restart. */
  resumeFrom(atMs: number): void {
    this.standAt(Math.max(this.now(), atMs))
  }

  private standAt(ms: number): void {
    this.anchorMs = Math.min(ms, latestMs)
    this.anchorRealMs = Date.now()
    this.readRealMs = this.anchorRealMs
  }

  private takeDue(untilMs: number): Waiting | undefined {
    const [first] = this.waiting
    return first && first.atMs <= untilMs ? this.waiting.shift() : undefined
  }

  /** One timer for the first task; none while time moves by hand. */
  private arm(): void {
    clearTimeout(this.timer)
    const [first] = this.waiting
    if (!first || this.isStepping) return
    const remainingMs = Math.ceil((first.atMs - this.now()) / this.pace)
    this.timer = setTimeout(() => this.runDue(), Math.min(Math.max(remainingMs, 0), timeoutMaxMs)).unref()
  }

  private runDue(): void {
    const now = this.now()
    for (let due = this.takeDue(now); due; due = this.takeDue(now)) void due.task()
    this.arm()
  }
}
