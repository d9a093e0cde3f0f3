import {readFileSync} from 'node:fs'

import {Failure} from '../../core/failure.ts'
import {isLoopbackHost} from '../../core/loopback.ts'
import {escapeInvisible} from '../../core/text.ts'

/** Where the shared journal is, and how it is reached. */
export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  /** Null on this machine alone. */
  readonly tls: {readonly ca: string | undefined} | null
  /** For messages: without the password. */
  readonly name: string
  /** How long an answer is waited for; left out: as long as a statement may take. */
  readonly answerWithinMs?: number
}

/**
 * Reads a postgres:// URL. Beyond this machine only `sslmode=verify-full` will do: what lies between could else read the
 * journal, or answer in its place. Throws `config_invalid`, never with the URL: it holds a password.
 */
export function readAddress(text: string, place: string): DatabaseAddress {
  const invalid = (what: string, hint: string) => new Failure('config_invalid', `${place} ${what}.`, hint)
  const example = 'postgres://hisab@db.example:5432/hisab?sslmode=verify-full'
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:'))
    throw invalid('is not the URL of a PostgreSQL database', `Write it like ${example}.`)
  if (!isDecodable(url)) throw invalid('has a % that stands for nothing', 'Write a % of the password as %25.')
  const host = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '')
  const database = decodeURIComponent(url.pathname.slice(1))
  if (host === '' || database === '' || url.username === '')
    throw invalid('lacks a host, a user or a database', `Write it like ${example}.`)
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'sslmode' && key !== 'sslrootcert')
  if (unknown !== undefined)
    throw invalid(
      `has the parameter ${escapeInvisible(unknown, 40)}, which hisab does not know`,
      'It knows sslmode and sslrootcert.',
    )
  const sslmode = url.searchParams.get('sslmode')
  const isHere = isLoopbackHost(url.hostname)
  if (sslmode !== 'verify-full' && (sslmode !== null || !isHere))
    throw invalid(
      sslmode === null
        ? `leads to ${escapeInvisible(host, 80)} without a certificate check`
        : `has sslmode=${escapeInvisible(sslmode, 40)}`,
      'Add sslmode=verify-full. For a certificate authority of your own, add sslrootcert=/path/to/ca.pem.',
    )
  const caPath = url.searchParams.get('sslrootcert')
  const port = url.port === '' ? 5432 : Number(url.port)
  return {
    ...{host, port, database},
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    tls: sslmode === null ? null : {ca: caPath === null ? undefined : readCa(caPath, place)},
    name: escapeInvisible(`${decodeURIComponent(url.username)}@${host}:${port}/${database}`, 200),
  }
}

function isDecodable({hostname, pathname, username, password}: URL): boolean {
  try {
    return decodeURIComponent(hostname + pathname + username + password) !== ''
  } catch {
    return false
  }
}

function readCa(path: string, place: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Failure(
      'config_invalid',
      `${place}: sslrootcert ${escapeInvisible(path)} cannot be read.`,
      'Give the path of the PEM file of the certificate authority.',
    )
  }
}
