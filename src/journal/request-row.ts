import {columnsFor} from '../files/sqlite.ts'
import {listed, part, type Query, sql} from './query.ts'
import {isDropped, type RequestRow, type RequestTable} from './rows.ts'
import type {Engine, Names, Row} from './store.ts'

/*
 * Conditions and columns of a create `r`, in the SQL of both engines.
 */

/** Nobody knows whether it was carried out, at any age (P6): `isInDoubt` in SQL, as the index has it. */
export const inDoubtCondition = `(r.state IN ('intent', 'unknown') OR r.state = 'accepted' AND r.confirmation = 'contradicted')`

/** It may have been carried out, whatever the service shows under the number. */
export const mayBeMade = `r.state <> 'refused'`

/** No row that a merge does not keep may take one that was never sent for its own. */
export const refusedDigest = 'refused '

/** hisab refused it, because it may be an earlier payout: kept beside the rows that a merge did not keep, and claimed by nobody. */
export const wasNeverSent = `r.body_digest LIKE '${refusedDigest}%'`

const nameFields = ['userName', 'nameWords']

/** What `hasName` looks for. */
export function nameIndexes(engine: Engine, table: string, owner: string): string {
  return nameFields
    .map(
      (field) => `CREATE INDEX requests_by_${field} ON ${table} (${owner}(${engine.fingerprintOf(field)}));`,
    )
    .join('\n  ')
}

/** It went to a name with one of these digests. */
export const hasName = (engine: Engine, keys: readonly string[]) => {
  const [whole, words] = nameFields.map(
    (field) => sql`(${part(engine.fingerprintOf(field))}) IN (${listed(keys)})`,
  )
  return sql`(${whole} OR ${words})`
}

/** What a person recorded of it last, and of no other request with its number. */
const lastWord = ({table, same}: Engine) =>
  sql`(SELECT said.happened FROM ${table('resolutions')} AS said WHERE ${same('said')} AND said.kind = r.kind
    AND said.order_no = r.order_no AND said.body_digest = r.body_digest ORDER BY said.id DESC LIMIT 1)`

/** A person once recorded it as not made. */
const declaredNotMade = ({table, same}: Engine) =>
  sql`EXISTS (SELECT 1 FROM ${table('resolutions')} AS said WHERE ${same('said')} AND said.kind = r.kind
    AND said.order_no = r.order_no AND said.body_digest = r.body_digest AND said.happened = 0)`

/** A person recorded it as made. */
export const declaredMade = (engine: Engine) => sql`(coalesce(${lastWord(engine)}, 0) = 1)`

/** Only a person's decision says so; the service has shown nothing since. The opposite decision undoes it. */
export const onlySaid = (engine: Engine, happened: boolean) =>
  happened
    ? sql`(r.state = 'accepted' AND r.confirmation IS DISTINCT FROM 'confirmed' AND ${lastWord(engine)} = 1)`
    : sql`(r.state = 'refused' AND ${lastWord(engine)} = 0)`

function columnsOf(engine: Engine, of: RequestTable): Query {
  const columns = columnsFor<
    Omit<
      RequestRow,
      | 'isDeclaredMade'
      | 'isDeclaredNotMade'
      | 'isOnItsWay'
      | 'seenFailedMs'
      | 'seenCompletedMs'
      | 'wasRefused'
      | 'replaces'
    >
  >({
    ...{id: of === 'requests' ? 'r.id' : `-r.${engine.droppedId}`, kind: 'r.kind', orderNo: 'r.order_no'},
    ...{bodyDigest: 'r.body_digest', intentDigest: 'r.intent_digest', returnUrl: 'r.return_url'},
    ...{amount: 'CAST(r.amount_paisa AS TEXT)', channel: 'r.channel', state: 'r.state'},
    ...{maskedAccount: 'r.masked_account', platformOrderNo: 'r.platform_order_no'},
    ...{serviceCode: 'r.service_code', payeeFingerprint: 'r.payee_fingerprint'},
    ...{absentBefore: 'r.absent_before', confirmation: 'r.confirmation'},
    ...{confirmationWhy: 'r.confirmation_why', claims: 'r.claims', intentAtMs: 'r.intent_at_ms'},
    ...{
      claimedAtMs: 'r.claimed_at_ms',
      outcomeAtMs: 'r.settled_at_ms',
      repeatsAllowed: 'r.repeats_allowed',
    },
    ...{sentFields: 'r.sent_fields', sentBy: engine.request.sentBy},
  })
  return sql`${part(columns)}, CASE WHEN ${declaredMade(engine)} THEN 1 ELSE 0 END AS "isDeclaredMade",
    CASE WHEN ${onlySaid(engine, false)} THEN 1 ELSE 0 END AS "isDeclaredNotMade",
    CASE WHEN ${part(engine.request.isOnItsWay)} THEN 1 ELSE 0 END AS "isOnItsWay",
    CASE WHEN r.state = 'refused' OR r.service_code IS NOT NULL OR ${declaredNotMade(engine)} THEN 1 ELSE 0 END AS "wasRefused",
    CASE WHEN r.kind = 'payout' THEN (SELECT seen.seen_ms FROM ${engine.table('payouts_completed')} AS seen
      WHERE ${engine.same('seen')} AND seen.order_no = r.order_no) END AS "seenCompletedMs",
    CASE WHEN r.kind = 'payout' THEN coalesce((SELECT seen.seen_ms FROM ${engine.table('payouts_failed')} AS seen
      WHERE ${engine.same('seen')} AND seen.order_no = r.order_no), CASE r.state WHEN 'refused' THEN r.settled_at_ms END) END AS "seenFailedMs"`
}

/** The service once showed it as failed, or it was refused, or a person recorded it as not paid: another may be in its place. */
export const wasSeenFailed = ({table, same}: Engine) =>
  sql`(r.state = 'refused' OR EXISTS (SELECT 1 FROM ${table('payouts_failed')} AS seen WHERE ${same('seen')} AND seen.order_no = r.order_no))`

/** That a row has an id of `RequestRow`. */
export const isRow = ({engine, mine}: Pick<Names, 'engine' | 'mine'>, id: number) =>
  sql`${mine('r')} AND r.${part(isDropped({id}) ? engine.droppedId : 'id')} = ${Math.abs(id)}`

/** An account's requests of which `where` holds. */
export function selectRequests(
  {engine, mine}: Pick<Names, 'engine' | 'mine'>,
  where: Query,
  of: RequestTable = 'requests',
): Query {
  return sql`SELECT ${columnsOf(engine, of)} FROM ${engine.table(of)} AS r WHERE ${mine('r')} AND ${where}`
}

/** The same with those that a merge did not keep. */
export function selectBoth(store: Pick<Names, 'engine' | 'mine'>, where: Query): Query {
  return sql`${selectRequests(store, where)} UNION ALL ${selectRequests(store, where, 'requests_dropped')}`
}

/** The payouts that one repeats on somebody's word, or takes the place of because they failed. */
export function repeatsIn(stored: unknown): {readonly orderNo: string; readonly isFailed: boolean}[] {
  const listed: (string | {readonly failed: string})[] = JSON.parse(String(stored))
  return listed.map((one) =>
    typeof one === 'string' ? {orderNo: one, isFailed: false} : {orderNo: one.failed, isFailed: true},
  )
}

export function requestRowOf(row: Row): RequestRow {
  const amount = row.amount === null ? null : BigInt(String(row.amount))
  const repeats = repeatsIn(row.repeatsAllowed)
  const repeatsAllowed = repeats.map(({orderNo}) => orderNo)
  const replaces = repeats.filter(({isFailed}) => isFailed).map(({orderNo}) => orderNo)
  const sentFields = JSON.parse(String(row.sentFields))
  const [absentBefore, isDeclaredMade] = [row.absentBefore === 1, row.isDeclaredMade === 1]
  const isDeclaredNotMade = row.isDeclaredNotMade === 1
  const [isOnItsWay, wasRefused] = [row.isOnItsWay === 1, row.wasRefused === 1]
  return {
    ...row,
    amount,
    repeatsAllowed,
    replaces,
    sentFields,
    absentBefore,
    isDeclaredMade,
    isDeclaredNotMade,
    isOnItsWay,
    wasRefused,
  } as unknown as RequestRow
}
