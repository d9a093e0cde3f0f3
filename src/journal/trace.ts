import {walletNumber} from '../core/order.ts'
import {maskPhone} from '../core/text.ts'
import {attempt, type Database} from '../files/sqlite.ts'
import {areOfOneKey, type Fingerprint} from './payee-key.ts'
import {requestRowOf, selectBoth} from './request-row.ts'
import {resendColumns, resendOf} from './resends.ts'
import type {RequestRow, ResendRow} from './rows.ts'

/** What was sent from here about a number, and which ledgers had it; oldest first. */
export interface NumberTrace {
  readonly requests: readonly RequestRow[]
  readonly resends: readonly ResendRow[]
  /** Rows that carried money, or may have, and did not end as agreed. */
  readonly rows: readonly {readonly runId: string; readonly line: number}[]
}

/** `number`: the merchant's, the platform's, that of a delivery record, or the wallet a payout went to. */
export function traceNumber(db: Database, number: string, fingerprint: Fingerprint): NumberTrace {
  const all = (text: string, more = {}) =>
    attempt(db, (sql) => sql.prepare(`${text} ORDER BY 1`).all({number, ...more}))
  const requests = all(
    selectBoth(
      '(order_no = :number OR lower(platform_order_no) = lower(:number) OR masked_account = :masked)',
    ),
    {masked: maskedWallet(number)},
  ).map(requestRowOf)
  return {
    requests: requests.filter(mayBeOf(number, fingerprint)),
    resends: all(
      `SELECT ${resendColumns} FROM resends
       WHERE order_no = :number OR lower(order_id) = lower(:number) OR lower(delivery_id) = lower(:number)`,
    ).map(resendOf),
    rows: all(
      'SELECT DISTINCT run_id AS runId, line FROM rows_seen WHERE order_no = :number',
    ) as unknown as NumberTrace['rows'],
  }
}

/** As rows have the wallet that a payout went to; null for a number that is none. */
export function maskedWallet(number: string): string | null {
  return walletNumber.test(number) ? maskPhone(number) : null
}

/** Whether a row that was found by the masked wallet may have gone to this one: many wallets look alike when masked. */
export function mayBeOf(number: string, fingerprint: Fingerprint): (row: RequestRow) => boolean {
  return ({orderNo, maskedAccount, amount, payeeFingerprint: known}) => {
    if (orderNo === number || maskedAccount !== maskedWallet(number)) return true
    if (amount === null || known === null) return true
    const own = fingerprint(number, amount)
    return own === known || !areOfOneKey(own, known)
  }
}
