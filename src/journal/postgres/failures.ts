import {Failure, thenRunAgain} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {DatabaseAddress} from './settings.ts'

/** What PostgreSQL, or the way to it, says of itself (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Each has a digit; EPIPE, of a connection that broke, has none. */
const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/
/** The server ends the connection, or is not there. */
const endsConnection = /^(?:08|25P0[34]|57P0[1-5])/

/** Whether the connection is of no use any more: nobody knows what became of its transaction. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  return !(error instanceof Failure) && (!isSqlState.test(code) || endsConnection.test(code))
}

/** Whether it was waited for in vain, as on a network that swallows everything. The driver's own time-outs have no code. */
export function isUnanswered(error: unknown): boolean {
  const isOwn = error instanceof Error && /^(?:timeout expired|Query read timeout)$/.test(error.message)
  return isOwn || /^(?:ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/.test(codeOf(error))
}

const migrateHint = 'Run, as the owner of the schema: hisab journal migrate. See docs/shared-journal.md.'
export const tryAgain = thenRunAgain('Check the database and the network to it.')

const known: readonly (readonly [
  code: RegExp,
  what: string,
  hint: string,
  kind: 'config_invalid' | 'storage_failed',
])[] = [
  [
    /^28/,
    'refused the user or the password',
    'Correct the user and the password of the journal’s URL.',
    'config_invalid',
  ],
  [
    /^3D000$/,
    'has no such database',
    'Correct the database name of the journal’s URL, or create it.',
    'config_invalid',
  ],
  [/^(?:3F000|42P01|42703)$/, 'has no journal of this version', migrateHint, 'config_invalid'],
  [
    /^42501$/,
    'does not let this user do that',
    'Run, as the owner of the schema: hisab journal migrate --grant ROLE.',
    'config_invalid',
  ],
  [/^42704$/, 'has no such role', 'Create it (CREATE ROLE … LOGIN), or correct --grant.', 'config_invalid'],
  [/^25006$/, 'is a replica, which takes no writes', 'Give the address of the primary.', 'storage_failed'],
  [/^53/, 'has no room for this: connections, memory or disk', tryAgain, 'storage_failed'],
  [
    /^55P03$/,
    'is held up by another hisab, which did not finish in time',
    thenRunAgain('Wait until it has finished.'),
    'storage_failed',
  ],
  [/^57014$/, 'did not finish in time', tryAgain, 'storage_failed'],
  [/^57P/, 'is shutting down or starting', tryAgain, 'storage_failed'],
  [
    /^(?:ENOTFOUND|EAI_AGAIN)$/,
    'has a host name that is not known',
    'Correct the host of the journal’s URL, or check the name server.',
    'storage_failed',
  ],
  [
    /^ECONNREFUSED$/,
    'takes no connections at that port',
    'Start the database, or correct the port of the journal’s URL.',
    'storage_failed',
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS)/,
    'has a certificate that is not trusted',
    'Add sslrootcert=/path/to/ca.pem to the journal’s URL, or correct its host.',
    'config_invalid',
  ],
]

/** What went wrong, where, and what to do. Values and passwords are never in it. `isFirst`: nothing was done there yet. */
export function failureOf(error: unknown, {name}: Pick<DatabaseAddress, 'name'>, isFirst: boolean): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error
  const code = codeOf(error)
  const found = known.find(([pattern]) => pattern.test(code))
  if (found)
    return new Failure(
      found[3],
      `The journal ${name} ${found[1]}.${isFirst ? ' Nothing was sent.' : ''}`,
      found[2],
    )
  if (/does not support SSL/.test(error.message))
    return new Failure(
      'config_invalid',
      `The journal ${name} offers no TLS. Nothing was sent.`,
      'Switch TLS on at the database (ssl = on). Beyond this machine hisab needs it.',
    )
  if (isSqlState.test(code) && !isLost(error))
    return new Failure(
      'bug',
      `The journal ${name} refused a statement (${code}: ${escapeInvisible(error.message, 160)}).`,
      'Nothing was recorded. Please report this with the command you ran.',
    )
  const why = isUnanswered(error) ? 'no answer in time' : code || error.message
  return new Failure(
    'storage_failed',
    `The connection to the journal ${name} broke (${escapeInvisible(why, 80)}).`,
    tryAgain,
  )
}

/** Nobody knows whether it was recorded, and so it is not sent. */
export function unrecorded(name: string, why: string): Failure {
  return new Failure(
    'storage_failed',
    `It is not known whether the journal ${name} recorded it: ${why}. It is not sent.`,
    tryAgain,
  )
}
