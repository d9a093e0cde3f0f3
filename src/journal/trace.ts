import {walletNumber} from '../core/order.ts'
import {maskPhone} from '../core/text.ts'
import {attempt, type Database} from '../files/sqlite.ts'
import {type Fingerprint, keyIdLength} from './payee-key.ts'
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
  const isWallet = walletNumber.test(number)
  const requests = all(
    selectBoth(
      '(order_no = :number OR lower(platform_order_no) = lower(:number) OR masked_account = :masked)',
    ),
    {masked: isWallet ? maskPhone(number) : null},
  ).map(requestRowOf)
  const isOther = ({amount, payeeFingerprint: known}: RequestRow) => {
    const own = amount === null || known === null ? null : fingerprint(number, amount)
    return own !== null && own !== known && own.slice(0, keyIdLength) === known?.slice(0, keyIdLength)
  }
  return {
    requests: requests.filter((row) => !isWallet || row.orderNo === number || !isOther(row)),
    resends: all(
      `SELECT ${resendColumns} FROM resends
       WHERE order_no = :number OR lower(order_id) = lower(:number) OR lower(delivery_id) = lower(:number)`,
    ).map(resendOf),
    rows: all(
      'SELECT DISTINCT run_id AS runId, line FROM rows_seen WHERE order_no = :number',
    ) as unknown as NumberTrace['rows'],
  }
}
