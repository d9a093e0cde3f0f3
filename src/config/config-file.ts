import {open} from 'node:fs/promises'

import {parse, TomlError} from 'smol-toml'

import {Failure} from '../core/failure.ts'
import {nearest} from '../core/nearest.ts'
import {escapeInvisible} from '../core/text.ts'
import {firstBytes} from '../files/first-bytes.ts'
import {isOpenToOthers, requireTrusted, requireTrustedFile} from '../files/trust.ts'
import {configSchema, keysAt} from './schema.ts'
import {quoted} from './shell-quote.ts'

const sizeMax = 1024 * 1024
const problemsShownMax = 5

/**
 * Reads and checks `config.toml`; null if there is none. Throws `config_invalid` naming file, key and the nearest
 * known key, or `file_unreadable`. A file with a plain-text secret that others can read is refused (P25).
 */
export async function readConfigFile(path: string): Promise<ConfigFile | null> {
  const found = await readConfigText(path)
  if (found === null) return null
  const config = parseConfig(found.text, path)
  const plain = Object.entries(config.profiles).find(
    ([, {api_secret, api_key}]) => typeof api_secret === 'string' || typeof api_key === 'string',
  )
  if (plain && isOpenToOthers(found)) {
    throw new Failure(
      'config_invalid',
      `${escapeInvisible(path)} holds a secret of the profile "${plain[0]}" in plain text, and other users can read it.`,
      `Run: chmod 600 ${quoted(path)}`,
    )
  }
  return config
}

export type ConfigFile = ReturnType<typeof parseConfig>

/** `path` is for messages. Throws `config_invalid`. */
export function parseConfig(text: string, path: string) {
  const result = configSchema.safeParse(parseToml(text, path))
  if (!result.success) throw invalid(path, result.error.issues)
  const {default_profile: defaultProfile = null, profiles = {}} = result.data
  return {path, defaultProfile, profiles}
}

/**
 * The file's text and mode; null if there is none. Throws `file_unreadable`, or `config_invalid` if another user
 * could have written it: hisab runs commands it names.
 */
export async function readConfigText(path: string): Promise<{text: string; mode: number} | null> {
  const what = `The configuration ${escapeInvisible(path)}`
  try {
    // Also before opening: opening another user's pipe could block for ever.
    requireTrusted(path, what)
    await using file = await open(path, 'r')
    const stat = await file.stat()
    requireTrustedFile(path, stat, what)
    const {mode} = stat
    const bytes = await firstBytes(file.createReadStream({autoClose: false}), sizeMax + 1)
    if (bytes.length > sizeMax) throw unreadable(path, 'it is larger than 1 MiB')
    return {mode, text: new TextDecoder('utf-8', {fatal: true}).decode(bytes)}
  } catch (error) {
    if (error instanceof Failure) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return null
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw unreadable(path, 'it is not valid UTF-8')
    throw unreadable(path, String(code ?? 'unknown error'))
  }
}

function unreadable(path: string, why: string): Failure {
  return new Failure(
    'file_unreadable',
    `The configuration ${escapeInvisible(path)} cannot be read: ${why}.`,
    'Correct the file or its permissions, or name another with HISAB_CONFIG.',
  )
}

function parseToml(text: string, path: string): unknown {
  try {
    return parse(text, {unsafeKeyBehaviour: 'throw', maxDepth: 32})
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Only the first line: the rest quotes the file, which may hold a secret (P20).
    const [problem = ''] = error.message.replace('Invalid TOML document: ', '').split('\n')
    throw new Failure(
      'config_invalid',
      `${escapeInvisible(path)}, line ${error.line}, column ${error.column}: ${problem}.`,
      'Correct that line. Write text in "double quotes" and lists in [brackets].',
    )
  }
}

type Issue = NonNullable<ReturnType<typeof configSchema.safeParse>['error']>['issues'][number]

function invalid(path: string, issues: readonly Issue[]): Failure {
  const problems = issues.flatMap(describe)
  const shown = problems.slice(0, problemsShownMax).join('; ')
  const rest = problems.length - problemsShownMax
  return new Failure(
    'config_invalid',
    `${escapeInvisible(path)}: ${shown}${rest > 0 ? `; and ${rest} more` : ''}.`,
    'Correct the file, or name another with HISAB_CONFIG.',
  )
}

/** zod's own texts are for programmers. Values are never repeated. */
function describe(issue: Issue): string[] {
  const place = issue.path.length === 0 ? 'the file' : spell(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, issue.path))
    case 'invalid_type':
      return [`${place} must be ${typeNames[issue.expected] ?? issue.expected}`]
    case 'invalid_value':
      return [`${place} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`]
    case 'too_small':
      return [`${place} must not be empty`]
    case 'invalid_key':
      return [`${place}: ${issue.issues[0]?.message ?? 'this name is not accepted'}`]
    case 'custom':
    case 'invalid_union':
      return [`${place} ${issue.message}`]
    default:
      return [`${place} is not accepted`]
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  array: 'a list in [brackets]',
  object: 'a table',
  record: 'a table of profiles',
  number: 'a number',
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const known = keysAt(path)
  const meant = nearest(key, known)
  const help = meant === null ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`
  return `unknown key ${spell([...path, key])}: ${help}`
}

/** `profiles.live.not_found.http[0]` */
function spell(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${escapeInvisible(String(step), 64)}`))
    .join('')
    .replace(/^\./, '')
}
