import {expect, test} from 'vitest'

import {Failure} from '../../../src/core/failure.ts'
import {failureOf, isLost, isUnanswered} from '../../../src/journal/postgres/failures.ts'

const error = (code: string, message = 'what it said') => Object.assign(new Error(message), {code})

/** As PostgreSQL, the driver or the way between say it. */
const errors = [
  ...['28P01', '28000', '3D000', '3F000', '42P01', '42703', '42501', '42704', '25006', '53300', '53100'],
  ...[
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '57P05',
    '57P06',
    '08006',
    '08P01',
    '40001',
    '22P02',
    '23505',
    '25P03',
    '25P02',
  ],
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ECONNRESET', 'EPIPE'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'X25006', '25006X', 'XENOTFOUND'],
].map((code) => [code, error(code)] as const)

const others = [
  ['no code', new Error('it broke')],
  ['the driver waited', new Error('timeout expired')],
  ['the driver waited for an answer', new Error('Query read timeout')],
  ['no TLS', new Error('The server does not support SSL connections')],
] as const

test('each way in which the database fails has its code, its sentence, and whether the connection is lost', () => {
  const lines = [...errors, ...others].map(([what, one]) => {
    const told = [true, false].map((isFirst) => failureOf(one, {name: 'db'}, isFirst) as Failure)
    const [first, later] = told.map(({code, message, hint}) => `${code}: ${message} ${hint}`)
    const isToo = [isLost(one) ? 'lost' : null, isUnanswered(one) ? 'unanswered' : null].filter(Boolean)
    // What was done before is not said to be unsent.
    expect(later).toBe(first?.replace(' Nothing was sent.', /no TLS/.test(what) ? ' Nothing was sent.' : ''))
    return `${[what, ...isToo].join(', ')}: ${first}`
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "28P01: config_invalid: The journal db refused the user or the password. Nothing was sent. Correct the user and the password of the journal’s URL.",
      "28000: config_invalid: The journal db refused the user or the password. Nothing was sent. Correct the user and the password of the journal’s URL.",
      "3D000: config_invalid: The journal db has no such database. Nothing was sent. Correct the database name of the journal’s URL, or create it.",
      "3F000: config_invalid: The journal db has no journal of this version. Nothing was sent. Run, as the owner of the schema: hisab journal migrate. See docs/shared-journal.md.",
      "42P01: config_invalid: The journal db has no journal of this version. Nothing was sent. Run, as the owner of the schema: hisab journal migrate. See docs/shared-journal.md.",
      "42703: config_invalid: The journal db has no journal of this version. Nothing was sent. Run, as the owner of the schema: hisab journal migrate. See docs/shared-journal.md.",
      "42501: config_invalid: The journal db does not let this user do that. Nothing was sent. Run, as the owner of the schema: hisab journal migrate --grant ROLE.",
      "42704: config_invalid: The journal db has no such role. Nothing was sent. Create it (CREATE ROLE … LOGIN), or correct --grant.",
      "25006: storage_failed: The journal db is a replica, which takes no writes. Nothing was sent. Give the address of the primary.",
      "53300: storage_failed: The journal db has no room for this: connections, memory or disk. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "53100: storage_failed: The journal db has no room for this: connections, memory or disk. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "55P03: storage_failed: The journal db is held up by another hisab, which did not finish in time. Nothing was sent. Wait until it has finished. Then run the same command again.",
      "57014: storage_failed: The journal db did not finish in time. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "57P01, lost: storage_failed: The journal db is shutting down or starting. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "57P03, lost: storage_failed: The journal db is shutting down or starting. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "57P05, lost: storage_failed: The journal db is shutting down or starting. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "57P06: storage_failed: The journal db is shutting down or starting. Nothing was sent. Check the database and the network to it. Then run the same command again.",
      "08006, lost: storage_failed: The connection to the journal db broke (08006). Check the database and the network to it. Then run the same command again.",
      "08P01, lost: storage_failed: The connection to the journal db broke (08P01). Check the database and the network to it. Then run the same command again.",
      "40001: bug: The journal db refused a statement (40001: what it said). Nothing was recorded. Please report this with the command you ran.",
      "22P02: bug: The journal db refused a statement (22P02: what it said). Nothing was recorded. Please report this with the command you ran.",
      "23505: bug: The journal db refused a statement (23505: what it said). Nothing was recorded. Please report this with the command you ran.",
      "25P03, lost: storage_failed: The connection to the journal db broke (25P03). Check the database and the network to it. Then run the same command again.",
      "25P02: bug: The journal db refused a statement (25P02: what it said). Nothing was recorded. Please report this with the command you ran.",
      "ECONNREFUSED, lost: storage_failed: The journal db takes no connections at that port. Nothing was sent. Start the database, or correct the port of the journal’s URL.",
      "ENOTFOUND, lost: storage_failed: The journal db has a host name that is not known. Nothing was sent. Correct the host of the journal’s URL, or check the name server.",
      "EAI_AGAIN, lost, unanswered: storage_failed: The journal db has a host name that is not known. Nothing was sent. Correct the host of the journal’s URL, or check the name server.",
      "ETIMEDOUT, lost, unanswered: storage_failed: The connection to the journal db broke (no answer in time). Check the database and the network to it. Then run the same command again.",
      "EHOSTUNREACH, lost, unanswered: storage_failed: The connection to the journal db broke (no answer in time). Check the database and the network to it. Then run the same command again.",
      "ECONNRESET, lost: storage_failed: The connection to the journal db broke (ECONNRESET). Check the database and the network to it. Then run the same command again.",
      "EPIPE, lost: storage_failed: The connection to the journal db broke (EPIPE). Check the database and the network to it. Then run the same command again.",
      "CERT_HAS_EXPIRED, lost: config_invalid: The journal db has a certificate that is not trusted. Nothing was sent. Add sslrootcert=/path/to/ca.pem to the journal’s URL, or correct its host.",
      "DEPTH_ZERO_SELF_SIGNED_CERT, lost: config_invalid: The journal db has a certificate that is not trusted. Nothing was sent. Add sslrootcert=/path/to/ca.pem to the journal’s URL, or correct its host.",
      "X25006, lost: storage_failed: The connection to the journal db broke (X25006). Check the database and the network to it. Then run the same command again.",
      "25006X, lost: storage_failed: The connection to the journal db broke (25006X). Check the database and the network to it. Then run the same command again.",
      "XENOTFOUND, lost: storage_failed: The connection to the journal db broke (XENOTFOUND). Check the database and the network to it. Then run the same command again.",
      "no code, lost: storage_failed: The connection to the journal db broke (it broke). Check the database and the network to it. Then run the same command again.",
      "the driver waited, lost, unanswered: storage_failed: The connection to the journal db broke (no answer in time). Check the database and the network to it. Then run the same command again.",
      "the driver waited for an answer, lost, unanswered: storage_failed: The connection to the journal db broke (no answer in time). Check the database and the network to it. Then run the same command again.",
      "no TLS, lost: config_invalid: The journal db offers no TLS. Nothing was sent. Switch TLS on at the database (ssl = on). Beyond this machine hisab needs it.",
    ]
  `)
})

test('what is a failure already stays as it is, and loses no connection', () => {
  const one = new Failure('locked', 'Another hisab is at work.', 'Wait.')
  expect(failureOf(one, {name: 'db'}, true)).toBe(one)
  expect([isLost(one), isUnanswered(one)]).toEqual([false, false])
})
