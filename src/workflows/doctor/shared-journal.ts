import type {LoadedProfile} from '../../config/load-profile.ts'
import {type Check, failed, ok, warning} from '../../core/doctor/check.ts'
import {asFailure} from '../../core/failure.ts'
import {addressesOf} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import {payeeKeyId} from '../../journal/payee-key.ts'
import type {SharedState} from '../../journal/postgres/inspect.ts'
import {counted} from '../../report/figures.ts'
import {doubtsCheck} from './machine.ts'

type SharedSetting = NonNullable<LoadedProfile['sharedJournal']>

/** The checks of a journal that many machines share. */
export async function sharedJournalChecks(
  {url, place}: SharedSetting,
  {profile}: LoadedProfile,
  dataDir: string,
  onSecret: (secret: string) => void,
): Promise<Check[]> {
  try {
    const {readAddress} = await import('../../journal/postgres/settings.ts')
    const {inspectShared} = await import('../../journal/postgres/inspect.ts')
    const {holderText} = await import('../../journal/postgres/lease.ts')
    const address = readAddress(await url(), place)
    if (address.password !== '') onSecret(address.password)
    const {name: profileName, isEnvironmentNamed} = profile
    const user = {dataDir, account: profile, addresses: addressesOf(profile), profileName, isEnvironmentNamed}
    const state = await inspectShared(address, user)
    const {holder} = state
    return [
      ...checksOfState(state, address.name, user.addresses, payeeKeyId(dataDir)),
      ok('lock', holder === null ? 'nobody is at work' : holderText(holder, profile.ledger.timeZone)),
    ]
  } catch (thrown) {
    const error = asFailure(thrown)
    return [failed('journal', error.code, error.clause, error.hint), ok('lock', 'not known')]
  }
}

export function checksOfState(
  state: SharedState,
  database: string,
  addresses: readonly string[],
  ownKey: string | null,
): Check[] {
  const {restored} = state
  return [
    restored
      ? failed('journal', 'file_unreadable', `${database}: ${restored.text}`, restored.hint)
      : doubtsCheck(`${database}, the primary, fsync on`, state, database),
    ...[commitCheck(state), standbyCheck(state), clockCheck(state), roleCheck(state)],
    ...[addressCheck(state, addresses), payeeKeyCheck(state, ownKey)],
  ]
}

const lossy = ['off', 'local', 'remote_write']

function commitCheck({synchronousCommit: given, commitOfWrites: used}: SharedState): Check {
  if (lossy.includes(used))
    return failed(
      'journal_commits',
      'storage_failed',
      `synchronous_commit is ${used}: a crash can lose what was acknowledged`,
      'Let the role of hisab set it, and set it to on.',
    )
  return ok(
    'journal_commits',
    given === used
      ? `synchronous_commit ${used}`
      : `synchronous_commit ${used}, set by hisab; the role has ${given}`,
  )
}

function standbyCheck({standbys, asyncStandbys, hiddenStandbys}: SharedState): Check {
  if (asyncStandbys.length > 0)
    return warning(
      'journal_standbys',
      `${asyncStandbys.map((name) => escapeInvisible(name, 60)).join(', ')} may lack what was acknowledged`,
      'Name it in synchronous_standby_names. Else hisab stops after a failover until a person has compared.',
    )
  if (hiddenStandbys > 0)
    return warning(
      'journal_standbys',
      `${counted(hiddenStandbys, 'standby', 'standbys')}, and this role may not see whether a COMMIT waits for them`,
      'As an administrator, run: GRANT pg_monitor TO the role of hisab.',
    )
  return ok('journal_standbys', standbys === 0 ? 'none' : `${standbys}, and a COMMIT waits for each`)
}

function clockCheck({clockBehindMs}: SharedState): Check {
  const apart = `${(Math.abs(clockBehindMs) / 1_000).toFixed(1)} s`
  if (Math.abs(clockBehindMs) < 120_000) return ok('journal_clock', `within ${apart} of the database’s`)
  return failed(
    'journal_clock',
    'config_invalid',
    `this machine’s clock is ${apart} ${clockBehindMs > 0 ? 'behind' : 'ahead of'} the database’s, so nothing is sent`,
    'Correct the clock of this machine, or of the database.',
  )
}

function roleCheck({canDelete}: SharedState): Check {
  return canDelete
    ? warning(
        'journal_role',
        'this role may delete what was sent',
        'Connect as a role that owns no table: hisab journal migrate --grant ROLE. See docs/shared-journal.md.',
      )
    : ok('journal_role', 'may read, add and change rows, and delete none')
}

function addressCheck({refusal}: SharedState, addresses: readonly string[]): Check {
  return refusal
    ? failed('journal_addresses', refusal.code, refusal.clause, refusal.hint)
    : ok('journal_addresses', addresses.join(', '))
}

function payeeKeyCheck({payeeKeys}: SharedState, own: string | null): Check {
  const others = [...payeeKeys].filter(([id]) => id !== own).reduce((sum, [, payouts]) => sum + payouts, 0)
  if (others > 0)
    return warning(
      'payee_key',
      `${own === null ? 'none yet' : `its id is ${own}`}, and ${counted(others, 'payout was', 'payouts were')} recorded with another: they are not compared by name`,
      'Copy payee.key of the machine that paid into the data directory of this one.',
    )
  return ok(
    'payee_key',
    own === null ? 'none yet; made with the first payout' : `its id is ${own}, as of all payouts`,
  )
}
