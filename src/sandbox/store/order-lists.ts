import type {DatabaseSync} from 'node:sqlite'

import type {Paisa} from '../../core/money.ts'
import {type OrderKind, type OrderState, orderKinds, type PayoutChannel} from '../../core/order.ts'
import {type Cursor, openPages, type Page, pageOf, prepareOnce} from './pages.ts'

export interface ListedOrder {
  readonly kind: OrderKind
  readonly seq: number
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly state: OrderState
  readonly amount: Paisa | null
  readonly channel: PayoutChannel | null
  /** The player's number: who pays, or who is paid. */
  readonly phone: string
  /** A payout's recipient; a deposit's `playerRef`. */
  readonly player: string
  readonly returnUrl: string
  readonly createdAtMs: number
  readonly finishedAtMs: number | null
}

const columns: Readonly<Record<OrderKind, string>> = {
  deposit: `'deposit' AS kind, seq, merchant_id AS merchantId, order_no AS orderNo,
    platform_order_no AS platformOrderNo, state, CAST(coalesce(paisa, chosen_paisa) AS TEXT) AS paisa,
    coalesce(channel, chosen_channel) AS channel, player_phone AS phone, player_ref AS player,
    return_url AS returnUrl, created_at AS createdAtMs, finished_at AS finishedAtMs`,
  payout: `'payout' AS kind, seq, merchant_id AS merchantId, order_no AS orderNo,
    platform_order_no AS platformOrderNo, state, CAST(paisa AS TEXT) AS paisa, bank_type AS channel,
    account AS phone, user_name AS player, return_url AS returnUrl, created_at AS createdAtMs,
    finished_at AS finishedAtMs`,
}
const tables: Readonly<Record<OrderKind, string>> = {deposit: 'deposits', payout: 'payouts'}

/** Random texts are searched with longer queries only: two or three letters are in many of them by chance. */
const searched: Readonly<
  Record<OrderKind, {readonly given: readonly string[]; readonly drawn: readonly string[]}>
> = {
  deposit: {given: ['order_no', 'player_phone', 'player_ref'], drawn: ['platform_order_no', 'pay_code']},
  payout: {given: ['order_no', 'account', 'user_name'], drawn: ['platform_order_no']},
}
const drawnLengthMin = 6

function searchOf(kind: OrderKind): string {
  const {given, drawn} = searched[kind]
  const has = (column: string) => `${column} LIKE ? ESCAPE '\\'`
  // A payout has no SMS.
  const byTransaction =
    kind === 'deposit' ? `seq IN (SELECT deposit_seq FROM sms WHERE ${has('trx_id')})` : '? IS NULL'
  return `SELECT ${columns[kind]} FROM ${tables[kind]} WHERE ${[...given, ...drawn].map(has).join(' OR ')}
    OR ${byTransaction} OR platform_order_no IN (SELECT order_id FROM deliveries WHERE id = ?)
    ORDER BY seq DESC LIMIT ?`
}

/**
 * The console's lists of orders. A page starts from a line, not from a number of lines to skip, so the last page
 * costs as much as the first.
 */
export function openOrderLists(db: DatabaseSync) {
  const prepared = prepareOnce(db)
  const select = (kind: OrderKind) => `SELECT ${columns[kind]} FROM ${tables[kind]}`
  const lines = {deposit: openPages(db, select('deposit')), payout: openPages(db, select('payout'))}
  return {
    find: (kind: OrderKind, seq: number) => readOrder(prepared(`${select(kind)} WHERE seq = ?`).get(seq)),

    list(kind: OrderKind, state: OrderState | null, cursor: Cursor, limit: number): Page<ListedOrder> {
      return pageOf(lines[kind]({state}, cursor, limit).map(mustReadOrder), limit, cursor)
    },

    /** A deposit and a payout may have the same number. */
    findByNumber: (merchantId: string, orderNo: string): ListedOrder[] =>
      orderKinds.flatMap(
        (kind) =>
          readOrder(
            prepared(`${select(kind)} WHERE merchant_id = ? AND order_no = ?`).get(merchantId, orderNo),
          ) ?? [],
      ),

    /**
     * Searches for any part of an order number, a telephone, a player's reference or name, or a transaction; six
     * letters or more of a platform number or a payment page; the whole id of a delivery. A full scan, newest first,
     * of both kinds.
     */
    search(
      text: string,
      limit: number,
    ): {readonly orders: readonly ListedOrder[]; readonly hasMore: boolean} {
      const pattern = containing(text)
      const found = orderKinds
        .flatMap((kind) => {
          const {given, drawn} = searched[kind]
          const values = [...given.map(() => pattern), ...drawn.map(() => drawnPattern(text)), pattern, text]
          return prepared(searchOf(kind))
            .all(...values, limit + 1)
            .map(mustReadOrder)
        })
        .sort((a, b) => b.createdAtMs - a.createdAtMs || b.seq - a.seq)
      return {orders: found.slice(0, limit), hasMore: found.length > limit}
    },

    /** At most `max`: the rest is not counted. */
    countOpen: (kind: OrderKind, max: number) =>
      Number(
        prepared(
          `SELECT count(*) AS total FROM (SELECT 1 FROM ${tables[kind]} WHERE state = 'open' LIMIT ?)`,
        ).get(max)?.total,
      ),

    /** All orders: none is ever deleted. */
    countAll: (kind: OrderKind) =>
      Number(prepared(`SELECT coalesce(max(seq), 0) AS total FROM ${tables[kind]}`).get()?.total),
  }
}

export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The same for a random text; null, which matches nothing, if the query is too short. */
export function drawnPattern(text: string): string | null {
  return text.length < drawnLengthMin ? null : containing(text)
}

type Row = Readonly<Record<string, unknown>>

function readOrder(row: Row | undefined): ListedOrder | null {
  return row === undefined ? null : mustReadOrder(row)
}

function mustReadOrder({paisa, ...rest}: Row): ListedOrder {
  return {...rest, amount: typeof paisa === 'string' ? BigInt(paisa) : null} as unknown as ListedOrder
}
