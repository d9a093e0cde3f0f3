import {statSync} from 'node:fs'
import {resolve} from 'node:path'
import {Failure} from '../core/failure.ts'
import {isLoopback} from '../core/loopback.ts'
import type {Paisa} from '../core/money.ts'
import {readPayoutAmount} from '../core/payout-amount.ts'
import {
  type Credentials,
  type PayoutSettings,
  type Profile,
  sandboxCredentials,
  type Timeouts,
} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {type ChosenProfile, chooseProfile, sandboxName} from './choose-profile.ts'
import type {ConfigFile} from './config-file.ts'
import {dialectOf, dialectSections} from './dialect-settings.ts'
import {type EvidenceKeeping, evidenceOf} from './evidence-settings.ts'
import {ledgerOf} from './ledger-settings.ts'
import type {Environment} from './others-environment.ts'
import {
  type FoundTexts,
  findTexts,
  readTexts,
  refuseMissing,
  type SettingSource,
  type TextSetting,
  textVariables,
} from './profile-texts.ts'
import type {ProfileSettings} from './schema.ts'
import {
  type SecretName,
  type SecretOrigin,
  secretMissing,
  secretOrigin,
  secretSource,
} from './secret-sources.ts'
import {type Remarks, readSecret} from './secrets.ts'
import {readReceiverOrigin} from './urls.ts'

export interface LoadedProfile {
  readonly profile: Profile
  /** Origins beyond this machine that the sandbox may send webhooks to for this profile. */
  readonly sandboxDeliverTo: readonly string[]
  readonly evidence: EvidenceKeeping
  readonly configPath: string | null
  /** Where each setting's value is from, by its name in the file; `profile` is the choice itself. */
  readonly sources: Readonly<Record<string, SettingSource>>
  /** Keys set in the profile, such as `status.completed`; all others are defaults. */
  readonly givenKeys: readonly string[]
  /** Where each secret is from, or null. */
  readonly secretOrigins: Readonly<Record<SecretName, SecretOrigin | null>>
  /** For the user. Grows when secrets are read. */
  readonly warnings: readonly string[]
  /** Harmless remarks for `doctor`. Grows when secrets are read. */
  readonly notes: readonly string[]
  /** Both secrets, read on first use. Throws `credentials_missing`. */
  credentials(): Promise<Credentials>
  /** The API secret alone: signing a request needs no API key. */
  apiSecret(): Promise<string>
  apiKey(): Promise<string>
  /** Where the shared journal is; null if the journal is on this machine. Its URL may hold a password. */
  readonly sharedJournal: SharedJournalSetting | null
}

export interface SharedJournalSetting {
  readonly place: string
  readonly origin: SecretOrigin
  url(): Promise<string>
}

export interface ProfileRequest {
  readonly env: Environment
  /** `config.toml` of the configuration directory; HISAB_CONFIG overrides it. */
  readonly configPath: string
  readonly profileFlag: string | null
  /**
   * `service`: needs a merchant and its addresses. `signing`: offline work needs the dialect and a secret; a missing
   * merchant or address is an empty text.
   */
  readonly needs: 'service' | 'signing'
  /** Secrets of files and commands keep their newline, whatever the profile says. */
  readonly isSecretExact?: boolean
}

/**
 * Everything a command needs of its profile, except the secrets. Throws `config_invalid` or `file_unreadable` naming
 * file, key and next step, `credentials_missing` if nothing is configured.
 */
export async function loadProfile(request: ProfileRequest): Promise<LoadedProfile> {
  const {env} = request
  const file = await readFileOf(request)
  const chosen = chooseProfile(request.profileFlag, env, file)
  const place = (key: string) =>
    file === null ? key : `profiles.${chosen.name}.${key} in ${escapeInvisible(file.path)}`
  const found = findTexts(chosen, env, place)
  if (request.needs === 'service') refuseMissing(found, chosen, file)
  const profile: Profile = {
    name: chosen.name,
    ...readTexts(found),
    dialect: dialectOf(chosen.settings, place),
    ledger: ledgerOf(chosen.settings.ledger, place),
    payouts: payoutSettingsOf(chosen.settings.payouts, place),
    ...timeoutsOf(chosen.settings.timeouts, place),
  }
  const secrets = secretsOf(chosen, env, file?.path ?? null, request.isSecretExact ?? false)
  const remarks: Remarks = {warnings: mixtureWarnings(found, secrets.sources), notes: []}
  for (const [name, origin] of Object.entries(secrets.origins)) {
    if (origin?.isPlainText)
      remarks.warnings.push(`${place(name)} is plain text; { file = "…" } or { command = […] } is safer.`)
  }
  if (Object.values(secrets.sources).includes('sandbox')) keepOnThisMachine(profile)
  const read = async (name: SecretName) => {
    const secret = await secrets.read(name, remarks)
    if (secret === sandboxValues[name]) keepOnThisMachine(profile)
    return secret
  }
  const apiSecret = once(() => read('api_secret'))
  const apiKey = once(() => read('api_key'))
  const journal = sharedJournalOf(chosen, env, file?.path ?? null, remarks)
  if (journal?.origin.isPlainText)
    remarks.warnings.push(`${place('journal')} is plain text; { file = "…" } or { command = […] } is safer.`)
  const sandboxPlace = place('sandbox.deliver_to')
  const deliverTo = chosen.settings.sandbox?.deliver_to ?? []
  return {
    profile,
    sandboxDeliverTo: deliverTo.map((text) => readReceiverOrigin(text, sandboxPlace)),
    evidence: evidenceOf(chosen.settings.evidence, place),
    configPath: file?.path ?? null,
    sources: {
      profile: chosen.chosenBy,
      ...sourcesOf(found, chosen),
      ...secrets.sources,
      ...(journal && {journal: journal.origin.from}),
    },
    givenKeys: leavesOf(chosen.settings),
    secretOrigins: secrets.origins,
    warnings: remarks.warnings,
    notes: remarks.notes,
    apiSecret,
    apiKey,
    sharedJournal: journal,
    credentials: async () => ({apiSecret: await apiSecret(), apiKey: await apiKey()}),
  }
}

/** zod and the TOML reader are loaded only if there is a file: they cost more than the rest of a command. */
async function readFileOf({env, configPath}: ProfileRequest): Promise<ConfigFile | null> {
  const named = env.HISAB_CONFIG ? resolve(env.HISAB_CONFIG) : null
  const path = named ?? configPath
  if (isThere(path)) {
    const {readConfigFile} = await import('./config-file.ts')
    const file = await readConfigFile(path)
    if (file !== null) return file
  }
  if (named === null) return null
  throw new Failure(
    'file_unreadable',
    `HISAB_CONFIG is ${escapeInvisible(named)}, but there is no such file.`,
    'Correct HISAB_CONFIG, or unset it to use the default path.',
  )
}

const sandboxValues = {api_secret: sandboxCredentials.apiSecret, api_key: sandboxCredentials.apiKey}

/** An unreadable path counts as existing: reading it will say why. */
function isThere(path: string): boolean {
  try {
    return statSync(path, {throwIfNoEntry: false}) !== undefined
  } catch {
    return true
  }
}

function secretsOf(chosen: ChosenProfile, env: Environment, configPath: string | null, isExact: boolean) {
  const located = {
    api_secret: secretSource('api_secret', env, chosen, configPath, isExact),
    api_key: secretSource('api_key', env, chosen, configPath, isExact),
  }
  const builtIn: SecretOrigin | null =
    chosen.name === sandboxName ? {from: 'sandbox', where: 'the built-in sandbox', isPlainText: false} : null
  const origins = {
    api_secret: secretOrigin(located.api_secret) ?? builtIn,
    api_key: secretOrigin(located.api_key) ?? builtIn,
  }
  if (located.api_secret?.source.way === 'stdin' && located.api_key?.source.way === 'stdin') {
    throw new Failure(
      'config_invalid',
      'HISAB_API_SECRET_FILE and HISAB_API_KEY_FILE are both "-", but there is only one standard input.',
      'Give one of them as a file or a variable.',
    )
  }
  const sources: Record<string, SettingSource> = {}
  for (const [name, origin] of Object.entries(origins)) if (origin) sources[name] = origin.from
  return {
    sources,
    origins,
    async read(name: SecretName, remarks: Remarks): Promise<string> {
      const at = located[name]
      if (at !== null) return readSecret(at.source, env, remarks)
      if (builtIn) return sandboxValues[name]
      throw secretMissing(name, chosen)
    },
  }
}

/** The demonstration runs on this machine, whatever the environment says. */
function sharedJournalOf(
  chosen: ChosenProfile,
  env: Environment,
  configPath: string | null,
  remarks: Remarks,
): SharedJournalSetting | null {
  const at = chosen.name === sandboxName ? null : secretSource('journal', env, chosen, configPath)
  const origin = secretOrigin(at)
  if (at === null || origin === null) return null
  return {place: at.source.place, origin, url: once(() => readSecret(at.source, env, remarks))}
}

/** Bytes signed with a public key must not reach a real service. */
function keepOnThisMachine({baseUrl, applyUrl, legacyUrl}: Profile): void {
  const away = [baseUrl, applyUrl, legacyUrl].find((url) => url !== '' && !isLoopback(url))
  if (away === undefined) return
  throw new Failure(
    'config_invalid',
    `The profile sandbox works only with addresses on this machine. ${escapeInvisible(away)} is not one.`,
    'Choose the live profile with --profile, or unset HISAB_BASE_URL, HISAB_APPLY_URL and HISAB_LEGACY_URL.',
  )
}

function mixtureWarnings(found: FoundTexts, secrets: Readonly<Record<string, SettingSource>>): string[] {
  const moved = (Object.keys(found) as TextSetting[]).filter(
    (key) => !['return_url', 'proxy', 'environment'].includes(key) && found[key]?.from === 'environment',
  )
  if (moved.length === 0 || !Object.values(secrets).includes('profile')) return []
  return [
    `${moved.map((key) => textVariables[key]).join(', ')} ${moved.length === 1 ? 'replaces' : 'replace'} the profile’s own, but the profile’s secrets are used.`,
  ]
}

function sourcesOf(found: FoundTexts, {settings}: ChosenProfile): Record<string, SettingSource> {
  const sources: Record<string, SettingSource> = {}
  for (const [key, {from}] of Object.entries(found)) sources[key] = from
  sources.legacy_url ??= 'default'
  sources.environment ??= 'default'
  for (const key of [...dialectSections, 'ledger', 'payouts', 'timeouts', 'evidence'] as const) {
    sources[key] = settings[key] === undefined ? 'default' : 'profile'
  }
  return sources
}

/** The dotted names of all set keys, without the values. */
function leavesOf(settings: object, path = ''): string[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const name = path === '' ? key : `${path}.${key}`
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isTable && !name.startsWith('api_') ? leavesOf(value, name) : [name]
  })
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/** Throws `config_invalid` for a limit that is no amount above zero. */
function payoutSettingsOf(given: ProfileSettings['payouts'], place: (key: string) => string): PayoutSettings {
  const read = (key: 'max_amount' | 'daily_ceiling'): Paisa | null => {
    const text = given?.[key]
    if (text === undefined) return null
    const amount = readPayoutAmount(String(text))
    if (amount.ok) return amount.paisa
    throw new Failure(
      'config_invalid',
      `${place(`payouts.${key}`)}: ${amount.reason}`,
      'Write BDT in quotes, as "50000.00". For no limit, leave out the line.',
    )
  }
  return {
    ...{amountMax: read('max_amount'), dailyCeiling: read('daily_ceiling')},
    ...{ignoredColumns: given?.ignored_columns ?? [], ignoredMarks: given?.ignored_marks ?? []},
  }
}

const unitMs: Readonly<Record<string, number>> = {ms: 1, s: 1_000, m: 60_000}
/** A longer time is a typing error: a nightly job would hang on it. */
const longestMs = 10 * 60_000

/** How long one try may take. Throws `config_invalid`. */
function timeoutsOf(
  given: ProfileSettings['timeouts'],
  place: (key: string) => string,
): {timeouts?: Timeouts} {
  if (given === undefined) return {}
  const read = (name: 'connect' | 'answer' | 'total') => {
    const text = given[name]
    return text === undefined ? null : readTimeoutMs(text, place(`timeouts.${name}`))
  }
  return {timeouts: {connectMs: read('connect'), answerMs: read('answer'), totalMs: read('total')}}
}

function readTimeoutMs(text: string, place: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit] ?? 0)
  if (ms > 0 && ms <= longestMs) return ms
  throw new Failure(
    'config_invalid',
    `${place}: "${escapeInvisible(text, 40)}" is not a time above 0 and up to 10m.`,
    'Write it as 500ms, 5s or 1m.',
  )
}
