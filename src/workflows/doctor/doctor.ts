import {defaultLimits, type Limits} from '../../api/limits.ts'
import {ServiceProbe} from '../../api/probe.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {listSettings, type Setting} from '../../config/settings-list.ts'
import {type Assumption, assumptionsOf, defaultDialect} from '../../core/dialect.ts'
import {
  type Check,
  type CheckName,
  checkNames,
  ok,
  sharedChecks,
  skipped,
  unknown,
  warning,
} from '../../core/doctor/check.ts'
import {asFailure} from '../../core/failure.ts'
import {
  configCheck,
  dataCheck,
  type EnvironmentVariables,
  environmentCheck,
  eventsCheck,
  journalCheck,
  lockCheck,
} from './machine.ts'
import {ordersCheck} from './orders.ts'
import {type Reach, reachAll} from './reach.ts'
import {profileFailure, type ReadSecret, readSecretOf, settingsCheck} from './settings.ts'
import {sharedJournalChecks} from './shared-journal.ts'
import {receiverCheck, webhooksCheck} from './webhooks.ts'

export interface DoctorPorts {
  readonly nodeVersion: string
  readonly env: EnvironmentVariables
  readonly configPath: string
  readonly dataDir: string
  /** Reads the profile, even an incomplete one. Throws if it is invalid. */
  readonly load: () => Promise<LoadedProfile>
  readonly now: () => number
  readonly madeUpNo: string
  /** Called for each secret that is read; it must not be printed from then on. */
  readonly onSecret: (secret: string) => unknown
  readonly onProgress: (done: number, total: number) => void
  readonly limits?: Limits
}

/** One of A1 to A13 with its current value. */
export interface AssumptionState extends Assumption {
  readonly default: string
  /** Whether the profile differs from the default. */
  readonly isSet: boolean
}

export interface DoctorResult {
  readonly profile: string | null
  readonly chosenBy: string | null
  readonly configPath: string | null
  readonly dataDir: string
  readonly settings: readonly Setting[]
  readonly assumptions: readonly AssumptionState[]
  /** In the order of `checkNames`, each once. */
  readonly checks: readonly Check[]
  readonly clockSkewMs: number | null
}

const onlineNames = checkNames.slice(checkNames.indexOf('base_url'))
const skewWorthSayingMs = 30_000
/** Shorter than those of other commands, because a person waits. */
const doctorLimits: Limits = {...defaultLimits, headersTimeoutMs: 10_000, totalTimeoutMs: 15_000}

/** Checks everything that commands depend on, and changes nothing. */
export async function runDoctor(ports: DoctorPorts, isOffline: boolean): Promise<DoctorResult> {
  const {env, configPath, dataDir} = ports
  const isNamed = Boolean(env.HISAB_CONFIG || env.HISAB_CONFIG_DIR)
  const data = dataCheck(dataDir)
  const here = [ok('node', ports.nodeVersion), data]
  let loaded: LoadedProfile
  try {
    loaded = await ports.load()
  } catch (thrown) {
    const error = asFailure(thrown)
    const checks = [
      ...here,
      environmentCheck(env, []),
      configCheck(configPath, false, isNamed),
      profileFailure(error),
    ]
    const rest = checkNames.filter(
      (name) => !sharedChecks.includes(name) && !checks.some((check) => check.name === name),
    )
    return {
      ...{profile: null, chosenBy: null, configPath: null, dataDir, settings: [], assumptions: []},
      checks: inOrder([...checks, ...rest.map((name) => skipped(name, 'without a profile'))]),
      clockSkewMs: null,
    }
  }
  const {profile, sources} = loaded
  const chosenBy = sources.profile ?? 'default'
  const secret = await readSecretOf(loaded, 'api_secret')
  const key = await readSecretOf(loaded, 'api_key')
  for (const read of [secret, key]) if (read.secret !== null) ports.onSecret(read.secret)
  const named = Object.values(loaded.secretOrigins).map((origin) => origin?.where ?? '')
  const local = [
    ...here,
    environmentCheck(env, named),
    configCheck(configPath, loaded.configPath !== null, isNamed),
    ok('profile', `${profile.name}, chosen by ${chosenBy}`),
    settingsCheck(loaded),
    secret.check,
    key.check,
    ...(data.code === 'config_invalid'
      ? (['journal', 'lock', 'events'] as const).map((name) =>
          skipped(name, 'not looked for in such a folder'),
        )
      : loaded.sharedJournal
        ? [
            ...(await sharedJournalChecks(loaded.sharedJournal, loaded, dataDir, ports.onSecret)),
            eventsCheck(dataDir, profile),
          ]
        : [journalCheck(dataDir, profile), lockCheck(dataDir, profile), eventsCheck(dataDir, profile)]),
  ]
  const online = await diagnoseService(ports, loaded, [secret, key], isOffline)
  return {
    ...{profile: profile.name, chosenBy, configPath: loaded.configPath, dataDir},
    settings: listSettings(loaded).filter(({key: name}) => !name.includes('.') && name !== 'refusal_codes'),
    assumptions: listAssumptions(loaded),
    checks: inOrder([...local, ...online.checks]),
    clockSkewMs: online.clockSkewMs,
  }
}

function listAssumptions({profile}: LoadedProfile): AssumptionState[] {
  const defaults = assumptionsOf(defaultDialect)
  return assumptionsOf(profile.dialect).map((assumption, index) => {
    const byDefault = defaults[index]?.value ?? ''
    return {...assumption, default: byDefault, isSet: assumption.value !== byDefault}
  })
}

async function diagnoseService(
  ports: DoctorPorts,
  loaded: LoadedProfile,
  [secret, key]: readonly [ReadSecret, ReadSecret],
  isOffline: boolean,
) {
  const none = (why: string) => ({checks: onlineNames.map((name) => skipped(name, why)), clockSkewMs: null})
  if (isOffline) return none('not asked: --offline')
  if (settingsCheck(loaded).status === 'failed') return none('the settings are not complete')
  const {now, limits = doctorLimits} = ports
  const {profile} = loaded
  ports.onProgress(0, onlineNames.length)
  const reach = await reachAll(profile, limits, now)
  ports.onProgress(reach.checks.length, onlineNames.length)
  const credentials = {apiSecret: secret.secret ?? '', apiKey: key.secret ?? ''}
  const probe = new ServiceProbe(profile, credentials, now, limits)
  try {
    const asked = await askService(ports, loaded, [secret, key], reach, probe)
    const measured = Object.values(probe.skews).flatMap(({ms}) => (ms === null ? [] : [ms]))
    const worst = measured.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? null
    return {checks: [...reach.checks, clockCheck(worst, reach), ...asked], clockSkewMs: worst}
  } finally {
    await probe.close()
  }
}

async function askService(
  {madeUpNo, onProgress}: DoctorPorts,
  {profile}: LoadedProfile,
  [secret, key]: readonly [ReadSecret, ReadSecret],
  {isReached}: Reach,
  probe: ServiceProbe,
): Promise<Check[]> {
  const can = (name: CheckName, address: keyof Reach['isReached'], keys: readonly ReadSecret[]) => {
    if (!isReached[address]) return skipped(name, `${address} is not reached`)
    const missing = keys.find((read) => read.secret === null)
    return missing ? skipped(name, `without the ${missing.check.name}`) : null
  }
  let done = 4
  const told = async <T>(work: Promise<T> | T): Promise<T> => {
    const result = await work
    done += 1
    onProgress(done, onlineNames.length)
    return result
  }
  const askWebhooks = async (): Promise<Check[]> => {
    const unable = can('webhooks', 'legacy_url', [secret, key])
    if (unable) return [unable, skipped('receiver', unable.why)]
    const webhooks = await told(webhooksCheck(probe))
    if (webhooks.check.status !== 'ok')
      return [webhooks.check, skipped('receiver', 'without the webhook log')]
    const {record} = webhooks
    return [webhooks.check, await told(receiverCheck(probe, record, profile, secret.secret ?? ''))]
  }
  // At the same time, so that a service that never answers costs one timeout, not three.
  const [deposits, payouts, webhooks] = await Promise.all([
    told(can('deposits', 'base_url', [secret]) ?? ordersCheck('deposit', probe, profile, madeUpNo)),
    told(can('payouts', 'apply_url', [secret]) ?? ordersCheck('payout', probe, profile, madeUpNo)),
    askWebhooks(),
  ])
  return [deposits, payouts, ...webhooks]
}

/** A difference is shown and never corrected (P19). */
function clockCheck(skewMs: number | null, {isReached}: Reach): Check {
  if (skewMs === null) {
    return Object.values(isReached).some(Boolean)
      ? unknown('clock', 'no answer showed the service’s time', 'Check this machine’s clock.')
      : skipped('clock', 'nothing is reached')
  }
  const apart = `${(Math.abs(skewMs) / 1_000).toFixed(Math.abs(skewMs) < 10_000 ? 1 : 0)} s`
  if (Math.abs(skewMs) <= skewWorthSayingMs) return ok('clock', `within ${apart} of the service’s`)
  const way = skewMs > 0 ? 'behind' : 'ahead of'
  return warning(
    'clock',
    `this machine’s clock is ${apart} ${way} the service’s`,
    'Set the clock (timedatectl set-ntp true). The legacy API refuses requests with a wrong time.',
  )
}

function inOrder(checks: readonly Check[]): Check[] {
  return checkNames.flatMap((name) => checks.find((check) => check.name === name) ?? [])
}
