import {dirname, relative} from 'node:path'

import type {Account} from '../../core/account.ts'
import {type Check, failed, ok, skipped, warning} from '../../core/doctor/check.ts'
import {Failure} from '../../core/failure.ts'
import {nearest} from '../../core/nearest.ts'
import {addressesOf, type Profile} from '../../core/profile.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import {freeBytes, inspect, isOnNetwork, nearestFolder} from '../../files/inspect.ts'
import {weakPlaceOf} from '../../files/trust.ts'
import {inspectJournal, isLockHeld} from '../../journal/inspect.ts'
import {inspectInbox} from '../../receiver/inspect-inbox.ts'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** All variables of hisab; docs/configuration.md explains each. */
const variables = [
  ...[
    'HISAB_PROFILE',
    'HISAB_MERCHANT_ID',
    'HISAB_ENVIRONMENT',
    'HISAB_BASE_URL',
    'HISAB_APPLY_URL',
    'HISAB_LEGACY_URL',
  ],
  ...['HISAB_RETURN_URL', 'HISAB_API_SECRET', 'HISAB_API_SECRET_FILE', 'HISAB_API_KEY', 'HISAB_API_KEY_FILE'],
  ...['HISAB_CONFIG', 'HISAB_CONFIG_DIR', 'HISAB_DATA_DIR'],
  ...['HISAB_JOURNAL', 'HISAB_JOURNAL_FILE', 'HISAB_PROXY', 'HISAB_HEARTBEAT'],
  // What nightly gives to commands, which may be of hisab.
  ...['HISAB_DAY', 'HISAB_LEDGER', 'HISAB_RUN_ID', 'HISAB_EXIT_STATUS', 'HISAB_BREAKS', 'HISAB_BREAK_AMOUNT'],
  ...['HISAB_ALARM', 'HISAB_REPORT_DIR'],
]
const proxies = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
const spaceWantedBytes = 100 * 1024 * 1024

/** A profile may name any variable for its secret, so those names are accepted. */
export function environmentCheck(env: EnvironmentVariables, namedByProfile: readonly string[]): Check {
  const strange = Object.keys(env).filter(
    (name) =>
      name.startsWith('HISAB_') &&
      !variables.includes(name) &&
      !/_DIR$|^HISAB_(?:AC|SKIP|SHOW)_/.test(name) &&
      !namedByProfile.some((text) => text.includes(name)),
  )
  const [first] = strange
  if (first !== undefined) {
    const meant = nearest(first, variables)
    const why = `${strange.map((name) => escapeInvisible(name, 80)).join(', ')}: unknown variable`
    return warning(
      'environment',
      why,
      meant === null ? 'Unset it, or correct its name.' : `Is ${meant} meant?`,
    )
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warning(
      'environment',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set. hisab checks certificates anyway',
      'Unset it. Other programs obey it.',
    )
  }
  const proxy = proxies.find((name) => env[name])
  return ok(
    'environment',
    proxy === undefined
      ? 'no proxy, nothing unknown'
      : `${proxy} is set, but hisab uses only the proxy of the profile or HISAB_PROXY`,
  )
}

/**
 * The configuration file and its folder on the disk (P25), not their content. A folder that a person named (`isNamed`)
 * may be shared, as long as nobody else can exchange its content.
 */
export function configCheck(path: string, isRead: boolean, isNamed: boolean): Check {
  const file = inspect(path)
  if (file === null) return skipped('config', `none at ${escapeInvisible(path)}`)
  if (file.kind !== 'file') {
    return failed(
      'config',
      'file_unreadable',
      `${escapeInvisible(path)} is no file`,
      'Set HISAB_CONFIG to another file.',
    )
  }
  const folder = dirname(path)
  const {mode = '', isOpenToOthers = false} = inspect(folder) ?? {}
  const isFolderOpen = isNamed ? weakPlaceOf(folder) !== null : isOpenToOthers
  const seen = `${escapeInvisible(path)}, mode ${file.mode} in a folder of ${mode}`
  const lines = [
    ...(file.isOpenToOthers ? [`chmod 600 ${quoteForShell(path)}`] : []),
    ...(isFolderOpen ? [`chmod 700 ${quoteForShell(folder)}`] : []),
  ]
  if (lines.length > 0) return warning('config', `${seen}: open to other users`, `Run: ${lines.join(' && ')}`)
  return ok('config', isRead ? seen : `${seen}; not read`)
}

/** The folder of the journal, locks and reports: present, private, writable, local, with free space. */
export function dataCheck(dataDir: string): Check {
  const folder = inspect(dataDir)
  const place = escapeInvisible(dataDir)
  const home = nearestFolder(dataDir)
  if (folder && folder.kind !== 'folder') {
    return failed('data', 'storage_failed', `${place} is no folder`, 'Name another with HISAB_DATA_DIR.')
  }
  const weak = weakPlaceOf(dataDir)
  if (weak) {
    const where = weak.path === dataDir ? place : `${place} is not used: ${escapeInvisible(weak.path)}`
    return failed('data', 'config_invalid', `${where} ${weak.why}`, weak.fix)
  }
  if (!(folder ?? inspect(home))?.isWritable) {
    const who = folder ? place : `${place} is not there, and ${escapeInvisible(home)}`
    return failed(
      'data',
      'storage_failed',
      `${who} cannot be written`,
      'Make it writable, or set HISAB_DATA_DIR to another folder. Until then nothing can be sent.',
    )
  }
  if (isOnNetwork(home)) {
    return warning(
      'data',
      `${place} is on a network file system, where locks are not safe`,
      'Set HISAB_DATA_DIR to a folder on a local disk.',
    )
  }
  const free = freeBytes(home)
  if (free !== null && free < spaceWantedBytes) {
    return warning(
      'data',
      `${place}: only ${Math.floor(free / 1024 / 1024)} MiB free`,
      'Free some space. hisab sends nothing that it cannot record first.',
    )
  }
  if (folder?.isOpenToOthers) {
    return warning(
      'data',
      `${place}, mode ${folder.mode}: open to other users`,
      `Run: chmod 700 ${quoteForShell(dataDir)}`,
    )
  }
  return ok('data', folder ? `${place}, mode ${folder.mode}, writable` : `${place}, made when first needed`)
}

export function journalCheck(dataDir: string, profile: Profile): Check {
  if (profile.merchantId === '') return skipped('journal', 'without a merchant there is no journal')
  const {name: profileName, isEnvironmentNamed} = profile
  const addresses = addressesOf(profile)
  const journal = inspectJournal({dataDir, account: profile, addresses, profileName, isEnvironmentNamed})
  // Relative to the folder that the check `data` shows.
  const place = escapeInvisible(relative(dataDir, journal.path))
  const refused = ({code, clause, hint}: Failure) => failed('journal', code, clause, hint)
  if (journal.state === 'refused') return refused(journal.failure)
  const received = inspectInbox(dataDir, profile)
  if (received instanceof Failure) return refused(received)
  if (journal.state === 'absent') return ok('journal', 'none yet; made with the first run or create')
  if (journal.state === 'unreadable') {
    return failed('journal', 'storage_failed', `${place}: ${journal.why}`, journal.hint)
  }
  if (!inspect(journal.path)?.isWritable) {
    return failed(
      'journal',
      'storage_failed',
      `${place} cannot be written`,
      'Make it writable for this user.',
    )
  }
  const {runs, ...doubts} = journal
  return doubtsCheck(`${place}, writable, ${runs} ${runs === 1 ? 'run' : 'runs'}`, doubts, place)
}

/** The check of a usable journal, with the number of unknown outcomes in it. */
export function doubtsCheck(
  why: string,
  {resendsInDoubt, createsInDoubt: {deposit, payout}}: InDoubt,
  place: string = why,
): Check {
  const inDoubt = [
    ...(payout > 0 ? [payout === 1 ? '1 payout' : `${payout} payouts`] : []),
    ...(deposit > 0 ? [deposit === 1 ? '1 deposit' : `${deposit} deposits`] : []),
    ...(resendsInDoubt > 0 ? [resendsInDoubt === 1 ? '1 resend' : `${resendsInDoubt} resends`] : []),
  ]
  if (inDoubt.length > 0) {
    return warning(
      'journal',
      `${place}: ${inDoubt.join(' and ')} whose outcome nobody knows`,
      'List them, with the command that ends each: hisab payout list --in-doubt.',
    )
  }
  return ok('journal', why)
}

interface InDoubt {
  readonly resendsInDoubt: number
  readonly createsInDoubt: {readonly deposit: number; readonly payout: number}
}

/** What `webhooks listen` received and no server has acknowledged. */
export function eventsCheck(dataDir: string, profile: Profile): Check {
  const received = profile.merchantId === '' ? null : inspectInbox(dataDir, profile)
  if (received instanceof Failure) return skipped('events', received.clause)
  if (received === null) return ok('events', 'none received')
  const {pending, conflicts} = received
  const waiting = [
    ...(pending > 0 ? [pending === 1 ? '1 event' : `${pending} events`] : []),
    ...(conflicts > 0 ? [conflicts === 1 ? '1 contradiction' : `${conflicts} contradictions`] : []),
  ]
  return waiting.length === 0
    ? ok('events', 'none pending')
    : warning(
        'events',
        `${waiting.join(' and ')} that your server has not acknowledged`,
        'List them: hisab events list --pending.',
      )
}

export function lockCheck(dataDir: string, account: Account): Check {
  return isLockHeld(dataDir, account)
    ? warning(
        'lock',
        'a run for this merchant is active',
        'Wait until it has finished. A second run ends with exit status 9.',
      )
    : ok('lock', 'free')
}
