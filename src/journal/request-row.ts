import type {SQLOutputValue} from 'node:sqlite'

import {columnsFor} from '../files/sqlite.ts'
import type {RequestRow, RequestTable} from './rows.ts'

/** Nobody knows whether it was carried out, at any age (P6): `isInDoubt` in SQL, as the index has it. */
export const inDoubtCondition = `(state IN ('intent', 'unknown') OR state = 'accepted' AND confirmation = 'contradicted')`
/** What a person recorded of it last, and of no other request with its number. */
const lastWord = `(SELECT said.happened FROM resolutions AS said WHERE said.kind = requests.kind
  AND said.order_no = requests.order_no AND said.body_digest = requests.body_digest ORDER BY said.id DESC LIMIT 1)`
/** A person recorded it as made. */
export const declaredMade = `(coalesce(${lastWord}, 0) = 1)`
/** Only a person's decision says so; the service has shown nothing since. The opposite decision undoes it. */
export const onlySaid = (happened: boolean) =>
  happened
    ? `(state = 'accepted' AND confirmation IS NOT 'confirmed' AND ${lastWord} = 1)`
    : `(state = 'refused' AND ${lastWord} = 0)`

const columns = {
  ...{kind: 'kind', orderNo: 'order_no', bodyDigest: 'body_digest', intentDigest: 'intent_digest'},
  ...{returnUrl: 'return_url', amount: 'CAST(amount_paisa AS TEXT)', channel: 'channel', state: 'state'},
  ...{maskedAccount: 'masked_account', platformOrderNo: 'platform_order_no', serviceCode: 'service_code'},
  ...{payeeFingerprint: 'payee_fingerprint', absentBefore: 'absent_before', isDeclaredMade: declaredMade},
  ...{confirmation: 'confirmation', confirmationWhy: 'confirmation_why', claims: 'claims'},
  ...{intentAtMs: 'intent_at_ms', claimedAtMs: 'claimed_at_ms', outcomeAtMs: 'settled_at_ms'},
  ...{repeatsAllowed: 'repeats_allowed', sentFields: 'sent_fields', sentBy: 'NULL', isOnItsWay: 'NULL'},
}
const rowIds = {requests: 'id', requests_dropped: '-requests.rowid'} as const satisfies Record<
  RequestTable,
  string
>
export const selectFrom = (table: RequestTable) =>
  `SELECT ${columnsFor<RequestRow>({id: rowIds[table], ...columns})} FROM ${table} AS requests`
export const selectRequest = selectFrom('requests')
/** The same of what a merge did not keep. */
export const selectBoth = (where: string) =>
  `${selectRequest} WHERE ${where} UNION ALL ${selectFrom('requests_dropped')} WHERE ${where}`

export function requestRowOf(row: Record<string, SQLOutputValue>): RequestRow {
  const amount = row.amount === null ? null : BigInt(String(row.amount))
  const [repeatsAllowed, sentFields] = [row.repeatsAllowed, row.sentFields].map((text) =>
    JSON.parse(String(text)),
  )
  const [absentBefore, isDeclaredMade] = [row.absentBefore === 1, row.isDeclaredMade === 1]
  const isOnItsWay = row.isOnItsWay === 1
  return {
    ...row,
    amount,
    repeatsAllowed,
    sentFields,
    absentBefore,
    isDeclaredMade,
    isOnItsWay,
  } as unknown as RequestRow
}
