import {Failure} from '../core/failure.ts'
import {isLoopback} from '../core/loopback.ts'
import {isUuid} from '../core/order.ts'
import {
  type Profile,
  receiverPath,
  receiverPort,
  sandboxApplyUrl,
  sandboxMerchantId,
  sandboxPort,
} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {type ChosenProfile, sandboxName} from './choose-profile.ts'
import type {ConfigFile} from './config-file.ts'
import type {Environment} from './others-environment.ts'
import {readOrigin, readProxyUrl, readReturnUrl, readServiceUrl} from './urls.ts'

/**
 * Where a setting's value is from; the first of these that has it wins
 * (docs/configuration.md#where-a-setting-comes-from).
 */
export type SettingSource = 'flag' | 'environment' | 'profile' | 'sandbox' | 'default'

export type TextSetting =
  | 'merchant_id'
  | 'environment'
  | 'base_url'
  | 'apply_url'
  | 'legacy_url'
  | 'return_url'
  | 'proxy'

export const textVariables: Readonly<Record<TextSetting, string>> = {
  merchant_id: 'HISAB_MERCHANT_ID',
  environment: 'HISAB_ENVIRONMENT',
  base_url: 'HISAB_BASE_URL',
  apply_url: 'HISAB_APPLY_URL',
  legacy_url: 'HISAB_LEGACY_URL',
  return_url: 'HISAB_RETURN_URL',
  proxy: 'HISAB_PROXY',
}

interface Found {
  readonly text: string
  readonly from: SettingSource
  /** For messages: `HISAB_BASE_URL`, or the key and its file. */
  readonly place: string
}

export type FoundTexts = Partial<Record<TextSetting, Found>>

/** Each text setting from the first source that has it; empty variables count as unset. */
export function findTexts(
  chosen: ChosenProfile,
  env: Environment,
  place: (key: string) => string,
): FoundTexts {
  const found: FoundTexts = {}
  for (const key of Object.keys(textVariables) as TextSetting[]) {
    const variable = textVariables[key]
    const inEnvironment = env[variable]
    const inProfile = chosen.settings[key]
    if (inEnvironment) found[key] = {text: inEnvironment, from: 'environment', place: variable}
    else if (inProfile) found[key] = {text: inProfile, from: 'profile', place: place(key)}
  }
  if (chosen.name !== sandboxName) return found
  const builtIn = (text: string): Found => ({text, from: 'sandbox', place: 'the built-in sandbox'})
  found.merchant_id ??= builtIn(sandboxMerchantId)
  found.base_url ??= builtIn(`http://127.0.0.1:${sandboxPort}/v1`)
  // A moved base_url moves apply_url too.
  found.apply_url ??= {...found.base_url, text: sandboxApplyUrl(found.base_url.text), from: 'sandbox'}
  found.return_url ??= builtIn(`http://127.0.0.1:${receiverPort}${receiverPath}`)
  return found
}

/** Throws `config_invalid` naming everything that is missing. */
export function refuseMissing(found: FoundTexts, chosen: ChosenProfile, file: ConfigFile | null): void {
  const missing = (['merchant_id', 'base_url', 'apply_url'] as const).filter(
    (key) => found[key] === undefined,
  )
  if (missing.length === 0) return
  const names = missing.map((key) => textVariables[key]).join(', ')
  const inFile =
    file === null
      ? ''
      : `, or ${missing.join(', ')} under [profiles.${chosen.name}] in ${escapeInvisible(file.path)}`
  throw new Failure(
    'config_invalid',
    `The profile "${chosen.name}" lacks ${missing.join(', ')}.`,
    `Set ${names}${inFile}.`,
  )
}

/** The checked texts; a missing one is empty. */
export function readTexts(
  found: FoundTexts,
): Pick<
  Profile,
  | 'merchantId'
  | 'environment'
  | 'isEnvironmentNamed'
  | 'baseUrl'
  | 'applyUrl'
  | 'legacyUrl'
  | 'returnUrl'
  | 'proxy'
> {
  const {merchant_id: merchant, return_url: returnUrl, legacy_url: legacy, proxy} = found
  const url = (setting: Found | undefined) => (setting ? readServiceUrl(setting.text, setting.place) : '')
  if (merchant && !isUuid(merchant.text)) {
    throw new Failure(
      'config_invalid',
      `${merchant.place} is not a UUID. Every merchant id is one (service §2.1).`,
      'Copy all 36 characters of the id that the service issued.',
    )
  }
  const baseUrl = url(found.base_url)
  const legacyUrl = legacy ? readOrigin(legacy.text, legacy.place) : baseUrl && new URL(baseUrl).origin
  const applyUrl = url(found.apply_url)
  return {
    merchantId: merchant?.text ?? '',
    environment: readEnvironment(found.environment, [baseUrl, applyUrl, legacyUrl]),
    isEnvironmentNamed: found.environment !== undefined,
    baseUrl,
    applyUrl,
    legacyUrl,
    returnUrl: returnUrl ? readReturnUrl(returnUrl.text, returnUrl.place) : null,
    ...(proxy && {proxy: readProxyUrl(proxy.text, proxy.place)}),
  }
}

/** `sandbox` if every address is on this machine, else `live`, unless the profile names it. */
function readEnvironment(setting: Found | undefined, urls: readonly string[]): string {
  if (setting === undefined) {
    const set = urls.filter((url) => url !== '')
    return set.length > 0 && set.every(isLoopback) ? 'sandbox' : 'live'
  }
  // One spelling only: two would make two journals.
  if (/^[a-z0-9][a-z0-9_-]{0,31}$/.test(setting.text)) return setting.text
  throw new Failure(
    'config_invalid',
    `${setting.place} must be a word of lower-case letters, digits, "-" and "_", such as staging.`,
    'Give the environment of the service at these addresses: live, staging, ….',
  )
}
