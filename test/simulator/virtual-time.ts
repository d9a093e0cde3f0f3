import {setImmediate as turn} from 'node:timers/promises'

const idleTurnsMax = 2_000

/** Something that is due at a time. */
export class Due {
  atMs: number
  order: number
  readonly run: () => void
  isCancelled = false

  constructor(atMs: number, order: number, run: () => void) {
    this.atMs = atMs
    this.order = order
    this.run = run
  }

  cancel(): void {
    this.isCancelled = true
  }

  // What a timer of Node's can do besides.
  unref(): this {
    return this
  }

  ref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }
}

/** Nothing is due and the work is not done: it waits for what never comes (P17). */
export class Stuck extends Error {}

/** A clock that goes from one thing that is due to the next without waiting. It is monotonic and true. */
export class VirtualTime {
  nowMs: number
  /** Called before the clock moves on, so that the world does what is due until then. */
  onMove: (toMs: number) => void = () => {}
  /** A step that lasts longer than this is endless. */
  limitMs = Number.POSITIVE_INFINITY
  private readonly startMs: number
  private readonly heap: Due[] = []
  private order = 0

  constructor(nowMs: number) {
    this.nowMs = nowMs
    this.startMs = nowMs
  }

  get sinceStartMs(): number {
    return this.nowMs - this.startMs
  }

  after(ms: number, run: () => void): Due {
    const due = new Due(this.nowMs + Math.max(0, ms), this.order++, run)
    this.push(due)
    return due
  }

  /** The same once more. */
  again(due: Due, ms: number): void {
    if (due.isCancelled) return
    due.atMs = this.nowMs + ms
    due.order = this.order++
    this.push(due)
  }

  /** Plays everything that is due until `work` has ended, and ends as it does. */
  async play<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    for (;;) {
      await turn()
      // A report is composed by a stream, which takes turns of its own and no time.
      for (let idle = 0; idle < idleTurnsMax && !isDone && this.isIdle(); idle += 1) await turn()
      if (isDone) return await work
      this.step()
    }
  }

  moveTo(ms: number): void {
    if (ms <= this.nowMs) return
    this.onMove(ms)
    this.nowMs = ms
  }

  /** Forgets what processes that are dead still had in mind. */
  clear(): void {
    this.heap.length = 0
  }

  private isIdle(): boolean {
    return this.heap.every(({isCancelled}) => isCancelled)
  }

  private step(): void {
    let due = this.pop()
    while (due?.isCancelled) due = this.pop()
    if (!due) throw new Stuck('the run waits for something that never comes')
    if (due.atMs > this.limitMs) throw new Stuck('the run goes on beyond every bound')
    this.moveTo(due.atMs)
    due.run()
  }

  private push(due: Due): void {
    const {heap} = this
    let at = heap.push(due) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(due, heap[parent] as Due)) break
      heap[at] = heap[parent] as Due
      at = parent
    }
    heap[at] = due
  }

  private pop(): Due | undefined {
    const {heap} = this
    const [first] = heap
    const last = heap.pop()
    if (!last || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      const other = heap[child + 1]
      if (other && isBefore(other, heap[child] as Due)) child += 1
      if (!isBefore(heap[child] as Due, last)) break
      heap[at] = heap[child] as Due
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs
}
