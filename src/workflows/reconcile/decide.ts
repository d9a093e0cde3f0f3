import {type MeasuredTime, whyNoTimeDecides} from '../../core/clocks.ts'
import type {Paisa} from '../../core/money.ts'
import type {Delivery, ServiceOrder} from '../../core/order.ts'
import {classifyOrder, type LedgerSide, type ServiceSide} from '../../core/reconcile/classify.ts'
import {explainCorruption} from '../../core/reconcile/corruption.ts'
import {judgeByDelivered} from '../../core/reconcile/delivered.ts'
import type {BookedRow, UnreadableRow} from '../../core/reconcile/entry.ts'
import {
  type EarlierResend,
  type ResendOverrides,
  type Weighed,
  weighDelivery,
  weighWait,
} from '../../core/reconcile/evidence.ts'
import type {Explained} from '../../core/reconcile/explain.ts'
import {type Finding, isUnremarkable} from '../../core/reconcile/finding.ts'
import {type LedgerOrder, orderKey} from '../../core/reconcile/orders.ts'
import {resentText, whyWaitIsOpen} from '../../core/reconcile/reason-against.ts'
import type {Action, DuplicateCause, Judged, Verdict} from '../../core/reconcile/verdict.ts'
import {actionOf, amountAtRisk, explain, severityOf} from '../../core/reconcile/verdict-facts.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import {type RowBeforeResend, whyBookedTwice} from './booked-before-resent.ts'
import type {Deliveries} from './deliveries.ts'
import type {MissingOrders} from './missing.ts'

/** What decisions need besides the two sides: records, the journal, and a person's flags. */
export interface DecisionInput {
  readonly deliveries: Deliveries
  readonly earlierResend: (
    record: Delivery,
    order: Pick<ServiceOrder, 'kind' | 'orderNo'>,
  ) => EarlierResend | null
  /** When an earlier run first saw the order waiting; null if none did. */
  readonly waitsSince: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => number | null
  /** When an earlier run last saw its webhook as taken; null if none did. */
  readonly takenSeen: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => number | null
  readonly bookedBefore: ReadonlyMap<string, RowBeforeResend>
  readonly overrides: ResendOverrides
  readonly time: MeasuredTime
  /** The time of the ledger's last row; null if no row has one. */
  readonly ledgerEndsMs: number | null
  /** The same of one file. */
  readonly fileEndsMs: (file: number) => number | null
  readonly timeZone: string
}

type Draft<V extends Verdict = Verdict> = Judged<V> & DraftFacts
interface DraftFacts {
  readonly action: Action
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly ledgerEndsMs?: number | null
  readonly detail: string | null
  readonly notes: readonly string[]
  /** Only for deliveries, whose sentences have times. */
  readonly timeZone?: string
}

/** The finding of an order with one row if both sides agree or are open; else null. */
export function decideAgreed(entry: BookedRow, side: ServiceSide): Finding | null {
  const draft = compare(entry, side)
  return isUnremarkable({...draft, resend: null}) ? takenFrom(finish(entry, draft), side) : null
}

/** The finding of an order with one row. */
export function decideOrder(entry: BookedRow, side: ServiceSide, input: DecisionInput): Finding {
  const draft = compare(entry, side)
  const {verdict, service} = draft
  const row = verdict === 'matched' ? input.bookedBefore.get(orderKey(entry)) : undefined
  const twice =
    row && service ? whyBookedTwice(row, input.deliveries.completionsRead(service), input.timeZone) : null
  if (twice !== null) {
    const judged = {verdict: 'status_mismatch', cause: 'booked_before_resent'} as const
    const at = {...entry, createdMs: row?.bookedMs ?? null}
    return takenFrom(finish(at, {...draft, ...judged, action: 'review', detail: twice}), side)
  }
  if (verdict !== 'missing_completion' || service === null) return takenFrom(finish(entry, draft), side)
  const weighed = weigh(service, {...input, ledgerEndsMs: input.fileEndsMs(entry.file)})
  const startsMs =
    weighed.cause === 'no_delivery_record' ? input.deliveries.startsAfter(service, entry.createdMs) : null
  const detail = startsMs === null ? weighed.detail : formatMinute(startsMs, input.timeZone)
  return takenFrom(finish(entry, {...draft, ...weighed, detail}), side)
}

/** Compares both sides without any delivery record. */
function compare(entry: BookedRow, side: ServiceSide): Draft<DuplicateCause> {
  const ledger = ledgerSideOf(entry)
  const classified = classifyOrder(ledger, side)
  const service = side.is === 'found' ? side.order : null
  const detail = side.is === 'no_answer' ? side.because : null
  const action = actionOf(classified.verdict)
  return {...classified, action, ledger, service, delivery: null, detail, notes: []}
}

function ledgerSideOf({status, amount, platformOrderNo}: BookedRow): LedgerSide {
  return {status, amount, ...(platformOrderNo && {platformOrderNo})}
}

function takenFrom(finding: Finding, side: ServiceSide): Finding {
  if (side.is !== 'found' || side.takenFrom === undefined) return finding
  return {...finding, takenFrom: side.takenFrom}
}

/** The findings of an order with several rows in `files`, one for each row; never resent. */
export function decideDuplicate(
  {entries, unreadable}: LedgerOrder,
  side: ServiceSide,
  files: readonly {readonly path: string}[],
): Finding[] {
  const service = side.is === 'found' ? side.order : null
  const detail = placesOf([...entries, ...unreadable], files)
  const numbers = [...new Set(entries.map(({orderNo}) => escapeInvisible(orderNo, 40)))]
  const oneOrder = `The service has these numbers as one order, ${escapeInvisible(service?.platformOrderNo ?? '', 40)}: ${numbers.join(', ')}. It is paid once.`
  return entries.map((entry, index) => {
    const pair = compare(entry, side)
    return finish(
      entry,
      {
        verdict: 'duplicate_in_ledger',
        // Each row is compared by itself, so that the duplicate hides nothing.
        cause: pair.cause === 'not_asked' ? pair.cause : pair.verdict,
        action: 'review',
        ledger: pair.ledger,
        service,
        delivery: null,
        detail,
        notes: [
          ...(numbers.length > 1 ? [oneOrder] : []),
          ...(pair.verdict === 'matched' || pair.verdict === 'in_flight'
            ? []
            : [explainPair({...pair, kind: entry.kind})]),
        ],
      },
      index > 0 || unreadable.length > 0,
    )
  })
}

/** The sentence for one row apart from its duplicate. For a missing completion no record was read. */
function explainPair(pair: Explained): string {
  return pair.verdict === 'missing_completion'
    ? 'The service completed it, but this row is not completed. It is not resent while it is in the ledger twice.'
    : explain(pair)
}

function placesOf(
  rows: readonly {readonly line: number; readonly file: number}[],
  files: readonly {readonly path: string}[],
): string {
  const places = rows.toSorted((a, b) => a.file - b.file || a.line - b.line)
  if (new Set(places.map(({file}) => file)).size < 2) {
    return `lines ${places.map(({line}) => line).join(', ')}`
  }
  return places.map(({line, file}) => `line ${line} of ${files[file]?.path ?? ''}`).join(', ')
}

/** The finding of an order without a row, or null if there is nothing to report. */
export function decideMissing(
  order: {kind: LedgerOrder['kind']; orderNo: string},
  side: ServiceSide,
  input: DecisionInput,
  missing: Pick<MissingOrders, 'isOfLaterDay' | 'weigh'>,
): Finding | null {
  const classified = classifyOrder(null, side)
  if (!classified) return null
  const {verdict} = classified
  const service = side.is === 'found' ? side.order : null
  const detail = side.is === 'no_answer' ? side.because : null
  const nowhere = {...order, line: null, file: null}
  if (verdict === 'missing_in_ledger' && service) {
    const weighed = weigh(service, input)
    const {action, reasons, isInRow} = missing.weigh(service, weighed.action)
    const notes = [...weighed.notes, ...reasons]
    // Resent before this run, as if by it: only the ledger of that day can show the booking.
    const isResent = isTakenNow(weighed) && weighed.detail !== null
    const takenMs = parseInstant(weighed.delivery?.sentAt ?? '') ?? 0
    if (isResent && reasons.length === 0 && missing.isOfLaterDay(takenMs)) {
      const delivered = {...weighed, cause: 'delivered', action: 'none', notes} as const
      return finish(nowhere, {verdict, ledger: null, service, ...delivered})
    }
    const finding = finish(nowhere, {verdict, ledger: null, service, ...weighed, action, notes})
    return isInRow ? {...finding, atRisk: 0n} : finding
  }
  const action = actionOf(verdict)
  return finish(nowhere, {...classified, action, ledger: null, service, delivery: null, detail, notes: []})
}

export function decideUnreadable(row: UnreadableRow): Finding {
  const {line, file, kind, orderNo, cause, corruption} = row
  const detail = [row.detail, corruption ? escapeInvisible(explainCorruption(corruption)) : '']
    .filter(Boolean)
    .join(' ')
  const nothing = {ledger: null, service: null, delivery: null}
  const finding = finish(
    {line, file, kind: kind ?? null, orderNo},
    {verdict: 'unreadable_row', cause, action: 'review', ...nothing, detail, notes: []},
  )
  return corruption ? {...finding, corruption} : finding
}

/** Decides again with the delivered payload (three-way match). `amount` is null if the payload has none. */
export function decideDelivered(finding: Finding, delivery: Delivery, amount: Paisa | null): Finding {
  const known = {...finding, delivery, deliveredAmount: amount}
  const judged = amount === null ? null : judgeByDelivered(finding, amount)
  if (judged === null) return known
  const decided = {...known, ...judged, action: 'review' as const, severity: severityOf(judged)}
  return {...decided, atRisk: amountAtRisk(decided), explanation: explain({...decided, detail: null})}
}

export function weigh(
  service: ServiceOrder,
  input: DecisionInput,
): Omit<DraftFacts, 'ledger' | 'service'> & Pick<Weighed, 'cause'> {
  const {evidence, disagreements} = input.deliveries.evidenceFor(service)
  const newest = evidence.is === 'read' ? evidence.newest : null
  const earlier = newest && input.earlierResend(newest, service)
  const known = {ledgerEndsMs: input.ledgerEndsMs, takenSeenMs: input.takenSeen(service)}
  const weighed = weighDelivery(evidence, earlier, input.overrides, input.time, known)
  const waited = weighWait(weighed, () => input.waitsSince(service), input.overrides, input.time)
  const {cause, action} = waited
  const notes = [...disagreements, ...whyWaitIsOpen(waited, input.timeZone)]
  let detail: string | null = null
  if (evidence.is !== 'read') detail = evidence.because
  else if (['delivery_stuck', 'retry_scheduled'].includes(cause)) detail = whyNoTimeDecides(input.time.skewMs)
  else if (earlier) {
    const isDelivered = cause === 'delivered_not_booked'
    const at = `at ${formatMinute(earlier.atMs, input.timeZone)}`
    detail = isDelivered
      ? resentText(earlier, input.timeZone)
      : earlier.by === null
        ? at
        : `${at} by ${earlier.by}${earlier.isOnItsWay ? ', who is still at work,' : ''}`
  }
  const {ledgerEndsMs, timeZone} = input
  return {cause, action, delivery: newest, ledgerEndsMs, detail, notes, timeZone}
}

/** Whether its record shows that the merchant's server took it; an earlier one may have shown it too. */
export function isTakenNow({cause, delivery}: Pick<ReturnType<typeof weigh>, 'cause' | 'delivery'>): boolean {
  return cause === 'delivered_not_booked' && delivery?.status === 'success'
}

export function finish(
  at: {
    line: number | null
    file: number | null
    kind: Finding['kind']
    orderNo: string | null
    createdMs?: number | null
    playerRef?: string | null
  },
  draft: Draft,
  isFurtherRow = false,
): Finding {
  const {detail, notes, timeZone, ...said} = draft
  const sentences = [explain({...said, kind: at.kind, detail}, timeZone), ...notes]
  return {
    line: at.line,
    file: at.file,
    kind: at.kind,
    orderNo: at.orderNo,
    ...(at.playerRef && {playerRef: at.playerRef}),
    orderedAtMs: at.createdMs ?? parseInstant(draft.delivery?.createdAt ?? ''),
    ...said,
    severity: severityOf(draft),
    atRisk: amountAtRisk(draft, isFurtherRow),
    resend: null,
    explanation: sentences.join(' '),
  }
}
