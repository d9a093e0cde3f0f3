import {homedir} from 'node:os'
import {dirname, join, resolve} from 'node:path'

import {Failure} from '../core/failure.ts'
import type {ChosenProfile} from './choose-profile.ts'
import type {Environment} from './secret-command.ts'
import type {SecretSetting} from './secret-setting.ts'
import type {SecretSource} from './secrets.ts'

export type SecretName = 'api_secret' | 'api_key'

const variables = {api_secret: 'HISAB_API_SECRET', api_key: 'HISAB_API_KEY'} as const

/** Where a secret stands, without reading it: the environment before the profile. Null where nowhere. */
export function secretSource(
  name: SecretName,
  env: Environment,
  profile: ChosenProfile,
  configPath: string | null,
): {from: 'environment' | 'profile'; source: SecretSource} | null {
  const inEnvironment = environmentSource(variables[name], env)
  if (inEnvironment !== null) return {from: 'environment', source: inEnvironment}
  const setting = profile.settings[name]
  if (setting === undefined || configPath === null) return null
  const place = `profiles.${profile.name}.${name}`
  return {from: 'profile', source: profileSource(setting, place, dirname(configPath))}
}

/** The failure of a command that asked for a secret nobody configured. */
export function secretMissing(name: SecretName, profile: ChosenProfile): Failure {
  const what = name === 'api_secret' ? 'API secret' : 'API key'
  return new Failure(
    'credentials_missing',
    `The profile "${profile.name}" has no ${what} (${name}).`,
    `Set ${variables[name]} or ${variables[name]}_FILE, or ${name} = { file = "…" } in the profile.`,
  )
}

/** A variable that is set but empty counts: it is refused when read, not passed over for another secret. */
function environmentSource(variable: string, env: Environment): SecretSource | null {
  const fileVariable = `${variable}_FILE`
  const text = env[variable]
  const path = env[fileVariable]
  if (text && path) {
    throw new Failure(
      'config_invalid',
      `${variable} and ${fileVariable} are both set.`,
      'Unset one of them; the file is the safer.',
    )
  }
  if (path === '-') return {place: fileVariable, way: 'stdin'}
  if (path) return {place: fileVariable, way: 'file', path: resolve(path)}
  if (text !== undefined) return {place: variable, way: 'text', text}
  return path === undefined ? null : {place: fileVariable, way: 'text', text: ''}
}

/** `~/` is the home folder; other relative paths start at the configuration's folder. */
function profileSource(setting: SecretSetting, place: string, dir: string): SecretSource {
  if (typeof setting === 'string') return {place, way: 'text', text: setting}
  if ('env' in setting) return {place, way: 'variable', name: setting.env}
  if ('command' in setting) return {place, way: 'command', argv: setting.command}
  const {file} = setting
  return {
    place,
    way: 'file',
    path: file.startsWith('~/') ? join(homedir(), file.slice(2)) : resolve(dir, file),
  }
}
