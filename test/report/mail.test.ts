import {describe, expect, test} from 'vitest'

import {languages} from '../../src/core/language.ts'
import {composeMail} from '../../src/report/mail/compose.ts'
import {failureMail} from '../../src/report/mail/failure-mail.ts'
import {reportMail} from '../../src/report/mail/report-mail.ts'
import {buildReport, type ReconcileFacts} from '../../src/report/reconcile-report.ts'
import {facts, finding, paths} from './sample.ts'

const exhausted = {verdict: 'missing_completion', cause: 'no_delivery_record', action: 'review'} as const

const mailOf = (given: ReconcileFacts) => reportMail(buildReport(given, paths), given)

/** A mail as a mail program reads it: written from the RFCs, without the library. */
function readMail(bytes: Buffer) {
  const text = bytes.toString('latin1')
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const headers = new Map(
    head
      .replaceAll(/\r\n[ \t]/g, ' ')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const words = (value: string) =>
    value
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
        how.toLowerCase() === 'b'
          ? Buffer.from(word, 'base64').toString('latin1')
          : unquote(word.replaceAll('_', ' ')),
      )
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? ''
  const parts = rest
    .join('\r\n\r\n')
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const at = part.indexOf('\r\n\r\n')
      return {head: part.slice(0, at), body: Buffer.from(unquote(part.slice(at + 4)), 'latin1').toString()}
    })
  return {
    text,
    headers,
    parts,
    subject: Buffer.from(words(headers.get('subject') ?? ''), 'latin1').toString(),
  }
}

const unquote = (text: string) =>
  text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

describe.each(languages)('in %s', (lang) => {
  test.each([
    ['nothing', facts([], {lang})],
    ['breaks', facts([finding(exhausted), finding(exhausted)], {lang})],
    [
      'a long profile, large sums, incomplete',
      facts(
        Array.from({length: 1_200}, () => finding({...exhausted, atRisk: 98_76_54_321_00n})),
        {
          lang,
          profile: 'the-whole-of-dhaka-and-chittagong',
          incompleteBecause: ['a list was not read whole'],
          dryRun: true,
        },
      ),
    ],
  ])('%s: a subject of at most 60 characters, two parts, as the RFCs ask', async (_, given) => {
    const mail = mailOf(given)
    expect([...mail.subject].length).toBeLessThanOrEqual(60)
    const bytes = await composeMail(mail)
    expect(await composeMail(mail), 'the same bytes each time').toEqual(bytes)
    const {text, headers, parts, subject} = readMail(bytes)
    expect(subject).toBe(mail.subject)
    expect(text).toMatch(/^[\r\n\t\x20-\x7e]+$/)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78)
    for (const name of ['from', 'date', 'message-id', 'mime-version']) expect(headers.get(name)).toBeTruthy()
    expect(Date.parse(headers.get('date') ?? '')).toBe(Math.floor(given.finishedAtMs / 1000) * 1000)
    const [plain, page] = parts
    expect(plain?.head).toContain('text/plain; charset=utf-8')
    expect(plain?.body.replaceAll('\r\n', '\n').trim()).toBe(mail.text.trim())
    expect(page?.head).toContain('text/html; charset=utf-8')
    // Nothing is fetched when it is read, and nothing hides in a style sheet.
    expect(page?.body).not.toMatch(/<(?:img|link|script|style|iframe)|url\(|https?:/i)
  })
})

test('the subject says it all; figures come before what to do', () => {
  const {subject, text} = mailOf(
    facts([finding({...exhausted, atRisk: 500_00n})], {businessDay: '2026-11-20'}),
  )
  expect(subject).toBe('hisab live 2026-11-20: 1 break, BDT 500.00')
  expect(mailOf(facts([], {businessDay: '2026-11-20', lang: 'bn'})).subject).toBe(
    'hisab live ২০২৬-১১-২০: খাতা মিলেছে',
  )
  expect(text.indexOf('Amount at risk: BDT 500.00')).toBeGreaterThan(0)
  expect(text.indexOf('What to do')).toBeGreaterThan(text.indexOf('Amount at risk'))
  const night = {day: '2026-11-20', profile: 'live', lang: 'en', status: 8, endedMs: 0} as const
  expect(failureMail('The ledger did not come.', night).subject).toBe(
    'hisab live 2026-11-20: NOT RECONCILED, status 8',
  )
})

test.each([
  [2, 'Delivered by earlier runs, not confirmed by a ledger: 2'],
  [0, 'Delivered by this run'],
])('%i orders that no ledger confirms are counted', (count, line) => {
  const waits = Array.from({length: count}, () =>
    finding({verdict: 'missing_completion', cause: 'delivered', action: 'none', resend: null}),
  )
  const own = {state: 'delivered', sentAtMs: null, responseCode: 200, why: null} as const
  const now = finding({verdict: 'missing_completion', cause: 'delivered', action: 'none', resend: own})
  const given = facts([...waits, now])
  expect([buildReport(given, paths).unconfirmed, mailOf(given).text]).toEqual([
    count,
    expect.stringContaining(line),
  ])
})

test('text from outside is text', () => {
  const given = facts([finding(exhausted)], {
    profile: '"><b>x\r\nBcc: a@b',
    incompleteBecause: ['<script>alert(1)</script>'],
  })
  const mail = mailOf(given)
  expect(mail.subject).not.toMatch(/[\r\n]/)
  expect(mail.html).not.toMatch(/<script|<b>x/)
})
