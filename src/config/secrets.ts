import {constants, open} from 'node:fs/promises'

import {Failure} from '../core/failure.ts'
import {isInvisible} from '../core/signing/secret.ts'
import {escapeInvisible} from '../core/text.ts'
import {whyUnread} from '../core/unread-file.ts'
import {isOpenToOthers, requireTrustedFile} from '../files/trust.ts'
import type {Environment} from './others-environment.ts'
import {quoted} from './shell-quote.ts'

export type SecretSource = {readonly place: string} & (
  | {readonly way: 'text'; readonly text: string}
  | {readonly way: 'variable'; readonly name: string}
  | {readonly way: 'stdin'; readonly isExact: boolean}
  | {readonly way: 'file'; readonly path: string; readonly isExact: boolean}
  | {readonly way: 'command'; readonly argv: readonly string[]; readonly isExact: boolean}
)

/** Remarks on reading a secret, never the secret itself. */
export interface Remarks {
  readonly warnings: string[]
  /** For `doctor`. */
  readonly notes: string[]
}

const sizeMax = 64 * 1024

/**
 * Reads a secret when it is needed. One line end at the end of a file or a command's output is dropped (editors and
 * `echo` add it) unless it is to be kept; other blanks stay, with a warning. Throws `credentials_missing` if there is
 * none or it is blank, `config_invalid` if it cannot be used.
 */
export async function readSecret(source: SecretSource, env: Environment, remarks: Remarks): Promise<string> {
  const text = await readSource(source, env)
  const {place} = source
  const canEndLine = source.way !== 'text' && source.way !== 'variable'
  const isExact = canEndLine && source.isExact
  const bare = canEndLine ? text.replace(/\r?\n$/, '') : text
  const secret = isExact ? text : bare
  if (bare !== text) remarks.notes.push(lineEndNote(place, isExact))
  if (isInvisible(secret)) {
    throw new Failure(
      'credentials_missing',
      `${place} is ${text === '' ? 'empty' : 'only blanks'}.`,
      'Put the real secret there.',
    )
  }
  // Only a line end is allowed with "exactly": other invisible characters are a mistake.
  if (/[\u0000-\u001f\u007f]|\p{Cf}/u.test(bare)) {
    throw new Failure(
      'config_invalid',
      `${place} contains a line break, a tab or a character that cannot be seen. Secrets of the service have none.`,
      'Put only the secret there.',
    )
  }
  if (bare !== bare.trim()) {
    remarks.warnings.push(`${place} starts or ends with a blank. The blank is used as part of the secret.`)
  }
  return secret
}

function lineEndNote(place: string, isExact: boolean): string {
  return isExact
    ? `The line end after the secret of ${place} is used as part of it, as you asked.`
    : `The line end after the secret of ${place} was left out; --exact-secret keeps it.`
}

async function readSource(source: SecretSource, env: Environment): Promise<string> {
  switch (source.way) {
    case 'text':
      return source.text
    case 'variable': {
      const text = env[source.name]
      if (text !== undefined) return text
      throw new Failure(
        'credentials_missing',
        `${source.place} names the variable ${escapeInvisible(source.name, 200)}, which is not set.`,
        'Set that variable in the environment hisab runs in.',
      )
    }
    case 'file':
      return decode(await readSecretFile(source.path, source.place), source.place)
    case 'stdin':
      return decode(await readSecretFromStdin(source.place), source.place)
    case 'command': {
      const {runSecretCommand, secretCommandTimeoutMs} = await import('./secret-command.ts')
      const options = {place: source.place, env, timeoutMs: secretCommandTimeoutMs}
      return decode(await runSecretCommand(source.argv, options), source.place)
    }
  }
}

/**
 * Links are followed and their target is checked, because orchestrators mount secrets so. Check and reading share one
 * descriptor, so that nothing can be exchanged in between.
 */
async function readSecretFile(path: string, place: string): Promise<Buffer> {
  try {
    // Non-blocking: a pipe that nobody writes to must not hang hisab.
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stat = await file.stat()
    if (!stat.isFile())
      throw refused(place, path, 'is not a regular file', 'Name a file that holds the secret.')
    if (isOpenToOthers(stat)) {
      throw refused(
        place,
        path,
        'can be read or changed by other users',
        `Run: chmod 600 ${quoted(path)} (where an orchestrator mounts it, set its mode to 0400).`,
      )
    }
    requireTrustedFile(path, stat, `The file of ${place}, ${escapeInvisible(path)},`)
    if (stat.size > sizeMax)
      throw refused(place, path, 'is larger than 64 KiB', 'Name a file that holds the secret.')
    return await file.readFile()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(
      'credentials_missing',
      `The file of ${place}, ${escapeInvisible(path)}, cannot be read: ${whyUnread(error)}.`,
      'Check the path and that the user who runs hisab owns the file.',
    )
  }
}

/** Reads all of it: another reader of standard input finds its end. */
async function readSecretFromStdin(place: string): Promise<Buffer> {
  const {stdin} = process
  if (stdin.isTTY) {
    throw new Failure(
      'credentials_missing',
      `${place} is "-", but standard input is a terminal, where the secret would be visible.`,
      'Pipe the secret in: pass show … | hisab …',
    )
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > sizeMax)
      throw new Failure(
        'config_invalid',
        `${place}: standard input holds more than 64 KiB.`,
        'Pipe in only the secret.',
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer, place: string): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch {
    throw new Failure('config_invalid', `${place} is not valid UTF-8.`, 'Save the secret as plain text.')
  }
}

function refused(place: string, path: string, why: string, hint: string): Failure {
  return new Failure('config_invalid', `The file of ${place}, ${escapeInvisible(path)}, ${why}.`, hint)
}
