import type {Paisa} from '../core/money.ts'
import type {OrderKind, OrderState, ServiceOrder} from '../core/order.ts'
import type {RememberedFinding} from '../core/reconcile/history.ts'
import type {Ignore} from '../core/reconcile/ignore.ts'
import type {ItemEvent, OpenItem, PersonsClosing} from '../core/reconcile/item.ts'
import type {ListMark} from '../core/reconcile/list-order.ts'
import type {RunWindow} from '../core/reconcile/run-windows.ts'
import type {BalanceOfRun, CountedOrder} from '../core/reconcile/tie-out.ts'

/** An order that matched and was at an end on both sides, with all that its verdict was made of. */
export interface FinalOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly status: Exclude<OrderState, 'open'>
  readonly ledgerAmount: Paisa | null
  readonly serviceAmount: Paisa | null
  readonly rawStatus: string
  readonly platformOrderNo: string
  /** The run that asked for it, and when. */
  readonly runId: string
  readonly askedAtMs: number
  /** From a dry run only: it stops resends, but its answer is not used. */
  readonly isSeenOnly: boolean
  /** A later run got another answer. The row still stops resends, but its answer is no longer used. */
  readonly isTakenBack: boolean
}

/** The sources of a final order, as a run has them. */
export interface FinalAnswer {
  readonly ledgerAmount: Paisa | null
  readonly order: ServiceOrder
}

/** An order whose newest answer is not final. */
export interface NonFinalOrder extends Pick<FinalOrder, 'kind' | 'orderNo'> {
  /** The completed order of the service, where this row is not booked: an earlier row still counts. */
  readonly paid: Pick<ServiceOrder, 'platformOrderNo' | 'amount'> | null
}

/** A row of a ledger that carried money, or may have, and did not end as matched. */
export interface SeenRow {
  /** Null where the row does not say. */
  readonly kind: OrderKind | null
  readonly orderNo: string
  readonly line: number
  /** Its status is completed; of a row without a readable number, or cannot be read. */
  readonly isBooked: boolean
  /** It may be any order of this amount, of any amount where that is null. */
  readonly anyOrder?: {readonly amount: string | null} | undefined
  readonly isBeginning: boolean
  /** The earliest time of the row, where it may be any order of its amount. */
  readonly createdMs?: number | undefined
  /** Another booked row of its ledger has its amount and its time, so that these tell it from no other. */
  readonly isTimeShared?: boolean | undefined
  /** Keyed digests of who its player may be, a line each, where it may be any order of its amount. */
  readonly players?: string | undefined
  /** No row, but words in a ledger that may say that the order is booked, or its money given back; or its webhook was taken. */
  readonly note?: Note
}

/**
 * Whether the merchant's server took its webhook; the order's own row has those words, or another place; or `orderNo` is a text of it, with numbers of orders or a
 * sentence that tells of bookings and not of which, which may be the name of a file; or the keyed digest of a `player` named
 * outside of the rows, behind it the amount, where it is not any.
 */
export type Note = (typeof noteKinds)[number]
export const noteKinds = [
  'webhook taken',
  'beside its row',
  'without its row',
  'numbers',
  'sentence',
  'file name',
  'player',
] as const

/** Where the time a ledger covers ends; where that is not known, not later than `toMs`. */
export interface LedgerEnd {
  readonly toMs: number
  readonly isKnown: boolean
}

/** A `SeenRow`, remembered. */
export interface RememberedRow extends SeenRow {
  readonly runId: string
  /** Where the time its ledger covers ended; when the run saw it, where that is not known. */
  readonly ledgerToMs: number
  readonly isTimeKnown: boolean
}

/** A finding of this run, as it is to be remembered. */
export type SeenFinding = Pick<
  RememberedFinding,
  'kind' | 'orderNo' | 'verdict' | 'cause' | 'severity' | 'atRisk' | 'orderedAtMs'
> & {readonly snapshot: string}

/** What is to be remembered at the end of a run, in one write. */
export interface RunMemory {
  readonly runId: string
  readonly nowMs: number
  /** Like the others it may be read twice: where an answer is lost, all is written again. */
  readonly seen: Iterable<SeenFinding>
  /** Remembered findings that are no more. */
  readonly closed: Iterable<Pick<RememberedFinding, 'id' | 'closedBy'>>
  /** The orders of its statement that are not among the final orders. */
  readonly balances: Iterable<CountedOrder>
  /** JSON text of the run's figures. */
  readonly totals: string
  /** Null where this run proved nothing of the list, or the contrary: then nothing is known of it. */
  readonly listMark: ListMark | null | 'unchanged'
}

export interface NewIgnore {
  /** As in the journal now: the ignore holds for that snapshot. */
  readonly findingId: number
  readonly atRisk: Paisa | null
  readonly reason: string
  readonly by: string
  readonly atMs: number
  readonly expiresAtMs: number
}

/** The part of the journal that lasts from run to run. All writes are on the disk when they return. */
export interface RunHistory {
  /** The final orders among these numbers. */
  findFinalOrders(kind: OrderKind, orderNos: readonly string[]): Promise<FinalOrder[]>
  /** Those of these platform's numbers, whatever theirs are; to be asked for many at once. */
  findFinalOrdersOf(platformOrderNos: readonly string[]): Promise<FinalOrder[]>
  /** Keeps answers of final orders, and revokes those of orders that are no longer final. */
  recordFinalOrders(
    runId: string,
    nowMs: number,
    orders: readonly FinalAnswer[],
    nonFinal: readonly NonFinalOrder[],
    isSeenOnly?: boolean,
  ): Promise<void>
  /** What dry runs and plans saw as well: it holds back resends, and is no history. */
  recordRowsSeen(runId: string, ledger: LedgerEnd, rows: Iterable<SeenRow>): Promise<void>
  /** Those of other runs that no later answer has explained. */
  rowsSeen(exceptRunId: string): AsyncIterable<RememberedRow>

  /** Housekeeping. If it fails, the next search for final orders does it first. */
  sortFinalOrders(): Promise<void>

  /** All that was ever remembered of these orders, open or not; those of one order in the order they were first seen. */
  findingsOf(orders: readonly Pick<RememberedFinding, 'kind' | 'orderNo'>[]): Promise<RememberedFinding[]>
  /**
   * With those that `runId` saw closed, where it is given: they were open when that run began. With those that a person
   * closed since `closedSinceMs`, where that is given.
   */
  openFindings(runId?: string, closedSinceMs?: number): Promise<RememberedFinding[]>
  recordRun(memory: RunMemory): Promise<void>
  findTotals(runId: string): Promise<string | null>
  /** What the orders come to, each with the last run that counted it. */
  balancesOfRuns(): Promise<BalanceOfRun[]>
  lastTotals(exceptRunId: string): Promise<{readonly runId: string; readonly totals: string} | null>
  /** Where the runs that began before it looked for missing orders of a kind. */
  windowsSeen(kind: OrderKind, beforeRunId: string): Promise<RunWindow[]>
  /** The columns the newest other run's ledgers of a kind had, and their headers. */
  lastColumns(
    kind: OrderKind,
  ): Promise<{readonly runId: string; readonly columns: Readonly<Record<string, string>>} | null>
  listMark(): Promise<ListMark | null>

  addIgnore(ignore: NewIgnore): Promise<number>
  /** False where there is none of that id in force. */
  removeIgnore(id: number, by: string, atMs: number): Promise<boolean>
  /** Not removed; expired ones too, newest last. */
  listIgnores(): Promise<Ignore[]>
}

/** What a person wrote of an order's items or of a run, for which `orderNo` is null. */
export interface PersonsText {
  readonly orderNo: string | null
  readonly text: string
  readonly by: string
  readonly atMs: number
}

/** What people do with open items. All writes are on the disk when they return. */
export interface ItemRegister {
  /** Every break that was ever found of an order, open or closed, by the order's date. */
  listItems(): Promise<OpenItem[]>
  /** What people did with an order's items, oldest first. */
  itemEvents(kind: OrderKind, orderNo: string): Promise<ItemEvent[]>
  /** Of all items and runs, with the reasons of ignores; those of one order in the order they were written. */
  personsTexts(): Promise<PersonsText[]>
  recordItemEvents(orders: readonly Pick<OpenItem, 'kind' | 'orderNo'>[], event: ItemEvent): Promise<void>
  /** Returns how many were open. */
  closeItems(
    items: readonly Pick<OpenItem, 'id' | 'kind' | 'orderNo'>[],
    closing: PersonsClosing,
  ): Promise<number>
}
