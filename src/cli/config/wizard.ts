import {randomUUID} from 'node:crypto'
import {existsSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'

import type {TomlChange, TomlValue} from '../../config/toml-edit.ts'
import {readOrigin, readReturnUrl, readServiceUrl} from '../../config/urls.ts'
import {defaultDialect} from '../../core/dialect.ts'
import {type Check, failed} from '../../core/doctor/check.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import {checkLabels, checkStatusLabels} from '../../core/labels.ts'
import {isUuid} from '../../core/order.ts'
import {defaultLedgerMapping, noPayoutLimits, type Profile} from '../../core/profile.ts'
import {secretLengthMin} from '../../core/signing/secret.ts'
import {escapeInvisible} from '../../core/text.ts'
import {labelled} from '../../report/wrap.ts'
import {askHidden, askText, choose, confirm, isTerminal} from '../prompt.ts'
import {hideSecret} from '../streams.ts'
import {styleFor} from '../style.ts'
import type {InitFlags} from './init-flags.ts'

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

/** Folder for typed secrets, beside the configuration. */
const secretsDir = 'secrets'

/** This answer goes back one question. */
const backWord = '<'

type Key = (typeof texts)[number]['key'] | (typeof secrets)[number]['key']

/** The answers so far, in the order of the file. */
class Draft {
  name = ''
  readonly texts = new Map<Key, string>()
  readonly secrets = new Map<Key, FoundSecret>()
}

interface Step {
  /** False: back to the previous question. */
  readonly ask: (draft: Draft) => Promise<boolean>
  readonly check?: (draft: Draft) => Promise<readonly Check[]>
}

/**
 * A profile from flags, and at a terminal from questions, each checked against the service. `known`: the existing
 * profiles. Without a terminal, throws `usage` naming every missing flag.
 */
export async function readNewProfile(flags: InitFlags, configPath: string, known: readonly string[]) {
  requireFlags(flags)
  const secretPathOf = (name: string, flag: string) =>
    join(dirname(configPath), secretsDir, `${name}-${flag}`)
  const draft = new Draft()
  const steps: Step[] = []
  if (flags.profile === undefined) steps.push({ask: (one) => askName(one, known)})
  else {
    refuseKnown(flags.profile, known)
    draft.name = flags.profile
  }
  for (const setting of texts) {
    const {key, flag, read} = setting
    const given = flags[flag]
    if (given !== undefined) draft.texts.set(key, read(given, `--${flag}`))
    else
      steps.push({ask: (one) => askSetting(setting, one), check: (one) => checkSetting(key, one, configPath)})
  }
  for (const {key, flag, title, must} of secrets) {
    const given = secretOf(flags, flag)
    const ask = (one: Draft) => askSecret(key, title, secretPathOf(one.name, flag), must, one)
    if (given) draft.secrets.set(key, given)
    else steps.push({ask, check: (one) => checkSetting(key, one, configPath)})
  }
  if (isTerminal()) await walk(steps, draft)

  const {name} = draft
  const values: [key: string, value: TomlValue][] = texts.flatMap(({key}): [string, TomlValue][] => {
    const text = draft.texts.get(key) ?? ''
    return text === '' ? [] : [[key, text]]
  })
  const secretFiles: {path: string; secret: string}[] = []
  for (const {key, flag} of secrets) {
    const found = draft.secrets.get(key)
    if (found === undefined) continue
    if ('secret' in found) {
      secretFiles.push({path: secretPathOf(name, flag), secret: found.secret})
      // Relative to the configuration, so that both can be moved together.
      values.push([key, {file: `${secretsDir}/${name}-${flag}`}])
    } else values.push([key, found])
  }
  const isDefault =
    flags.default || (known.length === 0 && (await confirm(`Use "${name}" by default?`, true)) === true)
  const changes = values.map(([key, value]): TomlChange => ({path: ['profiles', name, key], value}))
  if (isDefault) changes.unshift({path: ['default_profile'], value: name})
  return {name, changes, secretFiles}
}

async function walk(steps: readonly Step[], draft: Draft): Promise<void> {
  if (steps.length > 1)
    process.stderr.write(`Each answer is checked. ${backWord} goes back to the question before.\n`)
  for (let at = 0; at < steps.length; ) {
    const step = steps[at]
    if (!(await step?.ask(draft))) {
      at = Math.max(0, at - 1)
      continue
    }
    const wrong = tellChecks((await step?.check?.(draft)) ?? [])
    if (!wrong || (await choose('What now?', afterCheck)) === 'keep') at += 1
  }
}

const afterCheck = [
  {value: 'again', name: 'Answer again'},
  {value: 'keep', name: 'Keep it as it is'},
] as const

/** Shows the service's answer, and returns whether something is wrong. */
function tellChecks(checks: readonly Check[]): boolean {
  const style = styleFor(process.stderr)
  for (const {name, status, why, next} of checks) {
    const isGood = status === 'ok' || status === 'skipped'
    const word = style(isGood ? 'green' : 'yellow', checkStatusLabels[status].en)
    const text = `${word}, ${why}${next === null ? '' : `. ${next}`}`
    process.stderr.write(`${labelled(`  ${checkLabels[name].en}: `, text, process.stderr.columns ?? 80)}\n`)
  }
  return checks.some(({status}) => status === 'failed' || status === 'unknown')
}

async function checkSetting(key: Key, {name, texts: given, secrets: found}: Draft, configPath: string) {
  const baseUrl = given.get('base_url')
  if (!baseUrl || process.env.HISAB_PROXY) return []
  const profile: Profile = {
    ...{name, merchantId: given.get('merchant_id') ?? '', environment: 'live', isEnvironmentNamed: false},
    ...{baseUrl, applyUrl: given.get('apply_url') || baseUrl, returnUrl: null},
    legacyUrl: given.get('legacy_url') || new URL(baseUrl).origin,
    ...{dialect: defaultDialect, ledger: defaultLedgerMapping, payouts: noPayoutLimits},
  }
  const {checkAddress, checkSecrets} = await import('../../workflows/doctor/check-answer.ts')
  const ports = {now: Date.now, madeUpNo: `hisab-init-${randomUUID().slice(0, 8)}`}
  try {
    if (key === 'base_url' || key === 'apply_url' || key === 'legacy_url')
      return await checkAddress(key, profile, ports)
    const secret = found.get('api_secret')
    if ((key !== 'api_secret' && key !== 'api_key') || !secret) return []
    const apiSecret = await readFound(secret, configPath)
    const apiKey = key === 'api_key' ? found.get('api_key') : undefined
    if (key === 'api_key' && !apiKey) return []
    return await checkSecrets(
      profile,
      {apiSecret, apiKey: apiKey ? await readFound(apiKey, configPath) : null},
      ports,
    )
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.exitStatus > 100) throw error
    return [failed(key === 'api_key' ? 'api_key' : 'api_secret', error.code, error.clause, error.hint)]
  }
}

async function readFound(found: FoundSecret, configPath: string): Promise<string> {
  if ('secret' in found) return found.secret
  const {readSecret} = await import('../../config/secrets.ts')
  const place = 'This secret'
  const exact = {place, isExact: false}
  const source =
    'file' in found
      ? ({...exact, way: 'file', path: resolve(dirname(configPath), found.file)} as const)
      : 'env' in found
        ? ({place, way: 'variable', name: found.env} as const)
        : ({...exact, way: 'command', argv: found.command} as const)
  const secret = await readSecret(source, process.env, {warnings: [], notes: []})
  hideSecret(secret)
  return secret
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
    `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing, and there is no terminal to ask in.`,
    'Give them as flags, or run the command in a terminal.',
  )
}

async function askName(draft: Draft, known: readonly string[]): Promise<boolean> {
  const check = (text: string) => problemOf(() => refuseKnown(text, known))
  const initial = draft.name || (known.includes('live') ? '' : 'live')
  draft.name = await askText({message: 'Name of the profile', initial, check})
  return true
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
    `The profile "${name}" exists already. hisab does not overwrite a profile.`,
    `Change it with \`hisab config set KEY VALUE --profile ${name}\`, or choose another name.`,
  )
}

async function askSetting(
  {key, message, read, must}: (typeof texts)[number],
  draft: Draft,
): Promise<boolean> {
  const check = (text: string) =>
    text === backWord || (text === '' && !must) ? null : problemOf(() => read(text, 'This'))
  // Most deployments have both APIs at one address.
  const initial = draft.texts.get(key) ?? (key === 'apply_url' ? draft.texts.get('base_url') : '') ?? ''
  const text = await askText({message, check, initial})
  if (text === backWord) return false
  draft.texts.set(key, text === '' ? '' : read(text, message))
  return true
}

type FoundSecret =
  | {readonly file: string}
  | {readonly env: string}
  | {readonly command: string[]}
  | {readonly secret: string}

/** False: back to the previous question. */
async function askSecret(
  key: Key,
  title: string,
  path: string,
  must: boolean,
  draft: Draft,
): Promise<boolean> {
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
    {value: 'back', name: 'Back to the question before'},
  ])
  if (way === 'back') return false
  draft.secrets.delete(key)
  if (way === 'none') return true
  if (way === 'typed') {
    const check = (text: string) => (text === backWord ? null : secretProblemOf(text))
    const secret = await askHidden({message: `${title} (hidden)`, check})
    if (secret !== backWord) draft.secrets.set(key, {secret})
    return secret !== backWord
  }
  const check = (text: string) => (text === '' ? 'It is needed.' : null)
  const text = await askText({message: placeQuestions[way], check})
  if (text === backWord) return false
  draft.secrets.set(
    key,
    way === 'command' ? {command: wordsOf(text)} : way === 'file' ? {file: text} : {env: text},
  )
  return true
}

const placeQuestions = {
  file: 'Path of the file',
  env: 'Name of the variable',
  command: 'The command, its words separated by blanks',
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
