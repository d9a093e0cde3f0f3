/** What a due time may run. The stepped clock waits for it; the others let it go. */
type Task = () => Promise<void>

/**
 * The sandbox's time, in milliseconds since the epoch. Everything the service stamps and every retry follows
 * it; what a client's own clock is judged by (`X-Timestamp`, `meta.timestamp`, `Date`) is real time.
 */
export interface Clock {
  now(): number
  /** Runs `task` once, when the clock reads `atMs` or later. Returns a way to call it off. */
  schedule(atMs: number, task: Task): () => void
  /** Called once with the last instant of the state that was kept: time must not run backwards over a restart. */
  resumeFrom?(atMs: number): void
}

export const realClock: Clock = {
  now: () => Date.now(),
  schedule: (atMs, task) => runLater(() => atMs - Date.now(), task),
}

/** Runs `factor` times as fast as real time: at 60, the 7 h 21 min of retries take 7 min 21 s. */
export function scaledClock(factor: number, startMs: number = Date.now()): Clock {
  const realStart = Date.now()
  let start = startMs
  const now = () => Math.floor(start + (Date.now() - realStart) * factor)
  return {
    now,
    schedule: (atMs, task) => runLater(() => Math.ceil((atMs - now()) / factor), task),
    resumeFrom(atMs) {
      start = Math.max(start, atMs)
    },
  }
}

/** Stands still until it is moved; then everything due happens in order, each thing at its own time. */
export interface SteppedClock extends Clock {
  /** Resolves once everything due until `ms` has run to its end, deliveries included. Never moves back. */
  advanceTo(ms: number): Promise<void>
}

export function steppedClock(startMs: number): SteppedClock {
  let current = startMs
  let order = 0
  const waiting = new Set<{readonly atMs: number; readonly order: number; readonly task: Task}>()

  function takeDue(untilMs: number): Task | null {
    const [first] = [...waiting]
      .filter(({atMs}) => atMs <= untilMs)
      .sort((a, b) => a.atMs - b.atMs || a.order - b.order)
    if (!first) return null
    waiting.delete(first)
    current = Math.max(current, first.atMs)
    return first.task
  }

  return {
    now: () => current,
    schedule(atMs, task) {
      order += 1
      const entry = {atMs, order, task}
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    async advanceTo(ms) {
      for (let task = takeDue(ms); task; task = takeDue(ms)) await task()
      current = Math.max(current, ms)
    },
    resumeFrom(atMs) {
      current = Math.max(current, atMs)
    },
  }
}

export function isSteppedClock(clock: Clock): clock is SteppedClock {
  return 'advanceTo' in clock
}

// setTimeout fires at once when asked for more than this.
const timeoutMaxMs = 2 ** 31 - 1

function runLater(remainingMs: () => number, task: Task): () => void {
  let timer: NodeJS.Timeout
  const arm = () => {
    timer = setTimeout(
      () => (remainingMs() > 0 ? arm() : void task()),
      Math.min(Math.max(remainingMs(), 0), timeoutMaxMs),
    ).unref()
  }
  arm()
  return () => clearTimeout(timer)
}
