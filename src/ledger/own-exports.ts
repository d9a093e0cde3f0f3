import {deliveryStatuses, orderKinds} from '../core/order.ts'
import {actions, severities, verdicts} from '../core/reconcile/verdict.ts'

interface OwnExport {
  readonly is: string
  /** In order; an earlier version had fewer at the end. */
  readonly columns: readonly string[]
  readonly words: Readonly<Record<string, readonly string[]>>
  /** Columns for a person's words. */
  readonly notes: readonly string[]
}

/** Lists that hisab writes and in which no order is booked; `booking.csv` is not among them. */
export const ownExports: readonly OwnExport[] = [
  {
    is: 'list of delivery records',
    columns:
      'id,order_id,merchant_order_id,url,event,status,response_code,attempts,max_attempts,next_retry_at,sent_at,created_at'.split(
        ',',
      ),
    words: {status: deliveryStatuses},
    notes: [],
  },
  {
    is: 'list of findings',
    columns:
      'line,file,kind,order_no,verdict,cause,action,severity,amount_at_risk,ledger_status,ledger_amount,provider_status,provider_amount,platform_order_no,delivery_id,delivery_status,delivery_attempts,delivery_response_code,delivered_amount,resend,resend_at,history,first_seen_at,age_days,ignored_until,ignored_by,ignored_reason,corruption,repair,taken_from,explanation,ordered_at,player_ref'.split(
        ',',
      ),
    words: {verdict: verdicts, action: actions, severity: severities},
    notes: ['ignored_reason'],
  },
  {
    is: 'list of open items',
    columns:
      'order_no,kind,state,verdict,amount_at_risk,age_days,owner,ordered_at,first_seen_at,last_seen_at,cause,severity,last_run,closed_at,closed_by,note,next'.split(
        ',',
      ),
    words: {kind: orderKinds, state: ['open', 'delivered'], verdict: verdicts},
    notes: ['note'],
  },
]

const columnsMin = 9

export function ownExportOf(header: readonly string[]): OwnExport | null {
  const cells = header.map((cell) => cell.trim())
  const isOf = ({columns}: OwnExport) =>
    cells.length >= columnsMin && cells.every((cell, at) => cell === columns[at])
  return ownExports.find(isOf) ?? null
}

/** Whether a row is as hisab wrote it: nobody changed a word or added a note. */
export function isAsWritten({columns, words, notes}: OwnExport, cells: readonly string[]): boolean {
  return (
    columns.every((column, at) => {
      const text = (cells[at] ?? '').trim()
      if (notes.includes(column)) return text === ''
      return words[column]?.includes(text) ?? true
    }) && cells.length <= columns.length
  )
}
