import {homedir} from 'node:os'
import {dirname, join, resolve} from 'node:path'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import type {ChosenProfile} from './choose-profile.ts'
import type {Environment} from './others-environment.ts'
import type {SecretSetting} from './secret-setting.ts'
import type {SecretSource} from './secrets.ts'

export type SecretName = 'api_secret' | 'api_key'

const variables = {
  api_secret: 'HISAB_API_SECRET',
  api_key: 'HISAB_API_KEY',
  journal: 'HISAB_JOURNAL',
} as const

/** Where a secret is, without reading it: the environment before the profile. Null if nowhere. */
export function secretSource(
  name: SecretName | 'journal',
  env: Environment,
  profile: ChosenProfile,
  configPath: string | null,
  isExact = false,
): {from: 'environment' | 'profile'; source: SecretSource} | null {
  const inEnvironment = environmentSource(variables[name], env, isExact)
  if (inEnvironment !== null) return {from: 'environment', source: inEnvironment}
  const setting = profile.settings[name]
  if (setting === undefined || configPath === null) return null
  const place = `profiles.${profile.name}.${name}`
  return {from: 'profile', source: profileSource(setting, place, dirname(configPath), isExact)}
}

/** The source of a secret in words that reveal nothing: of a command only the program. */
export interface SecretOrigin {
  readonly from: 'environment' | 'profile' | 'sandbox'
  readonly where: string
  readonly isPlainText: boolean
}

export function secretOrigin(at: ReturnType<typeof secretSource>): SecretOrigin | null {
  if (at === null) return null
  const {from, source} = at
  return {from, where: whereOf(from, source), isPlainText: from === 'profile' && source.way === 'text'}
}

function whereOf(from: SecretOrigin['from'], source: SecretSource): string {
  switch (source.way) {
    case 'text':
      return from === 'environment' ? `the variable ${source.place}` : 'config.toml, in plain text'
    case 'variable':
      return `the variable ${escapeInvisible(source.name, 200)}`
    case 'file':
      return `the file ${escapeInvisible(source.path)}`
    case 'stdin':
      return 'standard input'
    case 'command':
      return `the command ${escapeInvisible(source.argv[0] ?? '', 200)}`
  }
}

export function secretMissing(name: SecretName, profile: ChosenProfile): Failure {
  const what = name === 'api_secret' ? 'API secret' : 'API key'
  return new Failure(
    'credentials_missing',
    `The profile "${profile.name}" has no ${what} (${name}).`,
    `Set ${variables[name]} or ${variables[name]}_FILE, or ${name} = { file = "…" } in the profile.`,
  )
}

/** A variable that is set but empty counts: it is refused when read, not skipped for another secret. */
function environmentSource(variable: string, env: Environment, isExact: boolean): SecretSource | null {
  const fileVariable = `${variable}_FILE`
  const text = env[variable]
  const path = env[fileVariable]
  if (text && path) {
    throw new Failure(
      'config_invalid',
      `${variable} and ${fileVariable} are both set.`,
      'Unset one of them. The file is safer.',
    )
  }
  if (path === '-') return {place: fileVariable, way: 'stdin', isExact}
  if (path) return {place: fileVariable, way: 'file', path: resolve(path), isExact}
  if (text !== undefined) return {place: variable, way: 'text', text}
  return path === undefined ? null : {place: fileVariable, way: 'text', text: ''}
}

/** `~/` is the home folder; other relative paths start at the configuration's folder. */
function profileSource(
  setting: SecretSetting,
  place: string,
  dir: string,
  isAskedExact: boolean,
): SecretSource {
  if (typeof setting === 'string') return {place, way: 'text', text: setting}
  if ('env' in setting) return {place, way: 'variable', name: setting.env}
  const isExact = isAskedExact || setting.exact === true
  if ('command' in setting) return {place, way: 'command', argv: setting.command, isExact}
  const {file} = setting
  const path = file.startsWith('~/') ? join(homedir(), file.slice(2)) : resolve(dir, file)
  return {place, way: 'file', path, isExact}
}
