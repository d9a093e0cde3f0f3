import {formatPaisa, type Paisa} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {playerName} from '../../core/player-name.ts'
import type {LedgerContents} from '../../core/profile.ts'
import {namesAnother} from '../../core/reconcile/classify.ts'
import type {BookedRow, UnreadableRow} from '../../core/reconcile/entry.ts'
import {isDuplicate} from '../../core/reconcile/orders.ts'
import {startOfDay, startOfNextDay} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {LedgerEnd, SeenRow} from '../../journal/memory-rows.ts'
import type {Ledger, LedgerFile} from '../../ledger/ledger.ts'
import type {NamedOrder} from '../../ledger/name-index.ts'
import type {Staging} from '../../staging/staging.ts'
import type {UnexplainedRow} from '../../staging/unexplained-rows.ts'
import {amountOf} from '../resend/unexplained-bookings.ts'
import {isFinal} from './final-orders.ts'
import type {MaybeMarked} from './marked-rows.ts'
import {timeOf} from './rows-again.ts'

/** The ledger that a run, a dry run or a plan saw. */
export interface SeenLedger {
  readonly ledger: Ledger
  readonly staging: Staging
  /** Used for a ledger without times. */
  readonly untilMs: number | null
  /** From the profile. */
  readonly holds: LedgerContents | null
  readonly runId: string
  readonly nowMs: number
}

/**
 * Remembers rows that were, or may have been, booked or given back and did not match, so that no later run resends an
 * order that they may be. Matched rows are remembered when they are answered.
 */
export async function rememberRows(
  {ledger, staging, untilMs, holds, runId, nowMs}: SeenLedger,
  journal: Pick<Journal, 'recordRowsSeen' | 'fingerprint'>,
): Promise<void> {
  const time = ledgerEnd({ledger, untilMs, nowMs})
  const digestsOf = (players?: string | null) =>
    players
      ?.split('\n')
      .map((player) => journal.fingerprint(playerName(player)))
      .join('\n')
  await journal.recordRowsSeen(runId, time, rowsSeen(staging, ledger.files, holds, digestsOf))
}

export function ledgerEnd({
  ledger,
  untilMs,
  nowMs,
}: Pick<SeenLedger, 'ledger' | 'untilMs' | 'nowMs'>): LedgerEnd {
  const ends = ledger.window.ok ? ledger.window.toMs : untilMs && untilMs - 1
  return {toMs: Math.min(ends ?? nowMs, nowMs), isKnown: ends !== null}
}

function* rowsSeen(
  staging: Staging,
  files: readonly LedgerFile[],
  holds: LedgerContents | null,
  digestsOf: (players?: string | null) => string | undefined,
): Generator<SeenRow> {
  const hasCredits = holdsCredits(files, holds)
  for (const {order, side} of staging.answers.undecided()) {
    const [first] = order.entries
    if (first && side?.is === 'found' && !isDuplicate(order) && isFinal(first, side.order)) continue
    const isAnswered = side !== null && side.is !== 'no_answer'
    for (const entry of order.entries) {
      const {status, kind: stated, orderNo, line, file, amount, playerRef, createdMs} = entry
      if (status !== 'completed') continue
      const isExplained = side?.is === 'found' && !isUnpaid(entry, side.order, isDuplicate(order), hasCredits)
      const anyOrder = isExplained ? undefined : {amount: amount === null ? null : formatPaisa(amount)}
      // Without an answer it is unknown whether the service has the number under this kind.
      const kind = isAnswered ? stated : null
      const isBeginning = isCutOff(files, {file, line})
      const players = anyOrder && digestsOf(playerRef)
      const time = anyOrder && createdMs !== undefined ? timeOf({createdMs, amount}, staging) : {}
      yield {kind, orderNo, line, anyOrder, isBeginning, isBooked: true, players, ...time}
      yield* byPlatform(entry)
    }
  }
  // The money held for a payout is given back if its row fails.
  for (const entry of staging.answers.failedAlone()) {
    const {kind, orderNo, line, file} = entry
    yield {kind, orderNo, line, isBeginning: isCutOff(files, {file, line}), isBooked: false}
    yield* byPlatform(entry)
  }
  for (const {of, ...row} of unreadableNumbers(staging)) {
    const {kind, orderNo, line, isBeginning = false, anyOrder, createdMs} = row
    const {status, mayBeBooking, statedKind = null} = of
    const isUnnamed = mayBeBooking === true && of.orderNo === null
    yield {
      ...{orderNo, line, isBeginning, isBooked: status === 'completed' || isUnnamed},
      ...(mayBeBooking ? {kind: kind ?? statedKind, anyOrder, players: digestsOf(of.players)} : {kind}),
      ...(anyOrder && createdMs !== undefined && timeOf({createdMs, amount: amountOf({anyOrder})}, staging)),
    }
  }
  for (const row of doubtfulTotals(files)) yield {...row, isBeginning: false, isBooked: false}
}

/** Rows may also name their order by the platform's number. */
function* byPlatform({platformOrderNo, line, status}: BookedRow): Generator<SeenRow> {
  if (platformOrderNo)
    yield {
      ...{kind: null, orderNo: platformOrderNo, line},
      ...{isBeginning: false, isBooked: status === 'completed'},
    }
}

/**
 * Whether a row credits money that its own order does not explain: unpaid, another amount, or booked twice. In a list
 * of orders each has its row from the beginning, so a row with its own order's amount is always explained.
 */
export function isUnpaid(
  entry: BookedRow,
  order: ServiceOrder,
  isShared: boolean,
  hasCredits: boolean,
): boolean {
  if (entry.status !== 'completed' || (!isShared && isFinal(entry, order))) return false
  const isOwn = entry.amount !== null && entry.amount === order.amount && !namesAnother(entry, order)
  return hasCredits || isShared || !isOwn
}

/** Whether a row means a booking: as the profile says, else if there is no status column. */
export function holdsCredits(
  files: readonly Pick<LedgerFile, 'columns'>[],
  holds: LedgerContents | null,
): boolean {
  const hasStatus = files.some(({columns}) => columns.status !== undefined)
  return (holds ?? (hasStatus ? 'orders' : 'credits')) === 'credits'
}

interface UnreadableNumber extends UnexplainedRow {
  readonly of: UnreadableRow
}

/** The unreadable rows with a number, or an amount that any order may have. */
export function* unreadableNumbers(staging: Staging): Generator<UnreadableNumber> {
  for (const row of staging.ledger.unreadableRows()) {
    const {line, file, kind = null, anyOrder, isBeginning, players, createdMs} = row
    const orderNo = row.orderNo ?? row.rawOrderNo ?? (anyOrder && '')
    if (orderNo === undefined) continue
    const of = {of: row, players, createdMs}
    yield {line, file, kind, isOfAnyKind: true, orderNo, isBooked: false, anyOrder, isBeginning, ...of}
  }
}

/** Days begin at a quarter of an hour in every time zone. */
const quarterMs = 15 * 60_000
const dayMs = 24 * 60 * 60_000

/** The rows of this run that nothing explains and that may be orders which somebody booked by hand. */
export function* unexplainedBookings(staging: Staging, timeZone: string): Generator<UnexplainedRow> {
  for (const {entry, side, isShared} of staging.answers.unexplained()) {
    const {amount, playerRef, ...row} = entry
    if (row.status !== 'completed') continue
    if (side?.is === 'found') {
      const {status, amount: paid} = side.order
      if (isShared && amount !== null && status === 'completed' && isDoubled(staging, entry, paid)) {
        const latestMs = row.createdMs === undefined ? undefined : row.createdMs + dayMs
        const said = {players: playerRef ?? undefined, anyOrder: {amount: formatPaisa(amount)}}
        yield {...row, ...said, latestMs, isBooked: true, isDoubled: true}
      }
      // Somebody may have added a lost order of the same player to it.
      const isMore = status === 'completed' && amount !== null && paid !== null && amount > paid
      if (row.kind !== 'deposit' || !(isMore || status === 'open' || status === 'failed')) continue
      const unpaid = isMore ? amount - paid : amount
      // In a ledger of orders its time is that of the order, and it was booked later.
      const latestMs = row.bookedMs ?? (row.createdMs === undefined ? undefined : row.createdMs + dayMs)
      const anyOrder = {amount: unpaid === null ? null : formatPaisa(unpaid)}
      const as = {isBooked: true, isUnpaid: isMore ? 'in part' : 'all'} as const
      yield {...row, latestMs, players: playerRef ?? undefined, anyOrder, ...as}
      continue
    }
    // A heading between the rows.
    if (amount === null && !playerRef && !/\p{Nd}/u.test(row.orderNo)) continue
    const anyOrder = {amount: amount === null ? null : formatPaisa(amount)}
    const {createdMs, latestMs} = row
    // Spreadsheets write a date without a time as midnight.
    const isDay =
      createdMs !== undefined && createdMs % quarterMs === 0 && startOfDay(createdMs, timeZone) === createdMs
    yield {
      ...row,
      latestMs: isDay ? startOfNextDay(createdMs, timeZone) - 1 : latestMs,
      players: playerRef ?? undefined,
      anyOrder,
      isBooked: true,
      isOfAnyKind: side?.is === 'absent',
    }
  }
  for (const {of, ...row} of unreadableNumbers(staging))
    if (of.mayBeBooking) yield {...row, kind: row.kind ?? of.statedKind ?? null}
}

/** Whether another row is the booking of its order: then this one may have a mistyped number. A copy of a row is no other. */
function isDoubled({ledger}: Staging, entry: BookedRow, paid: Paisa | null): boolean {
  const others = ledger
    .entriesOf(entry)
    .filter(({status, file, line}) => status === 'completed' && file === entry.file && line !== entry.line)
  const isCopied = others.some(
    ({amount, playerRef, createdMs}) =>
      amount === entry.amount && playerRef === entry.playerRef && createdMs === entry.createdMs,
  )
  const isOwn = entry.amount === paid && others.every(({amount}) => amount !== paid)
  return others.length > 0 && !isCopied && !isOwn
}

/** Enough rows to show what unpaid ones look like. */
export const unpaidMax = 10_000

/** Rows that are not booked, of orders about which the service said nothing that can be read. */
export function* unansweredRows({answers}: Staging): Generator<NamedOrder & MaybeMarked> {
  let count = 0
  for (const {order, side} of answers.undecided()) {
    const {kind, orderNo, entries} = order
    // A service that does not know it may know it tomorrow.
    const isRead = side?.is === 'found' && side.order.status !== 'unknown_status'
    if (isRead || entries.some(({status}) => status === 'completed')) continue
    if (++count > unpaidMax) return
    const {line = 0, file = 0} = entries[0] ?? {}
    yield {kind, orderNo, platformOrderNo: '', line, file}
  }
}

/**
 * Orders whose own row has words that may tell of a booking, before anybody knows that they are paid: their webhook may be lost
 * tomorrow, when this ledger is not read again. In a row that cannot be read the word may be its status, kind or amount.
 */
export function* ownWords(
  staging: Staging,
  notPaid: Iterable<Pick<SeenRow, 'kind' | 'orderNo'>>,
  mentions: ReadonlyMap<string, string>,
): Generator<Pick<SeenRow, 'kind' | 'orderNo'>> {
  for (const {kind, orderNo} of notPaid) if (mentions.has(orderNo)) yield {kind, orderNo}
  for (const row of staging.ledger.unreadableRows()) {
    const {orderNo, status, cause, kind = null, anyOrder, corruption} = row
    const isDamaged = cause === 'amount_unreadable' && (corruption !== undefined || anyOrder?.amount != null)
    if (orderNo !== null && status !== 'completed' && !isDamaged) yield {kind, orderNo}
  }
}

/** Rows read as totals, but not proven by both word and sum: each may be an order. */
export function* doubtfulTotals(files: readonly Pick<LedgerFile, 'totals'>[]): Generator<UnexplainedRow> {
  for (const [file, {totals}] of files.entries()) {
    for (const {line, label, amount, agrees} of totals) {
      if (label !== '' && agrees === true) continue
      const anyOrder = amount === null ? undefined : {amount: formatPaisa(amount)}
      if (label !== '' || anyOrder) yield {line, file, kind: null, orderNo: label, isBooked: false, anyOrder}
    }
  }
}

/** Whether a file may be cut off inside this row's number. */
export function isCutOff(
  files: readonly Pick<LedgerFile, 'endsMidLine' | 'lastLine'>[],
  {file, line}: {readonly file: number; readonly line: number},
): boolean {
  return files[file]?.endsMidLine === true && files[file].lastLine === line
}
