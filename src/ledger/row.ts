import {Failure} from '../core/failure.ts'
import {formatPaisa} from '../core/money.ts'
import {type OrderKind, type OrderState, orderKinds, orderStates} from '../core/order.ts'
import type {LedgerColumn, LedgerMapping} from '../core/profile.ts'
import {corruptionOf} from '../core/reconcile/corruption.ts'
import type {Corruption, LedgerEntry, UnreadableCause, UnreadableRow} from '../core/reconcile/entry.ts'
import {mayHaveBeen} from '../core/reconcile/like-amount.ts'
import {amountIn, readLedgerAmount} from './amount.ts'
import type {Header} from './header.ts'
import {orderNoFault} from './order-no.ts'
import {quoteCell} from './quotation.ts'

/** An entry but for what only the file knows: its line and its place in the list of files. */
export type Row =
  | {readonly ok: true; readonly entry: Omit<LedgerEntry, 'line' | 'file'>}
  | {readonly ok: false; readonly problem: Omit<UnreadableRow, 'line' | 'file'>}

type Cell<T> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly detail: string}

/** A reader of one file's rows. `kind` stands in where there is no `kind` column or its cell is blank. */
export function rowReader(
  header: Header,
  mapping: LedgerMapping,
  kind: OrderKind | null,
): (cells: readonly string[]) => Row {
  const readStatus = statusReader(header, mapping)
  const readKind = kindReader(header, kind)
  return (cells) => {
    const text = (column: LedgerColumn): string | null => cells[header.at[column] ?? -1] ?? null
    const orderNo = text('order_no') ?? ''
    const isBlank = orderNo.trim() === ''
    const fault = isBlank ? null : orderNoFault(orderNo)
    const known = isBlank || fault !== null ? null : orderNo
    const raw = isBlank || known !== null ? null : orderNo
    const refuse = (
      cause: UnreadableCause,
      detail: string,
      of?: OrderKind,
      corruption?: Corruption | null,
    ): Row => {
      const like = cause === 'amount_unreadable' && {amount: mayHaveBeen(text('amount') ?? '')}
      const any = like || amountOfAny(cells, header, isBlank)
      const isWhole = cells.length === header.cells.length || header.at.status === undefined
      const status = isWhole ? readStatus(text('status')) : null
      return {
        ok: false,
        problem: {
          ...{cause, detail, orderNo: known},
          ...(raw !== null && {rawOrderNo: raw}),
          ...(any && {anyOrder: any}),
          ...(of && {kind: of}),
          ...(status?.ok && {status: status.value}),
          ...(corruption && {corruption}),
        },
      }
    }
    if (cells.length !== header.cells.length) return refuse('column_count', countDetail(cells, header))
    if (isBlank) return refuse('order_no_missing', `${header.found.order_no} is blank.`)
    if (fault !== null)
      return refuse('order_no_malformed', fault, undefined, corruptionOf('order_no', orderNo))
    const rowKind = readKind(text('kind'))
    if (!rowKind.ok) return refuse('kind_unknown', rowKind.detail)
    const status = readStatus(text('status'))
    if (!status.ok) return refuse('status_unknown', status.detail, rowKind.value)
    const stated = text('amount') ?? ''
    const amount = readLedgerAmount(stated)
    if (!amount.ok) {
      return refuse('amount_unreadable', `${amount.reason}.`, rowKind.value, corruptionOf('amount', stated))
    }
    return {
      ok: true,
      entry: {
        kind: rowKind.value,
        orderNo,
        status: status.value,
        amount: amount.paisa,
        playerRef: text('player_ref') || null,
        platformOrderNo: text('platform_order_no') || null,
      },
    }
  }
}

/** What is left to tell the order of a row by; null where a row without a number has no amount either, as a spacer. */
function amountOfAny(
  cells: readonly string[],
  header: Header,
  isBlank: boolean,
): UnreadableRow['anyOrder'] | null {
  const isWhole = cells.length === header.cells.length
  const own = header.at.amount === undefined || !isWhole ? null : amountIn(cells[header.at.amount] ?? '')
  if (own !== null) return {amount: formatPaisa(own)}
  const stated = isWhole
    ? (cells[header.at.amount ?? -1] ?? '').trim() !== ''
    : cells.some((cell) => amountIn(cell) !== null)
  return isBlank && !stated ? null : {amount: null}
}

function countDetail(cells: readonly string[], header: Header): string {
  const detail = `${cells.length} fields where the header has ${header.cells.length}`
  return cells.length > header.cells.length
    ? `${detail}. There may be a delimiter inside an unquoted field.`
    : `${detail}.`
}

function kindReader(header: Header, stated: OrderKind | null): (cell: string | null) => Cell<OrderKind> {
  const hasColumn = header.at.kind !== undefined
  return (cell) => {
    const word = (cell ?? '').trim()
    const kind = orderKinds.find((name) => name === word.toLowerCase())
    if (kind !== undefined) return {ok: true, value: kind}
    if (word !== '') return {ok: false, detail: `kind ${quoteCell(word)} is neither deposit nor payout.`}
    if (stated !== null) return {ok: true, value: stated}
    if (!hasColumn) return {ok: true, value: 'deposit'}
    return {ok: false, detail: 'kind is blank; --kind deposit or --kind payout stands in for blank cells.'}
  }
}

/** Without a `status` column the ledger holds credits, so every row is completed (docs/configuration.md#your-ledger). */
function statusReader(header: Header, mapping: LedgerMapping): (cell: string | null) => Cell<OrderState> {
  if (header.at.status === undefined) return () => ({ok: true, value: 'completed'})
  const stateOf = new Map<string, OrderState>()
  for (const state of orderStates) {
    for (const word of mapping.status[state]) {
      const other = stateOf.get(folded(word))
      if (other !== undefined && other !== state) throw twoMeanings(word, other, state)
      stateOf.set(folded(word), state)
    }
  }
  return (cell) => {
    const word = folded(cell ?? '')
    const value = stateOf.get(word)
    if (value !== undefined) return {ok: true, value}
    const detail =
      word === ''
        ? 'status is blank.'
        : `status ${quoteCell((cell ?? '').trim())} is unknown. List it under completed, open or failed in [profiles.NAME.ledger] status.`
    return {ok: false, detail}
  }
}

/** Case and the two ways Unicode spells some Bengali letters do not matter in the merchant's own words. */
function folded(word: string): string {
  return word.trim().normalize('NFC').toLowerCase()
}

function twoMeanings(word: string, one: OrderState, other: OrderState): Failure {
  return new Failure(
    'config_invalid',
    `the ledger status ${quoteCell(word)} is listed under both ${one} and ${other}`,
    'Leave it in one of the lists in [profiles.NAME.ledger] status.',
  )
}
