import {expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {orderKinds} from '../../src/core/order.ts'
import {formatMinute} from '../../src/core/time.ts'
import {planResends} from '../../src/workflows/resend/plan.ts'
import {webhooksSeen} from '../../src/workflows/resend/seen.ts'
import {hourMs, noOverrides} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

const day = '2026-11-20T09:00:00Z'
const credits = 'order_no,amount,created_at\n'
const inNoRow = `${credits}D-1,500.00,2026-11-20T08:00:00Z\nD-2,500.00,2026-11-20T11:55:00Z\n`
const onAnOpenRow = `order_no,status,amount,created_at\nD-1,paid,500.00,${day}\nLOST,open,500.00,${day}\n`

/** LOST is paid, and its webhook never comes; `record` is what its record says `hours` after the first run. */
type Said = (hours: number, nowMs: number) => object
const at = (ms: number) => new Date(ms).toISOString()
const records: readonly [what: string, record: Said][] = [
  ['due in the year 9999', () => ({status: 'failed', attempts: 3, nextRetryAt: '9999-12-31T23:59:59Z'})],
  [
    'due 6 hours on in each run',
    (_, now) => ({status: 'failed', attempts: 6, nextRetryAt: at(now + 6 * hourMs)}),
  ],
  [
    'sent 5 minutes before each run',
    (_, now) => ({status: 'pending', nextRetryAt: null, sentAt: at(now - 300_000)}),
  ],
  [
    'now the one, now the other',
    (hours, now) =>
      hours % 48 === 0
        ? {status: 'failed', nextRetryAt: at(now + hourMs)}
        : {status: 'pending', nextRetryAt: null, sentAt: at(now - 300_000)},
  ],
]

class Merchant extends ScenarioBench {
  private readonly record: Said
  private readonly startMs: number

  constructor(ledger: string, record: Said) {
    const paid = (orderNo: string) => ({orderNo})
    const sections = new Map([
      ['ledger.csv', ledger],
      ['service.json', JSON.stringify(['D-1', 'D-2', 'LOST'].map(paid))],
      ['deliveries.json', JSON.stringify([{orderNo: 'LOST', createdAt: day}])],
      ['options.json', JSON.stringify({yes: true})],
    ])
    super({path: 'endless wait', sections})
    this.record = record
    this.startMs = this.clock.ms
  }

  async after(hours: number, ledger: string | null = null, ignoreCooldown = false) {
    this.clock.ms = this.startMs + hours * hourMs
    const [id = '', known] = [...this.client.records][0] ?? []
    if (known) this.client.records.set(id, {...known, ...this.record(hours, this.clock.ms)})
    if (ledger !== null) this.rewrite(ledger)
    const options = ignoreCooldown ? {overrides: {...noOverrides, ignoreCooldown}} : {}
    const {report, status} = await this.run(`after ${hours}`, {}, options)
    return {status, about: report.findings.find(({orderNo}) => orderNo === 'LOST')}
  }

  /** What `webhooks resend --status` of the record plans. */
  async planned(overrides = noOverrides) {
    const [record] = [...this.client.records.values()]
    const everything = {
      ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
      ...{codes: [], host: null, urlStart: null},
    }
    const {decisions} = await planResends(
      {by: 'filter', status: record?.status ?? 'failed', local: everything},
      {
        ...{client: this.client, dialect: defaultDialect, timeZone: 'UTC', width: 2, overrides},
        ...{now: this.clock.now, earlierResend: () => null, reconciled: () => () => null},
        onProgress: () => {},
        waitsSince: async ({merchantOrderId}) =>
          (await webhooksSeen(this.journal)).waitsSince(orderKinds, merchantOrderId),
      },
    )
    return decisions[0]
  }

  get sent(): number {
    return this.client.log.filter((call) => call.startsWith('resend ')).length
  }
}

const nextDay = (hours: number) => {
  const time = (more: number) => at(Date.parse(day) + (hours + more) * hourMs)
  return `${credits}D-1,500.00,${time(0)}\nD-2,500.00,${time(1)}\n`
}

test.each(records)('a wait of 24 hours is an open item, by hisab’s own memory: %s', async (_what, record) => {
  for (const first of [inNoRow, onAnOpenRow]) {
    const merchant = new Merchant(first, record)
    const run = await merchant.after(0)
    expect([run.about?.action, run.status]).toEqual(['wait', 0])
    expect(await merchant.planned()).toMatchObject({resend: false, isOpen: false})
    for (const hours of [24, 48, 120]) {
      const {about, status} = await merchant.after(hours, nextDay(hours))
      expect([about?.action, status]).toEqual(['review', 7])
      expect(about?.cause).toMatch(/^(retry_scheduled|delivery_stuck)$/)
      expect(about?.explanation).toContain('An earlier run saw it waiting at 2026-11-20 18:00')
      expect(about?.explanation).not.toMatch(/: wait\.|clock|\+0/)
      expect(await merchant.planned()).toMatchObject({
        ...{resend: false, isOpen: true},
        why: expect.stringContaining('saw it waiting at 2026-11-20 12:00'),
      })
    }
    expect(merchant.sent).toBe(0)
  }
})

test('a wait of less than 24 hours is one that ends by itself', async () => {
  for (const [, record] of records) {
    const merchant = new Merchant(onAnOpenRow, record)
    await merchant.after(0)
    const again = await merchant.after(23)
    expect([again.about?.action, again.status]).toEqual(['wait', 0])
  }
})

test('what an earlier run saw fail, and waits since, is a wait that is met first', async () => {
  const merchant = new Merchant(onAnOpenRow, (hours, now) => ({
    nextRetryAt: hours === 0 ? null : at(now + hourMs),
  }))
  merchant.client.effects.set([...merchant.client.records.keys()][0] ?? '', 'fails')
  await merchant.after(0)
  expect((await merchant.after(30)).about?.action).toBe('wait')
})

test('a person’s word sends it, once, with the ledger that lacks it', async () => {
  for (const [what, record] of records) {
    const merchant = new Merchant(onAnOpenRow, record)
    expect((await merchant.after(0, null, true)).about?.action).toBe('wait')
    expect(merchant.sent).toBe(0)
    await merchant.after(24)
    const plan = await merchant.planned({...noOverrides, ignoreCooldown: true})
    expect(plan?.resend, what).toBe(true)
    expect((await merchant.after(25, null, true)).status).toBe(0)
    expect(merchant.sent).toBe(1)
    expect(await merchant.journal.resendsOfRun('after 25')).toMatchObject([{overrides: ['ignore-cooldown']}])
  }
})

test('clocks that differ leave even that to a person', async () => {
  const merchant = new Merchant(onAnOpenRow, records[1]?.[1] ?? (() => ({})))
  await merchant.after(0)
  merchant.client.clockSkewMs = -3 * 60_000
  const {about, status} = await merchant.after(24, null, true)
  expect([about?.action, status, merchant.sent]).toEqual(['review', 7, 0])
})

test('a time beyond the year 9999 is printed as one', () => {
  expect(formatMinute(Date.parse('9999-12-31T23:59:59Z'), 'Asia/Dhaka')).toBe('10000-01-01 05:59')
})
