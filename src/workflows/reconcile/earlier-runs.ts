import {earliestNow, type MeasuredTime} from '../../core/clocks.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import type {OrderKind} from '../../core/order.ts'
import {cooldownMs} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {type FindingHistory, historyOf, type RememberedFinding} from '../../core/reconcile/history.ts'
import {describeEnded, fits, type Ignore, isClosing} from '../../core/reconcile/ignore.ts'
import {isUnpaidDeposit} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {lastRow, listedBy, snapshotOf} from '../../core/reconcile/snapshot.ts'
import {judgedOf} from '../../core/reconcile/verdict.ts'
import {endedBy, isCompletion, isNeverResent, severityOf} from '../../core/reconcile/verdict-facts.ts'
import {formatInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import {readTotals} from '../../report/run-totals.ts'
import {type GivenFiles, lacksFiles} from '../stored-run.ts'
import {KeptItems} from './kept-items.ts'

/** A finding about an order, which another run can recognise. */
type Lasting = Finding & {readonly kind: NonNullable<Finding['kind']>; readonly orderNo: string}

/** Remembered findings that this run did not find again. */
export interface NotFoundAgain {
  /** Their order was examined, and they no longer apply. */
  readonly closed: readonly RememberedFinding[]
  /** Still open: their order was not examined, or the result leaves them undecided. */
  readonly notExamined: readonly RememberedFinding[]
}

/** What a run knows of an order without a finding. */
export interface Examined {
  readonly isAnswered: boolean
  /** The finding, if only its figures were kept. */
  readonly agreed: Finding | null
  /** A ledger has it booked, or a new export no longer has it; else the service's answer decides. */
  readonly isBooked: boolean
}

interface At extends MeasuredTime, GivenFiles {
  readonly runId: string
  readonly timeZone: string
  /** The time of the newest row of a ledger file; null if no row has one. */
  readonly lastRowMs: (file: number) => number | null
  readonly isGivenAgain: (kind: OrderKind, runId: string) => boolean
  readonly isSameService: (runId: string) => Promise<boolean>
}

/** The ignores that have not ended by both clocks. */
export async function ignoresAt(
  journal: Pick<Journal, 'listIgnores'>,
  time: MeasuredTime,
): Promise<readonly Ignore[]> {
  return (await journal.listIgnores()).filter(({expiresAtMs}) => earliestNow(time) < expiresAtMs)
}

/** The results of earlier runs: how long findings have been open, and what a person ignores. */
export class EarlierRuns {
  private readonly journal: Pick<Journal, 'findingsOf' | 'findRun' | 'findTotals'>
  private readonly runId: string
  private readonly nowMs: number
  private readonly timeZone: string
  /** By order, because an ignore holds a resend back even if the finding's name has changed. */
  private readonly ignores: ReadonlyMap<string, readonly Ignore[]>
  /** Those whose time is over. */
  private readonly ended: ReadonlyMap<string, readonly Ignore[]>
  /** Orders of which the last run that saw them had another row, or may have had. */
  private readonly withOtherRows: ReadonlyMap<string, RememberedFinding>
  private readonly open: readonly RememberedFinding[]
  private readonly kept: KeptItems
  /** Earlier findings of the orders that were read ahead. */
  private remembered: ReadonlyMap<string, RememberedFinding> = new Map()
  /** The run whose booking.csv lists an order, open or closed, and the sentence about it. */
  private listed: ReadonlyMap<string, {readonly runId: string; readonly why: string}> = new Map()
  private readonly lastRowMs: At['lastRowMs']
  private readonly isGivenAgain: (one: RememberedFinding) => boolean
  /** How far the service's clock was ahead, by the run that first saw a bookable finding. */
  private readonly skews = new Map<string, number | null>()
  private readonly sentences = new Map<string, string>()
  /** Orders with a webhook in an earlier run. */
  private withRecord: ReadonlySet<string> = new Set()

  static async read(
    journal: Pick<Journal, 'findingsOf' | 'findRun' | 'findTotals' | 'listIgnores'>,
    open: readonly RememberedFinding[],
    at: At,
  ): Promise<EarlierRuns> {
    const ignores = await journal.listIgnores()
    const isLacking = await lacksFiles(open.filter(mayHaveOtherRow), at, journal)
    return new EarlierRuns(journal, {...at, isLacking}, ignores, open)
  }

  private constructor(
    journal: Pick<Journal, 'findingsOf' | 'findRun' | 'findTotals'>,
    at: At & {readonly isLacking: (one: RememberedFinding) => boolean},
    ignores: readonly Ignore[],
    open: readonly RememberedFinding[],
  ) {
    this.journal = journal
    this.runId = at.runId
    this.nowMs = at.nowMs
    this.timeZone = at.timeZone
    this.lastRowMs = at.lastRowMs
    this.isGivenAgain = (one) => at.isGivenAgain(one.kind, one.openedRunId) && !at.isLacking(one)
    const isOver = ({expiresAtMs}: Ignore) => earliestNow(at) >= expiresAtMs
    this.ignores = Map.groupBy(
      ignores.filter((one) => !isOver(one)),
      orderKey,
    )
    this.ended = Map.groupBy(ignores.filter(isOver), orderKey)
    this.open = open
    this.kept = new KeptItems(open, at.isSameService)
    this.withOtherRows = new Map(open.filter(mayHaveOtherRow).map((one) => [orderKey(one), one]))
  }

  /** To be called before `recall`: one query for many findings. */
  async readAhead(found: readonly Finding[]): Promise<void> {
    const asked = found.map((finding) => this.keepOther(finding)).filter(isLasting)
    const remembered = await this.journal.findingsOf(asked)
    this.remembered = new Map(remembered.map((one) => [keyOf(one), one]))
    for (const {isBookable, ...finding} of asked) {
      const {openedRunId} = this.remembered.get(keyOf(finding)) ?? {}
      if (!isBookable || openedRunId === undefined || this.skews.has(openedRunId)) continue
      const {clockSkewMs: skewMs = null} = readTotals(await this.journal.findTotals(openedRunId)) ?? {}
      this.skews.set(openedRunId, skewMs)
    }
    await this.kept.readAhead(asked)
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

  /** Adds their history to all findings of one order, or of one number on unreadable rows; marks ignored ones. */
  recall(found: readonly Finding[]): Finding[] {
    const findings = found.map((finding) => this.keepListed(this.keepOther(finding)))
    const together = Map.groupBy(findings.filter(isLasting), keyOf)
    return findings.map((finding) => {
      if (!isLasting(finding)) return finding
      const kept = this.kept.keep(finding)
      if (kept) return kept
      const recalled = this.recallOne(
        finding,
        finding.snapshot ?? snapshotOf(together.get(keyOf(finding)) ?? []),
      )
      if (!finding.isBookable || finding.listedBy || recalled.ignored) return recalled
      const {history} = recalled
      // Retries begin with the payment, whose time the service does not state; it is not after an earlier run saw it.
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
   * Whether the ledger has a row made 8 hours after a run first saw the finding, by the service's clock, because this
   * machine's may have been set since (P19). An older export cannot show the last retry, however late it is read.
   */
  private isOpenAfterRetries(finding: Lasting): boolean {
    const {openedMs, openedRunId = ''} = this.remembered.get(keyOf(finding)) ?? {}
    const skewMs = this.skews.get(openedRunId)
    const lastRowMs = this.lastRowMs(finding.file ?? 0)
    if (openedMs === undefined || skewMs == null || lastRowMs === null) return false
    return Math.min(this.nowMs, lastRowMs) - (openedMs + skewMs) >= cooldownMs
  }

  /**
   * An order in a booking.csv may have been booked by hand, under any number and in no ledger yet: no run resends it,
   * and no second booking.csv lists it. An order with a webhook in an earlier run is never listed.
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

  /**
   * An amount that is now unknown does not end an earlier amount difference, nor does another row in another ledger: both may
   * be credited. One row does not end a duplicate whose other row was in a file that was not given again.
   */
  private keepOther(finding: Finding): Finding {
    const {kind, orderNo} = finding
    const remembered = kind && orderNo !== null && this.withOtherRows.get(orderKey({kind, orderNo}))
    if (!remembered) return finding
    const isDouble = remembered.verdict === 'duplicate_in_ledger'
    if (isDouble ? this.isOneRow(finding, remembered) : this.isOtherRow(finding, remembered)) {
      const {atRisk, lastRunId, snapshot, orderedAtMs} = remembered
      const [one, other] = [lastRow(remembered)?.amount, finding.ledger?.amount].map(
        (amount) => `BDT ${amount == null ? '?' : formatTaka(amount)}`,
      )
      const rows = isDouble
        ? `Run ${lastRunId} found several rows of it. This ledger has one, and is no new export of that one.`
        : `Run ${lastRunId} found a row of it with ${one}. This ledger has another one, with ${other}. Both may be credited.`
      const explanation = `${rows} Look in your books, then close the item.`
      const kept = {...finding, action: 'review' as const, atRisk, snapshot, orderedAtMs, explanation}
      return {...kept, ...judgedOf(remembered), severity: severityOf(remembered)}
    }
    if (isDouble || !isAmountOpen(finding)) return finding
    const judged = {verdict: 'amount_mismatch', cause: null} as const
    const {atRisk, lastRunId} = remembered
    const explanation = `Run ${lastRunId} found that the amounts differ. Now one side has no amount. Find out which amount was paid. It stays open until both sides have an amount.`
    return {...finding, ...judged, action: 'review', severity: severityOf(judged), atRisk, explanation}
  }

  /** Whether the order has one row now, in a ledger that does not show what became of the others. */
  private isOneRow({verdict}: Finding, remembered: RememberedFinding): boolean {
    const isDecided = verdict === 'matched' || verdict === 'in_flight' || verdict === 'missing_completion'
    return isDecided && !this.isGivenAgain(remembered)
  }

  /** Whether the row agrees, and is not the corrected one. */
  private isOtherRow({verdict, ledger, orderedAtMs}: Finding, remembered: RememberedFinding): boolean {
    const earlier = lastRow(remembered)
    return (
      verdict === 'matched' &&
      earlier?.status === 'completed' &&
      earlier.amount !== ledger?.amount &&
      orderedAtMs != null &&
      remembered.orderedAtMs !== null &&
      orderedAtMs !== remembered.orderedAtMs &&
      !this.isGivenAgain(remembered)
    )
  }

  private recallOne(finding: Lasting, snapshot: string): Finding {
    const {verdict, action} = finding
    const remembered = this.remembered.get(keyOf(finding)) ?? null
    const history: FindingHistory = historyOf(remembered, snapshot, this.runId, this.nowMs)
    const ignores = this.ignores.get(orderKey(finding)) ?? []
    const last = ignores.at(-1)
    // A resend by this run must stay visible, so an ignore does not replace it.
    if (finding.resend) return {...finding, history}
    if (!last) return {...this.holdAfterIgnore(finding), history}
    const ignore = ignores.find((one) => one.verdict === verdict && fits(one, history))
    if (!ignore) {
      const given = formatInstant(last.atMs, this.timeZone).slice(0, 10)
      const what = isClosing(last) ? 'closing' : 'ignore'
      const explanation = `${finding.explanation} The ${what} of ${given} by ${last.by} no longer applies, because the finding has changed: ${last.reason}`
      // A person ignored it, so anything new is shown before anything is sent.
      return {...finding, history, action: action === 'resend' ? 'review' : action, explanation}
    }
    const at = formatInstant(isClosing(ignore) ? ignore.atMs : ignore.expiresAtMs, this.timeZone).slice(0, 10)
    const said = isClosing(ignore) ? `Closed on ${at}` : `Ignored until ${at}`
    const explanation = `${finding.explanation} ${said} by ${ignore.by}: ${ignore.reason}`
    return {...finding, history, ignored: ignore, action: 'none', explanation}
  }

  /** The reason of an ignore may be that the player was paid otherwise, so its end sends nothing unasked. */
  private holdAfterIgnore(finding: Lasting): Finding {
    const ended = this.ended.get(orderKey(finding))?.at(-1)
    if (!ended || finding.action !== 'resend') return finding
    const explanation = `${finding.explanation} ${describeEnded(ended, this.timeZone)}`
    return {...finding, action: 'review', explanation}
  }

  /**
   * `examined` returns, for an order without a finding, whether this run got an answer for it and on what both sides
   * agreed.
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
      // Recorded by an earlier process of this run.
      if (one.closedRunId === this.runId) return 'closed'
      if (endedBy(one) === 'person') return 'notExamined'
      const {isAnswered, agreed} = examined(one)
      const now = byOrder.get(orderKey(one)) ?? (agreed ? [agreed] : [])
      // A finding that later runs ask about takes the place of "open on both sides".
      const isFound = one.verdict === 'in_flight' && now.some((finding) => !isUnpaidDeposit(finding))
      const isDecided = isAnswered || isFound
      return isDecided && !now.some((finding) => isUndecided(one, finding)) ? 'closed' : 'notExamined'
    })
    const by = (one: RememberedFinding) => (examined(one).isBooked ? 'ledger' : 'service')
    return {closed: closed.map((one) => ({...one, closedBy: one.closedBy ?? by(one)})), notExamined}
  }
}

/** Whether another row of its order may have been booked, in a ledger of an earlier run. */
export function mayHaveOtherRow({verdict}: RememberedFinding): boolean {
  return verdict === 'amount_mismatch' || verdict === 'duplicate_in_ledger'
}

/** A webhook that this run resent and your server accepted now waits for a ledger that confirms it. */
export function asDelivered(finding: Finding): Finding {
  const {verdict, resend} = finding
  if (resend?.state !== 'delivered') return finding
  if (!isCompletion(verdict)) return finding
  const {history, ...rest} = finding
  const judged = {verdict, cause: 'delivered'} as const
  const now = {...rest, ...judged, action: 'none' as const, severity: severityOf(judged)}
  return history ? {...now, history: {...history, snapshot: snapshotOf([now])}} : now
}

/** The findings to remember, in the order of decisions. The rows of a duplicate are one finding. */
export function* seenFindings(findings: Iterable<Finding>): Generator<SeenFinding> {
  let last = null as SeenFinding | null
  for (const finding of findings) {
    if (!isLasting(finding) || finding.keepsItem) continue
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

/** Orders that an interrupted run did not reach are no finding; orders without an answer are queried again (P18). */
function isLasting(finding: Finding): finding is Lasting {
  const {kind, orderNo, verdict, cause} = finding
  const isNotAsked = verdict === 'query_failed' && cause === 'not_asked'
  const saysNothing = verdict === 'matched' || verdict === 'in_flight' || isNotAsked
  return kind !== null && orderNo !== null && !saysNothing
}

/** Whether the present finding leaves open if the remembered one still applies. */
function isUndecided({verdict}: RememberedFinding, now: Finding): boolean {
  if (now.verdict === 'query_failed') return true
  // If there was no answer before, any answer ends that, even for a duplicate.
  if (verdict === 'query_failed') return now.cause === 'query_failed' || now.cause === 'not_asked'
  // Neither verdict compares the sides: which row counts, or the service's state, is unknown.
  if (now.verdict === 'duplicate_in_ledger' || now.verdict === 'unknown_status') {
    return verdict !== 'duplicate_in_ledger' && verdict !== 'unreadable_row'
  }
  // It is still paid and not credited; now the amount to credit is in doubt, too.
  if (verdict === 'missing_completion' && now.verdict === 'amount_mismatch') {
    return now.ledger?.status !== 'completed'
  }
  return verdict === 'amount_mismatch' && isAmountOpen(now)
}

/** Completed with an unknown amount and no payload read: the amounts may still differ. */
function isAmountOpen({verdict, ledger, service, deliveredAmount}: Finding): boolean {
  if (verdict !== 'matched' && verdict !== 'missing_completion') return false
  if (service?.status !== 'completed' || deliveredAmount !== undefined) return false
  return ledger?.amount == null || service.amount === null
}

function keyOf({kind, orderNo, verdict}: Pick<RememberedFinding, 'kind' | 'orderNo' | 'verdict'>): string {
  return `${kind}\0${verdict}\0${orderNo}`
}
