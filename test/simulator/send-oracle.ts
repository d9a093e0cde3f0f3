import type {JournalReader} from './journal-reader.ts'
import {nameOf, type Try} from './network.ts'
import type {SimulatedProcess} from './process.ts'
import {type SaidRecord, saidRecords} from './said.ts'
import type {Watch} from './site.ts'
import {keyOf, type World} from './world.ts'

/** A person's words for one run, as they were given. */
export interface Told {
  readonly maySend: boolean
  readonly includeDelivered: boolean
  readonly ignoreCooldown: boolean
  readonly retryUnknown: boolean
}

/** One resend that left hisab, and the record as it stood then. */
export interface Send {
  readonly runId: string
  readonly made: Try
  readonly recordId: string
  readonly before: {readonly attempts: number; readonly nextRetryMs: number | null}
}

interface Seen {
  readonly told: Told
  hasResent: boolean
  /** By origin, `*` for all: not to be called before. */
  readonly holdUntilMs: Map<string, number>
  readonly lastRead: Map<string, SaidRecord>
}

const cooldownMs = 8 * 3_600_000
/** A send is written down before it waits for its turn, which takes three tries and their `Retry-After` at most. */
const turnMs = 4 * 60_000

/** Looks at every request the moment it leaves, and knows what may not leave then. */
export class SendOracle implements Watch {
  readonly problems: string[] = []
  /** By order and event. */
  readonly sends = new Map<string, Send[]>()
  /** By kind and number: the bytes that were sent first, and every try. */
  readonly creates = new Map<string, Try[]>()
  private readonly seen = new Map<SimulatedProcess, Seen>()
  private readonly world: World
  private readonly journal: () => JournalReader

  constructor(world: World, journal: () => JournalReader) {
    this.world = world
    this.journal = journal
  }

  expect(process: SimulatedProcess, told: Told): void {
    this.seen.set(process, {told, hasResent: false, holdUntilMs: new Map(), lastRead: new Map()})
  }

  onCall(process: SimulatedProcess, made: Try): void {
    const seen = this.seen.get(process)
    if (!seen) throw new Error('a process nobody knows')
    const {request} = made
    for (const origin of ['*', request.origin]) {
      const untilMs = seen.holdUntilMs.get(origin) ?? 0
      if (made.startedMs < untilMs - 1) this.wrong(made, 'leaves earlier than Retry-After allows')
    }
    if (request.name === 'list' && seen.hasResent)
      this.wrong(made, 'a list is read after the first resend (P10)')
    if (request.name === 'create') this.judgeCreate(made)
    if (request.name === 'resend') this.judgeResend(process, made, seen)
  }

  onArrival(): void {}

  onEnd(process: SimulatedProcess, made: Try): void {
    const seen = this.seen.get(process)
    for (const record of saidRecords(made))
      if (made.request.name === 'get') seen?.lastRead.set(record.id, record)
    const {reply, endedMs, request} = made
    if (reply?.retryAfter === undefined || !seen) return
    const seconds = Number(reply.retryAfter)
    seen.holdUntilMs.set(seconds > 60 ? request.origin : '*', endedMs + seconds * 1_000)
  }

  /** Sends that may have reached the merchant: what was turned away, refused or never left is none. */
  liveSends(key: string): Send[] {
    return (this.sends.get(key) ?? []).filter(
      ({made}) => made.hears !== 'throttled' && made.hears !== 'not_sent' && made.hears !== 'no',
    )
  }

  private judgeCreate(made: Try): void {
    const {kind, subject, text} = made.request
    const key = keyOf(kind, subject)
    const before = this.creates.get(key) ?? []
    const [first] = before
    if (first && first.request.text !== text)
      this.wrong(made, `other bytes under a number that was sent before (P1, P2)`)
    if (this.journal().request(kind, subject) === null)
      this.wrong(made, 'its number is not in the journal (P3)')
    this.creates.set(key, [...before, made])
  }

  private judgeResend(process: SimulatedProcess, made: Try, seen: Seen): void {
    const record = this.world.record(made.request.subject)
    if (!record) {
      this.wrong(made, 'there is no such record')
      return
    }
    const {told} = seen
    seen.hasResent = true
    if (!told.maySend) this.wrong(made, 'nobody allowed this run to send')
    const key = keyOf('deposit', `${record.orderId} ${record.event}`)
    this.judgeRepeat(process, made, told, key)
    const row = this.journal()
      .intentsOf(record.orderId, record.event)
      .find(({runId}) => runId === process.runId)
    if (!row) this.wrong(made, 'its intent is not in the journal (P3)')
    const words = row ? (JSON.parse(row.overrides) as string[]) : []
    const given = [
      told.ignoreCooldown && 'ignore-cooldown',
      told.retryUnknown && 'retry-unknown',
      told.includeDelivered && 'include-delivered',
    ]
    if (row && given.some((word) => word && !words.includes(word)))
      this.wrong(made, 'the words it was sent by are not recorded (P4, P5)')
    const last = seen.lastRead.get(record.id)
    if (!last) this.wrong(made, 'its record was not read just before')
    else {
      if (last.status === 'success' && !told.includeDelivered)
        this.wrong(made, 'its record showed it delivered, and nobody said to send it again')
      if (last.nextRetryMs !== null && last.nextRetryMs > made.startedMs)
        this.wrong(made, 'the service has it scheduled (P5)')
    }
    const isOld = this.world.records.some(
      (other) =>
        other.orderId === record.orderId &&
        other.event === record.event &&
        other.createdMs > record.createdMs &&
        other.createdMs < process.startedMs,
    )
    if (isOld) this.wrong(made, 'a newer record of its event decides')
    if (record.event !== 'order.completed' && process.name.startsWith('reconcile'))
      this.wrong(made, `of the event ${record.event}`)
    const before = {attempts: record.attempts, nextRetryMs: record.nextRetryMs}
    this.sends.set(key, [
      ...(this.sends.get(key) ?? []),
      {runId: process.runId, made, recordId: record.id, before},
    ])
  }

  private judgeRepeat(process: SimulatedProcess, made: Try, told: Told, key: string): void {
    const live = this.liveSends(key)
    if (live.some(({runId}) => runId === process.runId))
      this.wrong(made, 'the second resend of its event in one run (P4)')
    const last = live.at(-1)
    if (!last || last.runId === process.runId) return
    const isInDoubt = last.made.hears !== 'yes' && !this.hasEnded(last)
    if (isInDoubt && !told.retryUnknown)
      this.wrong(made, 'an earlier one is in doubt, and nobody said to send it again (P4)')
    const isCooling = made.startedMs - last.made.startedMs < cooldownMs - turnMs
    if (isCooling && !told.ignoreCooldown && !isInDoubt)
      this.wrong(made, 'an earlier one was less than 8 hours ago (P5)')
  }

  /** Whether its record shows how a resend without an answer ended. */
  private hasEnded({recordId, before}: Send): boolean {
    const record = this.world.record(recordId)
    if (!record || record.attempts <= before.attempts) return false
    return record.status === 'success' || (before.nextRetryMs === null && record.status === 'failed')
  }

  private wrong(made: Try, what: string): void {
    this.problems.push(`${nameOf(made.request)}: ${what}`)
  }
}
