import type {FindingView} from '../../src/report/reconcile-report.ts'
import type {ReportDocument} from '../report/report-document.ts'
import {expectStatus} from './expected.ts'
import type {JournalReader} from './journal-reader.ts'
import type {NightEnd, NightOptions} from './night.ts'
import type {SendOracle} from './send-oracle.ts'
import {expectWindow} from './window.ts'
import type {Word} from './words.ts'
import {type Kind, keyOf, taka, type World} from './world.ts'

type Finding = FindingView

/** What the report of one process may be held against. */
export interface NightFacts {
  readonly options: NightOptions
  readonly end: NightEnd
  readonly report: ReportDocument
  /** All processes of this run, this one last; and every process of the runs before it. */
  readonly ofRun: readonly NightEnd[]
  readonly before: ReadonlyMap<string, readonly NightEnd[]>
  readonly world: World
  readonly sends: SendOracle
  /** What somebody said to leave alone. */
  readonly words: readonly Word[]
  readonly journal: JournalReader
}

/** Figures, to the paisa, from the rows and the answers (P12). */
export function judgeFigures(facts: NightFacts): string[] {
  const problems: string[] = []
  const {report, options} = facts
  const counts: Record<string, number> = {rows: options.ledger.rows.length}
  for (const {verdict} of report.findings) counts[verdict] = (counts[verdict] ?? 0) + 1
  for (const [name, count] of Object.entries(report.counts)) {
    if (count !== (counts[name] ?? 0))
      problems.push(`the report counts ${count} ${name}, and there are ${counts[name] ?? 0}`)
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
    problems.push(`the totals should be ${expected.join(', ')} and are ${stated.join(', ')} (P12)`)
  return problems
}

/** A webhook that says another amount than the service stands by stays where it is, however often the run is repeated. */
const needsPerson = (why: string | null) => why?.startsWith('Not sent: the webhook says BDT') ?? false

/** Whether the exit status and `complete` say what the findings and the calls come to (P18). */
export function judgeEnd(facts: NightFacts): string[] {
  const problems: string[] = []
  const {report, end, options, world} = facts
  if (end.ending.is !== 'ended') return problems
  const {status} = end.ending.value
  const {findings} = report
  const states = findings.map(({resend}) => resend?.state)
  const hasWindow = expectWindow(options.ledger, options) !== null
  const mustLook = !options.skipDeliveries && (!hasWindow || world.hasLegacyApi)
  const open =
    findings.some(({verdict, cause}) => verdict === 'query_failed' || cause === 'delivery_unknown') ||
    (mustLook && !report.missingInLedger.checked) ||
    states.includes('sent') ||
    findings.some(({resend}) => resend?.state === 'skipped' && !needsPerson(resend.why))
  const isStopped = end.process.stop.signal.aborted
  // Stopped while the last report was written: it may say that all was done, where all was.
  const isTrue = isStopped ? !(open && report.complete) : report.complete !== open
  if (!isTrue)
    problems.push(
      `complete is ${report.complete}, and ${open ? 'not all was' : 'all was'} looked at and ended`,
    )
  const isBreak = findings.some(
    ({action, resend}) => resend?.state !== 'delivered' && action !== 'none' && action !== 'wait',
  )
  const isRejected = end.tries.some(
    ({hears, isHeard, reply}) => isHeard && hears === 'no' && reply?.status === 401,
  )
  const isInDoubt = states.includes('unknown')
  const expected =
    isRejected && status === 3 && !isStopped
      ? 3
      : expectStatus({isStopped, isInDoubt, isOpen: open, isLeft: isBreak})
  if (status !== expected) problems.push(`the exit status is ${status} and should be ${expected} (P18)`)
  const {clockSkewMs} = report
  const heard = end.tries.filter(({isHeard, reply}) => isHeard && reply)
  // What an answer tells of the time may be wrong by half of its way there and back.
  const quickestMs = Math.min(...heard.map(({startedMs, endedMs}) => endedMs - startedMs))
  const toleratedMs = 1_600 + quickestMs / 2
  if (heard.length > 0 && (clockSkewMs === null || Math.abs(clockSkewMs - world.skewMs) > toleratedMs))
    problems.push(`the clock skew is ${world.skewMs} ms and shown as ${clockSkewMs} (P19)`)
  return problems
}

function paisa(amount: string | null): bigint {
  return amount === null ? 0n : BigInt(amount.replace('.', ''))
}
