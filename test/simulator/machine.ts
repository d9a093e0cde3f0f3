import {AsyncLocalStorage} from 'node:async_hooks'
import crypto from 'node:crypto'
import fs from 'node:fs'
import {createRequire, syncBuiltinESMExports} from 'node:module'
import {DatabaseSync} from 'node:sqlite'
import {Readable} from 'node:stream'

import type {Dispatcher} from 'undici'

import {Failure} from '../../src/core/failure.ts'
import type {Counts} from './counts.ts'
import type {Prng} from './prng.ts'
import type {Trace} from './trace.ts'
import type {VirtualTime} from './virtual-time.ts'

const require = createRequire(import.meta.url)

/** What a process that is dead meets at its next step. */
export class Death extends Error {}

/** Where a process is killed, interrupted or finds the disk full, counted in points: before and after each call, commit and file write. */
export interface Interruption {
  readonly diesAt?: number
  /** It dies at that many of the points whose words hold this. */
  readonly diesOn?: {readonly what: string; readonly times: number}
  readonly interruptedAt?: number
  readonly interruptedOn?: string
  /** From this write on the disk is full. */
  readonly fullAt?: number
}

/** One computer: its clocks, its chance, what it can reach. Several may stand beside each other. */
export interface Machine {
  readonly time: VirtualTime
  readonly trace: Trace
  readonly counts: Counts
  readonly prng: Prng
  /** Files below it are hisab's and the merchant's; every write to one is a point. */
  readonly dir: string
  /** Wall clock minus true time. The monotonic clock knows nothing of it. */
  wallMs: number
  network(process: SimulatedProcess): Dispatcher
}

const current = new AsyncLocalStorage<SimulatedProcess>()

export function currentProcess(): SimulatedProcess | undefined {
  return current.getStore()
}

/** One process of hisab: what it can reach, until it dies. */
export class SimulatedProcess {
  readonly machine: Machine
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly startedMs: number
  readonly stop = new AbortController()
  readonly death = Promise.withResolvers<void>()
  readonly databases = new Set<DatabaseSync>()
  isDead = false
  status: number | null = null
  stdout = ''
  stderr = ''
  points = 0
  hitFullDisk = false
  private writes = 0
  private met = 0
  private readonly interruption: Interruption

  constructor(
    machine: Machine,
    name: string,
    env: Readonly<Record<string, string>>,
    interruption: Interruption = {},
  ) {
    this.machine = machine
    this.name = name
    this.env = env
    this.interruption = interruption
    this.startedMs = machine.time.nowMs
  }

  /** Passes a point at which it can die or be stopped. */
  reach(what: string): void {
    if (this.isDead) throw new Death()
    this.points += 1
    const {diesAt, diesOn, interruptedAt, interruptedOn} = this.interruption
    const isHit = interruptedOn !== undefined && what.includes(interruptedOn)
    if (this.points === interruptedAt || isHit) this.interrupt()
    if (diesOn && what.includes(diesOn.what)) this.met += 1
    if (this.points !== diesAt && !(diesOn !== undefined && this.met === diesOn.times)) return
    this.machine.counts.add('processes killed')
    this.machine.trace.say(`    ${this.name}: killed, ${what}`)
    this.end()
    throw new Death()
  }

  /** Before something is written; false where there is no room for it. */
  beforeWrite(what: string): boolean {
    this.reach(`before ${what}`)
    this.writes += 1
    const isFull = this.interruption.fullAt !== undefined && this.writes >= this.interruption.fullAt
    if (isFull && !this.hitFullDisk) this.machine.counts.add('full disks')
    this.hitFullDisk ||= isFull
    return !isFull
  }

  interrupt(): void {
    if (this.stop.signal.aborted) return
    this.machine.counts.add('interrupts')
    this.machine.trace.say(`    ${this.name}: Ctrl-C`)
    const hint = 'Run it again: what was done is remembered, and nothing is sent twice.'
    this.stop.abort(new Failure('interrupted', 'Interrupted before the end.', hint))
  }

  /** All that it held falls from it, as the kernel has it. */
  end(): void {
    if (this.isDead) return
    this.isDead = true
    for (const database of this.databases) if (database.isOpen) database.close()
    this.death.resolve()
  }
}

/** Runs work as this process's own: its time, files, environment and output are the simulated ones. */
export function runAs<T>(process: SimulatedProcess, work: () => T): T {
  return current.run(process, work)
}

/** Resumes what a timer waited for, unless its process has died. */
function asOwn(run: () => void): () => void {
  const owner = current.getStore()
  return () => {
    if (owner === undefined) return run()
    if (!owner.isDead) current.run(owner, run)
  }
}

/** Takes hold of the clocks, timers, files, databases, chance, environment and output that hisab's code can reach. */
export function simulateMachine(): void {
  const files = fs as unknown as Record<string, AnyCall>
  holdClocks()
  holdChance()
  holdFiles(files)
  holdDatabases()
  holdOutput()
  const {env} = process
  Object.defineProperty(process, 'env', {get: () => current.getStore()?.env ?? env, configurable: true})
  syncBuiltinESMExports()
}

type AnyCall = (...args: unknown[]) => unknown

function holdClocks(): void {
  const {now} = Date
  const {setTimeout, clearTimeout, setInterval, clearInterval, performance} = globalThis
  const {hrtime} = process
  const monotonic = performance.now.bind(performance)
  Date.now = () => {
    const machine = current.getStore()?.machine
    return machine ? Math.floor(machine.time.nowMs + machine.wallMs) : now()
  }
  performance.now = () => current.getStore()?.machine.time.sinceStartMs ?? monotonic()
  const hrtimeOf = Object.assign(
    (before?: [number, number]) => {
      const ms = current.getStore()?.machine.time.sinceStartMs
      if (ms === undefined) return hrtime(before)
      const [seconds, nanos] = [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1e6)]
      return before ? [seconds - before[0], nanos - before[1]] : [seconds, nanos]
    },
    {
      bigint: () => {
        const ms = current.getStore()?.machine.time.sinceStartMs
        return ms === undefined ? hrtime.bigint() : BigInt(Math.round(ms * 1e6))
      },
    },
  )
  process.hrtime = hrtimeOf as typeof hrtime
  const timeOf = () => current.getStore()?.machine.time
  Object.assign(globalThis, {
    setTimeout: (run: AnyCall, ms = 0, ...args: unknown[]) => {
      const time = timeOf()
      return time
        ? time.after(
            ms,
            asOwn(() => run(...args)),
          )
        : setTimeout(run, ms, ...args)
    },
    setInterval: (run: AnyCall, ms = 0, ...args: unknown[]) => {
      const time = timeOf()
      if (!time) return setInterval(run, ms, ...args)
      const due = time.after(ms, asOwn(tick))
      function tick() {
        run(...args)
        time?.again(due, Math.max(1, ms))
      }
      return due
    },
    clearTimeout: (due: NodeJS.Timeout | {cancel?(): void} | undefined) => {
      if (due && 'cancel' in due) due.cancel?.()
      else clearTimeout(due as NodeJS.Timeout)
    },
    clearInterval: (due: NodeJS.Timeout | {cancel?(): void} | undefined) => {
      if (due && 'cancel' in due) due.cancel?.()
      else clearInterval(due as NodeJS.Timeout)
    },
  })
  const timers = require('node:timers/promises') as {setTimeout: AnyCall}
  const delay = timers.setTimeout
  timers.setTimeout = (ms, value, rest) => {
    const options = (rest ?? {}) as {signal?: AbortSignal}
    const time = timeOf()
    if (!time) return delay(ms, value, options)
    return new Promise((resolve, reject) => {
      const {signal} = options
      const abort = () => {
        due.cancel()
        reject(Object.assign(new Error('The operation was aborted'), {name: 'AbortError', code: 'ABORT_ERR'}))
      }
      const due = time.after(
        Number(ms ?? 0),
        asOwn(() => {
          signal?.removeEventListener('abort', abort)
          resolve(value)
        }),
      )
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, {once: true})
    })
  }
}

function holdChance(): void {
  const {random} = Math
  Math.random = () => current.getStore()?.machine.prng.next() ?? random()
  const sources = crypto as unknown as {randomBytes: AnyCall; randomUUID: AnyCall}
  const {randomBytes, randomUUID} = sources
  const bytes = (size: number, prng: Prng) => Buffer.from(Array.from({length: size}, () => prng.int(0, 255)))
  sources.randomBytes = (size: unknown, ...rest: unknown[]) => {
    const machine = current.getStore()?.machine
    return machine && rest.length === 0 ? bytes(Number(size), machine.prng) : randomBytes(size, ...rest)
  }
  sources.randomUUID = (...args: unknown[]) => {
    const machine = current.getStore()?.machine
    if (!machine) return randomUUID(...args)
    const hex = bytes(16, machine.prng).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}

const byPath = ['openSync', 'writeFileSync', 'renameSync', 'mkdirSync', 'linkSync'] as const
const byNumber = ['writeSync', 'fsyncSync', 'writeFileSync'] as const

function holdFiles(files: Record<string, AnyCall>): void {
  const real = {...files}
  /** Paths of what a process has open for writing. */
  const open = new Map<unknown, string>()
  for (const name of new Set([...byPath, ...byNumber])) {
    const call = real[name] as AnyCall
    files[name] = (...args) => {
      const process = current.getStore()
      const [target] = args
      if (!process) return call(...args)
      const isOurs = typeof target === 'string' ? target.startsWith(process.machine.dir) : open.has(target)
      const flags = name === 'openSync' ? String(args[1] ?? 'r') : 'w'
      // The databases are SQLite's, and stopped at their commits.
      if (!isOurs || flags === 'r' || /\/(?:journal|locks)\b/.test(String(target))) return call(...args)
      const path = open.get(target) ?? String(name === 'renameSync' ? args[1] : target)
      const what = `${name.replace('Sync', '')} of ${path.endsWith('.tmp') ? 'a draft' : path.split('/').pop()}`
      if (!process.beforeWrite(what)) throw Object.assign(new Error('ENOSPC'), {code: 'ENOSPC'})
      const result = call(...args)
      if (name === 'openSync') open.set(result, path)
      process.reach(`after ${what}`)
      return result
    }
  }
  const close = real.closeSync as AnyCall
  files.closeSync = (fd) => {
    open.delete(fd)
    return close(fd)
  }
  const promised = fs.promises as unknown as Record<string, AnyCall>
  const {open: openLater, readFile: readLater} = promised as {open: AnyCall; readFile: AnyCall}
  // Really asynchronous files would come back in an order that no seed decides.
  promised.open = (path, ...rest) => {
    const process = current.getStore()
    if (!process || !String(path).startsWith(process.machine.dir)) return openLater(path, ...rest)
    return Promise.try(() => openWhole(String(path)))
  }
  promised.readFile = (path, ...rest) => {
    const process = current.getStore()
    if (!process || !String(path).startsWith(process.machine.dir)) return readLater(path, ...rest)
    return Promise.try(() => (real.readFileSync as AnyCall)(path, ...rest))
  }
}

/** A file handle on what is read at once. */
function openWhole(path: string) {
  const stat = fs.statSync(path)
  const close = async () => {}
  return {
    stat: async () => stat,
    readFile: async (...args: Parameters<typeof fs.readFileSync> extends [unknown, ...infer R] ? R : never) =>
      fs.readFileSync(path, ...args),
    createReadStream: () => Readable.from([fs.readFileSync(path)], {objectMode: false}),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** By its methods: what was imported of `node:sqlite` cannot be replaced. */
function holdDatabases(): void {
  const {exec, prepare, close} = DatabaseSync.prototype
  const full = () =>
    Object.assign(new Error('database or disk is full'), {code: 'ERR_SQLITE_ERROR', errcode: 13})
  const files = new WeakMap<DatabaseSync, boolean>()
  /** Whether it is a file of a process that lives; from its first use on it is that process's. */
  const isFileOf = (sql: DatabaseSync, owner: SimulatedProcess): boolean => {
    const known = files.get(sql)
    if (owner.isDead) {
      if (sql.isOpen) close.call(sql)
      throw new Death()
    }
    if (known !== undefined) return known
    const isFile = (sql.location() ?? '') !== ''
    files.set(sql, isFile)
    owner.databases.add(sql)
    return isFile
  }
  const commit = <T>(owner: SimulatedProcess, work: () => T): T => {
    if (!owner.beforeWrite('a commit')) throw full()
    const result = work()
    owner.reach('after a commit')
    return result
  }
  DatabaseSync.prototype.exec = function (sql) {
    const owner = current.getStore()
    if (!owner || !isFileOf(this, owner) || !/^\s*COMMIT/i.test(sql)) return exec.call(this, sql)
    commit(owner, () => exec.call(this, sql))
  }
  DatabaseSync.prototype.prepare = function (...args) {
    const owner = current.getStore()
    const statement = prepare.apply(this, args)
    if (!owner || !isFileOf(this, owner) || !/^\s*(?:INSERT|UPDATE|DELETE|REPLACE)/i.test(args[0]))
      return statement
    const run = statement.run.bind(statement) as AnyCall
    statement.run = ((...values: unknown[]) =>
      this.isTransaction ? run(...values) : commit(owner, () => run(...values))) as typeof statement.run
    return statement
  }
  DatabaseSync.prototype.close = function () {
    current.getStore()?.databases.delete(this)
    close.call(this)
  }
}

function holdOutput(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name]
    const write = stream.write.bind(stream) as AnyCall
    stream.write = ((chunk: unknown, ...rest: unknown[]) => {
      const owner = current.getStore()
      if (!owner) return write(chunk, ...rest)
      if (!owner.isDead) owner[name] += String(chunk)
      const done = rest.at(-1)
      if (typeof done === 'function') (done as () => void)()
      return true
    }) as typeof stream.write
  }
}
