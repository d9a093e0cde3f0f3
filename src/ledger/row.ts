import {Failure} from '../core/failure.ts'
import {formatPaisa} from '../core/money.ts'
import {type OrderKind, type OrderState, orderKinds, orderStates} from '../core/order.ts'
import {foldWord, isOneOf} from '../core/order-no-fold.ts'
import type {LedgerMapping} from '../core/profile.ts'
import {corruptionOf} from '../core/reconcile/corruption.ts'
import type {Corruption, LedgerEntry, UnreadableCause, UnreadableRow} from '../core/reconcile/entry.ts'
import {digitsOf, mayHaveBeen} from '../core/reconcile/like-amount.ts'
import {amountIn, readLedgerAmount} from './amount.ts'
import type {CurrencyColumn} from './currency.ts'
import type {Header} from './header.ts'
import {orderNoFault} from './order-no.ts'
import {quoteCell} from './quotation.ts'

export type Row =
  | {readonly ok: true; readonly entry: LedgerEntry}
  | {readonly ok: false; readonly problem: UnreadableRow}
  | OtherRow

/** No order, by the merchant's words for kinds. */
interface OtherRow {
  readonly ok: 'other'
  readonly word: string
}

export type ReadRow = (cells: readonly string[], line: number) => Row

type Cell<T> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly detail: string}

/** Makes a reader for the rows of one file. `kind` is used without a `kind` column, and for blank cells in it. */
export function rowReader(
  header: Header,
  mapping: LedgerMapping,
  kind: OrderKind | null,
  file: number,
  currency: CurrencyColumn,
): ReadRow {
  const {at} = header
  const readStatus = remembering(statusReader(header, mapping))
  const readKind = remembering(kindReader(header, mapping, kind))
  const textOf = (cells: readonly string[], place = -1): string | null => cells[place] ?? null
  const refuse = (
    cells: readonly string[],
    line: number,
    cause: UnreadableCause,
    detail: string,
    of?: OrderKind,
    corruption?: Corruption | null,
  ): Row => {
    const orderNo = textOf(cells, at.order_no) ?? ''
    const isBlank = orderNo.trim() === ''
    const isKnown = !isBlank && orderNoFault(orderNo) === null
    const like = cause === 'amount_unreadable' && {amount: mayHaveBeen(textOf(cells, at.amount) ?? '')}
    // A blank amount in another currency belongs to no order.
    const isAny = cause !== 'currency_other' || (textOf(cells, at.amount) ?? '').trim() !== ''
    const {anyOrder, hasFigures} = amountOfAny(cells, header, isBlank)
    const any = like || (isAny && anyOrder)
    const isWhole = cells.length === header.cells.length
    const status = isWhole || at.status === undefined ? readStatus(textOf(cells, at.status)) : null
    const stated = of === undefined && isWhole ? readKind(textOf(cells, at.kind)) : null
    const players = cellsOf(cells, header, at.player_ref).filter((cell) => cell.trim() !== '')
    const isBooked = status?.ok ? status.value === 'completed' : null
    const isStated = at.status !== undefined && isWhole && isBooked === true
    return {
      ok: false,
      problem: {
        ...{line, file, cause, detail, orderNo: isKnown ? orderNo : null},
        ...(!isKnown && !isBlank && {rawOrderNo: orderNo}),
        ...(any && {anyOrder: any}),
        ...(any && isBooked !== false && (isStated || hasFigures) && {mayBeBooking: true}),
        ...(of && {kind: of}),
        ...(stated?.ok === true && {statedKind: stated.value}),
        ...(status?.ok && {status: status.value}),
        ...(players.length > 0 && {players: players.join('\n')}),
        ...(corruption && {corruption}),
      },
    }
  }
  const ofAll = at.kind === undefined ? readKind(null) : null
  const kindOfAll = ofAll?.ok === true ? ofAll.value : undefined
  // With a million rows, each object and each pattern costs time.
  return (cells, line) => {
    if (cells.length !== header.cells.length)
      return refuse(cells, line, 'column_count', countDetail(cells, header), kindOfAll)
    const rowKind = readKind(textOf(cells, at.kind))
    if (rowKind.ok === 'other') return rowKind
    // Before its number, which rows of bonuses often lack.
    if (!rowKind.ok && (textOf(cells, at.kind) ?? '').trim() !== '')
      return refuse(cells, line, 'kind_unknown', rowKind.detail)
    const orderNo = textOf(cells, at.order_no) ?? ''
    if (orderNo.trim() === '')
      return refuse(cells, line, 'order_no_missing', `${header.found.order_no} is blank.`)
    const fault = orderNoFault(orderNo)
    if (fault !== null) {
      const corruption = corruptionOf('order_no', orderNo)
      return refuse(cells, line, 'order_no_malformed', fault, undefined, corruption)
    }
    if (!rowKind.ok) return refuse(cells, line, 'kind_unknown', rowKind.detail)
    const status = readStatus(textOf(cells, at.status))
    if (!status.ok) return refuse(cells, line, 'status_unknown', status.detail, rowKind.value)
    const stated = textOf(cells, at.amount) ?? ''
    const amount = readLedgerAmount(stated)
    if (!amount.ok) {
      const corruption = corruptionOf('amount', stated)
      return refuse(cells, line, 'amount_unreadable', `${amount.reason}.`, rowKind.value, corruption)
    }
    const otherCurrency = currency.faultOf(cells, amount.paisa !== null)
    if (otherCurrency !== null) return refuse(cells, line, 'currency_other', otherCurrency, rowKind.value)
    return {
      ok: true,
      entry: {
        line,
        file,
        kind: rowKind.value,
        orderNo,
        status: status.value,
        amount: amount.paisa,
        playerRef: textOf(cells, at.player_ref) || null,
        platformOrderNo: textOf(cells, at.platform_order_no) || null,
      },
    }
  }
}

/** A column of words has fewer different texts. */
const wordsMax = 100

/** Caches the result for each word. */
function remembering<T>(read: (cell: string | null) => T): (cell: string | null) => T {
  const known = new Map<string | null, T>()
  return (cell) => {
    const seen = known.get(cell)
    if (seen !== undefined) return seen
    const result = read(cell)
    if (known.size < wordsMax) known.set(cell, result)
    return result
  }
}

/** What may still identify the order of a row, null for a spacer row without number and amount; and whether it has an amount. */
function amountOfAny(
  cells: readonly string[],
  header: Header,
  isBlank: boolean,
): {readonly anyOrder: UnreadableRow['anyOrder'] | null; readonly hasFigures: boolean} {
  const more = cells.length - header.cells.length
  const stated = cellsOf(cells, header, header.at.amount)
  const amounts = stated.flatMap((cell) => amountIn(cell) ?? [])
  const [own] = amounts
  if (own !== undefined && more === 0) return {anyOrder: {amount: formatPaisa(own)}, hasFigures: true}
  const isAmount = (cell: string | undefined) => amountIn(cell ?? '') !== null
  // A delimiter may be inside the amount; at the end of a row that is too short it may be cut off.
  if (own !== undefined && (more > 0 || !isAmount(cells.at(-1)))) {
    const whole = amountIn(stated.join(',')) ?? own
    const amount = [...new Set([...amounts, whole].map(digitsOf))].join(' ')
    return {anyOrder: {amount}, hasFigures: true}
  }
  const isStated = more === 0 ? stated.some((cell) => cell.trim() !== '') : cells.some(isAmount)
  return {
    anyOrder: isBlank && !isStated ? null : {amount: null},
    hasFigures:
      more < 0
        ? cells.some((cell, place) => place !== header.at.order_no && isAmount(cell))
        : header.at.amount === undefined
          ? more === 0
          : stated.some((cell) => /\p{Nd}/u.test(cell)),
  }
}

/** The cells that may be those of a column: in a row with too many, the next ones as well. */
function cellsOf(cells: readonly string[], header: Header, place: number | undefined): readonly string[] {
  if (place === undefined) return []
  const more = cells.length - header.cells.length
  return cells.slice(Math.max(0, Math.min(place, place + more)), Math.max(place, place + more) + 1)
}

function countDetail(cells: readonly string[], header: Header): string {
  const detail = `${cells.length} fields where the header has ${header.cells.length}`
  return cells.length > header.cells.length
    ? `${detail}. There may be a delimiter inside an unquoted field.`
    : `${detail}.`
}

function kindReader(
  header: Header,
  {kinds}: LedgerMapping,
  stated: OrderKind | null,
): (cell: string | null) => Cell<OrderKind> | OtherRow {
  const hasColumn = header.at.kind !== undefined
  return (cell) => {
    const word = (cell ?? '').trim()
    const means = (kind: OrderKind | 'other') => isOneOf(kinds[kind], word)
    if (means('other')) return {ok: 'other', word}
    const kind = orderKinds.find(means)
    if (kind !== undefined) return {ok: true, value: kind}
    if (word !== '') {
      const hint = 'List it under deposit, payout or other (no order) in [profiles.NAME.ledger] kind.'
      return {ok: false, detail: `kind ${quoteCell(word)} is neither deposit nor payout. ${hint}`}
    }
    if (stated !== null) return {ok: true, value: stated}
    if (!hasColumn) return {ok: true, value: 'deposit'}
    return {ok: false, detail: 'kind is blank; give --kind deposit or --kind payout for blank cells.'}
  }
}

/** A ledger without a `status` column lists credits, so every row is completed (docs/configuration.md#your-ledger). */
function statusReader(header: Header, mapping: LedgerMapping): (cell: string | null) => Cell<OrderState> {
  if (header.at.status === undefined) return () => ({ok: true, value: 'completed'})
  const stateOf = new Map<string, OrderState>()
  for (const state of orderStates) {
    for (const word of mapping.status[state]) {
      const other = stateOf.get(foldWord(word))
      if (other !== undefined && other !== state) throw twoMeanings(word, other, state)
      stateOf.set(foldWord(word), state)
    }
  }
  return (cell) => {
    const word = foldWord(cell ?? '')
    const value = stateOf.get(word)
    if (value !== undefined) return {ok: true, value}
    const detail =
      word === ''
        ? 'status is blank.'
        : `status ${quoteCell((cell ?? '').trim())} is unknown. List it under completed, open or failed in [profiles.NAME.ledger] status.`
    return {ok: false, detail}
  }
}

function twoMeanings(word: string, one: OrderState, other: OrderState): Failure {
  return new Failure(
    'config_invalid',
    `the ledger status ${quoteCell(word)} is in the lists of both ${one} and ${other}`,
    'Keep it in one of the lists in [profiles.NAME.ledger] status.',
  )
}
