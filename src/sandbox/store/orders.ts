import type {DatabaseSync} from 'node:sqlite'

import type {Paisa} from '../../core/money.ts'
import type {OrderState, PayoutChannel} from '../../core/order.ts'

interface StoredOrder {
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly state: OrderState
  readonly returnUrl: string
}

export interface StoredDeposit extends StoredOrder {
  readonly kind: 'deposit'
  readonly payCode: string
  readonly playerRef: string
  /** Null until the player has paid: the player chooses the amount (service §1). */
  readonly amount: Paisa | null
  /** What the player chose last, or null. */
  readonly chosen: Paisa | null
}

export interface StoredPayout extends StoredOrder {
  readonly kind: 'payout'
  readonly amount: Paisa
}

export interface NewDeposit {
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly payCode: string
  readonly returnUrl: string
  readonly playerPhone: string
  readonly playerRef: string
  readonly isTest: boolean
  readonly createdAtMs: number
  /** Null or absent: no limit. */
  readonly expiresAtMs?: number | null
}

export interface NewPayout {
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly amount: Paisa
  readonly bankType: PayoutChannel
  readonly userName: string
  readonly account: string
  readonly returnUrl: string
  readonly createdAtMs: number
}

export type OrderStore = ReturnType<typeof openOrderStore>

// Amounts are read as text: a JavaScript number would round them above 90 trillion taka. Rows are arrays, because
// building an object costs more than the look-up.
const orderColumns = `merchant_id, order_no, platform_order_no, state, return_url, CAST(paisa AS TEXT)`
const depositColumns = `${orderColumns}, pay_code, player_ref, CAST(chosen_paisa AS TEXT)`

/** The SQL of orders and balances. Calls that belong together run in one `transact`. */
export function openOrderStore(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    findDeposit: (merchantId: string, orderNo: string) =>
      readDeposit(sql.findDeposit.get(merchantId, orderNo)),
    findDepositByPayCode: (payCode: string) => readDeposit(sql.findDepositByPayCode.get(payCode)),
    findPayout: (merchantId: string, orderNo: string) => readPayout(sql.findPayout.get(merchantId, orderNo)),

    /** Returns its sequence number. */
    insertDeposit(deposit: NewDeposit): number {
      const {merchantId, orderNo, platformOrderNo, payCode, returnUrl, playerPhone, playerRef} = deposit
      const {lastInsertRowid} = sql.insertDeposit.run(
        merchantId,
        orderNo,
        platformOrderNo,
        payCode,
        returnUrl,
        playerPhone,
        playerRef,
        deposit.isTest ? 1 : 0,
        deposit.createdAtMs,
        deposit.expiresAtMs ?? null,
      )
      return Number(lastInsertRowid)
    },

    insertPayout(payout: NewPayout): void {
      const {merchantId, orderNo, platformOrderNo, amount, bankType, userName, account} = payout
      sql.insertPayout.run(
        merchantId,
        orderNo,
        platformOrderNo,
        amount,
        bankType,
        userName,
        account,
        payout.returnUrl,
        payout.createdAtMs,
      )
    },

    /** False if the deposit is not open. */
    completeDeposit: (order: StoredDeposit, amount: Paisa, channel: PayoutChannel, atMs: number) =>
      sql.completeDeposit.run(amount, channel, atMs, order.merchantId, order.orderNo).changes === 1,

    failDeposit: (order: StoredDeposit, atMs: number) =>
      sql.failDeposit.run(atMs, order.merchantId, order.orderNo).changes === 1,

    finishPayout: (order: StoredPayout, state: 'completed' | 'failed', atMs: number) =>
      sql.finishPayout.run(state, atMs, order.merchantId, order.orderNo).changes === 1,

    openBalance: (merchantId: string, amount: Paisa) => void sql.openBalance.run(merchantId, amount),
    readBalance: (merchantId: string): Paisa => BigInt(String(sql.readBalance.get(merchantId)?.paisa ?? 0)),
    /** False if the balance is below `amount`; then nothing is taken. */
    reserve: (merchantId: string, amount: Paisa) => sql.reserve.run(amount, merchantId, amount).changes === 1,
    giveBack: (merchantId: string, amount: Paisa) => void sql.giveBack.run(amount, merchantId),
  }
}

function prepare(db: DatabaseSync) {
  const ofOrder = 'WHERE merchant_id = ? AND order_no = ?'
  const prepareArrays = (text: string) => {
    const statement = db.prepare(text)
    statement.setReturnArrays(true)
    return statement
  }
  return {
    findDeposit: prepareArrays(`SELECT ${depositColumns} FROM deposits ${ofOrder}`),
    findDepositByPayCode: prepareArrays(`SELECT ${depositColumns} FROM deposits WHERE pay_code = ?`),
    findPayout: prepareArrays(`SELECT ${orderColumns} FROM payouts ${ofOrder}`),
    insertDeposit: db.prepare(
      `INSERT INTO deposits (merchant_id, order_no, platform_order_no, pay_code, return_url, player_phone,
         player_ref, is_test, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertPayout: db.prepare(
      `INSERT INTO payouts (merchant_id, order_no, platform_order_no, paisa, bank_type, user_name, account,
         return_url, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    completeDeposit: db.prepare(
      `UPDATE deposits SET state = 'completed', paisa = ?, channel = ?, finished_at = ? ${ofOrder} AND state = 'open'`,
    ),
    failDeposit: db.prepare(
      `UPDATE deposits SET state = 'failed', finished_at = ? ${ofOrder} AND state = 'open'`,
    ),
    finishPayout: db.prepare(`UPDATE payouts SET state = ?, finished_at = ? ${ofOrder} AND state = 'open'`),
    openBalance: db.prepare('INSERT OR IGNORE INTO balances (merchant_id, paisa) VALUES (?, ?)'),
    readBalance: db.prepare('SELECT CAST(paisa AS TEXT) AS paisa FROM balances WHERE merchant_id = ?'),
    reserve: db.prepare('UPDATE balances SET paisa = paisa - ? WHERE merchant_id = ? AND paisa >= ?'),
    giveBack: db.prepare('UPDATE balances SET paisa = paisa + ? WHERE merchant_id = ?'),
  }
}

type OrderRow = [
  merchantId: string,
  orderNo: string,
  id: string,
  state: OrderState,
  url: string,
  paisa: string | null,
]
type DepositRow = [...OrderRow, payCode: string, playerRef: string, chosen: string | null]

function readDeposit(row: unknown): StoredDeposit | null {
  if (row === undefined) return null
  const [merchantId, orderNo, platformOrderNo, state, returnUrl, paisa, payCode, playerRef, chosen] =
    row as DepositRow
  const order = {merchantId, orderNo, platformOrderNo, state, returnUrl, payCode, playerRef}
  return {...order, kind: 'deposit', amount: readPaisa(paisa), chosen: readPaisa(chosen)}
}

function readPaisa(text: string | null): Paisa | null {
  return text === null ? null : BigInt(text)
}

function readPayout(row: unknown): StoredPayout | null {
  if (row === undefined) return null
  const [merchantId, orderNo, platformOrderNo, state, returnUrl, paisa] = row as OrderRow
  return {kind: 'payout', merchantId, orderNo, platformOrderNo, state, returnUrl, amount: BigInt(paisa ?? 0)}
}
