import {Failure} from '../core/failure.ts'
import type {Log} from './events.ts'

/** SQLite: READONLY, IOERR, FULL, CANTOPEN. */
const storageErrors: ReadonlySet<number> = new Set([8, 10, 13, 14])
const fullDisk = 13
const probeEveryMs = 1000

/** SQLite could not write, for example because the disk is full. The transaction was undone. */
export function isStorageError(error: unknown): error is Error & {readonly errcode: number} {
  return error instanceof Error && storageErrors.has(Number((error as {errcode?: unknown}).errcode) & 0xff)
}

/**
 * Whether the state can be written. While it cannot, a small write is tried every second, so that nobody has to
 * restart the sandbox when the disk has room again.
 */
export class StorageHealth {
  private readonly probe: (work: () => void) => void
  private readonly log: Log
  private readonly owed: (() => void)[] = []
  private readonly recoveries: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined
  private failure: {readonly problem: string; readonly since: string} | null = null

  /** `probe` runs `work` and a write of its own in one transaction. */
  constructor(probe: (work: () => void) => void, log: Log) {
    this.probe = probe
    this.log = log
  }

  state() {
    return {isFailing: this.failure !== null, problem: null, since: null, ...this.failure}
  }

  get isFailing(): boolean {
    return this.failure !== null
  }

  failed(error: unknown): void {
    const problem = problemOf(error)
    if (this.failure?.problem !== problem) this.log({type: 'storage', problem})
    this.failure = {problem, since: this.failure?.since ?? new Date().toISOString()}
    this.timer ??= setTimeout(() => this.tryAgain(), probeEveryMs).unref()
  }

  /** Wraps an API: a storage error becomes a `Failure` without SQLite's words. */
  explained<Api extends object>(api: Api): Api {
    const explain = (error: unknown): never => {
      if (!isStorageError(error)) throw error
      this.failed(error)
      throw new Failure(
        'storage_failed',
        'The sandbox cannot store anything: its disk may be full.',
        'Make room, and see what is stored before you call again.',
      )
    }
    return new Proxy(api, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          try {
            const done: unknown = Reflect.apply(member, target, args)
            return done instanceof Promise ? done.catch(explain) : done
          } catch (error) {
            return explain(error)
          }
        }
      },
    })
  }

  /** A write that failed. Every probe includes it. */
  owe(write: () => void): void {
    this.owed.push(write)
  }

  onRecovered(callback: () => void): void {
    this.recoveries.push(callback)
  }

  close(): void {
    clearTimeout(this.timer)
  }

  private tryAgain(): void {
    this.timer = undefined
    try {
      this.probe(() => {
        for (const write of this.owed) write()
      })
    } catch (error) {
      this.failed(error)
      return
    }
    this.failure = null
    this.log({type: 'storage', problem: null})
    for (const recovered of this.recoveries) recovered()
  }
}

function problemOf(error: unknown): string {
  if (isStorageError(error) && (error.errcode & 0xff) === fullDisk) {
    return 'The disk is full: the sandbox stores nothing and sends no webhook until there is room.'
  }
  const reason = error instanceof Error ? error.message : String(error)
  return `The sandbox cannot store anything, and sends no webhook until it can: ${reason}.`
}
