import type {LedgerFile} from './ledger.ts'
import type {RowText} from './own-rows.ts'
import type {Payers} from './payer-lines.ts'
import type {SharedCell} from './shared-cells.ts'
import type {Place} from './statement-scan.ts'

/** How a place speaks of an order; `all`: of all orders, or without saying of which; `unread`: nobody knows whether it does. */
export type HoldReason =
  | 'named'
  | 'player'
  | 'player named'
  | 'player and amount'
  | 'remark'
  | 'other remark'
  | 'own row'
  | 'money back'
  | 'heading'
  | 'unlike others'
  | 'listed'
  | 'all'
  | 'unread'
  | 'figures'

/** Receives an order that is named, the text, and its place; `header` only for a cell of a row. */
export type TakeAt = (orderNo: string, text: string, where: Place, how: HoldReason, header?: string) => void

export type WhereOf = (line: number) => Place

export interface LineTaker {
  readonly take: (cells: readonly string[], line: number) => void
  readonly finish: () => void
}

export interface NoteTaker extends LineTaker {
  /** `sentence`: the part of the line that may be a sentence. */
  readonly take: (cells: readonly string[], line: number, sentence?: string) => void
  readonly endBlock: () => void
}

export interface ScannedFile {
  readonly file: LedgerFile
  /** Whether a status means booked. */
  readonly isBooked: (status: string) => boolean
  readonly isFailed?: (status: string) => boolean
  readonly isOther?: (kind: string) => boolean
  /** What the word of a state says of its order. */
  readonly stateOf?: (word: string) => 'booked' | 'open' | null
  /** Lines of rows whose orders are not paid at the service. */
  readonly unpaid?: ReadonlySet<number>
  /** Lines of booked rows whose webhook was not delivered. */
  readonly undelivered?: ReadonlySet<number>
  /** Headers of columns that a person chose to ignore. */
  readonly ignoredColumns?: readonly string[]
  /** Texts outside of rows that tell of no booking, as a person stated. */
  readonly ignoredTexts?: readonly string[]
  /** Receives what such a row says and other booked rows do not. */
  readonly takeContradiction?: (said: RowText) => void
  /** Shared by the files of a run. */
  readonly payers?: Payers
  readonly takeShared?: (cell: SharedCell) => void
}

/** The places of read columns in the header line. */
export function readColumns({columns}: Pick<LedgerFile, 'columns'>, header: readonly string[]): Set<number> {
  const read = new Set(Object.values(columns).map((name) => name.trim()))
  return new Set([...header.entries()].flatMap(([at, cell]) => (read.has(cell.trim()) ? at : [])))
}
