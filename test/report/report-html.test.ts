import {createHash} from 'node:crypto'
import {describe, expect, test} from 'vitest'

import type {Finding} from '../../src/core/reconcile/finding.ts'
import type {Ignore} from '../../src/core/reconcile/ignore.ts'
import {buildReport, type ReconcileFacts} from '../../src/report/reconcile-report.ts'
import {delivery, minutesAgo, nowMs, order} from '../core/reconcile/sample.ts'
import {delivered, facts, finding, matched, pageOf, paths, remembered} from './sample.ts'

const htmlOf = (findings: readonly Finding[], change: Partial<ReconcileFacts> = {}) =>
  pageOf(facts(findings, change))

/** What a reader sees, on one line. */
function seenIn(page: string): string {
  const body = page.slice(page.indexOf('<body>')).replace(/<(script|title|desc)\b.*?<\/\1>/gs, '')
  return body
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}
const seen = (...of: Parameters<typeof htmlOf>) => seenIn(htmlOf(...of))

const hostile = '\u001b[2J\u202e\u200b</script><script>alert(1)</script><!--'
const attacked = finding({
  orderNo: hostile,
  action: 'review',
  service: order({rawStatus: hostile, status: 'unknown_status', platformOrderNo: hostile}),
  delivery: delivery({url: `https://shop.example/${hostile}`, createdAt: minutesAgo(600)}),
})
const review = finding({action: 'review', cause: 'no_delivery_record'})
const open = {state: 'open', firstSeenMs: nowMs, openedMs: nowMs, snapshot: ''} as const
const ignored: Ignore = {
  ...{id: 1, kind: 'deposit', orderNo: 'D-1', verdict: 'missing_completion', atRisk: null},
  ...{snapshot: '', openedMs: 0, reason: 'refund <b>agreed, call 01712345678', by: 'karim'},
  ...{atMs: nowMs, expiresAtMs: nowMs},
}

describe('hostile text', () => {
  test('stays text, also in the rows that the script reads', () => {
    const page = htmlOf([{...attacked, explanation: '<b>Ignored</b> by <img src=x>'}], {
      ledger: [{path: '/books/<b>.csv', sha256: 'ab', rows: 1}],
      incompleteBecause: ['<img src=x>'],
    })
    expect(page).not.toMatch(/<img|<b>\.csv|<b>Ignored|[\u001b\u202e\u200b]/)
    expect(page).toContain('&lt;script&gt;')
    expect(page.match(/<script/g)).toHaveLength(2)
    const [, rows = ''] = /<script type="application\/json" id="rows">(.*?)<\/script>/s.exec(page) ?? []
    expect(rows).not.toContain('<')
    expect(JSON.stringify(JSON.parse(rows))).toContain('</script><script>alert(1)')
  })

  test('of a person has its phones masked', () => {
    const page = htmlOf([finding({action: 'none', ignored, explanation: 'Call 01812345678.'})])
    expect(page).toContain('refund &lt;b&gt;agreed, call 017****5678')
    expect(page).not.toMatch(/01[78]12345678/)
  })

  test('loads nothing, and runs nothing but its own script', () => {
    const page = htmlOf([attacked])
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(page) ?? []
    const sum = createHash('sha256').update(script).digest('base64')
    expect(page).toContain(`default-src 'none'; style-src 'sha256-`)
    expect(page).toContain(`script-src 'sha256-${sum}'`)
    expect(page).not.toMatch(/<[^>]*\b(?:src|style|on\w+)=/)
    expect(page).not.toMatch(/<[^>]*\bhref="(?!#)/)
  })
})

describe('the answer', () => {
  const unread = {incompleteBecause: ['a page was not read']}
  const waiting = finding({action: 'wait', cause: 'retry_scheduled'})
  test.each<[says: string, findings: Finding[], change?: Partial<ReconcileFacts>]>([
    ['The books agree', [matched]],
    ['Not proven: the run is incomplete', [matched], unread],
    ['No breaks: nothing is left to decide', [delivered, waiting, matched]],
    ['No breaks in this ledger; 1 open from earlier runs', [matched], {notExamined: [remembered]}],
    ['The books do not agree: 1 break', [review, delivered, matched]],
    ['The books do not agree: 2 breaks', [review, review], unread],
    ['NOT FINAL: The books do not agree: 1 break', [review], {interim: 'it was stopped', ...unread}],
    ['খাতা মেলেনি: ১টি গরমিল', [review], {lang: 'bn'}],
  ])('%s', (says, findings, change) => {
    expect(/<h1>(.*?)<\/h1>/.exec(htmlOf(findings, change))?.[1]).toBe(says)
  })

  test('comes with what is at risk, delivered, to do and proven', () => {
    const text = seen([finding({action: 'review', atRisk: 12_345_600n}), delivered])
    expect(text).toContain('Amount at risk, BDT 1,23,456.00 high 1,23,456.00')
    expect(text).toContain('Delivered by this run, BDT 500.00 1 webhook, of 1 sent')
    expect(text).toContain('Need a person 1')
    expect(text).toMatch(
      /What to do .*1 order, BDT 1,23,456\.00 .*hisab items list --verdict missing_completion/,
    )
    expect(text).toContain('Run run-1 Prepared by: karim')
    expect(text).toContain('ledger.csv, 2 rows, sha256 abababababab…')
    expect(text).toContain('Service https://pay.example/v1')
    expect(text).toContain(`sha256 ${'ab'.repeat(32)}`)
  })

  test('asks for as many persons as the report says: a planned resend waits for a yes alone', () => {
    const planned = finding({resend: {state: 'planned', sentAtMs: null, responseCode: null, why: null}})
    const notAsked = finding({verdict: 'query_failed', cause: 'not_asked', action: 'retry'})
    const all = [planned, notAsked, review, finding({action: 'review'}), matched, delivered]
    const text = seen(all)
    expect(text).toContain('Need a person 2')
    expect(text).toContain('Say yes to 1 resend 1 order')
    expect(text).toContain('hisab reconcile --resume run-1 --yes')
    expect(text).toContain('Run it again: 1 order')
    expect(buildReport(facts(all), paths).needPerson).toBe(2)
  })

  test('what cools down is run after that with a new export, because resuming sends nothing of it', () => {
    const text = seen([finding({cause: 'recently_resent', action: 'wait', resend: null}), matched])
    expect(text).toMatch(/After \d{4}-\d\d-\d\d \d\d:\d\d, run it with a new export of the ledger: 1 order/)
    expect(text).toContain('hisab reconcile NEW_LEDGER --profile live')
    expect(text).not.toContain('--resume')
  })

  test('with --since-last never says that books agree which do not, and counts what it leaves out', () => {
    const text = seen([finding({action: 'review', history: open})], {sinceLast: true})
    expect(text).toContain('The books do not agree: 1 break')
    expect(text).toMatch(/Orders by cause .*paid, not booked/)
  })
})

describe('a picture', () => {
  test('of the statement begins with the ledger and ends with the service', () => {
    const page = htmlOf([review])
    expect(seenIn(page)).toMatch(
      /Balance by the ledger 500\.00 .*\+500\.00 .*Balance by the service 1,000\.00/,
    )
    expect(page).toMatch(/<desc[^>]*>Balance by the ledger: 500\.00; paid, not booked; .*: \+500\.00; /)
  })

  test('whose bars do not begin at 0 says so', () => {
    const sums = {ledgerCompleted: 50_000_000n, providerCompleted: 50_050_000n, difference: -50_000n}
    const tieOut = facts([]).tieOut
    const large = {...tieOut, byKind: {...tieOut.byKind, deposit: {...tieOut.byKind.deposit, ...sums}}}
    expect(seen([review], {tieOut: large})).toMatch(/The bars begin at BDT 4,99,\d\d\d\.00, not at 0\./)
    expect(seen([review])).not.toContain('The bars begin')
  })

  test('of the ages has what earlier runs left open', () => {
    const text = seen([review], {notExamined: [remembered]})
    expect(text).toMatch(/Open items by age and cause .* paid, not booked; no webhook on record .* today/)
    expect(text).toMatch(/not at the service; booked – 1 1,23,456\.00 – – –/)
  })

  test('of the webhooks has what was lost and delivered, and when a server was down', () => {
    const at = (minutes: number) => delivery({createdAt: minutesAgo(minutes), nextRetryAt: null})
    const some = [60, 58, 55].map((minutes) => ({...delivered, delivery: at(minutes)}))
    const text = seen([...some, finding({delivery: at(50)}), finding({delivery: delivery({createdAt: '?'})})])
    expect(text).toContain('1 older or of unknown time, not drawn.')
    expect(text).toMatch(/shop\.example 2026-11-20 17:00 – 2026-11-20 17:10 1 0 3 0/)
  })

  test('this run has the last bar; a dry run has none', () => {
    const day = {day: '2026-11-18', complete: false, breaks: 3, atRisk: '1500.00'}
    const before = {...day, resends: {sent: 2, delivered: 2}} as ReconcileFacts['days'][number]
    expect(seen([review], {days: [before]})).toMatch(
      /The last 31 days .*2026-11-20 1 500\.00 0 ✓ 2026-11-18 3 1,500\.00 2 –/,
    )
    expect(seen([review], {days: [before], dryRun: true})).not.toContain('The last 31 days')
  })
})

test('says what is unfinished, what was not looked for and what was assumed', () => {
  const page = htmlOf([], {
    incompleteBecause: ['a page was not read'],
    window: {ok: false, because: 'no created_at'},
  })
  expect(page).toContain('<b>Incomplete:</b> a page was not read')
  expect(page).toContain('not searched: no created_at')
  for (let n = 1; n <= 13; n += 1) expect(page).toContain(`<th scope="row">A${n}</th>`)
})

test('amounts and times are told as on the terminal, what closed and what was ignored by name', () => {
  const text = seen([finding({action: 'none', atRisk: 12_345_600n, ignored})], {
    ...{closed: [remembered], clockSkewMs: 600_000},
  })
  expect(text).toContain('2026-11-20 18:00:00 +06:00 to 2026-11-20 18:01:00 +06:00')
  expect(text).toContain('Ignored by karim until 2026-11-20 18:00')
  expect(text).toMatch(/Closed since earlier runs .*P-9 .*1,23,456\.00/)
  expect(text).toContain('600 s ahead of this machine')
})

test('in Bangla no English is left but names, commands and words of the service', () => {
  const explanation =
    'Paid by the player (BDT 500.00), but still open in the ledger. Your server took its webhook since (HTTP 200 at 2026-11-20 18:00). The next ledger that has it as booked confirms it.'
  const page = htmlOf(
    [
      {...review, explanation},
      {...delivered, explanation},
    ],
    {
      ...{
        lang: 'bn',
        profile: 'লাইভ',
        businessDay: '2026-11-22',
        incompleteBecause: ['3 orders got no trustworthy answer'],
      },
      ...{notes: ['ledger.csv has no status column, so every row counts as completed'], clockSkewMs: 600_000},
      ...{evidence: {dir: '/evidence/run-1', sha256: '5e'.repeat(32)}, inDoubt: [], closed: [remembered]},
    },
  )
  const first = seenIn(page.slice(0, page.indexOf('<div class="pictures">')))
  const left = first.replace(/hisab [^ক-হ]*|https:\S+|run-1|merchant-1|sha256 \w+…|ledger\.csv|karim/g, '')
  expect(left.match(/[A-Za-z]{2,}/g) ?? []).toEqual([])
  expect(left.match(/.{20}[0-9].{9}/) ?? []).toEqual([])
  // But for the column of the English words, the rest of the page has none either.
  const rest = page
    .slice(page.indexOf('<div class="pictures">'))
    .replace(/<td lang="en">.*?<\/td>|<code>.*?<\/code>/g, '')
  const words = seenIn(`<body>${rest}`).replace(
    /sha256|run-1|ledger\.csv|karim|Asia\/Dhaka|order\.completed|English|\/evidence\S*|A\d+b?|HTTP|D-1|completed|status/g,
    '',
  )
  expect(words.match(/[A-Za-z]{2,}/g) ?? []).toEqual([])
  expect(page).toContain('<html lang="bn"')
  expect(first).toContain('রবিবার, ২২ নভেম্বর')
})

test('more rows than a browser opens at once are cut, the gravest kept, and the page says where the rest is', () => {
  const many = Array.from({length: 100_000}, () =>
    finding({action: 'wait', severity: 'medium', orderNo: 'W'}),
  )
  const page = htmlOf([...many, finding({action: 'review', orderNo: 'GRAVE'})])
  expect(page).toContain('This page has the gravest 1,00,000 of 1,00,001. All are in findings.csv.')
  const [, rows = ''] = /<script type="application\/json" id="rows">(.*?)<\/script>/s.exec(page) ?? []
  const data = JSON.parse(rows)
  expect([data.rows.length, data.total]).toEqual([100_000, 100_001])
  expect(data.rows.at(-1)[1]).toBe('GRAVE')
})
