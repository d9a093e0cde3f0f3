import {existsSync} from 'node:fs'
import {dirname, join} from 'node:path'

import type {TomlChange, TomlValue} from '../../config/toml-edit.ts'
import {readOrigin, readReturnUrl, readServiceUrl} from '../../config/urls.ts'
import {Failure} from '../../core/failure.ts'
import {isUuid} from '../../core/order.ts'
import {secretLengthMin} from '../../core/signing/secret.ts'
import {escapeInvisible} from '../../core/text.ts'
import {askHidden, askText, choose, confirm, isTerminal} from '../prompt.ts'
import type {InitFlags} from './init-flags.ts'

/** A profile to be written, and the secrets that were typed for it: each goes to a file of its own. */
export interface NewProfile {
  readonly name: string
  readonly changes: readonly TomlChange[]
  readonly secretFiles: readonly {readonly path: string; readonly secret: string}[]
}

type Read = (text: string, place: string) => string

/** A merchant's id is a UUID (service §2.1). Throws `config_invalid`. */
const readMerchantId: Read = (text, place) => {
  if (isUuid(text)) return text
  throw new Failure('config_invalid', `${place} is not a UUID.`, 'Copy it whole, 36 characters.')
}

const texts = [
  {
    key: 'merchant_id',
    flag: 'merchant-id',
    message: 'Merchant id (a UUID)',
    read: readMerchantId,
    must: true,
  },
  {
    key: 'base_url',
    flag: 'base-url',
    message: 'Address of the deposit API, as https://…/v1',
    read: readServiceUrl,
    must: true,
  },
  {
    key: 'apply_url',
    flag: 'apply-url',
    message: 'Address of the payout API',
    read: readServiceUrl,
    must: true,
  },
  {
    key: 'legacy_url',
    flag: 'legacy-url',
    message: 'Host of the webhook log (Enter: the host of the deposit API)',
    read: readOrigin,
    must: false,
  },
  {
    key: 'return_url',
    flag: 'return-url',
    message: 'Where the service sends its webhooks to (Enter: given with each order)',
    read: readReturnUrl,
    must: false,
  },
] as const

const secrets = [
  {key: 'api_secret', flag: 'api-secret', title: 'The API secret', must: true},
  {key: 'api_key', flag: 'api-key', title: 'The API key, for the webhook log', must: false},
] as const

/** Beside the configuration: files of typed secrets. */
const secretsDir = 'secrets'

/**
 * A profile from flags, and in a terminal from questions for what they leave out. `known`: the profiles there
 * are. Throws `usage` naming every flag that is missing where there is nobody to ask.
 */
export async function readNewProfile(
  flags: InitFlags,
  configPath: string,
  known: readonly string[],
): Promise<NewProfile> {
  requireFlags(flags)
  const name = flags.profile ?? (await askName(known))
  refuseKnown(name, known)
  const values: [key: string, value: TomlValue][] = []
  for (const {key, flag, message, read, must} of texts) {
    const given = flags[flag]
    // Most deployments have both APIs at one address.
    const initial = key === 'apply_url' ? baseUrlOf(values) : ''
    const text =
      given === undefined ? await askSetting(message, read, must, initial) : read(given, `--${flag}`)
    if (text !== '') values.push([key, text])
  }
  const secretFiles: {path: string; secret: string}[] = []
  for (const {key, flag, title, must} of secrets) {
    const path = join(dirname(configPath), secretsDir, `${name}-${flag}`)
    const found = secretOf(flags, flag) ?? (isTerminal() ? await askSecret(title, path, must) : null)
    if (found === null) continue
    if ('secret' in found) {
      secretFiles.push({path, secret: found.secret})
      // Relative to the configuration, so that both can be moved together.
      values.push([key, {file: `${secretsDir}/${name}-${flag}`}])
    } else values.push([key, found])
  }
  const isDefault =
    flags.default || (known.length === 0 && (await confirm(`Use "${name}" by default?`)) === true)
  const changes = values.map(([key, value]): TomlChange => ({path: ['profiles', name, key], value}))
  if (isDefault) changes.unshift({path: ['default_profile'], value: name})
  return {name, changes, secretFiles}
}

function baseUrlOf(values: readonly [key: string, value: TomlValue][]): string {
  const [, value] = values.find(([key]) => key === 'base_url') ?? []
  return typeof value === 'string' ? value : ''
}

function secretOf(flags: InitFlags, flag: 'api-secret' | 'api-key'): FoundSecret | null {
  const file = flags[`${flag}-file` as const]
  const env = flags[`${flag}-env` as const]
  const command = flags[`${flag}-command` as const]
  if (file) return {file}
  if (env) return {env}
  return command ? {command: wordsOf(command)} : null
}

function wordsOf(command: string): string[] {
  return command.trim().split(/\s+/)
}

function requireFlags(flags: InitFlags): void {
  if (isTerminal()) return
  const missing: string[] = texts.filter(({flag, must}) => must && !flags[flag]).map(({flag}) => `--${flag}`)
  if (!flags.profile) missing.unshift('--profile')
  if (secretOf(flags, 'api-secret') === null) missing.push('--api-secret-file')
  if (missing.length === 0) return
  throw new Failure(
    'usage',
    `There is no terminal to ask in, and ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
    'Give them, or run it in a terminal to be asked.',
  )
}

async function askName(known: readonly string[]): Promise<string> {
  const check = (text: string) => problemOf(() => refuseKnown(text, known))
  return await askText({message: 'Name of the profile', initial: known.includes('live') ? '' : 'live', check})
}

function refuseKnown(name: string, known: readonly string[]): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) {
    throw new Failure(
      'usage',
      `"${escapeInvisible(name, 64)}" cannot name a profile.`,
      'Use letters, digits, ".", "_" and "-", at most 64.',
    )
  }
  if (!known.includes(name)) return
  throw new Failure(
    'config_invalid',
    `There is a profile "${name}" already, and hisab does not write over one.`,
    `Change it with \`hisab config set KEY VALUE --profile ${name}\`, or choose another name.`,
  )
}

async function askSetting(message: string, read: Read, must: boolean, initial: string): Promise<string> {
  if (!isTerminal()) return ''
  const check = (text: string) => (text === '' && !must ? null : problemOf(() => read(text, 'This')))
  const text = await askText({message, check, initial})
  return text === '' ? '' : read(text, message)
}

type FoundSecret =
  | {readonly file: string}
  | {readonly env: string}
  | {readonly command: string[]}
  | {readonly secret: string}

async function askSecret(title: string, path: string, must: boolean): Promise<FoundSecret | null> {
  const way = await choose(`${title}: where is it?`, [
    ...(existsSync(path)
      ? []
      : [
          {
            value: 'typed',
            name: 'I type or paste it now; it goes into a file of its own, mode 0600',
          } as const,
        ]),
    {value: 'file', name: 'In a file'},
    {value: 'command', name: 'A command prints it (pass, op, vault …)'},
    {value: 'env', name: 'In an environment variable'},
    ...(must ? [] : [{value: 'none', name: 'Nowhere yet: no webhooks are listed or resent'} as const]),
  ])
  const required = (text: string) => (text === '' ? 'It is needed.' : null)
  switch (way) {
    case 'typed':
      return {secret: await askHidden({message: `${title} (hidden)`, check: secretProblemOf})}
    case 'file':
      return {file: await askText({message: 'Path of the file', check: required})}
    case 'env':
      return {env: await askText({message: 'Name of the variable', check: required})}
    case 'command': {
      const line = await askText({message: 'The command, its words separated by blanks', check: required})
      return {command: wordsOf(line)}
    }
    case 'none':
      return null
  }
}

function secretProblemOf(text: string): string | null {
  if (text.trim() === '') return 'An empty secret signs anything.'
  if (text !== text.trim()) return 'It begins or ends with a blank, which is hardly part of it.'
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'It holds a control character.'
  return text.length < secretLengthMin ? `Shorter than ${secretLengthMin} characters: is it whole?` : null
}

function problemOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof Failure) return `${error.message} ${error.hint}`
    throw error
  }
}
