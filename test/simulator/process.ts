import {Failure} from '../../src/core/failure.ts'
import type {Journal} from '../../src/journal/journal.ts'
import type {Site} from './site.ts'

/** What a process that is dead answers to everything. It is no `Failure`: nothing may be made of it. */
export class Death extends Error {}

/** When a process comes to grief; counted in the points it passes, each call, write and file being some. */
export interface Fate {
  readonly diesAt?: number
  /** It dies at that many of the points whose words hold this. */
  readonly diesOn?: {readonly what: string; readonly times: number}
  /** Ctrl-C is heard at the first call from there on: between two calls no signal gets a turn. */
  readonly interruptedAt?: number
  /** From this write on the disk is full. */
  readonly fullAt?: number
  /** Somebody else does something while it runs. */
  readonly meanwhile?: {readonly at: number; readonly run: () => void}
}

const isWrite = /^(?:start|resume|finish|record|settle|claim|add|remove)/

/** One process of hisab: what it can reach, until it dies. */
export class SimulatedProcess {
  readonly site: Site
  readonly name: string
  readonly runId: string
  readonly startedMs: number
  readonly stop = new AbortController()
  readonly death: Promise<'died'>
  isDead = false
  /** How many points it has passed, and how many of them were writes to the disk. */
  points = 0
  writes = 0
  hitFullDisk = false
  private readonly fate: Fate
  private met = 0
  private readonly mourn: (word: 'died') => void

  constructor(site: Site, name: string, runId: string, fate: Fate = {}) {
    this.site = site
    this.name = name
    this.runId = runId
    this.startedMs = site.time.nowMs
    this.fate = fate
    const {promise, resolve} = Promise.withResolvers<'died'>()
    this.death = promise
    this.mourn = resolve
  }

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      this.site.time.after(ms, () => {
        if (!this.isDead) resolve()
      })
    })

  /** Passes one point at which a process can die or be stopped. True where it is dead now. */
  reach(what: string, isCall = false): boolean {
    if (this.isDead) return true
    this.points += 1
    const {diesAt, diesOn, meanwhile, interruptedAt = Number.POSITIVE_INFINITY} = this.fate
    if (meanwhile?.at === this.points) meanwhile.run()
    if (isCall && this.points >= interruptedAt && !this.stop.signal.aborted) {
      this.site.trace.say(`    ${this.name}: Ctrl-C, ${what}`)
      this.site.counts.add('interrupts')
      this.stop.abort(new Failure('interrupted', 'Interrupted.', 'Run it again to go on.'))
    }
    if (diesOn && what.includes(diesOn.what)) this.met += 1
    const isMet = diesOn !== undefined && this.met === diesOn.times
    if (this.points !== diesAt && !isMet) return false
    this.die(what)
    return true
  }

  /** Its work is done: what it left on its way goes nowhere any more. */
  leave(): void {
    this.isDead = true
  }

  die(what: string): void {
    this.isDead = true
    this.site.trace.say(`    ${this.name}: killed, ${what}`)
    this.site.counts.add('kills')
    this.site.counts.add(`kills ${what.replace(/ .*/, '')}`)
    this.mourn('died')
  }

  /** Before something is written to the disk; throws what the disk says. */
  beforeWrite(what: string): boolean {
    if (this.reach(`before ${what}`)) throw new Death()
    this.writes += 1
    const isFull = this.fate.fullAt !== undefined && this.writes >= this.fate.fullAt
    if (isFull && !this.hitFullDisk) {
      this.hitFullDisk = true
      this.site.trace.say(`    ${this.name}: the disk is full, ${what}`)
      this.site.counts.add('full disks')
    }
    return !isFull
  }

  afterWrite(what: string): void {
    if (this.reach(`after ${what}`)) throw new Death()
  }

  /** The real journal, in which every write can be the last thing the process does. */
  journal(real: Journal): Journal {
    return new Proxy(real, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (this.isDead) throw new Death()
          const call = () => (member as (...args: unknown[]) => unknown).apply(target, args)
          if (!isWrite.test(String(name))) return call()
          const what = `the journal's ${String(name)}`
          if (!this.beforeWrite(what)) {
            throw new Failure('storage_failed', 'journal.db: disk full.', 'Free some space.')
          }
          const result = call()
          this.afterWrite(what)
          return result
        }
      },
    })
  }
}
