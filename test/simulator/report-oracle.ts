import type {FindingView} from '../../src/report/reconcile-report.ts'
import {actionsOf, expectCause, expectVerdict, joinedTo} from './expected.ts'
import {judgeIgnores} from './ignore-oracle.ts'
import type {WrittenRow} from './ledger-file.ts'
import {judgeEnd, judgeFigures, type NightFacts} from './report-figures.ts'
import {judgeResend, sendsOf} from './resend-oracle.ts'
import {type SaidOrder, type SaidRecord, saidOrders, saidRecords} from './said.ts'
import {isMissing, judgeWindow, lookForUnnamed} from './unnamed-oracle.ts'
import {type Kind, keyOf, taka} from './world.ts'

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
    this.problems.push(
      ...judgeIgnores(this.facts),
      ...judgeWindow(this.facts),
      ...lookForUnnamed(this.facts),
      ...judgeFigures(this.facts),
      ...judgeEnd(this.facts),
    )
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
      if (finding.resend || finding.action !== (finding.ignored ? 'none' : 'review'))
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
    const ends = takenFrom === null ? ofRun : options.skipFinal ? (before.get(takenFrom) ?? []) : []
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
    if (!isMissing(finding, this.facts))
      this.wrong(finding, 'no completion of its was recorded in the window')
    this.judgeOrder(null, finding)
  }

  /** Causes, actions and resends, whichever verdict they stand under. */
  private judgeFinding(finding: Finding): void {
    const {verdict, cause, action, delivered, provider} = finding
    const actions = actionsOf[cause ?? ''] ?? actionsOf[verdict] ?? []
    if (!finding.ignored && !actions.includes(action))
      this.wrong(finding, `${action} does not follow from it`)
    if (delivered?.amount) {
      const pays = [...this.records.values()].some(
        (record) => record.orderId === provider?.platformOrderNo && record.pays === delivered.amount,
      )
      if (!pays) this.wrong(finding, 'no webhook that was read says so')
    }
    // Joined by the number alone, which is a setting's guess (A9): then it must be told.
    if (finding.delivery && provider) this.judgeJoin(finding, provider.platformOrderNo, finding.delivery)
    const isByRecord = verdict === 'missing_completion' || verdict === 'missing_in_ledger'
    if (isByRecord && !finding.resend && cause !== 'delivered_amount_differs') this.judgeCause(finding)
    if (finding.resend) {
      const problem = judgeResend(finding, this.facts)
      if (problem) this.wrong(finding, problem)
    } else if (
      sendsOf(finding, this.facts).some(({made}) => made.hears !== 'throttled' && made.hears !== 'not_sent')
    ) {
      this.wrong(finding, 'it was resent, and the report does not say so')
    }
  }

  /** By which of the two keys its record was joined, by the setting, and whether it is told that the other says no (A9). */
  private judgeJoin(
    finding: Finding,
    platformNo: string,
    {id, orderId}: NonNullable<Finding['delivery']>,
  ): void {
    const {join} = this.facts.end.process.site.told
    const isByNumber = orderId !== platformNo
    const isById = (this.records.get(id)?.orderNo ?? finding.orderNo) !== finding.orderNo
    if (!isByNumber && !isById) return
    this.facts.end.process.site.counts.add(`records joined by ${isByNumber ? 'number' : 'order_id'} alone`)
    if (!join.includes(isByNumber ? 'merchant_order_id' : 'order_id'))
      this.wrong(finding, 'its record is of another order by the setting (A9)')
    if (!finding.explanation.includes('was joined although'))
      this.wrong(finding, 'its record is of another order, and nothing says so (A9)')
  }

  private judgeCause(finding: Finding): void {
    const {cause, delivery, provider} = finding
    const {world, options, journal, end} = this.facts
    const orderId = provider?.platformOrderNo ?? ''
    const ofEvent = world.records.filter(
      (record) => record.event === 'order.completed' && record.createdMs < end.startedMs,
    )
    const truly = joinedTo({orderId, orderNo: finding.orderNo}, ofEvent, end.process.site.told.join)
    if (cause === 'delivery_unknown') return
    if (cause === 'resend_unavailable') {
      if (world.hasLegacyApi && !options.skipDeliveries) this.wrong(finding, 'the records are to be had')
      return
    }
    if (cause === 'no_delivery_record') {
      if (truly.length > 0) this.wrong(finding, 'there is a record of it (P9)')
      return
    }
    const read = delivery && this.records.get(delivery.id)
    if (!read || !delivery) {
      this.wrong(finding, 'no page showed its record')
      return
    }
    // Joined by the number though the ID says no, as A9 has it, and told: then it is the newest of those.
    const alike = ofEvent.filter(
      (record) => record.orderId === delivery.orderId && record.orderNo === finding.orderNo,
    )
    const rivals = delivery.orderId === orderId ? truly : alike
    const newest = rivals.toSorted((a, b) => b.createdMs - a.createdMs)[0]
    if (newest && newest.id !== delivery.id && newest.createdMs > read.createdMs)
      this.wrong(finding, 'its order has a newer record')
    const causes = [end.startedMs, this.endedMs].map((atMs) => expectCause(read, atMs))
    // Of the record's order, which a guessed join may tell from the one that was asked for (A9).
    const intents = journal.intentsOf(delivery.orderId, 'order.completed')
    if (intents.some(({runId}) => runId !== options.runId)) causes.push('recently_resent', 'resend_in_doubt')
    if (!causes.includes(cause ?? '')) this.wrong(finding, `its cause should be ${causes.join(' or ')}`)
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
