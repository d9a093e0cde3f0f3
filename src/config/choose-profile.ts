import {Failure} from '../core/failure.ts'
import {nearest} from '../core/nearest.ts'
import {escapeInvisible} from '../core/text.ts'
import type {ConfigFile} from './config-file.ts'
import type {Environment} from './others-environment.ts'
import type {ProfileSettings} from './schema.ts'

export const sandboxName = 'sandbox'
const environmentName = 'environment'

export interface ChosenProfile {
  readonly name: string
  readonly chosenBy: 'flag' | 'environment' | 'profile'
  /** Empty for `sandbox` and `environment` if the file does not have them. */
  readonly settings: ProfileSettings
}

const settingVariables = [
  'HISAB_MERCHANT_ID',
  'HISAB_BASE_URL',
  'HISAB_APPLY_URL',
  'HISAB_LEGACY_URL',
  'HISAB_API_SECRET',
  'HISAB_API_SECRET_FILE',
  'HISAB_API_KEY',
  'HISAB_API_KEY_FILE',
]

/**
 * Which profile is used: `--profile`, HISAB_PROFILE, the file's `default_profile`, else the environment alone, else
 * the file's only one. Never the sandbox by default: a job that lost its settings must not reconcile against it.
 */
export function chooseProfile(flag: string | null, env: Environment, file: ConfigFile | null): ChosenProfile {
  const variable = env.HISAB_PROFILE?.trim() || null
  const place = file === null ? '' : ` in ${escapeInvisible(file.path)}`
  if (flag !== null) return named(flag, 'flag', '--profile', file)
  if (variable !== null) return named(variable, 'environment', 'HISAB_PROFILE', file)
  if (file !== null && file.defaultProfile !== null) {
    return named(file.defaultProfile, 'profile', `default_profile${place}`, file)
  }
  if (settingVariables.some((name) => env[name])) return named(environmentName, 'environment', '', file)
  const names = Object.keys(file?.profiles ?? {})
  const [only] = names
  if (names.length === 1 && only !== undefined && only !== sandboxName)
    return named(only, 'profile', place, file)
  if (names.length === 0) throw new NoProfile()
  throw new Failure(
    'credentials_missing',
    `No profile was chosen${place}. Profiles: ${names.join(', ')}.`,
    'Choose one with --profile NAME. To choose it for good, run hisab config set default_profile NAME --profile NAME.',
  )
}

/** Nothing is configured: at a terminal a profile can be made at once. */
export class NoProfile extends Failure {
  constructor() {
    super(
      'credentials_missing',
      'No profile is configured.',
      'Run `hisab config init` to make one. To try hisab on this machine, add `--profile sandbox`. Without a file, set HISAB_MERCHANT_ID, HISAB_BASE_URL, HISAB_APPLY_URL, HISAB_API_SECRET_FILE and HISAB_API_KEY_FILE.',
    )
  }
}

function named(
  name: string,
  chosenBy: ChosenProfile['chosenBy'],
  place: string,
  file: ConfigFile | null,
): ChosenProfile {
  const profiles = file?.profiles ?? {}
  const settings = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (settings) return {name, chosenBy, settings}
  if (name === sandboxName || name === environmentName) return {name, chosenBy, settings: {}}
  const known = [...new Set([...Object.keys(profiles), sandboxName])]
  const meant = nearest(name, known)
  throw new Failure(
    'config_invalid',
    `There is no profile "${escapeInvisible(name, 64)}" (from ${place})${meant === null ? '' : `; did you mean "${meant}"?`}`,
    `Known profiles: ${known.join(', ')}.${file === null ? ' There is no configuration file.' : ` The file is ${escapeInvisible(file.path)}.`}`,
  )
}
