import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import type {Journal} from './interface.ts'
import {listed, type Part, part, type Query, sql} from './query.ts'
import {
  declaredMade,
  hasName,
  inDoubtCondition,
  isRow,
  mayBeMade,
  onlySaid,
  repeatsIn,
  requestRowOf,
  selectBoth,
  selectRequests,
  wasSeenFailed,
} from './request-row.ts'
import {type RequestRow, type Resolution, tableOf} from './rows.ts'
import type {Names, Steps, Store} from './store.ts'

type RequestReader = Pick<
  Journal,
  | 'recordLook'
  | 'requestsInDoubt'
  | 'listRequests'
  | 'requestNumbers'
  | 'payoutsOfName'
  | 'payeesOfLast'
  | 'replacedPayouts'
  | 'recordSeenFailed'
  | 'recordSeenCompleted'
  | 'payoutsOfPayee'
  | 'payoutsBesideFailed'
  | 'payoutsAllowedBeside'
  | 'numberWithPlatformOrder'
  | 'findRequest'
>

/** A weaker later query changes nothing. Only a person resolves a contradiction. */
const weight = `CASE r.confirmation WHEN 'contradicted' THEN 2 WHEN 'confirmed' THEN 1 ELSE 0 END`

/** The part of a journal that has its creates, and what a query showed of them. */
export function requestReader(store: Store): RequestReader {
  const {engine, all, run} = store
  const isMade = declaredMade(engine)
  const rows = async (query: Query) => (await all(query)).map(requestRowOf)
  const find = async (kind: OrderKind, orderNo: string) =>
    (await rows(selectRequests(store, sql`r.kind = ${kind} AND r.order_no = ${orderNo}`)))[0] ?? null
  const recordSeen = async (table: 'payouts_failed' | 'payouts_completed', orderNo: string, atMs: number) => {
    await run(sql`INSERT INTO ${store.into(table, 'order_no, seen_ms')}
      SELECT ${store.first}r.order_no, CAST(${atMs} AS BIGINT) FROM ${engine.table('requests')} AS r
      WHERE ${store.mine('r')} AND r.kind = 'payout' AND r.order_no = ${orderNo} ON CONFLICT DO NOTHING`)
  }
  return {
    findRequest: find,
    /**
     * An accepted create that is not found is in doubt again, until it is found or a person resolves it. A contradiction
     * that a person has judged no longer counts.
     */
    async recordLook(id, {confirmation, why, isFound}) {
      const own = confirmation === 'contradicted' ? 2 : confirmation === 'confirmed' ? 1 : 0
      const update = sql`UPDATE ${engine.table(tableOf(id))} AS r`
      const which = isRow(store, id)
      const found = sql`${update} SET state = 'accepted' WHERE ${which} AND state = 'unknown'`
      const lost = sql`${update} SET state = 'unknown', confirmation = coalesce(confirmation, 'unanswered')
        WHERE ${which} AND state = 'accepted' AND confirmation IS DISTINCT FROM 'contradicted' AND NOT ${isMade}`
      await run(
        ...(isFound === true ? [found] : []),
        ...(isFound === false ? [lost] : []),
        sql`${update} SET confirmation = ${confirmation}, confirmation_why = ${why}
          WHERE ${which} AND ${own} >= ${part(weight)} AND NOT (${own} = 2 AND ${isMade})`,
      )
    },
    /** Creates in doubt, oldest first; those that a merge did not keep, too. */
    requestsInDoubt: () =>
      rows(sql`${selectBoth(store, sql`${part(inDoubtCondition)}`)} ORDER BY "intentAtMs", id`),
    /**
     * An order belongs to the first number it was given to. Later ones are in doubt, and a person's decision makes them
     * no owner.
     */
    async numberWithPlatformOrder(kind, orderNo, platformOrderNo) {
      const [row] = await rows(
        sql`${selectRequests(
          store,
          sql`r.platform_order_no = ${platformOrderNo} AND r.kind = ${kind} AND r.order_no <> ${orderNo}
            AND r.state <> 'refused' AND r.confirmation IS DISTINCT FROM 'contradicted'
            AND (NOT ${isMade} OR r.id < (SELECT own.id FROM ${engine.table('requests')} AS own
              WHERE ${engine.same('own')} AND own.kind = r.kind AND own.order_no = ${orderNo}))`,
        )} LIMIT 1`,
      )
      return row?.orderNo ?? null
    },
    /** The last numbers used, newest first, at most so many. */
    listRequests: (kind, rowsMax) =>
      rows(
        sql`${selectRequests(store, sql`r.kind = ${kind}`)} ORDER BY r.intent_at_ms DESC, r.id DESC LIMIT ${rowsMax}`,
      ),
    async payeesOfLast(count) {
      const requests = engine.table('requests')
      const last = sql`(SELECT max(own.id) FROM ${requests} AS own WHERE ${store.mine('own')})`
      const payees = await all(
        sql`SELECT r.payee_fingerprint AS payee FROM ${requests} AS r WHERE ${store.mine('r')}
          AND r.id > ${last} - ${count} AND r.payee_fingerprint IS NOT NULL`,
      )
      return payees.map(({payee}) => String(payee))
    },
    payoutsOfName: (keys) =>
      rows(sql`${selectRequests(store, hasName(engine, keys))} ORDER BY r.intent_at_ms DESC, r.id DESC`),
    recordSeenFailed: (orderNo, atMs) => recordSeen('payouts_failed', orderNo, atMs),
    recordSeenCompleted: (orderNo, atMs) => recordSeen('payouts_completed', orderNo, atMs),
    payoutsOfPayee({maskedAccount, names, numbers = [], sinceMs = Number.MIN_SAFE_INTEGER}, isSeenFailed) {
      // By numbers of rows: of one condition with OR the engine reads every payout.
      const ids = (where: Query) =>
        sql`SELECT r.id FROM ${engine.table('requests')} AS r WHERE ${store.mine('r')} AND ${where}`
      const isOne = [
        ...(maskedAccount === null
          ? []
          : [ids(sql`r.kind = 'payout' AND r.masked_account = ${maskedAccount}`)]),
        ...(names.length === 0 ? [] : [ids(hasName(engine, names))]),
        ...(numbers.length === 0 ? [] : [ids(sql`r.kind = 'payout' AND r.order_no IN (${listed(numbers)})`)]),
      ].reduce((one, other) => sql`${one} UNION ALL ${other}`)
      const which = isSeenFailed ? wasSeenFailed(engine) : part(mayBeMade)
      return rows(
        sql`${selectRequests(store, sql`r.id IN (${isOne}) AND r.claimed_at_ms >= ${sinceMs} AND ${which}`)} ORDER BY r.claimed_at_ms, r.id`,
      )
    },
    async payoutsBesideFailed() {
      const requests = engine.table('requests')
      const failed = (column: Part) =>
        sql`(SELECT ${column} FROM ${requests} AS r WHERE ${store.mine('r')} AND r.kind = 'payout' AND ${wasSeenFailed(engine)})`
      const name = part(engine.fingerprintOf('nameWords'))
      const numbers =
        await all(sql`SELECT r.order_no AS number FROM ${requests} AS r WHERE ${store.mine('r')} AND r.kind = 'payout'
        AND (r.masked_account IN ${failed(part('r.masked_account'))} OR (${name}) IN ${failed(name)})`)
      return numbers.map(({number}) => String(number))
    },
    async payoutsAllowedBeside(orderNo) {
      const beside = await rows(
        selectRequests(
          store,
          sql`r.kind = 'payout' AND ${part(mayBeMade)} AND r.repeats_allowed LIKE ${likeOf(JSON.stringify(orderNo))} ESCAPE '!'`,
        ),
      )
      return beside.filter(
        ({repeatsAllowed, replaces}) => repeatsAllowed.includes(orderNo) && !replaces.includes(orderNo),
      )
    },
    // As one text: a row of its own for each of 100,000 numbers takes ten times as long.
    async requestNumbers(kind) {
      const [row] = await all(
        sql`SELECT string_agg(r.order_no, ${'\n'}) AS numbers FROM ${engine.table('requests')} AS r
          WHERE ${store.mine('r')} AND r.kind = ${kind}`,
      )
      return row?.numbers == null ? [] : String(row.numbers).split('\n')
    },
    async replacedPayouts() {
      const rows =
        await all(sql`SELECT r.order_no AS anew, r.repeats_allowed AS repeats FROM ${engine.table('requests')} AS r
        WHERE ${store.mine('r')} AND r.kind = 'payout' AND ${part(mayBeMade)} AND r.repeats_allowed LIKE '%{"failed":%'`)
      return rows.flatMap(({anew, repeats}) =>
        repeatsIn(repeats).flatMap(({orderNo: failed, isFailed}) =>
          isFailed ? {failed, anew: String(anew)} : [],
        ),
      )
    },
  }
}

function likeOf(text: string): string {
  return `%${text.replace(/[%_!]/g, '!$&')}%`
}

/**
 * Resolves a doubt by a person, or undoes the decision of nobody but a person. Throws `usage` if there is none. A yes keeps
 * what was shown when it was given: it holds for that.
 */
export function* resolving(
  names: Names,
  {id, kind}: Pick<RequestRow, 'id' | 'kind'>,
  {happened, by, reason, atMs}: Resolution,
): Steps<void> {
  const {engine, into, first} = names
  const [which, table] = [isRow(names, id), engine.table(tableOf(id))]
  const isOpen = sql`(${part(inDoubtCondition)} OR ${onlySaid(engine, !happened)})`
  const columns = 'kind, order_no, body_digest, state_before, happened, by, reason, at_ms'
  const [row] = yield sql`INSERT INTO ${into('resolutions', columns)}
    SELECT ${first}kind, order_no, body_digest, state, ${Number(happened)}, ${by}, ${reason}, ${atMs}
    FROM ${table} AS r WHERE ${which} AND ${isOpen} RETURNING id`
  if (row === undefined) throw noDoubt(kind)
  yield sql`UPDATE ${table} AS r SET state = ${happened ? 'accepted' : 'refused'}, settled_at_ms = ${atMs},
    confirmation = NULL${part(happened ? '' : ', confirmation_why = NULL')} WHERE ${which}`
}

export function noDoubt(kind: OrderKind): Failure {
  return new Failure(
    'usage',
    'It is not in doubt any more.',
    `To list doubts, run \`hisab ${kind} list --in-doubt\`.`,
  )
}
