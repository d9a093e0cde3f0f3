import type {SQLOutputValue} from 'node:sqlite'

import type {RequestRow} from './rows.ts'

/** Nobody knows whether it was carried out, at any age (P6): `isInDoubt` in SQL, as the index has it. */
export const inDoubtCondition = `(state IN ('intent', 'unknown') OR state = 'accepted' AND confirmation = 'contradicted')`
/** A person recorded it as made. */
export const declaredMade = `EXISTS (SELECT 1 FROM resolutions AS said WHERE said.kind = requests.kind
  AND said.order_no = requests.order_no AND said.happened = 1)`

/** The amount as text: SQLite's integers have 64 bits, a JavaScript number has 53. */
export const selectFrom = (
  table: 'requests' | 'requests_dropped',
) => `SELECT id, kind, order_no AS orderNo, body_digest AS bodyDigest,
  intent_digest AS intentDigest, return_url AS returnUrl,
  CAST(amount_paisa AS TEXT) AS amount, channel, masked_account AS maskedAccount, state,
  platform_order_no AS platformOrderNo, service_code AS serviceCode, payee_fingerprint AS payeeFingerprint,
  absent_before AS absentBefore, ${declaredMade} AS isDeclaredMade, confirmation, confirmation_why AS confirmationWhy,
  claims, intent_at_ms AS intentAtMs, claimed_at_ms AS claimedAtMs, settled_at_ms AS outcomeAtMs,
  repeats_allowed AS repeatsAllowed
  FROM ${table} AS requests`
export const selectRequest = selectFrom('requests')

export function requestRowOf(row: Record<string, SQLOutputValue>): RequestRow {
  const amount = row.amount === null ? null : BigInt(String(row.amount))
  const repeatsAllowed = JSON.parse(String(row.repeatsAllowed))
  const [absentBefore, isDeclaredMade] = [row.absentBefore === 1, row.isDeclaredMade === 1]
  return {...row, amount, repeatsAllowed, absentBefore, isDeclaredMade} as unknown as RequestRow
}
