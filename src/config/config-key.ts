import {homedir} from 'node:os'
import {resolve} from 'node:path'

import {parse, TomlError} from 'smol-toml'

import {Failure} from '../core/failure.ts'
import {nearest} from '../core/nearest.ts'
import {escapeInvisible} from '../core/text.ts'
import {keysAt, shapeAt} from './schema.ts'
import {readKey, type TomlValue, writeKey} from './toml-edit.ts'

export type ConfigKey = ReturnType<typeof readConfigKey>

/**
 * Reads `base_url` or `status.completed` of `profile`, `profiles.NAME.…`, or `default_profile`. Throws `usage`: an
 * unknown key names the nearest, a table its keys.
 */
export function readConfigKey(text: string, profile: () => string) {
  const steps = readKey(text)
  if (steps === null) {
    throw new Failure(
      'usage',
      `"${escapeInvisible(text, 80)}" is not a key.`,
      'Write it as base_url or status.completed.',
    )
  }
  const isWhole = steps[0] === 'default_profile' || steps[0] === 'profiles'
  const path = isWhole ? steps : ['profiles', profile(), ...steps]
  for (let length = 1; length <= path.length; length += 1) {
    if (shapeAt(path.slice(0, length)) === 'unknown') throw unknownKey(path.slice(0, length))
  }
  const shape = shapeAt(path)
  if (shape !== 'unknown' && shape !== 'table')
    return {path, profile: isWhole ? (steps[1] ?? null) : (path[1] ?? null), shape}
  const known = path.length === 1 ? ['profiles.NAME.KEY'] : keysAt(path)
  throw new Failure(
    'usage',
    `${writeKey(path)} is a table, not a setting.`,
    `Use one of its keys: ${known.join(', ')}.`,
  )
}

function unknownKey(path: readonly string[]): Failure {
  const known = keysAt(path.slice(0, -1))
  const key = path.at(-1) ?? ''
  const meant = nearest(key, known)
  const place = writeKey(path.slice(0, -1))
  return new Failure(
    'usage',
    `There is no setting "${escapeInvisible(key, 80)}"${place === '' ? '' : ` under ${place}`}${meant === null ? '' : `; did you mean "${meant}"?`}`,
    known.length === 0 ? `${place} is itself a setting.` : `Known settings: ${known.join(', ')}.`,
  )
}

/**
 * Reads a setting's value from the command line: one word, or for a list all of them (or one TOML list, `[]` for
 * none). For a secret, its source: `file PATH`, `env NAME`, `command PROGRAM …`. Throws `usage`, and never repeats
 * what might be a secret.
 */
export function readConfigValue({path, shape}: ConfigKey, words: readonly string[], cwd: string): TomlValue {
  const [first] = words
  const key = writeKey(path)
  if (first === undefined) {
    throw new Failure(
      'usage',
      `No value for ${key} was given.`,
      `For example: \`hisab config set ${exampleOf(path, shape)}\`.`,
    )
  }
  if (shape === 'secret') return readSecretWords(key, words, cwd)
  if (shape === 'list' || shape === 'either') {
    const list = words.length === 1 ? readList(first) : null
    if (list) return list
    if (shape === 'either' && words.length === 1) return first
    return path.at(-1) === 'http'
      ? words.map((word) => (/^\d+$/.test(word) ? Number(word) : word))
      : [...words]
  }
  if (words.length === 1) return first
  throw new Failure(
    'usage',
    `${key} takes one value, but ${words.length} were given.`,
    'Put quotes around a value with blanks.',
  )
}

function readSecretWords(key: string, [way, ...rest]: readonly string[], cwd: string): TomlValue {
  const [first] = rest
  if (way === 'command' && first !== undefined) return {command: rest}
  if (way === 'env' && first !== undefined && rest.length === 1) return {env: first}
  if (way === 'file' && first !== undefined && rest.length === 1) {
    // Relative to the shell's folder; in the file a relative path starts at the configuration's folder.
    return {file: first.startsWith('~/') ? resolve(homedir(), first.slice(2)) : resolve(cwd, first)}
  }
  throw new Failure(
    'usage',
    `${key} takes a reference to the secret, never the secret itself. Other users can see a command line.`,
    'Give `file PATH`, `env NAME`, or `command PROGRAM ARGUMENT…`. Put `--` before it if an argument begins with a hyphen.',
  )
}

function readList(text: string): TomlValue | null {
  if (!text.startsWith('[')) return null
  try {
    const {x} = parse(`x = ${text}`)
    return Array.isArray(x) ? (x as TomlValue[]) : null
  } catch (error) {
    if (error instanceof TomlError) return null
    throw error
  }
}

/** The key as it is typed, and a value of its shape. */
function exampleOf(path: readonly string[], shape: ConfigKey['shape']): string {
  const key = writeKey(path[0] === 'profiles' ? path.slice(2) : path)
  switch (shape) {
    case 'secret':
      return `${key} file /run/secrets/hisab-secret`
    case 'list':
    case 'either':
      return `${key} WORD`
    case 'text':
      return `${key} ${key.endsWith('_url') ? 'https://pay.example.com/v1' : 'TEXT'}`
  }
}
