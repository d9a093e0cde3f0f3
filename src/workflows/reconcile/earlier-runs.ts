import type {Paisa} from '../../core/money.ts'
import {cooldownMs} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {type FindingHistory, historyOf, type RememberedFinding} from '../../core/reconcile/history.ts'
import {fits, type Ignore, isClosing} from '../../core/reconcile/ignore.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {listedBy, snapshotOf} from '../../core/reconcile/snapshot.ts'
import {isCompletion, isNeverResent, severityOf} from '../../core/reconcile/verdict-facts.ts'
import {formatInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import {readTotals} from '../../report/run-totals.ts'

/** A finding that another run can recognise: it is about an order. */
type Lasting = Finding & {readonly kind: NonNullable<Finding['kind']>; readonly orderNo: string}

/** Remembered findings this run did not find again. */
export interface NotFoundAgain {
  /** Their order was examined, and they are no more. */
  readonly closed: readonly RememberedFinding[]
  /** Open in the journal; their order was not among what this run looked at, or what it saw does not tell. */
  readonly notExamined: readonly RememberedFinding[]
}

/** What a run knows of an order it has no finding of. */
export interface Examined {
  readonly isAnswered: boolean
  /** The finding, if only its figures were kept. */
  readonly agreed: Finding | null
  /** A ledger has it booked, or its new export has it no more; else the service's answer decides. */
  readonly isBooked: boolean
}

interface At {
  readonly runId: string
  readonly nowMs: number
  readonly timeZone: string
  /** The time of the newest row of a ledger file; null where no row has one. */
  readonly lastRowMs: (file: number) => number | null
}

/** What earlier runs left: how long each finding has been open, and what a person ignores. */
export class EarlierRuns {
  private readonly journal: Pick<Journal, 'findingsOf' | 'findRun' | 'findTotals'>
  private readonly runId: string
  private readonly nowMs: number
  private readonly timeZone: string
  /** By order: what a person said of it holds a resend back, whatever it is called now. */
  private readonly ignores: ReadonlyMap<string, readonly Ignore[]>
  /** Orders whose amounts differed when they were seen last. */
  private readonly mismatched: ReadonlyMap<string, RememberedFinding>
  private readonly open: readonly RememberedFinding[]
  /** What is remembered of the orders that come next. */
  private remembered: ReadonlyMap<string, RememberedFinding> = new Map()
  /** The run whose booking.csv has an order, open or closed, and the sentence that says so. */
  private listed: ReadonlyMap<string, {readonly runId: string; readonly why: string}> = new Map()
  private readonly lastRowMs: At['lastRowMs']
  /** By the run that first saw a bookable finding: how far the service's clock was ahead then. */
  private readonly skews = new Map<string, number | null>()
  private readonly sentences = new Map<string, string>()
  /** Orders with a webhook in an earlier run. */
  private withRecord: ReadonlySet<string> = new Set()

  static async read(
    journal: Pick<Journal, 'findingsOf' | 'findRun' | 'findTotals' | 'openFindings' | 'listIgnores'>,
    at: At,
  ): Promise<EarlierRuns> {
    return new EarlierRuns(journal, at, await journal.listIgnores(), await journal.openFindings(at.runId))
  }

  private constructor(
    journal: Pick<Journal, 'findingsOf' | 'findRun' | 'findTotals'>,
    at: At,
    ignores: readonly Ignore[],
    open: readonly RememberedFinding[],
  ) {
    this.journal = journal
    this.runId = at.runId
    this.nowMs = at.nowMs
    this.timeZone = at.timeZone
    this.lastRowMs = at.lastRowMs
    this.ignores = Map.groupBy(ignores, orderKey)
    this.open = open
    const mismatched = open.filter(({verdict}) => verdict === 'amount_mismatch')
    this.mismatched = new Map(mismatched.map((one) => [orderKey(one), one]))
  }

  /** Before `recall`: one question for many findings. */
  async readAhead(found: readonly Finding[]): Promise<void> {
    const asked = found.map((finding) => this.keepMismatch(finding)).filter(isLasting)
    const remembered = await this.journal.findingsOf(asked)
    this.remembered = new Map(remembered.map((one) => [keyOf(one), one]))
    for (const {isBookable, ...finding} of asked) {
      const {openedRunId} = this.remembered.get(keyOf(finding)) ?? {}
      if (!isBookable || openedRunId === undefined || this.skews.has(openedRunId)) continue
      const {clockSkewMs: skewMs = null} = readTotals(await this.journal.findTotals(openedRunId)) ?? {}
      this.skews.set(openedRunId, skewMs)
    }
    const listed = new Map<string, {runId: string; why: string}>()
    for (const one of remembered) {
      const runId = listedBy(one)
      if (runId !== null) listed.set(orderKey(one), {runId, why: await this.whyListed(runId)})
    }
    this.listed = listed
    this.withRecord = new Set(
      remembered
        .filter(({verdict, cause}) => isCompletion(verdict) && cause !== null && !isNeverResent(cause))
        .map(orderKey),
    )
  }

  /** All findings of one order, or of one number on unreadable rows, with their history; ignored ones marked. */
  recall(found: readonly Finding[]): Finding[] {
    const findings = found.map((finding) => this.keepListed(this.keepMismatch(finding)))
    const together = Map.groupBy(findings.filter(isLasting), keyOf)
    return findings.map((finding) => {
      if (!isLasting(finding)) return finding
      const recalled = this.recallOne(
        finding,
        finding.snapshot ?? snapshotOf(together.get(keyOf(finding)) ?? []),
      )
      if (!finding.isBookable || finding.listedBy || recalled.ignored) return recalled
      const {history} = recalled
      // The retries of a webhook begin with the payment, whose time the service does not say: an earlier run saw it.
      if (!history || !this.isOpenAfterRetries(finding)) {
        const {isBookable: _, ...waiting} = recalled
        return waiting
      }
      const listed = {...recalled, listedBy: this.runId}
      return {...listed, history: {...history, snapshot: snapshotOf([listed])}}
    })
  }

  private async whyListed(runId: string): Promise<string> {
    const known = this.sentences.get(runId)
    if (known !== undefined) return known
    const startedAtMs = (await this.journal.findRun(runId))?.startedAtMs
    const day =
      startedAtMs === undefined ? '' : ` of ${formatInstant(startedAtMs, this.timeZone).slice(0, 10)}`
    const why = `The booking.csv of run ${runId}${day} has it. Look in your books. Do not book it twice.`
    this.sentences.set(runId, why)
    return why
  }

  /**
   * Whether the ledger has a row made 8 hours after a run first saw the finding, by the service's clock: this machine's may
   * have been set since (P19). An older export does not show what the last retry did, however late it is read or saved.
   */
  private isOpenAfterRetries(finding: Lasting): boolean {
    const {openedMs, openedRunId = ''} = this.remembered.get(keyOf(finding)) ?? {}
    const skewMs = this.skews.get(openedRunId)
    const lastRowMs = this.lastRowMs(finding.file ?? 0)
    if (openedMs === undefined || skewMs == null || lastRowMs === null) return false
    return Math.min(this.nowMs, lastRowMs) - (openedMs + skewMs) >= cooldownMs
  }

  /**
   * An order of a booking.csv may have been booked by hand, under any number and in no ledger yet: no run resends it,
   * and no second booking.csv has it. An order with a webhook in an earlier run gets into none.
   */
  private keepListed(finding: Finding): Finding {
    const {isBookable, ...known} = finding
    const {kind, orderNo, action, resend, explanation} = known
    if (kind === null || orderNo === null) return finding
    const key = orderKey({kind, orderNo})
    const {runId, why} = this.listed.get(key) ?? {}
    if (runId === undefined) return isBookable && this.withRecord.has(key) ? known : finding
    const isHeld = action === 'resend' && resend === null
    const listed = {...known, listedBy: runId, action: isHeld ? ('review' as const) : action}
    if (runId === this.runId && isBookable) return {...listed, isBookable}
    return {...listed, explanation: `${explanation} ${why}`}
  }

  /** That amounts differ is not taken back by a side that states none any more. */
  private keepMismatch(finding: Finding): Finding {
    const {kind, orderNo} = finding
    const remembered = kind && orderNo !== null && this.mismatched.get(orderKey({kind, orderNo}))
    if (!remembered || !isAmountOpen(finding)) return finding
    const judged = {verdict: 'amount_mismatch', cause: null} as const
    const {atRisk, lastRunId} = remembered
    const explanation = `Run ${lastRunId} found that the amounts differ. Now one side has no amount. Find out which amount was paid. It stays open until both sides have an amount.`
    return {...finding, ...judged, action: 'review', severity: severityOf(judged), atRisk, explanation}
  }

  private recallOne(finding: Lasting, snapshot: string): Finding {
    const {verdict, action} = finding
    const remembered = this.remembered.get(keyOf(finding)) ?? null
    const history: FindingHistory = historyOf(remembered, snapshot, this.runId, this.nowMs)
    const ignores = (this.ignores.get(orderKey(finding)) ?? []).filter(
      ({expiresAtMs}) => this.nowMs < expiresAtMs,
    )
    const last = ignores.at(-1)
    // A later finding must not replace what this run has already resent.
    if (!last || finding.resend) return {...finding, history}
    const ignore = ignores.find((one) => one.verdict === verdict && fits(one, history))
    if (!ignore) {
      const given = formatInstant(last.atMs, this.timeZone).slice(0, 10)
      const what = isClosing(last) ? 'closing' : 'ignore'
      const explanation = `${finding.explanation} The ${what} of ${given} by ${last.by} no longer applies, because the finding has changed: ${last.reason}`
      // Somebody asked for it to be left alone: what is new is shown before anything is sent.
      return {...finding, history, action: action === 'resend' ? 'review' : action, explanation}
    }
    const at = formatInstant(isClosing(ignore) ? ignore.atMs : ignore.expiresAtMs, this.timeZone).slice(0, 10)
    const said = isClosing(ignore) ? `Closed on ${at}` : `Ignored until ${at}`
    const explanation = `${finding.explanation} ${said} by ${ignore.by}: ${ignore.reason}`
    return {...finding, history, ignored: ignore, action: 'none', explanation}
  }

  /**
   * `examined` tells of an order without a finding whether this run asked for it and got an answer, and what was
   * agreed on then.
   */
  compare(findings: Iterable<Finding>, examined: (remembered: RememberedFinding) => Examined): NotFoundAgain {
    const gone = new Map(this.open.map((one) => [keyOf(one), one]))
    const orders = new Set([...gone.values()].map(orderKey))
    const byOrder = new Map<string, Finding[]>()
    for (const finding of gone.size > 0 ? findings : []) {
      const {kind, orderNo} = finding
      if (kind === null || orderNo === null || !orders.has(orderKey({kind, orderNo}))) continue
      byOrder.set(orderKey({kind, orderNo}), [...(byOrder.get(orderKey({kind, orderNo})) ?? []), finding])
      if (isLasting(finding)) gone.delete(keyOf(finding))
    }
    const {closed = [], notExamined = []} = Object.groupBy(gone.values(), (one) => {
      // An earlier process of this run recorded it.
      if (one.closedRunId === this.runId) return 'closed'
      const {isAnswered, agreed} = examined(one)
      const now = byOrder.get(orderKey(one)) ?? (agreed ? [agreed] : [])
      return isAnswered && !now.some((finding) => isUndecided(one, finding)) ? 'closed' : 'notExamined'
    })
    const by = (one: RememberedFinding) => (examined(one).isBooked ? 'ledger' : 'service')
    return {closed: closed.map((one) => ({...one, closedBy: one.closedBy ?? by(one)})), notExamined}
  }
}

/** A webhook that this run resent and your server took: from now on it waits for a ledger that confirms it. */
export function asDelivered(finding: Finding): Finding {
  const {verdict, resend} = finding
  if (resend?.state !== 'delivered') return finding
  if (!isCompletion(verdict)) return finding
  const {history, ...rest} = finding
  const judged = {verdict, cause: 'delivered'} as const
  const now = {...rest, ...judged, action: 'none' as const, severity: severityOf(judged)}
  return history ? {...now, history: {...history, snapshot: snapshotOf([now])}} : now
}

/**
 * What to remember of a run's findings, in the order of the decisions, those of an order together: the rows of a
 * duplicate are one.
 */
export function* seenFindings(findings: Iterable<Finding>): Generator<SeenFinding> {
  let last = null as SeenFinding | null
  for (const finding of findings) {
    if (!isLasting(finding)) continue
    const {kind, orderNo, verdict, cause, severity, atRisk, orderedAtMs = null, history} = finding
    const snapshot = history?.snapshot ?? snapshotOf([finding])
    const isSame = last !== null && keyOf(last) === keyOf(finding)
    const sum = last && isSame ? sumKnown(last.atRisk, atRisk) : atRisk
    if (last && !isSame) yield last
    last = {kind, orderNo, verdict, cause, severity, snapshot, orderedAtMs, atRisk: sum}
  }
  if (last) yield last
}

function sumKnown(one: Paisa | null, other: Paisa | null): Paisa | null {
  return one === null || other === null ? null : one + other
}

/** What an interrupted run did not come to is no finding; an order without an answer is asked for again (P18). */
function isLasting(finding: Finding): finding is Lasting {
  const {kind, orderNo, verdict, cause} = finding
  const isNotAsked = verdict === 'query_failed' && cause === 'not_asked'
  const saysNothing = verdict === 'matched' || verdict === 'in_flight' || isNotAsked
  return kind !== null && orderNo !== null && !saysNothing
}

/** Whether what is found of an order now leaves open if what was remembered of it is still so. */
function isUndecided({verdict}: RememberedFinding, now: Finding): boolean {
  if (now.verdict === 'query_failed') return true
  // If there was no answer before, any answer ends it, even for a duplicate.
  if (verdict === 'query_failed') return now.cause === 'query_failed' || now.cause === 'not_asked'
  // Neither compares the two sides: the counting row or the service's answer is unknown.
  if (now.verdict === 'duplicate_in_ledger' || now.verdict === 'unknown_status') {
    return verdict !== 'duplicate_in_ledger' && verdict !== 'unreadable_row'
  }
  // It is paid and not credited as before; which amount to credit is in doubt as well now.
  if (verdict === 'missing_completion' && now.verdict === 'amount_mismatch') {
    return now.ledger?.status !== 'completed'
  }
  return verdict === 'amount_mismatch' && isAmountOpen(now)
}

/** Completed with an amount unknown, and no payload was read: that amounts differ is not disproven. */
function isAmountOpen({verdict, ledger, service, deliveredAmount}: Finding): boolean {
  if (verdict !== 'matched' && verdict !== 'missing_completion') return false
  if (service?.status !== 'completed' || deliveredAmount !== undefined) return false
  return ledger?.amount == null || service.amount === null
}

function keyOf({kind, orderNo, verdict}: Pick<RememberedFinding, 'kind' | 'orderNo' | 'verdict'>): string {
  return `${kind}\0${verdict}\0${orderNo}`
}
