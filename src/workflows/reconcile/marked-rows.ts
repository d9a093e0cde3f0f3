import {foldOrderNo} from '../../core/order-no-fold.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {SeenRow} from '../../journal/memory-rows.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'
import {MarkedNumbers} from '../../ledger/marked-numbers.ts'
import type {NamedOrder} from '../../ledger/name-index.ts'
import {quoteCell} from '../../ledger/quotation.ts'
import type {Staging} from '../../staging/staging.ts'
import type {UnexplainedRow} from '../../staging/unexplained-rows.ts'

export type MaybeMarked = Pick<SeenRow, 'kind' | 'orderNo'> & Pick<UnexplainedRow, 'line' | 'file'>

/** Rows that are not booked, and whose number is that of another order with a mark: somebody may have booked it by hand. */
export function* markedRows(
  {ledger}: Staging,
  unread: Iterable<MaybeMarked>,
): Generator<MaybeMarked & {readonly text: string}> {
  const marks = new MarkedNumbers(ledger.numbers().map(({orderNo}) => orderNo))
  const unreadable = ledger.unreadableRows().filter(({status}) => status !== 'completed')
  for (const {kind = null, orderNo: text, line, file} of [...unread, ...unreadable])
    for (const orderNo of marks.withoutMark(text ?? '')) yield {kind, orderNo, line, file, text: text ?? ''}
}

/** The places that hold a resend, with those of the rows that name its order with a mark. */
export function withMarked(
  places: ReadonlyMap<string, string>,
  marked: Iterable<MaybeMarked & {readonly text: string}>,
  orders: Iterable<NamedOrder>,
  files: readonly Pick<LedgerFile, 'path'>[],
): ReadonlyMap<string, string> {
  const rows = new Map(Iterator.from(marked).map((row) => [foldOrderNo(row.orderNo), row]))
  const all = new Map(places)
  for (const {orderNo} of orders) {
    const row = rows.get(foldOrderNo(orderNo))
    if (!row || all.has(orderNo)) continue
    const of = files.length > 1 ? ` of ${escapeInvisible(files[row.file]?.path ?? '')}` : ''
    all.set(
      orderNo,
      `line ${row.line}${of} (${quoteCell(row.text)}) may be this order under a damaged number`,
    )
  }
  return all
}
