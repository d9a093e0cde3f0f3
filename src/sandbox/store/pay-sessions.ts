import type {DatabaseSync} from 'node:sqlite'

import type {Paisa} from '../../core/money.ts'
import type {OrderState, PayoutChannel} from '../../core/order.ts'
import {isUnderCheckSql} from './sms.ts'

export interface Choice {
  readonly amount: Paisa
  readonly channel: PayoutChannel
}

export interface PaySession {
  readonly seq: number
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly payCode: string
  readonly state: OrderState
  readonly returnUrl: string
  readonly playerPhone: string
  readonly playerRef: string
  readonly isTest: boolean
  readonly choice: Choice | null
  readonly paid: Choice | null
  readonly createdAtMs: number
  /** Null: the page stays open without limit. */
  readonly expiresAtMs: number | null
  readonly finishedAtMs: number | null
}

export type PaySessionStore = ReturnType<typeof openPaySessionStore>

/** Candidates are suggestions: a longer search would make people wait. */
const awaitingReach = 5000

export const paySessionColumns = `seq, merchant_id AS merchantId, order_no AS orderNo,
  platform_order_no AS platformOrderNo, pay_code AS payCode, state, return_url AS returnUrl,
  player_phone AS playerPhone, player_ref AS playerRef, is_test AS isTest,
  CAST(chosen_paisa AS TEXT) AS chosenPaisa, chosen_channel AS chosenChannel, CAST(paisa AS TEXT) AS paisa,
  channel, created_at AS createdAtMs, expires_at AS expiresAtMs, finished_at AS finishedAtMs`

/** The SQL of payment pages: choices, fitting payments and expiry. */
export function openPaySessionStore(db: DatabaseSync) {
  const select = `SELECT ${paySessionColumns} FROM deposits`
  const isInTime = `state = 'open' AND (expires_at IS NULL OR expires_at > ?)`
  // A payment that waits for a person keeps its order open past its time.
  const isOpenAt = `state = 'open' AND (expires_at IS NULL OR expires_at > ? OR ${isUnderCheckSql})`
  const sql = {
    find: db.prepare(`${select} WHERE seq = ?`),
    findByPayCode: db.prepare(`${select} WHERE pay_code = ?`),
    findByOrderNo: db.prepare(`${select} WHERE merchant_id = ? AND order_no = ?`),
    choose: db.prepare(
      `UPDATE deposits SET chosen_paisa = ?, chosen_channel = ? WHERE seq = ? AND ${isInTime}`,
    ),
    fitting: db.prepare(
      `${select} WHERE player_phone = ? AND chosen_paisa = ? AND chosen_channel = ? AND ${isOpenAt} LIMIT ?`,
    ),
    ofPlayer: db.prepare(`${select} WHERE player_phone = ? AND ${isOpenAt} LIMIT ?`),
    awaiting: db.prepare(
      `${select} WHERE seq > (SELECT max(seq) - ${awaitingReach} FROM deposits) AND chosen_paisa = ? AND chosen_channel = ? AND ${isOpenAt} ORDER BY seq DESC LIMIT ?`,
    ),
    expiring: db.prepare(
      `SELECT merchant_id AS merchantId, order_no AS orderNo, expires_at AS expiresAtMs
       FROM deposits INDEXED BY deposits_expiring WHERE state = 'open' AND expires_at IS NOT NULL AND NOT ${isUnderCheckSql} ORDER BY expires_at LIMIT ?`,
    ),
    stopExpiring: db.prepare('UPDATE deposits SET expires_at = NULL WHERE merchant_id = ? AND order_no = ?'),
  }
  return {
    find: (seq: number) => readPaySession(sql.find.get(seq)),
    findByPayCode: (payCode: string) => readPaySession(sql.findByPayCode.get(payCode)),
    findByOrderNo: (merchantId: string, orderNo: string) =>
      readPaySession(sql.findByOrderNo.get(merchantId, orderNo)),
    /** False if the deposit is not open. */
    choose: (seq: number, {amount, channel}: Choice, atMs: number) =>
      sql.choose.run(amount, channel, seq, atMs).changes === 1,
    /** Open deposits of this player that wait for exactly this payment. */
    listFitting: (playerPhone: string, {amount, channel}: Choice, atMs: number, limit: number) =>
      readAll(sql.fitting.all(playerPhone, amount, channel, atMs, limit)),
    listOpenOfPlayer: (playerPhone: string, atMs: number, limit: number) =>
      readAll(sql.ofPlayer.all(playerPhone, atMs, limit)),
    /** Open deposits of anybody that wait for exactly this payment, newest first, among the newest 5,000. */
    listAwaiting: ({amount, channel}: Choice, atMs: number, limit: number) =>
      readAll(sql.awaiting.all(amount, channel, atMs, limit)),
    /** The open deposits that expire first, except those with a payment that waits for a person. */
    listExpiring: (limit: number) =>
      sql.expiring.all(limit) as unknown as {merchantId: string; orderNo: string; expiresAtMs: number}[],
    stopExpiring: (merchantId: string, orderNo: string) => void sql.stopExpiring.run(merchantId, orderNo),
  }
}

type Row = Readonly<Record<string, unknown>>

export function readPaySession(row: Row | undefined): PaySession | null {
  if (row === undefined) return null
  const {chosenPaisa, chosenChannel, paisa, channel, isTest, ...rest} = row
  return {
    ...rest,
    isTest: isTest === 1,
    choice: readChoice(chosenPaisa, chosenChannel),
    paid: readChoice(paisa, channel),
  } as unknown as PaySession
}

function readAll(rows: readonly Row[]): PaySession[] {
  return rows.flatMap((row) => readPaySession(row) ?? [])
}

function readChoice(paisa: unknown, channel: unknown): Choice | null {
  return typeof paisa === 'string' ? {amount: BigInt(paisa), channel: channel as PayoutChannel} : null
}
