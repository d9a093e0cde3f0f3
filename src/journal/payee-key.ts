import {createHmac, randomBytes} from 'node:crypto'
import {dirname, join} from 'node:path'

import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import {escapeInvisible} from '../core/text.ts'
import {
  clearDeadDrafts,
  createPrivateFile,
  ensurePrivateFile,
  makePrivateDir,
  readIfThere,
} from '../files/private-files.ts'

/** A fingerprint begins with that many characters which name its key. */
const keyIdLength = 8

/** Fingerprints of two keys cannot be compared: the masked account has to do. */
export function areOfOneKey(one: string, other: string): boolean {
  return one.slice(0, keyIdLength) === other.slice(0, keyIdLength)
}

/** Whether two fingerprints, of masked accounts that are equal, may be of one account. */
export function mayBeOnePayee(one: string | null, other: string | null): boolean {
  return one === null || other === null || !areOfOneKey(one, other) || one === other
}

export type Fingerprint = (...parts: readonly (string | Paisa)[]) => string

interface PayeeKey {
  /** `KEYID.MAC`: equal for the same parts, such as an account and an amount, and telling none of them. */
  fingerprint: Fingerprint
}

/**
 * The key under which the journal recognises an account again: 32 random bytes in `payee.key` of the data
 * directory, made when first needed. A plain hash would hide nothing: there are 700 million wallet numbers, and
 * one machine hashes them all in minutes. It is kept outside `journal/`, so that a copy of the journal alone tells
 * no account. With a lost key only the recognition is lost.
 */
export function payeeKeyOf(dataDir: string): () => PayeeKey {
  let key: PayeeKey | undefined
  return () => {
    key ??= openKey(join(dataDir, 'payee.key'))
    return key
  }
}

/** What names the key in fingerprints; null where there is none yet. */
export function payeeKeyId(dataDir: string): string | null {
  const secret = readKey(join(dataDir, 'payee.key'))
  return secret && idOf(secret)
}

function idOf(secret: Buffer): string {
  return createHmac('sha256', secret).update('id of this key').digest('hex').slice(0, keyIdLength)
}

function openKey(path: string): PayeeKey {
  // A draft of the key is the key.
  clearDeadDrafts(dirname(path))
  const secret = readKey(path) ?? makeKey(path)
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  const id = idOf(secret)
  return {fingerprint: (...parts) => `${id}.${digest(parts.join(' ')).slice(0, 32)}`}
}

function readKey(path: string): Buffer | null {
  const text = readIfThere(path)?.toString().trim()
  if (text === undefined) return null
  // Closes a file that was put back too open.
  ensurePrivateFile(path)
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex')
  throw new Failure(
    'storage_failed',
    `${escapeInvisible(path)} is not the key hisab wrote there.`,
    'Restore it from a backup, or move it away. hisab then makes a new key and recognises payouts of the last 24 hours by the visible digits of the account.',
  )
}

function makeKey(path: string): Buffer {
  // Nothing made it yet where the journal is shared.
  makePrivateDir(dirname(path))
  createPrivateFile(path, `${randomBytes(32).toString('hex')}\n`)
  // If two processes make it at once, the first one's is kept.
  const secret = readKey(path)
  if (secret) return secret
  throw new Failure(
    'storage_failed',
    `${escapeInvisible(path)} is a link whose target does not exist.`,
    'Restore its target, or remove the link. hisab then makes a new key, and recognises payouts of the last 24 hours by the visible digits of the account.',
  )
}
