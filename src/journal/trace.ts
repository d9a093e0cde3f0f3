import {walletNumber} from '../core/order.ts'
import {maskPhone} from '../core/text.ts'
import {type Fingerprint, mayBeOnePayee} from './payee-key.ts'
import {part, sql} from './query.ts'
import {requestRowOf, selectBoth, wasNeverSent} from './request-row.ts'
import {resendOf, selectResends} from './resends.ts'
import type {RequestRow, ResendRow} from './rows.ts'
import type {Store} from './store.ts'

/** What was sent from here about a number, and which ledgers had it; oldest first. */
export interface NumberTrace {
  readonly requests: readonly RequestRow[]
  readonly resends: readonly ResendRow[]
  /** Rows that carried money, or may have, and did not end as agreed. */
  readonly rows: readonly {readonly runId: string; readonly line: number}[]
}

/** `number`: the merchant's, the platform's, that of a delivery record, or the wallet a payout went to. */
export async function traceNumber(
  store: Store,
  number: string,
  fingerprint: Fingerprint,
): Promise<NumberTrace> {
  const {engine, mine, all} = store
  const requests = await all(
    sql`${selectBoth(
      store,
      sql`(r.order_no = ${number} OR lower(r.platform_order_no) = lower(${number}) OR r.masked_account = ${maskedWallet(number)})
        AND NOT (${part(wasNeverSent)})`,
    )} ORDER BY id`,
  )
  const resends = await all(
    sql`${selectResends(store)} AND (r.order_no = ${number} OR lower(r.order_id) = lower(${number})
      OR lower(r.delivery_id) = lower(${number})) ORDER BY r.id`,
  )
  const rows = await all(
    sql`SELECT DISTINCT run_id AS "runId", line FROM ${engine.table('rows_seen')} AS r
      WHERE ${mine('r')} AND order_no = ${number} ORDER BY 1`,
  )
  return {
    requests: requests.map(requestRowOf).filter(mayBeOf(number, fingerprint)),
    resends: resends.map(resendOf),
    rows: rows as unknown as NumberTrace['rows'],
  }
}

/** As rows have the wallet that a payout went to; null for a number that is none. */
function maskedWallet(number: string): string | null {
  return walletNumber.test(number) ? maskPhone(number) : null
}

/** Whether a row that was found by the masked wallet may have gone to this one: many wallets look alike when masked. */
function mayBeOf(number: string, fingerprint: Fingerprint): (row: RequestRow) => boolean {
  return ({orderNo, maskedAccount, amount, payeeFingerprint: known}) => {
    if (orderNo === number || maskedAccount !== maskedWallet(number)) return true
    return amount === null || mayBeOnePayee(known, fingerprint(number, amount))
  }
}
