import type {Failure} from '../../core/failure.ts'
import {hostAddressOf} from '../../core/loopback.ts'
import {neverReached, ofAnotherEnvironment, unnamed} from '../addresses.ts'
import {sql} from '../query.ts'
import type {JournalUser} from '../witness.ts'
import type {Shared} from './account.ts'
import type {Reader, Transaction} from './database.ts'

/**
 * Why this account may not be at work at its addresses, or null: the rules of `../addresses.ts`, over what the database
 * knows of the merchant.
 */
export async function refusalAt(
  reader: Reader,
  accountId: number,
  user: JournalUser,
): Promise<Failure | null> {
  const rows = await reader.all(
    sql`SELECT a.id, a.environment, o.origin FROM hisab.account AS a
      JOIN hisab.account_origin AS o ON o.account_id = a.id WHERE lower(a.merchant_id) = lower(${user.account.merchantId})`,
  )
  const own = rows.filter(({id}) => id === accountId).map(({origin}) => hostAddressOf(String(origin)))
  const strange = user.addresses.filter((address) => !own.includes(address))
  const [first] = strange
  if (first === undefined) return null
  const others = rows.filter(({id}) => id !== accountId)
  for (const address of strange) {
    const other = others.find(({origin}) => hostAddressOf(String(origin)) === address)
    if (other) return ofAnotherEnvironment(address, String(other.environment), user)
  }
  if (own.length > 0) return neverReached(first, user)
  const [other] = others
  if (other === undefined || user.isEnvironmentNamed) return null
  const environment = String(other.environment)
  const theirs = others.filter((one) => one.environment === environment).map(({origin}) => String(origin))
  return unnamed(first, {environment, addresses: new Set(theirs), isKnown: true}, user)
}

/** Takes down where the account is, in the transaction of its first claim. Throws where it may not be there. */
export async function beginAt(tx: Transaction, accountId: number, user: JournalUser): Promise<void> {
  const failure = await refusalAt(tx, accountId, user)
  if (failure) throw failure
  await addOrigins(tx, accountId, user.addresses, false)
}

export async function addOrigins(
  tx: Transaction,
  accountId: number,
  addresses: readonly string[],
  isLinked: boolean,
): Promise<void> {
  for (const address of addresses)
    await tx.run(
      sql`INSERT INTO hisab.account_origin AS known (account_id, origin, first_seen_ms, is_linked)
        VALUES (${accountId}, ${address}, ${Date.now()}, ${Number(isLinked)})
        ON CONFLICT (account_id, origin) DO UPDATE SET is_linked = greatest(known.is_linked, excluded.is_linked)`,
    )
}

/** The merchant's other environments that know one of the addresses. */
export async function sharedElsewhere(
  {db, accountId}: Shared,
  {account, addresses}: JournalUser,
): Promise<{environment: string; isShared: boolean}[]> {
  const rows = await db.all(
    sql`SELECT DISTINCT a.environment FROM hisab.account AS a JOIN hisab.account_origin AS o ON o.account_id = a.id
      WHERE lower(a.merchant_id) = lower(${account.merchantId}) AND a.id <> ${accountId} AND o.origin = ANY (${[...addresses]})`,
  )
  return rows.map(({environment}) => ({environment: String(environment), isShared: true}))
}
