import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {describe, expect, test} from 'vitest'

import WebhooksList from '../../src/commands/webhooks/list.ts'
import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import type {OutageView} from '../../src/report/outages-report.ts'
import {tempDir} from '../temp-dir.ts'
import {id, legacyApi, row} from './legacy-api.ts'
import type {Ran, Shell} from './run-command.ts'

/** A time of 20 November in Dhaka, as the service writes it. */
const at = (clock: string) => new Date(`2026-11-20T${clock}+06:00`).toISOString()
const failedAt = (clock: string, last = clock) => ({created_at: at(clock), sent_at: at(last)})
const takenAt = (clock: string) => ({...failedAt(clock), status: 'success', response_code: 200, attempts: 1})
const paid = (amount: string) => ({payload: {event: 'order.completed', amount}})

/** One shop down twice, with webhooks taken in between; its second host down all the while. */
const night = [
  row(1, takenAt('01:00:00')),
  row(2, {...failedAt('01:10:05', '03:42:10'), ...paid('120000.00')}),
  row(3, {...failedAt('02:00:00.250', '02:21:00'), response_code: null, ...paid('450.00')}),
  row(4, takenAt('03:44:00')),
  row(5, {...failedAt('06:00:30'), next_retry_at: '2099-01-01T00:00:00Z', ...paid('7.00')}),
  row(6, {...takenAt('06:01:00')}),
  row(7, {
    ...failedAt('01:30:00'),
    url: 'https://payouts.shop.example:8443/hook?kind=payout&v=1',
    ...paid('no number'),
  }),
  row(8, {...failedAt('02:10:00'), event: 'order.failed', payload: {amount: '99.00'}}),
]

const outagesOf = (ran: Ran) => ran.json().outages as OutageView[]

test('as a person reads it', async () => {
  const {shell} = await legacyApi(night)
  const ran = await shell.run(WebhooksList, '--outages', '--amounts', '--profile', 'environment')
  expect(ran.status, ran.stderr).toBe(0)
  expect(`\n${ran.stdout}`).toMatchInlineSnapshot(`
    "
    down 2026-11-20 01:10 to 03:42, 3 orders, BDT 1,20,450.00
      host         shop.example
      answered     HTTP 503 (2), nothing (1)
      up again     03:44, when it took the next webhook
      resend with  hisab webhooks resend --outage 00000002 --profile environment

    down at 2026-11-20 01:30, 1 order, amount unknown
      host         payouts.shop.example:8443
      answered     HTTP 503 (1)
      up again     not seen: nothing was taken since
      resend with  hisab webhooks resend --outage 00000007 --profile environment

    down at 2026-11-20 06:00, 1 order, BDT 7.00
      host         shop.example
      answered     HTTP 503 (1)
      up again     06:01, when it took the next webhook
      due again    1 of 1 by the service itself: left out of a resend
      resend with  hisab webhooks resend --outage 00000005 --profile environment

    all 3 outages: 5 orders, BDT 1,20,457.00 and 1 of unknown amount
      due again    1 of 5 by the service itself
      resend with  hisab webhooks resend --outage all --profile environment
    "
  `)
})

test('as JSON, and as CSV a row each', async () => {
  const {shell} = await legacyApi(night)
  const ran = await shell.run(WebhooksList, '--outages', '--amounts', '--json')
  expect(ran.json()).toMatchObject({complete: true})
  expect(ran.json()).toMatchObject({
    total: {outages: 3, orders: 5, webhooks: 5, scheduled: 1, amount: '120457.00', amountUnknown: 1},
  })
  expect(outagesOf(ran)[0]).toEqual({
    id: '00000002',
    host: 'shop.example',
    from: '2026-11-20T01:10:05+06:00',
    to: '2026-11-20T03:42:10+06:00',
    upAt: '2026-11-20T03:44:00+06:00',
    ongoing: false,
    takenMeanwhile: 0,
    orders: 3,
    webhooks: 3,
    codes: [
      {code: '503', webhooks: 2},
      {code: 'none', webhooks: 1},
    ],
    scheduled: 0,
    amount: '120450.00',
    amountUnknown: 0,
    resendWith: 'hisab webhooks resend --outage 00000002',
    records: [id(2), id(3), id(8)],
  })
  const csv = await shell.run(WebhooksList, '--outages', '--amounts', '--format', 'csv')
  const rows = parse(csv.stdout, {columns: true}) as Record<string, string>[]
  expect(rows.map(({host, codes, amount, ongoing}) => [host, codes, amount, ongoing])).toEqual([
    ['shop.example', '503 ×2 none ×1', '120450.00', 'false'],
    ['payouts.shop.example:8443', '503 ×1', '0.00', 'true'],
    ['shop.example', '503 ×1', '7.00', 'false'],
  ])
})

test('the amount has the name that the profile gives it, as everywhere', async () => {
  const path = join(tempDir(), 'config.toml')
  writeFileSync(path, '[profiles.environment.response]\namount = "paidAmount"\n', {mode: 0o600})
  const named = row(1, {...failedAt('01:10:00'), payload: {amount: '1.00', paidAmount: '500.00'}})
  const {shell} = await legacyApi([named], undefined, {HISAB_CONFIG: path})
  const ran = await shell.run(WebhooksList, '--outages', '--amounts', '--json')
  expect(outagesOf(ran).map(({amount}) => amount)).toEqual(['500.00'])
})

test('with --no-amounts no payload is read, and it says so', async () => {
  const {shell} = await legacyApi(night)
  expect((await shell.run(WebhooksList, '--outages')).stdout).toContain('BDT 1,20,450.00')
  const ran = await shell.run(WebhooksList, '--outages', '--no-amounts')
  expect(ran.stderr).toContain('--amounts')
  expect(ran.stdout).not.toContain('BDT')
  const [first] = outagesOf(await shell.run(WebhooksList, '--outages', '--no-amounts', '--json'))
  expect(first).toMatchObject({amount: null, amountUnknown: 2})
})

describe('the printed command selects exactly the records of its outage', () => {
  test.each<[filters: string[]]>([
    [[]],
    [['--event', 'order.completed']],
    [['--code', '5xx', '--code', 'none']],
    [['--code', 'none']],
    [['--url', 'https://payouts.shop.example:8443/hook?kind=payout&v=1']],
    [['--since', '2026-11-20T02:00', '--until', '2026-11-20T06:30']],
    [['--since', '2026-11-20T01:10:06', '--until', '2026-11-20T02:10:00']],
  ])('%j', async (filters) => {
    const {shell} = await legacyApi(night)
    const outages = outagesOf(await shell.run(WebhooksList, '--outages', ...filters, '--json'))
    expect(outages.length).toBeGreaterThan(0)
    for (const {resendWith, records} of outages) {
      expect(await idsSelectedBy(shell, resendWith), resendWith).toEqual([...records].sort())
    }
  })

  test('and the one of the total all of them', async () => {
    const {shell} = await legacyApi(night)
    const ran = await shell.run(WebhooksList, '--outages', '--json')
    const {resendWith} = ran.json().total as {resendWith: string}
    expect(await idsSelectedBy(shell, resendWith)).toEqual(
      outagesOf(ran)
        .flatMap(({records}) => records)
        .sort(),
    )
  })

  test('an outage that is over is named, with those that are there', async () => {
    const {shell} = await legacyApi(night)
    const ran = await shell.run(WebhooksResend, '--outage', 'ffffffff', '--dry-run', '--json')
    expect(ran.json()).toMatchObject({error: {code: 'not_found', hint: expect.stringContaining('00000002')}})
  })

  test('what is no address, and an event that looks like a flag', async () => {
    const odd = {...failedAt('01:10:00'), url: 'call me', event: '-x'}
    const {shell} = await legacyApi([row(1, odd), row(2, failedAt('01:10:00'))])
    const [outage] = outagesOf(await shell.run(WebhooksList, '--outages', '--event=-x', '--json'))
    expect(await idsSelectedBy(shell, outage?.resendWith ?? '')).toEqual([id(1)])
  })

  test('more than the cap of a run allows: the command allows them', async () => {
    const many = Array.from({length: 101}, (_, n) => row(n, failedAt('01:10:00')))
    const {shell} = await legacyApi(many)
    const [outage] = outagesOf(await shell.run(WebhooksList, '--outages', '--json'))
    expect(outage?.resendWith).toMatch(/ --max-resends 101$/)
  })

  /** The ids of all records a command takes up, sent or left out, as a shell would read it. */
  async function idsSelectedBy(shell: Shell, command: string): Promise<string[]> {
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    expect(words.slice(0, 3)).toEqual(['hisab', 'webhooks', 'resend'])
    const ran = await shell.run(WebhooksResend, ...words.slice(3), '--dry-run', '--json')
    return (ran.json().records as {id: string}[]).map((record) => record.id).sort()
  }
})

test('hostile addresses and events reach neither the terminal nor the shell', async () => {
  const hostile = "\u001b[2J\u202e'; rm -rf ~ #"
  const {shell} = await legacyApi([
    row(1, {url: `https://shop.example/${hostile}`, event: hostile, merchant_order_id: hostile}),
  ])
  for (const flags of [
    ['--outages'],
    ['--all'],
    ['--all', '--format', 'csv'],
    ['--outages', '--event', hostile],
  ]) {
    const {stdout, stderr} = await shell.run(WebhooksList, ...flags)
    expect(`${stdout}${stderr}`).not.toMatch(/[\u001b\u202e]/)
  }
})

test('--since means the last attempt of what failed, and the creation of the rest', async () => {
  const {shell} = await legacyApi(night)
  const list = async (...flags: string[]) =>
    ((await shell.run(WebhooksList, '--all', ...flags, '--json')).json().records as {id: string}[]).map(
      (one) => one.id,
    )
  // Created at 01:10, tried last at 03:42.
  expect(await list('--since', '2026-11-20T03:00', '--until', '2026-11-20T04:00')).toEqual([id(2), id(4)])
})

test.each([
  [['--amounts']],
  [['--outages', '--status', 'failed']],
  [['--outages', '--page', '2']],
  [['--code', '5x']],
  [['--host', 'https://shop.example/hook']],
])('usage: %j', async (flags) => {
  const {shell} = await legacyApi(night)
  const ran = await shell.run(WebhooksList, ...flags, '--json')
  expect(ran.json()).toMatchObject({error: {code: 'usage', exitCode: 2}})
})

test.each<[flags: string[], orders: string[]]>([
  [['--code', 'none'], ['D-3']],
  [
    ['--code', '2xx'],
    ['D-1', 'D-4', 'D-6'],
  ],
  [['--code', '503', '--event', 'order.failed'], ['D-8']],
  [['--host', 'PAYOUTS.shop.example:8443'], ['D-7']],
  [['--url', 'https://payouts.'], ['D-7']],
])('webhooks list --all %j', async (flags, orders) => {
  const {shell} = await legacyApi(night)
  const ran = await shell.run(WebhooksList, '--all', ...flags, '--json')
  expect(
    (ran.json().records as {merchant_order_id: string}[]).map((record) => record.merchant_order_id),
  ).toEqual(orders)
})
