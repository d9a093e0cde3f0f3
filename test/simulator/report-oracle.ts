import type {FindingView, ReconcileReport} from '../../src/report/reconcile-report.ts'
import {actionsOf, expectCause, expectVerdict} from './expected.ts'
import type {JournalReader} from './journal-reader.ts'
import type {WrittenRow} from './ledger-file.ts'
import type {NightEnd, NightOptions} from './night.ts'
import {type SaidOrder, type SaidRecord, saidOrders, saidRecords} from './said.ts'
import type {SendOracle} from './send-oracle.ts'
import {type Kind, keyOf, taka, type World} from './world.ts'

/** What the report of one process may be held against. */
export interface NightFacts {
  readonly options: NightOptions
  readonly end: NightEnd
  readonly report: ReconcileReport
  /** All processes of this run, this one last; and every process of the runs before it. */
  readonly ofRun: readonly NightEnd[]
  readonly before: ReadonlyMap<string, readonly NightEnd[]>
  readonly world: World
  readonly sends: SendOracle
  readonly journal: JournalReader
}

type Finding = FindingView

/** Holds one night's report against what the service said in it and what the books say. Returns what is wrong. */
export class ReportOracle {
  readonly problems: string[] = []
  private readonly facts: NightFacts
  private readonly said: ReadonlyMap<string, SaidOrder | null>
  private readonly records = new Map<string, SaidRecord>()
  private readonly endedMs: number

  constructor(facts: NightFacts) {
    this.facts = facts
    this.said = saidOrders(facts.end.tries)
    this.endedMs = facts.end.process.site.time.nowMs
    for (const made of facts.end.tries)
      for (const record of saidRecords(made)) this.records.set(record.id, record)
  }

  judge(): readonly string[] {
    const {report, options} = this.facts
    const {rows, path} = options.ledger
    const byLine = new Map<number, Finding>()
    for (const finding of report.findings) {
      if (finding.line === null) continue
      if (byLine.has(finding.line)) this.wrong(finding, 'its row is accounted for twice (P11)')
      if (finding.file !== path) this.wrong(finding, 'is of another file')
      byLine.set(finding.line, finding)
    }
    for (const row of rows) {
      const finding = byLine.get(row.line)
      if (finding) this.judgeRow(row, finding)
      else this.say(`line ${row.line} (${row.orderNo}) is not accounted for (P11)`)
    }
    if (byLine.size > rows.length) this.say('a finding is of a line that is not there')
    for (const finding of report.findings) {
      if (finding.line === null) this.judgeUnnamed(finding)
      this.judgeFinding(finding)
    }
    this.lookForUnnamed()
    this.judgeFigures()
    this.judgeEnd()
    return this.problems
  }

  private judgeRow(row: WrittenRow, finding: Finding): void {
    const {verdict} = finding
    if (row.damage !== null) {
      if (verdict !== 'unreadable_row') this.wrong(finding, 'its row cannot be read')
      return
    }
    if (finding.orderNo !== row.orderNo || finding.kind !== row.kind)
      this.wrong(finding, `its row names ${row.kind} ${row.orderNo} (P13)`)
    const ledger = finding.ledger
    if (ledger?.status !== row.state || ledger.amount !== (row.amount === null ? null : taka(row.amount))) {
      this.wrong(finding, `its row says ${row.state} ${row.amount} (P12)`)
    }
    if (this.isTwice(row)) {
      if (verdict !== 'duplicate_in_ledger') this.wrong(finding, 'its order stands there more than once')
      if (finding.resend || finding.action !== 'review')
        this.wrong(finding, 'an order of several rows is never resent')
      return
    }
    this.judgeOrder(row, finding)
  }

  private isTwice({kind, orderNo, line}: WrittenRow): boolean {
    return this.facts.options.ledger.rows.some(
      (other) =>
        other.line !== line &&
        other.orderNo === orderNo &&
        other.damage !== 'order_no' &&
        (other.kind === kind || other.damage === 'kind'),
    )
  }

  private judgeOrder(row: WrittenRow | null, finding: Finding): void {
    const {kind, orderNo, verdict, cause, provider, delivered} = finding
    const key = keyOf(kind as Kind, orderNo ?? '')
    const said = this.said.get(key) ?? null
    const wasSaid = this.said.has(key)
    if (verdict === 'query_failed') {
      if (wasSaid) this.wrong(finding, 'the service did answer')
      return
    }
    const candidates = wasSaid ? [said] : this.saidBefore(key, finding)
    const basis = candidates.find((one) => isShown(one, provider))
    if (basis === undefined) {
      this.wrong(finding, 'no believable answer says so (P8)')
      return
    }
    const [expected, expectedCause] = expectVerdict(row, basis)
    if (verdict === expected) {
      const isRight = expectedCause === 'by record' || cause === expectedCause || delivered?.amount
      if (!isRight) this.wrong(finding, `its cause should be ${expectedCause}`)
    } else if (!(verdict === 'amount_mismatch' && expected === 'matched' && delivered?.amount)) {
      this.wrong(finding, `should be ${expected}`)
    }
  }

  /** Answers of an earlier process of this run, and of earlier runs where the report says that it took it from there. */
  private saidBefore(key: string, {takenFrom}: Finding): (SaidOrder | null)[] {
    const {ofRun, before, options} = this.facts
    const ends = takenFrom === null ? ofRun : options.skipSettled ? (before.get(takenFrom) ?? []) : []
    return ends.flatMap(({tries}) => saidOrders(tries).get(key) ?? [])
  }

  private judgeUnnamed(finding: Finding): void {
    const {verdict, kind, orderNo} = finding
    if (!['missing_in_ledger', 'query_failed', 'unknown_status'].includes(verdict)) {
      this.wrong(finding, 'no row names it')
      return
    }
    const isStopped = this.facts.end.process.stop.signal.aborted
    if (!this.facts.report.missingInLedger.checked && !isStopped)
      this.wrong(finding, 'the report says that it did not look for such')
    const rows = this.facts.options.ledger.rows
    if (rows.some((row) => row.orderNo === orderNo && row.kind === kind && row.damage !== 'order_no')) {
      this.wrong(finding, 'a row does name it')
    }
    this.judgeOrder(null, finding)
  }

  /** Causes, actions and resends, whichever verdict they stand under. */
  private judgeFinding(finding: Finding): void {
    const {verdict, cause, action, delivered, provider} = finding
    const actions = actionsOf[cause ?? ''] ?? actionsOf[verdict] ?? []
    if (!actions.includes(action)) this.wrong(finding, `${action} does not follow from it`)
    if (delivered?.amount) {
      const pays = [...this.records.values()].some(
        (record) => record.orderId === provider?.platformOrderNo && record.pays === delivered.amount,
      )
      if (!pays) this.wrong(finding, 'no webhook that was read says so')
    }
    // Joined by the number alone, which is a setting's guess (A9): then it must be told.
    const isGuessed = finding.delivery && provider && finding.delivery.orderId !== provider.platformOrderNo
    if (isGuessed && !finding.explanation.includes('was joined although')) {
      this.wrong(finding, 'its record is of another order, and nothing says so (A9)')
    }
    const isByRecord = verdict === 'missing_completion' || verdict === 'missing_in_ledger'
    if (isByRecord && !finding.resend && cause !== 'delivered_amount_differs') this.judgeCause(finding)
    if (finding.resend) this.judgeResend(finding)
    else if (
      this.sendsOf(finding).some(({made}) => made.hears !== 'throttled' && made.hears !== 'not_sent')
    ) {
      this.wrong(finding, 'it was resent, and the report does not say so')
    }
  }

  private judgeCause(finding: Finding): void {
    const {cause, delivery, provider} = finding
    const {world, options, journal, end} = this.facts
    const orderId = provider?.platformOrderNo ?? ''
    const truly = world.records.filter(
      (record) =>
        record.orderId === orderId && record.event === 'order.completed' && record.createdMs < end.startedMs,
    )
    if (cause === 'delivery_unknown') return
    if (cause === 'resend_unavailable') {
      if (world.hasLegacyApi && !options.skipDeliveries) this.wrong(finding, 'the records are to be had')
      return
    }
    if (cause === 'no_delivery_record') {
      if (truly.length > 0) this.wrong(finding, 'there is a record of it (P9)')
      return
    }
    const newest = truly.toSorted((a, b) => b.createdMs - a.createdMs)[0]
    const read = delivery && this.records.get(delivery.id)
    if (!read || !delivery) {
      this.wrong(finding, 'no page showed its record')
      return
    }
    if (newest && newest.id !== delivery.id && newest.createdMs > read.createdMs)
      this.wrong(finding, 'its order has a newer record')
    const causes = [end.startedMs, this.endedMs].map((atMs) => expectCause(read, atMs))
    const earlier = journal.intentsOf(orderId, 'order.completed').filter(({runId}) => runId !== options.runId)
    if (earlier.length > 0) causes.push('recently_resent', 'resend_in_doubt')
    if (!causes.includes(cause ?? '')) this.wrong(finding, `its cause should be ${causes.join(' or ')}`)
  }

  private sendsOf({provider, delivery, kind, orderNo}: Finding) {
    const truly = this.facts.world.orderOf(kind as Kind, orderNo ?? '')?.platformNo
    const orderId = delivery?.orderId ?? provider?.platformOrderNo ?? truly ?? ''
    return (this.facts.sends.sends.get(keyOf('deposit', `${orderId} order.completed`)) ?? []).filter(
      ({runId}) => runId === this.facts.options.runId,
    )
  }

  private judgeResend(finding: Finding): void {
    const sent = this.sendsOf(finding)
    const last = sent.at(-1)
    const hears = last?.made.hears
    const record = this.facts.world.record(last?.recordId ?? finding.delivery?.id ?? '')
    const hasMoved = record !== undefined && last !== undefined && record.attempts > last.before.attempts
    const isLive = sent.some(
      ({made}) => made.hears !== 'throttled' && made.hears !== 'not_sent' && made.hears !== 'no',
    )
    switch (finding.resend?.state) {
      case 'planned':
      case 'skipped':
        if (isLive) this.wrong(finding, 'it was sent')
        return
      case 'refused':
        if (hears !== 'no') this.wrong(finding, 'nobody refused it (P6)')
        return
      case 'sent':
        if (hears !== 'yes') this.wrong(finding, 'nobody accepted it (P6)')
        return
      case 'healed':
        if (!hasMoved || record.status !== 'success') this.wrong(finding, 'its record does not show it (A7)')
        return
      case 'still_failing':
        if (!hasMoved) this.wrong(finding, 'its record shows no later attempt')
        return
      case 'unknown':
        if (sent.length > 0 && (hears === 'yes' || hears === 'no') && this.facts.ofRun.length === 1)
          this.wrong(finding, 'its answer was clear')
        return
      default:
        this.wrong(finding, 'no such state')
    }
  }

  /** After a list that was read whole, no paid order without a row may be left out (P9). */
  private lookForUnnamed(): void {
    const {report, world, options, end} = this.facts
    if (!report.missingInLedger.checked) return
    const {rows} = options.ledger
    const times = rows.map(({createdMs}) => createdMs)
    const [fromMs, toMs] = [Math.min(...times) + 1_000, Math.max(...times)]
    const kinds = new Set(rows.filter(({damage}) => damage === null).map(({kind}) => kind))
    for (const order of world.orders.values()) {
      const {kind, orderNo, platformNo} = order
      if (order.word !== 'completed' || !kinds.has(kind)) continue
      const isNamed = rows.some(
        (row) =>
          row.orderNo === orderNo &&
          row.damage !== 'order_no' &&
          (row.kind === kind || row.damage === 'kind'),
      )
      const isInside = world.records.some(
        (record) =>
          record.orderId === platformNo &&
          record.event === 'order.completed' &&
          record.createdMs > fromMs &&
          record.createdMs < toMs &&
          record.createdMs < end.startedMs,
      )
      if (isNamed || !isInside) continue
      const found = report.findings.some(
        (finding) => finding.line === null && finding.orderNo === orderNo && finding.kind === kind,
      )
      if (!found)
        this.say(
          `${kind} ${orderNo} is paid and no row names it, and the report that looked does not say so (P9)`,
        )
    }
  }

  /** Figures, to the paisa, from the rows and the answers (P12). */
  private judgeFigures(): void {
    const {report, options} = this.facts
    const counts: Record<string, number> = {rows: options.ledger.rows.length}
    for (const {verdict} of report.findings) counts[verdict] = (counts[verdict] ?? 0) + 1
    for (const [name, count] of Object.entries(report.counts)) {
      if (count !== (counts[name] ?? 0))
        this.say(`the report counts ${count} ${name}, and there are ${counts[name] ?? 0}`)
    }
    const sums = {ledger: 0n, provider: 0n}
    const orders = new Map<string, Finding[]>()
    for (const finding of report.findings) {
      if (finding.verdict === 'unreadable_row') continue
      const key = keyOf(finding.kind as Kind, finding.orderNo ?? '')
      orders.set(key, [...(orders.get(key) ?? []), finding])
    }
    for (const findings of orders.values()) {
      const ours = findings
        .filter(({ledger}) => ledger?.status === 'completed')
        .map(({ledger}) => ledger?.amount ?? null)
      const provider = findings[0]?.provider
      const theirs = provider?.status === 'completed' ? [provider.amount] : []
      const isTied =
        ours.length === 0 ||
        theirs.length === 0 ||
        (theirs[0] === null) === ours.every((amount) => amount === null)
      if (!isTied) continue
      for (const amount of ours) sums.ledger += paisa(amount)
      for (const amount of theirs) sums.provider += paisa(amount)
    }
    const {ledgerCompleted, providerCompleted, difference, unexplained} = report.tieOut
    const expected = [taka(sums.ledger), taka(sums.provider), taka(sums.ledger - sums.provider), '0.00']
    const stated = [ledgerCompleted, providerCompleted, difference, unexplained]
    if (expected.join() !== stated.join())
      this.say(`the totals should be ${expected.join(', ')} and are ${stated.join(', ')} (P12)`)
  }

  /** Whether the exit status and `complete` say what the findings and the calls come to (P18). */
  private judgeEnd(): void {
    const {report, end, options, world} = this.facts
    if (end.ending.is !== 'ended') return
    const {status} = end.ending.value
    const {findings} = report
    const states = findings.map(({resend}) => resend?.state)
    const mustLook = options.ledger.hasTimes && !options.skipDeliveries && world.hasLegacyApi
    const open =
      findings.some(({verdict, cause}) => verdict === 'query_failed' || cause === 'delivery_unknown') ||
      (mustLook && !report.missingInLedger.checked) ||
      states.includes('sent') ||
      states.includes('skipped')
    const isStopped = end.process.stop.signal.aborted
    // Stopped while the last report was written: it may say that all was done, where all was.
    const isTrue = isStopped ? !(open && report.complete) : report.complete !== open
    if (!isTrue)
      this.say(`complete is ${report.complete}, and ${open ? 'not all was' : 'all was'} looked at and ended`)
    const isBreak = findings.some(
      ({action, resend}) => resend?.state !== 'healed' && action !== 'none' && action !== 'wait',
    )
    const isRejected = end.tries.some(
      ({hears, isHeard, reply}) => isHeard && hears === 'no' && reply?.status === 401,
    )
    const expected = isStopped
      ? 130
      : isRejected && status === 3
        ? 3
        : states.includes('unknown')
          ? 6
          : open
            ? 8
            : isBreak
              ? 7
              : 0
    if (status !== expected) this.say(`the exit status is ${status} and should be ${expected} (P18)`)
    const {clockSkewMs} = report
    const heard = end.tries.filter(({isHeard, reply}) => isHeard && reply)
    if (heard.length > 0 && (clockSkewMs === null || Math.abs(clockSkewMs - world.skewMs) > 1_600))
      this.say(`the clock skew is ${world.skewMs} ms and shown as ${clockSkewMs} (P19)`)
  }

  private wrong({kind, orderNo, line, verdict, cause, resend}: Finding, what: string): void {
    const state = resend ? `, ${resend.state}` : ''
    this.say(
      `${kind} ${orderNo}${line === null ? '' : ` of line ${line}`} is called ${verdict}${cause ? ` (${cause})` : ''}${state}: ${what}`,
    )
  }

  private say(problem: string): void {
    this.problems.push(problem)
  }
}

function isShown(said: SaidOrder | null, provider: Finding['provider']): boolean {
  if (said === null || provider === null) return said === provider
  return (
    said.word === provider.rawStatus &&
    said.platformNo === provider.platformOrderNo &&
    said.amount === provider.amount
  )
}

function paisa(amount: string | null): bigint {
  return amount === null ? 0n : BigInt(amount.replace('.', ''))
}
