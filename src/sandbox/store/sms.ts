import type {DatabaseSync} from 'node:sqlite'

import type {Paisa} from '../../core/money.ts'
import type {PayoutChannel} from '../../core/order.ts'
import {type Cursor, openPages, type Page, pageOf} from './pages.ts'

export const smsStates = ['waiting', 'released', 'discarded', 'duplicate'] as const
export type SmsState = (typeof smsStates)[number]

/** Why an SMS did not release an order by itself. Each is explained in docs/sandbox.md. */
export const waitingReasons = [
  'unreadable',
  'not_from_channel',
  'sender_hidden',
  'stranger',
  'not_chosen',
  'amount_differs',
  'channel_differs',
  'several_orders',
  'discarded_before',
] as const
export type WaitingReason = (typeof waitingReasons)[number]

/** An unreadable message, or one that its channel did not send, is no payment. */
const noPayment: readonly (WaitingReason | null)[] = ['unreadable', 'not_from_channel']

export function isPayment({reason}: Pick<StoredSms, 'reason'>): boolean {
  return !noPayment.includes(reason)
}

const isPaymentSql = `(sms.reason IS NULL OR sms.reason NOT IN (${noPayment.map((reason) => `'${reason}'`).join()}))`

/** For a row of `deposits`: a payment of its player came in time and waits for a person. */
export const isUnderCheckSql = `EXISTS (SELECT 1 FROM sms WHERE sender = player_phone AND sms.state = 'waiting'
  AND received_at >= created_at AND received_at < expires_at AND ${isPaymentSql})`

export interface StoredSms {
  readonly seq: number
  readonly receivedAtMs: number
  /** The sender's name or number as the network shows it, such as `bKash`. */
  readonly origin: string
  readonly text: string
  /** Null, like `amount` and `trxId`, if no payment could be read. */
  readonly channel: PayoutChannel | null
  readonly sender: string | null
  readonly senderTail: string | null
  readonly amount: Paisa | null
  readonly trxId: string | null
  readonly state: SmsState
  readonly reason: WaitingReason | null
  readonly decidedBy: 'match' | 'desk' | 'test' | null
  readonly decidedAtMs: number | null
  readonly merchantId: string | null
  readonly orderNo: string | null
  readonly depositSeq: number | null
}

export type NewSms = Omit<StoredSms, 'seq' | 'merchantId' | 'orderNo'>

export type SmsStore = ReturnType<typeof openSmsStore>

const columns = `sms.seq, received_at AS receivedAtMs, origin, text, sms.channel, sender, sender_tail AS senderTail,
  CAST(sms.paisa AS TEXT) AS paisa, trx_id AS trxId, sms.state, reason, decided_by AS decidedBy,
  decided_at AS decidedAtMs, merchant_id AS merchantId, order_no AS orderNo, deposit_seq AS depositSeq`
const from = 'FROM sms LEFT JOIN deposits ON deposits.seq = deposit_seq'

export function openSmsStore(db: DatabaseSync) {
  const lines = openPages(db, `SELECT ${columns} ${from}`, 'sms.seq')
  const sql = {
    insert: db.prepare(
      `INSERT INTO sms (received_at, origin, text, channel, sender, sender_tail, paisa, trx_id, state, reason,
         deposit_seq, decided_by, decided_at) VALUES (:receivedAtMs, :origin, :text, :channel, :sender, :senderTail,
         :amount, :trxId, :state, :reason, :depositSeq, :decidedBy, :decidedAtMs)`,
    ),
    find: db.prepare(`SELECT ${columns} ${from} WHERE sms.seq = ?`),
    ofTransaction: db.prepare(
      `SELECT ${columns} ${from} WHERE sms.channel = ? AND trx_id = ? AND sms.state = ? AND ${isPaymentSql} LIMIT 1`,
    ),
    ofDeposit: db.prepare(`SELECT ${columns} ${from} WHERE deposit_seq = ?`),
    ofPlayer: db.prepare(
      `SELECT ${columns} ${from} WHERE sender = ? AND sms.state = ? AND received_at >= ? AND received_at < ?
         AND ${isPaymentSql} ORDER BY sms.seq DESC LIMIT 1`,
    ),
    setAside: db.prepare(
      `UPDATE sms SET state = 'duplicate', decided_by = 'match', decided_at = ?
       WHERE state = 'waiting' AND channel = ? AND trx_id = ? AND seq <> ? AND ${isPaymentSql}`,
    ),
    finish: db.prepare(
      `UPDATE sms SET state = ?, deposit_seq = ?, decided_by = ?, decided_at = ?
       WHERE seq = ? AND state = 'waiting'`,
    ),
    countWaiting: db.prepare(
      `SELECT count(*) AS total FROM (SELECT 1 FROM sms WHERE state = 'waiting' LIMIT ?)`,
    ),
  }
  return {
    insert: (sms: NewSms) => Number(sql.insert.run({...sms}).lastInsertRowid),
    find: (seq: number) => readSms(sql.find.get(seq)),
    /** A payment SMS of this transaction with this state. */
    findTransaction: (channel: PayoutChannel, trxId: string, state: 'released' | 'discarded') =>
      readSms(sql.ofTransaction.get(channel, trxId, state)),
    findOfDeposit: (depositSeq: number) => readSms(sql.ofDeposit.get(depositSeq)),
    /** The newest payment SMS of this number from `sinceMs` until before `untilMs`. */
    findOfPlayer: (sender: string, state: 'waiting' | 'discarded', sinceMs: number, untilMs: number) =>
      readSms(sql.ofPlayer.get(sender, state, sinceMs, untilMs)),
    /** The other SMS at the desk with a transaction that has released an order. */
    setAside: (channel: PayoutChannel, trxId: string, releasedSeq: number, atMs: number) =>
      void sql.setAside.run(atMs, channel, trxId, releasedSeq),
    /** False if it no longer waits. */
    release: (seq: number, depositSeq: number, atMs: number) =>
      sql.finish.run('released', depositSeq, 'desk', atMs, seq).changes === 1,
    discard: (seq: number, atMs: number) =>
      sql.finish.run('discarded', null, 'desk', atMs, seq).changes === 1,
    list(state: SmsState | null, cursor: Cursor, limit: number): Page<StoredSms> {
      const found = lines({'sms.state': state}, cursor, limit).flatMap((row) => readSms(row) ?? [])
      return pageOf(found, limit, cursor)
    },
    /** At most `max`: the rest is not counted. */
    countWaiting: (max: number) => Number(sql.countWaiting.get(max)?.total),
  }
}

function readSms(row: Readonly<Record<string, unknown>> | undefined): StoredSms | null {
  if (row === undefined) return null
  const {paisa, ...rest} = row
  return {...rest, amount: typeof paisa === 'string' ? BigInt(paisa) : null} as unknown as StoredSms
}
