import {earliestNow, type MeasuredTime} from '../core/clocks.ts'
import {mayBeSameEvent} from '../core/event-state.ts'
import {Failure} from '../core/failure.ts'
import {completedEvent, orderKinds} from '../core/order.ts'
import {type EarlierResend, isCoolingDown, type ResendBaseline, stateBy} from '../core/reconcile/evidence.ts'
import {orderKey} from '../core/reconcile/orders.ts'
import {escapeInvisible} from '../core/text.ts'
import {columnsFor, type Database} from '../files/sqlite.ts'
import {assigned, listed, part, type Query, sql} from './query.ts'
import {
  type LeftAlone,
  type NewResend,
  type ResendClaim,
  type ResendRow,
  type ResendRowState,
  type ResendUpdate,
  resendMoves,
} from './rows.ts'
import {type Names, type Row, type Steps, sqliteNames, walk} from './store.ts'

/** An account's resends; a condition may follow. */
export function selectResends({engine, mine}: Pick<Names, 'engine' | 'mine'>): Query {
  const {state, by, isOnItsWay} = engine.resend
  const columns = columnsFor<Omit<ResendRow, 'isOnItsWay'>>({
    ...{id: 'r.id', runId: 'r.run_id', deliveryId: 'r.delivery_id', orderId: 'r.order_id', event: 'r.event'},
    ...{kind: 'r.kind', orderNo: 'r.order_no', intentAtMs: 'r.intent_at_ms', skewMs: 'r.skew_ms', state, by},
    ...{sentAtMs: 'r.sent_at_ms', baselineAttempts: 'r.baseline_attempts'},
    ...{baselineSentAt: 'r.baseline_sent_at', baselineStatus: 'r.baseline_status'},
    ...{baselineNextRetryAt: 'r.baseline_next_retry_at', baselineResponseCode: 'r.baseline_response_code'},
    ...{responseCode: 'r.response_code', detail: 'r.detail', overrides: 'r.overrides', cause: 'r.cause'},
  })
  return sql`SELECT ${part(columns)}, CASE WHEN ${part(isOnItsWay)} THEN 1 ELSE 0 END AS "isOnItsWay"
    FROM ${engine.table('resends')} AS r WHERE ${mine('r')}`
}

/**
 * What was resent of an order's event: by `order_id`, in any case, and by the merchant's number, for `order_id` may be
 * one of the delivery (A9). An order of the other kind may carry the same number.
 */
export function selectResendsOf(
  store: Pick<Names, 'engine' | 'mine'>,
  {orderId, orderNo, kind}: Pick<NewResend, 'orderId' | 'orderNo' | 'kind'>,
): Query {
  return sql`${selectResends(store)} AND (lower(r.order_id) = lower(${orderId})
    OR r.order_no = ${orderNo || null} AND (CAST(${kind} AS TEXT) IS NULL OR r.kind IS NULL OR r.kind = ${kind})) ORDER BY r.id`
}

export function resendKey(orderId: string, event: string): string {
  return JSON.stringify([orderId.toLowerCase(), event])
}

type Refusal = Exclude<ResendClaim, {claimed: true}>

/**
 * Claims the one resend of an order's event that a run may make: the intent is on the disk when this returns. What any
 * other run resent is looked at in the same transaction, so that of two at once one is refused (P4, P5).
 */
export function claimResend(db: Database, intent: NewResend, time: MeasuredTime): ResendClaim {
  function* steps(): Steps<ResendClaim> {
    const {refusal, unsentId} = yield* weighingResend(sqliteNames, intent, time)
    if (refusal) return refusal
    const [made] = yield unsentId === null
      ? insertIntent(sqliteNames, intent, time)
      : claimAgain(unsentId, intent, time)
    return {claimed: true, id: Number(made?.id)}
  }
  return walk(db, steps())
}

/** Why a resend may not be claimed; and what the run claimed of it before that never left. */
export function* weighingResend(
  names: Names,
  intent: NewResend,
  time: MeasuredTime,
): Steps<{readonly refusal: Refusal | null; readonly unsentId: number | null}> {
  const {runId, orderId, event} = intent
  const {engine, mine} = names
  const [running] = yield sql`SELECT 1 AS one FROM ${engine.table('runs')} AS r
    WHERE ${mine('r')} AND id = ${runId} AND status = 'running'`
  if (running === undefined) throw defect(`The run ${escapeInvisible(runId)} is not running.`)
  const rows = (yield selectResendsOf(names, intent))
    .map(resendOf)
    .filter((row) => mayBeSameEvent(row.event, event))
  const ofRun = rows.filter((row) => row.runId === runId)
  const own = ofRun.filter((row) => row.orderId === orderId && row.event === event)
  if (own.some(({state}) => state !== 'not_sent'))
    throw defect(
      `A second resend of ${escapeInvisible(event)} for order ${escapeInvisible(orderId)} in one run.`,
    )
  const other = ofRun.find(({state}) => state !== 'not_sent')
  const refusal = other
    ? ({claimed: false, because: 'recently_resent', atMs: other.intentAtMs, by: other.by} as const)
    : ((yield* leftAlone(names, intent, time)) ??
      (yield* listedToBook(names, intent)) ??
      whyNot(earlierOf(rows), intent, time))
  return {refusal, unsentId: own[0]?.id ?? null}
}

/** Findings of an order, as `f`; its kind may not be known. */
const isOfOrder = ({kind, orderNo}: NewResend) =>
  sql`f.order_no = ${orderNo} AND (CAST(${kind} AS TEXT) IS NULL OR f.kind = ${kind})`

/** What a person said of the order holds it at the send as well, not only when it was planned. */
function* leftAlone({engine, mine}: Names, intent: NewResend, time: MeasuredTime): Steps<LeftAlone | null> {
  const [row] =
    yield sql`SELECT ignored_by AS by, reason, ignored_at_ms AS "atMs", expires_at_ms AS "expiresAtMs"
      FROM ${engine.table('ignores')} AS r JOIN ${engine.table('findings')} AS f ON f.id = r.finding_id
      WHERE ${mine('r')} AND ${isOfOrder(intent)} AND r.id > ${intent.wordsKnown ?? 0}
        AND removed_at_ms IS NULL AND expires_at_ms > ${earliestNow(time)} ORDER BY r.id DESC LIMIT 1`
  return row ? ({...row, claimed: false, because: 'left_alone'} as unknown as LeftAlone) : null
}

/** As `listedBy` of an open finding, and for a resend that was planned before. */
function* listedToBook({engine, mine}: Names, intent: NewResend): Steps<Refusal | null> {
  if (intent.overrides.includes('include-delivered')) return null
  const [row] = yield sql`SELECT 1 AS one FROM ${engine.table('findings')} AS f
    WHERE ${mine('f')} AND ${isOfOrder(intent)} AND healed_ms IS NULL AND said LIKE '%"book %' LIMIT 1`
  return row ? {claimed: false, because: 'to_book', by: null} : null
}

function whyNot(
  earlier: EarlierResend | null,
  {deliveryId: id, overrides, ...intent}: NewResend,
  time: MeasuredTime,
): Refusal | null {
  if (!earlier) return null
  const {baselineStatus: status, baselineAttempts: attempts, baselineSentAt: sentAt} = intent
  const {atMs, by} = earlier
  const record = {id, status, attempts, sentAt}
  if (stateBy(earlier, record) === 'unknown') {
    return overrides.includes('retry-unknown') ? null : {claimed: false, because: 'resend_in_doubt', atMs, by}
  }
  const isHeld = isCoolingDown(earlier, record, time) && !overrides.includes('ignore-cooldown')
  return isHeld ? {claimed: false, because: 'recently_resent', atMs, by} : null
}

function intentValues(intent: NewResend, {skewMs}: MeasuredTime): Readonly<Record<string, unknown>> {
  return {
    ...{run_id: intent.runId, delivery_id: intent.deliveryId, order_id: intent.orderId, event: intent.event},
    ...{kind: intent.kind, order_no: intent.orderNo, intent_at_ms: intent.intentAtMs, state: 'intent'},
    ...{baseline_attempts: intent.baselineAttempts, baseline_sent_at: intent.baselineSentAt},
    ...{baseline_status: intent.baselineStatus, baseline_next_retry_at: intent.baselineNextRetryAt},
    ...{baseline_response_code: intent.baselineResponseCode, overrides: JSON.stringify(intent.overrides)},
    ...{cause: intent.cause, skew_ms: skewMs === null ? null : Math.round(skewMs)},
  }
}

/** `sender`: what an engine keeps of a claim besides, by column. */
export function insertIntent(
  {into, first}: Names,
  intent: NewResend,
  time: MeasuredTime,
  sender: Readonly<Record<string, unknown>> = {},
): Query {
  const values = {...intentValues(intent, time), ...sender}
  return sql`INSERT INTO ${into('resends', Object.keys(values).join(', '))}
    VALUES (${first}${listed(Object.values(values))}) RETURNING id`
}

/** What never left is claimed again as if it had never been claimed: the newest row, measured against the record of now. */
function claimAgain(id: number, intent: NewResend, time: MeasuredTime): Query {
  const gone = {never_left: 0, sent_at_ms: null, response_code: null, detail: null}
  return sql`UPDATE resends SET ${assigned({...intentValues(intent, time), ...gone})},
    id = (SELECT max(id) + 1 FROM resends) WHERE id = ${id} RETURNING id`
}

/** `isRepeat`: it may be recorded already. */
export function* recordingResend(
  {engine, mine}: Names,
  id: number,
  state: ResendRowState,
  {sentAtMs, responseCode = null, detail = null}: ResendUpdate,
  isRepeat = false,
): Steps<void> {
  const resends = engine.table('resends')
  const [row] =
    yield sql`SELECT ${part(engine.resend.state)} AS state FROM ${resends} AS r WHERE ${mine('r')} AND id = ${id}`
  const from = row?.state as ResendRowState | undefined
  if (from === undefined) throw defect(`There is no resend ${id}.`)
  if (isRepeat && from === state) return
  if (!resendMoves[from].includes(state)) throw defect(`A resend that is "${from}" cannot become "${state}".`)
  yield sql`UPDATE ${resends} AS r SET ${assigned(engine.resendState(state))}, sent_at_ms = coalesce(${sentAtMs ?? null}, sent_at_ms),
    response_code = coalesce(${responseCode}, response_code), detail = coalesce(${detail}, detail)
    WHERE ${mine('r')} AND id = ${id}`
}

export type FindEarlierResend = (
  orderId: string,
  event: string,
  exceptRunId: string | null,
  order?: NumberedOrder,
) => EarlierResend | null

/** All that was ever resent, at one time. */
export interface ResendHistory {
  /** What resends of any run but that one come to; null where none may have reached the merchant. */
  readonly earlier: FindEarlierResend
  /** Of the orders (`orderKey`) whose resends, of any run, come to a delivered webhook, when the last one was sent. */
  readonly delivered: () => ReadonlyMap<string, number>
  /** The resends of a number, of that kind as far as it is known. */
  readonly of: (order: NumberedOrder) => readonly ResendRow[]
}

/** `rows`: the oldest first. */
export function historyOf(rows: readonly ResendRow[]): ResendHistory {
  const byOrder = Map.groupBy(rows, ({orderId}) => orderId.toLowerCase())
  const byNumber = Map.groupBy(rows, ({orderNo}) => orderNo ?? '')
  const of: ResendHistory['of'] = ({orderNo, kind: asked}) => {
    const numbered = orderNo ? (byNumber.get(orderNo) ?? []) : []
    return numbered.filter(({kind}) => kind === null || asked === null || kind === asked)
  }
  return {
    of,
    earlier: (orderId, event, exceptRunId, order = {kind: null, orderNo: null}) => {
      const ofOrder = new Set([...(byOrder.get(orderId.toLowerCase()) ?? []), ...of(order)])
      const isOfEvent = (row: ResendRow) => row.runId !== exceptRunId && mayBeSameEvent(row.event, event)
      return earlierOf([...ofOrder].filter(isOfEvent).sort((a, b) => a.id - b.id))
    },
    delivered: () => deliveredOrders(rows),
  }
}

/** The merchant's number of an order; its kind is null where it is not known. */
export type NumberedOrder = Pick<NewResend, 'kind' | 'orderNo'>

/**
 * What several resends of one event come to: the newest that left this machine. One that was refused takes no doubt back
 * that was there before it. Its time is that of the latest of all, whatever the clock has been set to since.
 */
export function earlierOf(rows: readonly ResendRow[]): EarlierResend | null {
  const left = rows.filter(({state}) => state !== 'not_sent')
  const last = left.at(-1)
  if (!last) return null
  const decides = left.findLast(({state}) => state !== 'refused') ?? last
  const newest = stateOf(decides) === 'unknown' ? decides : last
  const sentMs = (row: ResendRow) => row.sentAtMs ?? row.intentAtMs
  const atMs = Math.max(...left.map(sentMs))
  return {
    state: stateOf(newest),
    atMs,
    skewMs: left.some(({skewMs}) => skewMs === null)
      ? null
      : Math.max(0, ...left.map((row) => Math.abs(row.skewMs ?? 0) - (atMs - sentMs(row)))),
    deliveryId: newest.deliveryId,
    ...{by: newest.by, isOnItsWay: newest.isOnItsWay},
    baseline: baselineOf(newest),
  }
}

/** Of the orders whose resends come to a delivered webhook, when the last one was sent. */
function deliveredOrders(all: readonly ResendRow[]): ReadonlyMap<string, number> {
  const rows = all.filter(({orderNo, event}) => orderNo !== null && mayBeSameEvent(event, completedEvent))
  return new Map(
    [...Map.groupBy(rows, ({orderNo}) => orderNo ?? '')].flatMap(([orderNo, theirs]) =>
      orderKinds.flatMap((kind) => {
        const come = earlierOf(theirs.filter((row) => row.kind === null || row.kind === kind))
        return come?.state === 'delivered' ? [[orderKey({kind, orderNo}), come.atMs] as const] : []
      }),
    ),
  )
}

/** The record as it stood before the resend. */
export function baselineOf(row: ResendRow): ResendBaseline {
  return {attempts: row.baselineAttempts, sentAt: row.baselineSentAt, nextRetryAt: row.baselineNextRetryAt}
}

function stateOf({state}: ResendRow): EarlierResend['state'] {
  switch (state) {
    case 'delivered':
    case 'still_failing':
    case 'refused':
    case 'accepted':
      return state
    // An intent without an answer: the process died in between, and nobody knows (P6).
    case 'intent':
    case 'unknown':
    case 'not_sent':
      return 'unknown'
  }
}

export function resendOf(row: Row): ResendRow {
  const [overrides, isOnItsWay] = [JSON.parse(String(row.overrides)), row.isOnItsWay === 1]
  return {...row, overrides, isOnItsWay} as unknown as ResendRow
}

function defect(message: string): Failure {
  return new Failure('bug', message, 'Nothing was sent. Please report this with the id of the run.')
}
