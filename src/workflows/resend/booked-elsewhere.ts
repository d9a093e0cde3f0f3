import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {foldOrderNo, foldsOf} from '../../core/order-no-fold.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {FinalOrder, RememberedRow} from '../../journal/memory-rows.ts'
import {saysNotBooked, saysOwnBooked} from '../../ledger/booking-words.ts'
import {saysMoneyBack} from '../../ledger/money-back.ts'
import {type NamedOrder, NameIndex} from '../../ledger/name-index.ts'
import {quoteCell} from '../../ledger/quotation.ts'
import {keyOfName, keysOfAmount, keysOfAnyOrder, keysOfNamed} from '../../staging/unexplained-rows.ts'
import {storedRuns} from '../stored-run.ts'

/** An order that is about to be resent, as far as it is known. */
export interface ResendCandidate extends Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'> {
  readonly kinds: readonly OrderKind[]
  /** Whether `platformOrderNo` is what the service answered with; a delivery record's may be another's. */
  readonly isAnswered: boolean
  /** Missing where it was not queried. */
  readonly amount?: ServiceOrder['amount']
  /** When it was made, or its webhook was: a ledger which ends later may have it. Null where that is not known. */
  readonly sinceMs?: number | null
  /** What this ledger has of it; of an order of another time a row of its own proves nothing. */
  readonly inLedger?: 'own row' | 'no row' | 'of another time'
}

interface OwnLedger {
  readonly window: MaybeWindow
  /** The time of the last row of any file with a row of this order; null where no time is known. */
  readonly endOf: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => number | null
  /** Digests of its files. */
  readonly sha256s: readonly string[]
  readonly names: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => boolean
}

/** What is remembered of all ledgers, read once. */
interface Remembered {
  readonly byKey: ReadonlyMap<string, readonly Key[]>
  /** The first text with numbers that names the order, by its own number. */
  readonly named: ReadonlyMap<string, RememberedRow>
  readonly sentences: readonly RememberedRow[]
  /** Runs that told of bookings; null for one that read no other file than this one does. */
  readonly toldMs: ReadonlyMap<string, number | null>
}

type BookingJournal = Pick<
  Journal,
  'findFinalOrders' | 'findFinalOrdersOf' | 'rowsSeen' | 'findRun' | 'itemEvents'
>

/**
 * A person's note on the order, or a run. `row` is null where that run matched the order, or where words in its ledger may say that it
 * is booked (`isNote`).
 */
export type SeenBooked =
  | {readonly by: string; readonly text: string}
  | {readonly by?: undefined; readonly runId: string; readonly row: string | null; readonly isNote?: true}

/** Whether a person's note says that the order is booked or its money went back; null if it says neither yes nor no. */
export function noteSaysBooked(text: string): boolean | null {
  if (saysOwnBooked(text, true) !== null || saysMoneyBack(text, true) !== null) return true
  return saysNotBooked(text) ? false : null
}

/** The note that holds it, and how a person takes it back. */
export function describeNote(
  {by, text}: {readonly by: string; readonly text: string},
  orderNo: string,
): string {
  return `${escapeInvisible(by, 120)} noted ${quoteCell(text)}. If it is not booked, note that: hisab items note ${quoteForShell(escapeInvisible(orderNo))} --text "not booked".`
}

interface Key {
  readonly key: string
  readonly row: RememberedRow
  /** The row's own text counts, not only what it may have been before the corruption. */
  readonly isOwn: boolean
}

/**
 * The one rule for every resend: an order that a ledger shows as booked, in another run or another row, is not resent
 * because its own row, or no row, says otherwise. It holds for every finding of that row: dry run, damaged,
 * unanswered, interrupted, duplicate, of another kind or amount.
 */
export class BookedElsewhere {
  private readonly journal: BookingJournal
  private readonly runId: string
  private readonly orders: () => Iterable<NamedOrder>
  private readonly own: OwnLedger | null
  private readonly counts: (row: RememberedRow) => boolean
  private readonly storedRun: ReturnType<typeof storedRuns>
  private remembered: Remembered | null = null
  private finals: ReadonlyMap<string, readonly FinalOrder[]> | null = null

  /**
   * `orders`: those that will be asked about, read when the first one is. `counts`: which rows that nothing explains.
   */
  constructor(
    journal: BookingJournal,
    runId: string,
    orders: () => Iterable<NamedOrder>,
    own: OwnLedger | null = null,
    counts: (row: RememberedRow) => boolean = ({isBooked}) => isBooked,
  ) {
    this.journal = journal
    this.runId = runId
    this.orders = orders
    this.own = own
    this.counts = counts
    this.storedRun = storedRuns(journal)
  }

  /** Who noted, or which run saw, that it is booked, and where; null where nobody did. */
  async find(order: ResendCandidate): Promise<SeenBooked | null> {
    for (const kind of order.kinds) {
      const events = await this.journal.itemEvents(kind, order.orderNo)
      const last = events.findLast(({what, text}) => what === 'noted' && noteSaysBooked(text) !== null)
      if (last && noteSaysBooked(last.text)) return {by: last.by, text: last.text}
      const [final] = await this.journal.findFinalOrders(kind, [order.orderNo])
      const isSame = !order.isAnswered || final?.platformOrderNo === order.platformOrderNo
      if (final?.status === 'completed' && isSame && (await this.hasRead(final)))
        return {runId: final.runId, row: null}
    }
    const final = await this.byPlatform(order)
    if (final) return {runId: final.runId, row: null}
    const remembered = await this.remember()
    const {byKey} = remembered
    const row =
      this.byNumber(order, remembered) ?? this.byAmount(order, byKey) ?? this.byText(order, remembered)
    if (row?.note) return {runId: row.runId, row: null, isNote: true}
    return (
      row && {
        runId: row.runId,
        row: `${row.line > 0 ? `line ${row.line} ` : ''}("${escapeInvisible(row.orderNo, 40)}")`,
      }
    )
  }

  /** A row had the order booked, whatever number it named it by. */
  private async byPlatform({platformOrderNo, kinds}: ResendCandidate): Promise<FinalOrder | undefined> {
    this.finals ??= Map.groupBy(
      await this.journal.findFinalOrdersOf(
        [...new Set(Iterator.from(this.orders()).map(({platformOrderNo}) => platformOrderNo))].filter(
          (number) => number !== '',
        ),
      ),
      (final) => final.platformOrderNo,
    )
    for (const final of this.finals.get(platformOrderNo) ?? [])
      if (final.status === 'completed' && kinds.includes(final.kind) && (await this.hasRead(final)))
        return final
    return undefined
  }

  /** A run that did not read its status column took every row for completed: a row of this ledger with a status knows better. */
  private async hasRead({runId, ...order}: FinalOrder): Promise<boolean> {
    if (!this.own?.names(order)) return true
    return (await this.storedRun(runId)).isStatusUnread !== true
  }

  /** The number may be damaged on either side, and the row may name the order by the platform's. */
  private byNumber(
    {orderNo, platformOrderNo, kinds}: ResendCandidate,
    {byKey: index, toldMs}: Remembered,
  ): RememberedRow | null {
    const numbers = [orderNo, platformOrderNo].filter((number) => number !== '')
    const isOver = (row: RememberedRow) =>
      row.note === 'beside its row' && kinds.some((kind) => this.isNewer({kind, orderNo}, row, toldMs))
    for (const number of numbers) {
      for (const fold of foldsOf(number)) {
        const isOwnFold = fold === foldOrderNo(number)
        const found = index
          .get(fold)
          ?.find(({row, isOwn}) => (isOwn || isOwnFold) && fits(row, kinds) && !isOver(row))
        if (found) return found.row
      }
      const named = index.get(keyOfName(number))?.find(({row}) => fits(row, kinds))
      if (named) return named.row
    }
    return null
  }

  /**
   * A ledger that ends no earlier than this one, and a row of it that nothing explains and that stands in this one no
   * more: whatever its number says, it may be any order of its amount. Of an order that no row names the ledger has to end
   * later: in the same one the row may have been mended since.
   */
  private byAmount(
    {amount, kinds, inLedger, sinceMs = null}: ResendCandidate,
    index: Remembered['byKey'],
  ): RememberedRow | null {
    const {own} = this
    const toMs = own === null ? sinceMs : own.window.ok ? own.window.toMs : null
    if (amount === undefined || toMs === null) return null
    const isLater = ({isTimeKnown, ledgerToMs, runId, orderNo, kind}: RememberedRow) => {
      if (runId === this.runId) return inLedger === 'of another time'
      const isNamed = kind !== null && own?.names({kind, orderNo}) === true
      return isTimeKnown && !isNamed && (inLedger === 'no row' ? ledgerToMs > toMs : ledgerToMs >= toMs)
    }
    const rows = keysOfAmount(amount).flatMap((key) => (index.get(key) ?? []).map(({row}) => row))
    return rows.find((row) => row.kind !== null && kinds.includes(row.kind) && isLater(row)) ?? null
  }

  /**
   * A text of another ledger with its number; or a sentence that tells of bookings, in a ledger that ends after the order was
   * made. A later ledger with its row is read for such a sentence itself.
   */
  private byText(
    {orderNo, kinds, sinceMs = null}: ResendCandidate,
    {named, sentences, toldMs}: Remembered,
  ): RememberedRow | null {
    const mayTell = (row: RememberedRow) =>
      (sinceMs === null || row.ledgerToMs >= sinceMs) &&
      !kinds.some((kind) => this.isNewer({kind, orderNo}, row, toldMs))
    return named.get(orderNo) ?? sentences.find(mayTell) ?? null
  }

  /**
   * Words may have been taken back in a newer ledger with the order's row, which is read for words of its own. A copy of
   * an older file looks newer to the file system; only rows of the time after the run that saw the words prove it.
   */
  private isNewer(
    order: Pick<ServiceOrder, 'kind' | 'orderNo'>,
    {runId}: RememberedRow,
    toldMs: Remembered['toldMs'],
  ): boolean {
    const {own} = this
    if (own === null || !own.names(order)) return false
    const atMs = toldMs.get(runId)
    return atMs === null || (atMs !== undefined && (own.endOf(order) ?? 0) > atMs)
  }

  /** Made of all rows when the first resend is weighed: they are few, those that nothing has explained since. */
  private async remember(): Promise<Remembered> {
    if (this.remembered) return this.remembered
    const keys: Key[] = []
    const [named, sentences] = [new Map<string, RememberedRow>(), [] as RememberedRow[]]
    const index = new NameIndex(this.orders())
    const noteRuns = new Set<string>()
    for await (const row of this.journal.rowsSeen('')) {
      const {note, orderNo: text, runId} = row
      if (note) noteRuns.add(runId)
      if (note === 'numbers' || note === 'sentence') {
        // This run weighs its own words by themselves.
        if (runId === this.runId) continue
        if (note === 'sentence') sentences.push(row)
        for (const {orderNo} of index.find(text, true)) if (!named.has(orderNo)) named.set(orderNo, row)
      } else if (this.counts(row)) keys.push(...keysOf(row))
    }
    const toldMs = new Map<string, number | null>()
    for (const runId of noteRuns) {
      const {ledger = [], startedAtMs = null} = await this.storedRun(runId)
      const isReread = ledger.every(({sha256}) => this.own?.sha256s.includes(sha256))
      if (ledger.length > 0 && isReread) toldMs.set(runId, null)
      else if (startedAtMs !== null) toldMs.set(runId, startedAtMs)
    }
    this.remembered = {byKey: Map.groupBy(keys, ({key}) => key), named, sentences, toldMs}
    return this.remembered
  }
}

function keysOf(row: RememberedRow): Key[] {
  const own = foldOrderNo(row.orderNo)
  return [
    ...[...foldsOf(row.orderNo)].map((key) => ({key, row, isOwn: key === own})),
    ...[...keysOfAnyOrder(row), ...(row.anyOrder ? keysOfNamed(row.orderNo) : [])].map((key) => ({
      ...{key, row, isOwn: false},
    })),
  ]
}

/** A row whose number the service does not know under its kind may be mistyped in its kind. */
function fits({kind, anyOrder}: RememberedRow, kinds: readonly OrderKind[]): boolean {
  return kind === null || anyOrder !== undefined || kinds.includes(kind)
}
