import {Failure} from '../core/failure.ts'
import type {Log} from './events.ts'

export interface StorageState {
  readonly isFailing: boolean
  /** One sentence; null while all is well. */
  readonly problem: string | null
  /** Real time, ISO 8601. */
  readonly since: string | null
}

/** SQLite: READONLY, IOERR, FULL, CANTOPEN. */
const storageErrors: ReadonlySet<number> = new Set([8, 10, 13, 14])
const fullDisk = 13
const probeEveryMs = 1000

/** Whether SQLite could not write, as with a full disk. Nothing of that transaction was kept. */
export function isStorageError(error: unknown): error is Error & {readonly errcode: number} {
  return error instanceof Error && storageErrors.has(Number((error as {errcode?: unknown}).errcode) & 0xff)
}

/**
 * Whether the state can be written. While it cannot, a small write is tried every second: nobody has to restart the
 * sandbox once the disk has room again.
 */
export class StorageHealth {
  private readonly probe: (work: () => void) => void
  private readonly log: Log
  private readonly owed: (() => void)[] = []
  private readonly recoveries: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined
  private failure: {readonly problem: string; readonly since: string} | null = null

  /** `probe` writes something, and `work`, as one transaction. */
  constructor(probe: (work: () => void) => void, log: Log) {
    this.probe = probe
    this.log = log
  }

  state(): StorageState {
    return {isFailing: this.failure !== null, problem: null, since: null, ...this.failure}
  }

  get isFailing(): boolean {
    return this.failure !== null
  }

  /** Something could not be stored. */
  failed(error: unknown): void {
    const problem = problemOf(error)
    if (this.failure?.problem !== problem) this.log({type: 'storage', problem})
    this.failure = {problem, since: this.failure?.since ?? new Date().toISOString()}
    this.timer ??= setTimeout(() => this.tryAgain(), probeEveryMs).unref()
  }

  /** The same calls for a program: what could not be stored is a `Failure`, not SQLite's words. */
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

  /** What could not be stored: it is a part of each try, for where it has no room nothing has. */
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
