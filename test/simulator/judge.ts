import type {WrittenLedger, WrittenRow} from './ledger-file.ts'
import type {Ended, Json, Scene} from './scene.ts'
import type {Request} from './service.ts'
import {
  amountOf,
  type DeliveryRecord,
  type Entry,
  type Kind,
  keyOf,
  type Order,
  stateOf,
  taka,
  type Version,
  wordOf,
} from './world.ts'

/** The first, and five retries. */
const triesMax = 6
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** What a person said besides the ledger, for one run. */
export interface Words {
  readonly ignoreCooldown?: boolean
  readonly retryUnknown?: boolean
}

/** What a person closed, as both sides had it then. */
interface Closing {
  readonly entry: Entry | null
  readonly then: Version | null
}

/** One run as the person who started it knows it. */
export interface PlayedRun {
  readonly run: string
  readonly ledgers: readonly WrittenLedger[]
  /** What of the service's day it is to look at; null: nobody said, and no row has a time. */
  readonly window: {readonly fromMs: number; readonly toMs: number} | null
  readonly words: Words
  readonly isDry: boolean
  /** It takes answers from an earlier process, or leaves final orders unasked. */
  readonly mayBeOld: boolean
}

/** A payout that somebody wanted made, once, however many numbers it was given. */
export interface Intent {
  readonly kind: Kind
  readonly payee: string
  readonly amount: bigint
  readonly orderNos: Set<string>
}

interface Ignore {
  readonly key: string
  readonly snapshot: string
  readonly untilMs: number
}

/**
 * Judges a history by the books of the service and of the merchant, and by what a person reads. It knows no word of
 * hisab's for a cause, no code of a failure and nothing of the journal.
 */
export class Judge {
  readonly problems: string[] = []
  private readonly scene: Scene
  private readonly words = new Map<string, Words>()
  /** Which orders a run was shown as credited, before it or by its own ledgers. */
  private readonly shownCredited = new Map<string, ReadonlySet<string>>()
  private readonly creditedOnce = new Set<string>()
  private readonly named = new Set<string>()
  private readonly ignores: Ignore[] = []
  /** Until a report names it again. */
  private readonly closings = new Map<string, Closing>()
  private readonly runStarts = new Map<string, number>()
  /** By how much the machine's clock was ever set: what hisab measures by it is off by so much at most. */
  wallJumpsMs = 0
  private judged = 0

  constructor(scene: Scene) {
    this.scene = scene
  }

  blame(problem: string): void {
    this.problems.push(problem)
    this.scene.say(`  WRONG: ${problem}`)
  }

  /** Before a run: what a person says to it. */
  allow(run: string, words: Words): void {
    this.words.set(run, words)
    if (!this.runStarts.has(run)) this.runStarts.set(run, this.scene.time.nowMs)
  }

  beginRun({run, ledgers, words}: PlayedRun): void {
    this.allow(run, words)
    const own = ledgers.flatMap(({rows}) => rows.filter(isCredit).map(({key}) => key))
    this.shownCredited.set(
      run,
      new Set([...this.creditedOnce, ...own, ...(this.shownCredited.get(run) ?? [])]),
    )
  }

  /** What hisab's resends made of the merchant's server; to be asked after every step. */
  judgeDeliveries(): void {
    const {deliveries} = this.scene.world
    for (; this.judged < deliveries.length; this.judged++) {
      const made = deliveries[this.judged]
      if (made?.run == null) continue
      const what = `${made.orderKey}, ${made.event}, at ${clock(made.atMs)}`
      const others = deliveries
        .slice(0, this.judged)
        .filter(
          ({orderKey, event, run}) => run !== null && orderKey === made.orderKey && event === made.event,
        )
      if (others.some(({run}) => run === made.run)) this.blame(`${what}: delivered twice by ${made.run} (P4)`)
      const bound = 8 * hourMs - this.wallJumpsMs - minuteMs
      for (const other of others) {
        // What counts is when they were asked for, and what was said to the one that was asked for later.
        const [first, last] = other.askedMs <= made.askedMs ? [other, made] : [made, other]
        const said = this.words.get(last.run ?? '') ?? {}
        const isSoon = first.run !== last.run && last.askedMs - first.askedMs < bound
        if (isSoon && !said.ignoreCooldown && !said.retryUnknown)
          this.blame(
            `${what}: delivered again ${span(last.askedMs - first.askedMs)} after the last resend (P5)`,
          )
      }
      const words = this.words.get(made.run) ?? {}
      if (made.wasScheduled && !words.ignoreCooldown)
        this.blame(`${what}: resent while the service would have done so by itself (P5)`)
      if (this.shownCredited.get(made.run)?.has(made.orderKey))
        this.blame(`${what}: resent, and a ledger that hisab was given shows it credited`)
    }
  }

  /** An order that moved is not resent: it is asked for again just before. Of reconcile only, which asks at all. */
  judgeMoved(run: string): void {
    const {world, network} = this.scene
    const calls = network.calls.filter((call) => call.run === run)
    for (const {request, atMs} of calls) {
      const order =
        request.name === 'resend' && world.orders.get(world.record(request.subject)?.orderKey ?? '')
      if (!order) continue
      const key = keyOf(order.kind, order.orderNo)
      const isQuery = ({name, kind, subject}: Request) => name === 'query' && keyOf(kind, subject) === key
      const asked = calls.findLast((call) => call.atMs <= atMs && isQuery(call.request))
      const moved = order.versions.find(({fromMs}) => fromMs > (asked?.atMs ?? 0) && fromMs < atMs - 2_000)
      if (moved) this.blame(`${key}: resent ${span(atMs - moved.fromMs)} after it was changed at the service`)
      const [then] = during(order, asked?.atMs ?? atMs, asked?.atMs ?? atMs)
      if (then?.word !== 'completed')
        this.blame(`${key}: resent, and when it was last asked for it was ${then?.word}`)
    }
  }

  /** The end of one process of `hisab reconcile`. */
  judgeRun(played: PlayedRun, ended: Ended): void {
    this.judgeDeliveries()
    if (ended.status === 1) this.blame(`${played.run} ended with 1: ${ended.stdout} ${ended.stderr}`)
    const report = ended.json
    if (ended.status === null || !report?.findings) return
    this.judgeFindings(played, ended, report)
    if (ended.status !== 0 && ended.status !== 7) return
    this.judgeLosses(played, ended)
    if (ended.status === 0) this.judgeAgreement(played, ended)
    if (played.isDry) return
    for (const {rows} of played.ledgers)
      for (const row of rows) if (isCredit(row)) this.creditedOnce.add(row.key)
  }

  private judgeFindings(played: PlayedRun, {startedMs, endedMs}: Ended, report: Json): void {
    const {world} = this.scene
    const fromMs = played.mayBeOld ? 0 : startedMs
    for (const finding of report.findings) {
      const {kind, orderNo, provider, ledger, line, resend} = finding
      const order = world.order(kind, orderNo ?? '')
      if (order) this.named.add(keyOf(order.kind, order.orderNo))
      // The number as it stands in the file names the row, and so the order whose row it is.
      for (const {rows} of played.ledgers)
        for (const row of rows) if (row.line === line || row.cell === orderNo) this.named.add(row.key)
      const what = `${played.run}: ${kind} ${orderNo}`
      if (order && provider) {
        const versions = during(order, fromMs, endedMs)
        const {amount, status} = provider
        if (amount !== null && amount !== undefined && !versions.some((one) => taka(one.amount) === amount))
          this.blame(
            `${what}: the report says BDT ${amount} at the service, whose books have ${amounts(versions)}`,
          )
        if (status === 'completed' && !versions.some(({word}) => word === 'completed'))
          this.blame(
            `${what}: the report says completed, and the service's books say ${words(versions)} (P7)`,
          )
      } else if (provider?.status === 'completed')
        this.blame(`${what}: completed in the report, and not in any book`)
      const [file] = played.ledgers
      const row = played.ledgers.length === 1 && file?.rows.find((one) => one.line === line)
      if (
        row &&
        row.corruption === null &&
        ledger &&
        row.amount !== null &&
        ledger.amount !== taka(row.amount)
      )
        this.blame(`${what}: the ledger has BDT ${taka(row.amount)}, the report says ${ledger.amount} (P12)`)
      if (resend?.state === 'delivered' && order && !this.isTaken(keyOf(order.kind, order.orderNo)))
        this.blame(`${what}: called delivered, and the merchant's server never took a resend of it`)
    }
  }

  private isTaken(key: string): boolean {
    return this.scene.world.deliveries.some(
      ({orderKey, run, isAccepted}) => orderKey === key && run !== null && isAccepted,
    )
  }

  /** Every order that was paid and not credited is named by some report, and none is left where all is said to be well. */
  private judgeLosses(played: PlayedRun, ended: Ended): void {
    const {world} = this.scene
    // A row that is failed on one side and unknown on the other agrees, whatever its number was before.
    const isAsked = ({corruption, state}: WrittenRow) => corruption === null || state !== 'failed'
    const inLedger = new Set(played.ledgers.flatMap(({rows}) => rows.filter(isAsked).map(({key}) => key)))
    // Only kinds that the ledger covers are looked for: those of its readable rows, and of all where it has but one.
    const rows = played.ledgers.flatMap((ledger) => ledger.rows)
    const readable = new Set(rows.filter(({corruption}) => corruption === null).map(({kind}) => kind))
    const all = new Set(rows.map(({kind}) => kind))
    const kinds = all.size === 1 ? all : readable
    for (const order of world.orders.values()) {
      if (!kinds.has(order.kind)) continue
      const key = keyOf(order.kind, order.orderNo)
      const isIts = (one: DeliveryRecord) => one.orderKey === key && one.event === 'order.completed'
      const listed = world.records.findLast(isIts)
      const isInside = listed !== undefined && this.isInside(listed, played)
      // The run may have seen what the list dropped while it went on.
      const dropped = world.dropped.filter(({atMs}) => atMs >= ended.startedMs).map(({record}) => record)
      const record = listed ?? dropped.findLast(isIts)
      if (!inLedger.has(key) && !isInside) continue
      if (!this.isLost(order, ended)) continue
      if (!this.named.has(key))
        this.blame(
          `${played.run}: exit ${ended.status}, and ${key} is paid, not credited and named by no report`,
        )
      else if (
        ended.status === 0 &&
        !this.isLeftAlone(key, ended) &&
        !this.endsByItself(key, record, played, ended)
      )
        this.blame(`${played.run}: exit 0, and ${key} is paid and not credited (P18)`)
    }
  }

  private isInside({createdMs}: DeliveryRecord, {window}: PlayedRun): boolean {
    const marginMs = Math.abs(this.scene.world.deployment.skewMs) + 2 * minuteMs
    return window !== null && createdMs > window.fromMs + marginMs && createdMs < window.toMs - marginMs
  }

  /** Paid all through the run, and the merchant's books do not have it. */
  private isLost(order: Order, {startedMs}: Ended): boolean {
    const {world} = this.scene
    const isPaid = during(order, startedMs - 10 * minuteMs, world.nowMs).every(
      ({word}) => word === 'completed',
    )
    return isPaid && world.entries.get(keyOf(order.kind, order.orderNo))?.state !== 'completed'
  }

  /** The service will try it again, or just did, or the merchant's server has taken it since the ledger ended or the run began. */
  private endsByItself(
    key: string,
    record: DeliveryRecord | undefined,
    {window}: PlayedRun,
    {run, startedMs}: Ended,
  ): boolean {
    const {world} = this.scene
    const sinceMs = Math.min(startedMs, this.runStarts.get(run) ?? startedMs, window?.toMs ?? startedMs)
    const isTaken = world.deliveries.some(
      ({orderKey, atMs, isAccepted}) => orderKey === key && isAccepted && atMs >= sinceMs,
    )
    if (isTaken || record === undefined) return isTaken
    const isDue = record.nextRetryMs !== null && record.nextRetryMs > startedMs - 31 * minuteMs
    const changedMs = Math.max(record.createdMs, record.sentMs ?? 0)
    const mayGoOn = record.status === 'pending' || (record.status === 'failed' && record.attempts < triesMax)
    const isYoung = mayGoOn && world.nowMs - changedMs < 40 * minuteMs
    return isDue || isYoung
  }

  /** Exit 0 says that the two sides agree in every row. */
  private judgeAgreement(played: PlayedRun, ended: Ended): void {
    const rows = played.ledgers.flatMap((file) => file.rows)
    for (const row of rows) {
      // Where a person had final orders left unasked, an earlier answer stands.
      const sinceMs = played.mayBeOld ? 0 : ended.startedMs - 5_000
      const why = this.disagreement(row, sinceMs, ended.endedMs, rows)
      if (why && !this.isLeftAlone(row.key, ended))
        this.blame(`${played.run}: exit 0, and line ${row.line} (${row.key}) ${why} (P18)`)
    }
  }

  private disagreement(
    row: WrittenRow,
    sinceMs: number,
    endedMs: number,
    rows: readonly WrittenRow[],
  ): string | null {
    if (row.corruption === 'status unreadable' || row.corruption === 'amount unreadable')
      return 'cannot be read'
    if (rows.some((other) => other !== row && other.key === row.key)) return 'is there twice'
    const order = this.scene.world.order(row.kind, row.orderNo)
    if (row.corruption !== null) return null
    if (!order) return row.state === 'failed' ? null : 'is not at the service'
    const versions = during(order, sinceMs, endedMs)
    if (versions.length > 1) return null
    const [{word, amount}] = versions as [Version]
    const state = stateOf(word)
    if (state === null) return `is "${word}" at the service`
    if (row.state !== state && !(state === 'completed' && row.state !== 'completed'))
      return `is ${row.state} in the ledger and ${state} at the service`
    const isKnown = row.amount !== null && order.spelling !== 'missing'
    return state === 'completed' && isKnown && row.amount !== amount
      ? 'has another amount at the service'
      : null
  }

  /** A person says to leave an order alone as it stands now: cause, both states and both amounts. */
  ignore(key: string, untilMs: number): void {
    this.ignores.push({key, untilMs, snapshot: this.snapshot(key)})
  }

  /** A person closes an order as it stands now. */
  close(key: string): void {
    const {world} = this.scene
    const then = world.orders.get(key)?.versions.at(-1) ?? null
    const entry = world.entries.get(key) ?? null
    this.ignore(key, Number.MAX_SAFE_INTEGER)
    this.closings.set(key, {entry: entry && {...entry}, then})
  }

  /**
   * What a person closed is left alone by a run that has an answer, and named once the service has it otherwise and the
   * merchant's books do not, whatever is in the ledger of that run. Of orders that did not move while the run looked.
   */
  judgeClosings(ended: Ended): void {
    const named = new Set((ended.json?.findings ?? []).map(({kind, orderNo}: Json) => keyOf(kind, orderNo)))
    for (const [key, {entry, then}] of this.closings) {
      const now = this.scene.world.orders.get(key)?.versions.at(-1) ?? null
      const isSame = now?.word === then?.word && now?.amount === then?.amount
      const isNamed = named.has(key)
      const what = `exit ${ended.status}, and ${key}, closed as ${then?.word ?? 'unknown'}`
      if (isSame && (isNamed || ended.status !== 0)) this.blame(`${what}, is the same and is named (P19b)`)
      const agrees = entry?.state === now?.word && (now?.word !== 'completed' || entry?.amount === now.amount)
      if (!isSame && !agrees && !(isNamed && ended.status === 7))
        this.blame(
          `${what}, is ${now?.word} with BDT ${taka(now?.amount ?? 0n)} now, and nobody is told (P19b)`,
        )
      if (isNamed) this.closings.delete(key)
    }
  }

  private snapshot(key: string, version = this.scene.world.orders.get(key)?.versions.at(-1)): string {
    const entry = this.scene.world.entries.get(key)
    return [version?.word, version?.amount, entry?.state, entry?.amount].join('|')
  }

  /** As the order stood at any moment of the run: what changed after it was asked for is for the next run to say. */
  private isLeftAlone(key: string, {startedMs, endedMs}: Ended): boolean {
    const order = this.scene.world.orders.get(key)
    const versions = order ? during(order, startedMs, endedMs) : [undefined]
    return this.ignores.some(
      (one) =>
        one.key === key &&
        one.untilMs > startedMs &&
        versions.some((version) => one.snapshot === this.snapshot(key, version)),
    )
  }

  /** Money paid against money asked. */
  judgePayouts(intents: readonly Intent[]): void {
    const made = [...this.scene.world.orders.values()].filter(
      ({madeBy, kind}) => madeBy !== null && kind === 'payout',
    )
    for (const intent of intents) {
      const paid = made.filter(({orderNo, payee}) => intent.orderNos.has(orderNo) && payee === intent.payee)
      if (paid.length > 1)
        this.blame(
          `BDT ${taka(intent.amount)} to ${intent.payee} was asked once and paid ${paid.length} times, as ${paid.map(({orderNo}) => orderNo).join(', ')}`,
        )
      for (const one of paid)
        if (one.versions[0]?.amount !== intent.amount)
          this.blame(`${one.orderNo} pays another amount than was asked`)
    }
    const {ceiling} = this.scene
    if (ceiling === null || this.wallJumpsMs > 0) return
    const days = new Map<string, bigint>()
    for (const order of made) {
      const day = new Date(order.createdMs + 6 * hourMs).toISOString().slice(0, 10)
      days.set(day, (days.get(day) ?? 0n) + amountOf(order))
    }
    for (const [day, sum] of days)
      if (sum > ceiling)
        this.blame(`BDT ${taka(sum)} were paid on ${day}, and the ceiling is ${taka(ceiling)}`)
  }

  /** The end of one create: a yes is a payout or a page that was made for this very wish. */
  judgeCreate(intent: Intent, orderNo: string, {status, run, json, typed}: Ended): void {
    if (status === 1) this.blame(`${typed.command} ${orderNo} ended with 1: ${JSON.stringify(json)}`)
    const order = this.scene.world.order(intent.kind, orderNo)
    const isMade = order?.madeBy != null && order.payee === intent.payee
    const isRight = isMade && (intent.kind === 'deposit' || order.versions[0]?.amount === intent.amount)
    if ((status === 0 || json?.confirmed === true) && !isRight)
      this.blame(
        `${typed.command} ${orderNo}: exit ${status}${json?.confirmed ? ', confirmed' : ''}, and the books have no such ${intent.kind} (${run})`,
      )
  }

  /** What a result of many payouts says of each: `not_sent` and `refused` are promises that nobody was paid. */
  judgePayoutStates(
    payouts: readonly {readonly orderNo: string; readonly state: string; readonly confirmed?: unknown}[],
    where: string,
  ): void {
    for (const {orderNo, state, confirmed} of payouts) {
      const isMade = this.scene.world.order('payout', orderNo)?.madeBy != null
      if ((state === 'not_sent' || state === 'refused') && isMade)
        this.blame(`${where} calls ${orderNo} ${state}, and it was paid`)
      // Accepted is what the service said; that it is the very payout is what confirmed says.
      const isConfirmed = confirmed === true || confirmed === 'true'
      if (state === 'accepted' && isConfirmed && !isMade)
        this.blame(`${where} calls ${orderNo} accepted and confirmed, and hisab never made it`)
    }
  }

  /** What a query says of orders that nobody touches meanwhile. */
  judgeQuery(kind: Kind, {json, typed, startedMs, endedMs, status}: Ended): void {
    for (const {orderNo, found, status: said} of json?.orders ?? []) {
      const order = this.scene.world.order(kind, orderNo)
      if (found === false && order)
        this.blame(`${typed.command}: ${orderNo} is said not to exist, and it does (A5)`)
      const isPaid = order && during(order, startedMs, endedMs).some(({word}) => word === 'completed')
      if (said === 'completed' && !isPaid)
        this.blame(`${typed.command}: ${orderNo} is called completed, and it is not`)
      if (status === 0 && order && stateOf(wordOf(order)) === null)
        this.blame(`${typed.command}: exit 0 over a word nobody explained`)
    }
  }

  /** The end of one `webhooks resend`. */
  judgeResend({json, status, typed, run, stdout, stderr}: Ended): void {
    this.judgeDeliveries()
    if (status === 1) this.blame(`${typed.command} ended with 1: ${stdout} ${stderr}`)
    const {world} = this.scene
    for (const {id, state} of json?.records ?? []) {
      const record = world.record(id)
      if (state === 'delivered' && record && !this.isTaken(record.orderKey))
        this.blame(`${run}: ${record.orderKey} is called delivered, and the merchant's server never took it`)
    }
    if (status !== 0) return
    for (const {id, state} of json?.records ?? []) {
      const record = world.record(id)
      const key = record?.orderKey ?? ''
      const sent = world.deliveries.findLast((one) => one.orderKey === key && one.run === run)
      const isOpen = sent !== undefined && !sent.isAccepted && world.entries.get(key)?.state !== 'completed'
      if (isOpen && state !== 'unknown') this.blame(`${run}: exit 0, and ${key} was resent and not taken`)
    }
  }

  /** Where nothing is in trouble, a run ends soon after its waits (P17). */
  judgeDuration({startedMs, endedMs, run, typed}: Ended, boundMs: number): void {
    if (endedMs - startedMs > boundMs)
      this.blame(
        `${typed.command} (${run}) took ${span(endedMs - startedMs)}, and ${span(boundMs)} are more than enough (P17)`,
      )
  }
}

/** A row without a number and an amount shows no credit of any order. */
function isCredit({state, corruption, cell, amount}: WrittenRow): boolean {
  return state === 'completed' && corruption !== 'status unreadable' && (cell !== '' || amount !== null)
}

/** How it stood in a span of time. */
function during({versions}: Order, fromMs: number, toMs: number): readonly Version[] {
  const first = versions.findLastIndex((one) => one.fromMs <= fromMs)
  return versions.slice(Math.max(0, first)).filter((one, index) => index === 0 || one.fromMs <= toMs)
}

const amounts = (versions: readonly Version[]) => versions.map(({amount}) => taka(amount)).join(', ')
const words = (versions: readonly Version[]) => versions.map(({word}) => word).join(', ')
const clock = (ms: number) => new Date(ms).toISOString().slice(5, 19)
const span = (ms: number) => `${Math.round(ms / 1_000)} s`
