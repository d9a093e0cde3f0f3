import {describe, expect, test} from 'vitest'

import type {DeliveryPage} from '../../../src/api/client.ts'
import type {Failure} from '../../../src/core/failure.ts'
import type {Delivery, ServiceOrder} from '../../../src/core/order.ts'
import {closedForMs} from '../../../src/core/reconcile/ignore.ts'
import {orderKey} from '../../../src/core/reconcile/orders.ts'
import {type Journal, openJournal} from '../../../src/journal/journal.ts'
import type {ResendClaim} from '../../../src/journal/rows.ts'
import {type ResendPorts, runResends, whyUnfinished} from '../../../src/workflows/resend/resend.ts'
import type {WatchedResend} from '../../../src/workflows/resend/watch.ts'
import {delivery, nowMs, order} from '../../core/reconcile/sample.ts'
import {claimed, exhaustedDelivery, live} from '../../journal/sample.ts'
import {tempDir} from '../../temp-dir.ts'
import {FakeClient, FakeClock, failure, type ResendEffect} from '../fake-client.ts'

/** A run with the real journal, a service in memory and a clock that moves when somebody sleeps. */
class Bench {
  readonly clock = new FakeClock()
  readonly client = new FakeClient(this.clock)
  readonly real: Journal
  readonly journal: Journal
  readonly stop = new AbortController()
  /** What a screen shows. */
  readonly told: string[] = []
  waitMs = 60_000
  canary = false
  isLookedUp = false
  answerLookUp: ((all: DeliveryPage) => DeliveryPage) | Failure = (all) => all
  readonly notes: string[] = []

  constructor(records: readonly Delivery[], effect: ResendEffect = 'delivers') {
    this.real = openJournal(tempDir(), live)
    void this.real.startRun({
      id: 'run-1',
      command: 'reconcile',
      startedAtMs: nowMs,
      options: '{}',
      reportDir: null,
    })
    // The same journal, writing down in the client's log when it wrote.
    this.journal = {
      ...this.real,
      claimResend: async (intent, time) => {
        this.client.log.push(`intent ${intent.deliveryId}`)
        return await this.real.claimResend(intent, time)
      },
      recordResendOutcome: async (id, state, outcome) => {
        this.client.log.push(`write ${state}`)
        await this.real.recordResendOutcome(id, state, outcome)
      },
    }
    for (const record of records) {
      this.client.records.set(record.id, record)
      this.client.effects.set(record.id, effect)
    }
  }

  async run(
    records: readonly Delivery[],
    watched: readonly WatchedResend[] = [],
    asked: ServiceOrder | null = null,
  ) {
    const client = Object.create(this.client, {
      listDeliveries: {
        value: async (asked: Parameters<FakeClient['listDeliveries']>[0]) => {
          const all = await this.client.listDeliveries(asked)
          if (asked.orderId === undefined) return all
          if (typeof this.answerLookUp === 'function') return this.answerLookUp(all)
          throw this.answerLookUp
        },
      },
    }) as FakeClient
    const ports: ResendPorts = {
      onNote: (note) => void this.notes.push(note),
      ...{client, journal: this.journal, runId: 'run-1', ratePerSecond: 5, overrides: []},
      ...{now: this.clock.now, monotonic: this.clock.monotonic, sleep: this.clock.sleep},
      ...{waitMs: this.waitMs, signal: this.stop.signal},
      canary: this.canary,
      onProgress: (stage, done, total) => void this.told.push(`${stage} ${done}/${total}`),
    }
    const jobs = records.map((record) => ({
      delivery: record,
      records,
      isLookedUp: this.isLookedUp,
      ...({
        kind: 'deposit',
        orderNo: record.merchantOrderId,
        cause: 'delivery_exhausted',
        order: asked,
      } as const),
    }))
    const {outcomes} = await runResends(jobs, ports, watched)
    const incompleteBecause = whyUnfinished(outcomes.values())
    return {
      states: Object.fromEntries([...outcomes].map(([id, {state}]) => [id, state] as const).toSorted()),
      outcomes,
      incompleteBecause,
      journal: (await this.real.resendsOfRun('run-1')).map(({state}) => state),
    }
  }
}

const record = (id: string) => delivery({id, orderId: `platform-${id}`, merchantOrderId: `D-${id}`})

describe('one resend', () => {
  test('read, write the intent, send once, write what came of it, look', async () => {
    const bench = new Bench([record('a')])
    const {states, outcomes, incompleteBecause} = await bench.run([record('a')])
    expect(bench.client.log).toEqual([
      'get a',
      'list of platform-a page 1',
      'intent a',
      'resend a',
      'write accepted',
      'get a',
      'write delivered',
    ])
    expect(states).toEqual({a: 'delivered'})
    expect(outcomes.get('a')).toMatchObject({sentAtMs: nowMs, responseCode: 200, why: null})
    expect(incompleteBecause).toEqual([])
  })

  test.each<[effect: ResendEffect, state: string, journal: string]>([
    ['delivers', 'delivered', 'delivered'],
    ['fails', 'still_failing', 'still_failing'],
    [{lateMs: 20_000}, 'delivered', 'delivered'],
    ['nothing', 'sent', 'accepted'],
    ['lost', 'unknown', 'unknown'],
    ['lost, delivers', 'delivered', 'delivered'],
    ['lost, fails', 'still_failing', 'still_failing'],
    // Whatever is answered: what the record shows is what happened (A7).
    ['refused', 'refused', 'refused'],
    ['refused, delivers', 'delivered', 'delivered'],
    ['refused, fails', 'still_failing', 'still_failing'],
    [{lateMs: 20_000, hears: 'refused'}, 'delivered', 'delivered'],
    ['says no in 200', 'sent', 'accepted'],
    ['says no in 200, delivers', 'delivered', 'delivered'],
    ['unreachable', 'skipped', 'not_sent'],
  ])('a resend that ends as %o is %s, and %s in the journal', async (effect, state, journal) => {
    const bench = new Bench([record('a')], effect)
    const result = await bench.run([record('a')])
    expect(result.states).toEqual({a: state})
    expect(result.journal).toEqual([journal])
    expect(bench.client.calls.resend).toBe(1)
  })

  test('the intent is on the disk with what it is measured against', async () => {
    const bench = new Bench([record('a')], 'nothing')
    await bench.run([record('a')])
    expect(await bench.real.resendsOfRun('run-1')).toMatchObject([
      {
        ...{orderId: 'platform-a', event: 'order.completed', baselineAttempts: 5, baselineStatus: 'failed'},
        ...{baselineSentAt: record('a').sentAt, baselineNextRetryAt: null, cause: 'delivery_exhausted'},
      },
    ])
  })

  test('an intent the disk refuses is a resend that is never sent', async () => {
    const bench = new Bench([record('a')])
    bench.journal.claimResend = () => {
      throw failure('storage_failed', 'The disk is full')
    }
    await expect(bench.run([record('a')])).rejects.toMatchObject({code: 'storage_failed'})
    expect(bench.client.calls.resend).toBe(0)
  })

  test('a machine that sleeps between the claim and the send does not send', async () => {
    const bench = new Bench([record('a')])
    const {claimResend} = bench.journal
    bench.journal.claimResend = async (...asked) => {
      const claim = await claimResend(...asked)
      bench.clock.ms += 3 * 3_600_000
      return claim
    }
    const {states, journal} = await bench.run([record('a')])
    expect([states, journal, bench.client.calls.resend]).toEqual([{a: 'skipped'}, ['not_sent'], 0])
  })

  test('accepted and nothing moves: it waits the time it was given, no longer, and says it is not the end', async () => {
    const bench = new Bench([record('a')], 'nothing')
    const {incompleteBecause} = await bench.run([record('a')])
    const waitedMs = bench.clock.ms - nowMs
    expect(waitedMs).toBeLessThanOrEqual(60_000)
    expect(waitedMs).toBeGreaterThan(50_000)
    expect(incompleteBecause).toEqual(['1 accepted resends show no end yet'])
  })

  test('with no time to settle it still looks once', async () => {
    const bench = new Bench([record('a')], 'nothing')
    bench.waitMs = 0
    let steadyMs = 0
    // Time goes on between any two looks at a clock.
    Object.assign(bench.clock, {monotonic: () => ++steadyMs})
    await bench.run([record('a')])
    expect(bench.client.log.at(-1)).toBe('get a')
    expect(bench.clock.ms).toBe(nowMs)
  })

  test('that its record cannot be read afterwards changes nothing of what was sent', async () => {
    const bench = new Bench([record('a')])
    bench.client.before = (call) => {
      if (call === 'get a' && bench.client.calls.resend > 0) throw failure('service_busy', 'HTTP 503')
    }
    expect(await bench.run([record('a')])).toMatchObject({states: {a: 'sent'}, journal: ['accepted']})
  })

  test('a no whose record cannot be read again is no refusal: nobody knows', async () => {
    const bench = new Bench([record('a')], 'refused')
    bench.client.before = (call) => {
      if (call === 'get a' && bench.client.calls.resend > 0) throw failure('service_busy', 'HTTP 503')
    }
    const {outcomes, ...run} = await bench.run([record('a')])
    expect(run).toMatchObject({states: {a: 'unknown'}, journal: ['unknown']})
    expect(outcomes.get('a')?.why).toBe(
      'The service refused the resend. Its record does not prove that nothing was sent: it may have been delivered.',
    )
  })

  test('a no whose record was seen unmoved and cannot be read later is no refusal either', async () => {
    const bench = new Bench([record('a')], 'refused')
    bench.client.before = (call) => {
      if (call === 'get a' && bench.clock.ms > nowMs + 30_000) throw failure('service_busy', 'HTTP 503')
    }
    expect(await bench.run([record('a')])).toMatchObject({states: {a: 'unknown'}, journal: ['unknown']})
  })

  test('a no is kept with its reason, for who looks later', async () => {
    const bench = new Bench([record('a')], 'refused')
    const {outcomes} = await bench.run([record('a')])
    const why =
      'The service refused the resend. Its record shows no new attempt, and it is left alone for 8 hours, in case the record is late.'
    expect(outcomes.get('a')).toMatchObject({state: 'refused', why})
    expect(await bench.real.resendsOfRun('run-1')).toMatchObject([{state: 'refused', detail: why}])
  })

  test.each<[what: string, effect: ResendEffect]>([
    ['a no', 'refused'],
    ['an acceptance', 'nothing'],
    ['a lost answer', 'lost'],
  ])(
    'after %s, a clock set back or ahead by hours makes the wait no longer and no shorter',
    async (_, effect) => {
      for (const byMs of [-3_600_000, 9 * 3_600_000]) {
        const bench = new Bench([record('a'), record('b')], effect)
        bench.client.before = (call) => {
          if (call === 'resend a') bench.clock.setByMs = byMs
        }
        await bench.run([record('a'), record('b')])
        expect(bench.clock.ms - nowMs).toBeLessThanOrEqual(60_200)
        expect(bench.clock.ms - nowMs).toBeGreaterThan(50_000)
      }
    },
  )

  test('a lost answer stays unknown where a scheduled retry may have made the failed attempt', async () => {
    const due = {
      ...record('a'),
      status: 'pending',
      nextRetryAt: new Date(nowMs - 3_600_000).toISOString(),
    } as const
    const bench = new Bench([due], 'lost, fails')
    expect(await bench.run([due])).toMatchObject({states: {a: 'unknown'}, journal: ['unknown']})
  })
})

describe('a record that is not as it was is not sent', () => {
  test.each<[what: string, now: Partial<Delivery> | null]>([
    ['it succeeded', {status: 'success'}],
    ['it was tried again', {attempts: 6}],
    ['it was sent later', {sentAt: new Date(nowMs).toISOString()}],
    ['a retry is scheduled now', {nextRetryAt: new Date(nowMs + 60_000).toISOString()}],
    ['it is gone', null],
  ])('%s', async (_what, now) => {
    const bench = new Bench(now === null ? [] : [{...record('a'), ...now}])
    const result = await bench.run([record('a')])
    expect(result).toMatchObject({states: {a: 'skipped'}, journal: []})
    expect(result.outcomes.get('a')?.why).toMatch(/^Not sent: /)
    expect(result.incompleteBecause).toEqual(['1 planned resend was not sent'])
    expect(bench.client.calls.resend).toBe(0)
  })

  test('nor one that cannot be read just before', async () => {
    const bench = new Bench([record('a')])
    bench.client.before = () => {
      throw failure('service_busy', 'HTTP 503')
    }
    expect(await bench.run([record('a')])).toMatchObject({states: {a: 'skipped'}, journal: []})
  })
})

describe('the order is asked for again just before its resend', () => {
  const paid = order()
  const another = {status: 'failed', rawStatus: 'reversed'} as const
  test.each<[what: string, now: ServiceOrder | Failure | null, why: RegExp | null]>([
    ['it is as it was', paid, null],
    ['it was reversed', {...paid, ...another}, /^Not sent: the order changed .*"reversed"/],
    [
      'its word is one nobody knows',
      {...paid, status: 'unknown_status', rawStatus: 'x'},
      /the order changed/,
    ],
    ['its amount was corrected', {...paid, amount: 49_900n}, /^Not sent: the amount .*BDT 499\.00/],
    ['it states no amount any more', {...paid, amount: null}, /^Not sent: the amount .*not stated/],
    ['its number is another order now', {...paid, platformOrderNo: 'another'}, /the order changed/],
    ['it is gone', null, /no longer knows the order/],
    ['no answer can be trusted', failure('answer_untrusted', 'A page'), /could not be queried/],
    ['the credentials are rejected', failure('credentials_rejected', 'HTTP 401'), /could not be queried/],
  ])('%s', async (_what, now, why) => {
    const bench = new Bench([record('a')])
    if (now) bench.client.orders.set(orderKey(paid), now)
    const {states, outcomes, journal, incompleteBecause} = await bench.run([record('a')], [], paid)
    expect(bench.client.calls.resend).toBe(why ? 0 : 1)
    expect(states).toEqual({a: why ? 'skipped' : 'delivered'})
    if (!why) return
    expect(outcomes.get('a')?.why).toMatch(why)
    expect(journal).toEqual([])
    expect(incompleteBecause).toEqual(['1 planned resend was not sent'])
  })

  test.each([
    ['and is not sent where it was reversed meanwhile', 1, 2, true],
    ['at most three times, by a service that is always so slow', 9, 3, false],
  ])('its records took long to come: it is asked for anew, %s', async (_what, slow, asks, isReversed) => {
    const bench = new Bench([record('a')])
    bench.client.orders.set(orderKey(paid), paid)
    let looks = 0
    bench.answerLookUp = (all) => {
      if (looks++ < slow) bench.clock.ms += 2_000
      if (isReversed) bench.client.orders.set(orderKey(paid), {...paid, ...another})
      return all
    }
    const {states} = await bench.run([record('a')], [], paid)
    expect(bench.client.calls.query).toBe(asks)
    expect(states).toEqual({a: isReversed ? 'skipped' : 'delivered'})
  })
})

test.each<[what: string, claim: Extract<ResendClaim, {claimed: false}>, why: string]>([
  [
    'another resent it',
    {claimed: false, because: 'recently_resent', atMs: nowMs, by: null},
    'hisab resent this event of its order number less than 8 hours ago.',
  ],
  [
    'a colleague resent it',
    {claimed: false, because: 'recently_resent', atMs: nowMs, by: 'karim@desk-b'},
    'karim@desk-b resent this event of its order number less than 8 hours ago.',
  ],
  [
    'a colleague’s is in doubt',
    {claimed: false, because: 'resend_in_doubt', atMs: nowMs, by: 'karim@desk-b'},
    'karim@desk-b resent it, and nobody knows how that ended.',
  ],
  [
    'a booking.csv has it',
    {claimed: false, because: 'to_book', by: null},
    'a booking.csv has it, so it may be booked by hand.',
  ],
  [
    'a colleague closed it',
    {
      ...{claimed: false, because: 'left_alone', by: 'rahima', reason: 'repaid'},
      atMs: nowMs,
      expiresAtMs: closedForMs,
    },
    'rahima closed it before its turn: repaid',
  ],
  [
    'a colleague ignores it',
    {
      ...{claimed: false, because: 'left_alone', by: 'rahima', reason: 'asked'},
      atMs: nowMs,
      expiresAtMs: nowMs + 1,
    },
    'rahima ignored it before its turn: asked',
  ],
  [
    'the shared journal was restored',
    {claimed: false, because: 'journal_restored', atMs: nowMs, by: null},
    'the shared journal was restored, and the record shows a delivery less than 8 hours ago.',
  ],
])('what the journal does not let go is not sent, and says why: %s', async (_what, claim, why) => {
  const bench = new Bench([record('a')])
  bench.journal.claimResend = async () => claim
  const {states, outcomes} = await bench.run([record('a')])
  expect([states, bench.client.calls.resend]).toEqual([{a: 'skipped'}, 0])
  expect(outcomes.get('a')?.why).toContain(`Not sent: ${why}`)
})

test('what another run sent meanwhile is not sent, and is said', async () => {
  const bench = new Bench([record('a')])
  await bench.real.startRun({
    id: 'run-0',
    command: 'resend',
    startedAtMs: nowMs,
    options: '{}',
    reportDir: null,
  })
  await claimed(bench.real, {
    ...exhaustedDelivery,
    runId: 'run-0',
    orderId: record('a').orderId,
    intentAtMs: nowMs,
  })
  const {states, outcomes} = await bench.run([record('a')])
  expect(states).toEqual({a: 'skipped'})
  expect(outcomes.get('a')?.why).toMatch(/^Not sent: hisab resent it/)
  expect(bench.client.calls.resend).toBe(0)
})

describe('several resends', () => {
  const eight = [...'abcdefgh'].map(record)

  test('one after the other, each order once, no faster than the rate', async () => {
    const bench = new Bench(eight)
    const {states} = await bench.run(eight)
    expect(Object.values(states)).toEqual(Array(8).fill('delivered'))
    expect(bench.client.log.filter((call) => call.startsWith('resend'))).toEqual(
      [...'abcdefgh'].map((id) => `resend ${id}`),
    )
    expect(bench.clock.ms - nowMs).toBe(7 * 200)
  })

  test.each<[ResendEffect, string]>([
    ['refused', 'refused'],
    ['lost', 'unknown'],
    ['unreachable', 'skipped'],
    ['fails', 'still_failing'],
  ])('five in a row that are %s hold the rest back', async (effect, state) => {
    const bench = new Bench(eight, effect)
    const {states, outcomes} = await bench.run(eight)
    expect(Object.values(states)).toEqual([...Array(5).fill(state), ...Array(3).fill('skipped')])
    expect(outcomes.get('f')?.why).toMatch(/5 failed resends in a row/)
    expect(bench.client.calls.resend).toBe(5)
  })

  test.each<ResendEffect>(['refused', 'lost', 'fails', 'unreachable'])(
    'held back after five that are %s and mended, the run gone on with sends the rest',
    async (effect) => {
      const bench = new Bench(eight, effect)
      await bench.run(eight)
      expect(bench.client.calls.resend).toBe(5)
      for (const {id} of eight) bench.client.effects.set(id, 'delivers')
      const rest = effect === 'unreachable' ? eight : eight.slice(5)
      const {states} = await bench.run(rest)
      expect(Object.values(states)).toEqual(rest.map(() => 'delivered'))
    },
  )

  test('what was never sent is not explained by an answer', async () => {
    const bench = new Bench(eight, 'fails')
    bench.client.answerLine = 'upstream said no'
    const {outcomes} = await bench.run(eight)
    expect(outcomes.get('a')?.why).toContain('Your server answered HTTP 503 again: upstream said no.')
    expect(outcomes.get('h')?.why).toBe('Not sent: the run stopped after 5 failed resends in a row.')
  })

  test('failures that show late are counted before all are sent', async () => {
    const many = Array.from({length: 40}, (_, n) => record(`r${n}`))
    const bench = new Bench(many, {lateMs: 500, fails: true})
    const {states} = await bench.run(many)
    expect(bench.client.calls.resend).toBeLessThan(15)
    expect(Object.values(states).filter((state) => state === 'skipped').length).toBeGreaterThan(25)
  })

  test('one that delivered starts the count again', async () => {
    const bench = new Bench(eight, 'refused')
    bench.client.effects.set('d', 'delivers')
    await bench.run(eight)
    expect(bench.client.calls.resend).toBe(8)
  })

  test('after an interrupt nothing more is sent, and the rest is said', async () => {
    const bench = new Bench(eight)
    bench.client.before = (call) => {
      if (call === 'resend b') bench.stop.abort()
    }
    const {states} = await bench.run(eight)
    expect(bench.client.calls.resend).toBe(2)
    expect(Object.values(states).filter((state) => state === 'skipped')).toHaveLength(6)
  })

  test('an interrupt while the record is read writes no intent, so that --resume can still send it', async () => {
    const bench = new Bench(eight)
    bench.client.before = (call) => {
      if (call === 'get a') bench.stop.abort()
    }
    const {states, journal} = await bench.run(eight)
    expect(states.a).toBe('skipped')
    expect(journal).toEqual([])
  })

  test.each<[what: string, later: Partial<Delivery>, sent: number]>([
    ['money back', {event: 'order.refunded'}, 0],
    ['a completion that your server took', {}, 0],
    ['a completion by another name', {event: 'order.paid'}, 0],
    ['an event that only says that it is open', {event: 'order.processing'}, 1],
    ['a record of another order', {orderId: 'platform-z', merchantOrderId: 'D-z'}, 1],
    ['an older one, which the plan did not read', {createdAt: '2026-11-01T00:00:00Z'}, 1],
  ])('a record that appears after the plan is weighed by a new one: %s', async (_what, later, sent) => {
    const bench = new Bench([record('a')])
    bench.client.before = (call) => {
      if (call === 'get a')
        bench.client.records.set('n', {...record('a'), id: 'n', status: 'success', ...later})
    }
    const {outcomes} = await bench.run([record('a')])
    expect(bench.client.calls.resend).toBe(sent)
    if (sent === 0) expect(outcomes.get('a')?.why).toContain('its order has a new record of')
  })

  const empty = (all: DeliveryPage): DeliveryPage => ({...all, records: [], total: 0})
  const refused = failure('service_refused', 'HTTP 400')
  const others = (all: DeliveryPage): DeliveryPage => ({...all, records: [record('x')]})
  test.each<[what: string, answer: typeof empty | Failure, isLookedUp: boolean, sent: number, notes: number]>(
    [
      ['finds nothing at a service that never does', empty, false, 2, 1],
      ['is refused', refused, false, 2, 1],
      ['is answered with others', others, false, 2, 1],
      ['finds nothing, and found it for the plan', empty, true, 0, 0],
      ['is refused, and found it for the plan', refused, true, 0, 0],
      ['fails', failure('service_busy', 'HTTP 503'), false, 0, 0],
    ],
  )('the look-up by order_id %s', async (_what, answer, isLookedUp, sent, notes) => {
    const bench = new Bench([record('a'), record('b')])
    bench.answerLookUp = answer
    bench.isLookedUp = isLookedUp
    await bench.run([record('a'), record('b')])
    expect([bench.client.calls.resend, bench.notes.length]).toEqual([sent, notes])
  })

  test('a look-up that finds nothing after one that found its record holds, and a new record holds without it', async () => {
    const bench = new Bench([record('a'), record('b')])
    bench.client.before = (call) => {
      if (call === 'get b') bench.answerLookUp = empty
    }
    const {outcomes} = await bench.run([record('a'), record('b')])
    expect(bench.client.calls.resend).toBe(1)
    expect(outcomes.get('b')?.why).toContain('its record is no longer among those of its order')
    const other = new Bench([record('a'), {...record('a'), id: 'n', event: 'order.refunded'}])
    other.answerLookUp = empty
    expect((await other.run([record('a')])).outcomes.get('a')?.why).toContain(
      'a new record of order.refunded',
    )
  })

  test('the journal refuses a second resend of the same order and event', async () => {
    const duplicate = {...record('b'), orderId: 'platform-a'}
    const bench = new Bench([record('a'), duplicate], 'fails')
    await expect(bench.run([record('a'), duplicate])).rejects.toMatchObject({code: 'bug'})
    expect(bench.client.calls.resend).toBe(1)
  })
})

describe('a canary: one ahead of the others', () => {
  const three = [...'abc'].map(record)
  const sentOf = (bench: Bench) =>
    bench.client.log.filter((call) => /^resend/.test(call)).map((call) => call.slice(7))

  async function runWithCanary(bench: Bench, records = three) {
    bench.canary = true
    const result = await bench.run(records)
    return {...result, sent: sentOf(bench)}
  }

  test('it delivered: the others go', async () => {
    expect(await runWithCanary(new Bench(three))).toMatchObject({
      states: {a: 'delivered', b: 'delivered', c: 'delivered'},
      sent: ['a', 'b', 'c'],
    })
  })

  test('it delivered: the end of the others is awaited together', async () => {
    const bench = new Bench(three, {lateMs: 20_000})
    bench.client.effects.set('a', 'delivers')
    const {states} = await runWithCanary(bench)
    expect(states).toEqual({a: 'delivered', b: 'delivered', c: 'delivered'})
    const [first = '', second = ''] = bench.client.log.slice(bench.client.log.indexOf('resend b') + 1, -1)
    expect([first, second]).toEqual(['write accepted', 'get b'])
    expect(bench.client.log.indexOf('resend c')).toBeLessThan(bench.client.log.lastIndexOf('get b'))
  })

  test('it heals late: nothing else is sent until its record shows it', async () => {
    const bench = new Bench(three)
    bench.client.effects.set('a', {lateMs: 20_000})
    const {sent} = await runWithCanary(bench)
    expect(sent).toEqual(['a', 'b', 'c'])
    const healedAt = bench.client.log.indexOf('write delivered')
    expect(bench.client.log.indexOf('resend b')).toBeGreaterThan(healedAt)
  })

  test.each<[effect: ResendEffect, state: string, why: RegExp]>([
    ['fails', 'still_failing', /Your server answered HTTP 503 again: down for repair\.$/],
    ['nothing', 'sent', /shows no new attempt yet\.$/],
    ['lost', 'unknown', /It may still be delivered\.$/],
    ['refused', 'refused', /The service refused the resend\. Its record shows no new attempt/],
    ['unreachable', 'skipped', /could not be reached\.$/],
  ])(
    'it ends as %j: %s, and the others are held back with what is known of it',
    async (effect, state, why) => {
      const bench = new Bench(three, effect)
      bench.client.answerLine = 'down for repair.'
      const {states, sent, outcomes} = await runWithCanary(bench)
      expect({states, sent}).toEqual({states: {a: state, b: 'skipped', c: 'skipped'}, sent: ['a']})
      expect(outcomes.get('c')?.why).toMatch(/^Not sent: D-a was sent first and not delivered/)
      expect(outcomes.get('c')?.why).toMatch(why)
    },
  )

  test('one that moved before it was sent is no canary: the next one is', async () => {
    const bench = new Bench(three)
    bench.client.records.set('a', {...record('a'), attempts: 6})
    bench.client.effects.set('b', 'fails')
    const {states} = await runWithCanary(bench)
    expect(states).toEqual({a: 'skipped', b: 'still_failing', c: 'skipped'})
  })

  test('an interrupt while it is watched sends no other', async () => {
    const bench = new Bench(three, 'nothing')
    bench.client.before = (call) => {
      if (call === 'get a' && bench.client.calls.resend > 0) bench.stop.abort()
    }
    const {states} = await runWithCanary(bench)
    expect(states).toEqual({a: 'sent', b: 'skipped', c: 'skipped'})
  })
})

test('resends of an earlier process are watched, not made again', async () => {
  const bench = new Bench([record('a'), record('b')], 'nothing')
  await bench.run([record('a')])
  bench.client.records.set('a', {...record('a'), status: 'success', attempts: 6, responseCode: 200})
  const [row] = await bench.real.resendsOfRun('run-1')
  const watched = {
    ...{deliveryId: 'a', journalId: row?.id ?? 0, sentAtMs: nowMs},
    ...{orderId: record('a').orderId, event: record('a').event},
    baseline: {attempts: 5, sentAt: record('a').sentAt, nextRetryAt: null, status: 'failed' as const},
    answer: {is: 'accepted' as const, but: null},
  }
  const result = await bench.run([], [watched])
  expect(result).toMatchObject({states: {a: 'delivered'}, journal: ['delivered']})
  expect(bench.client.calls.resend).toBe(1)
})

test.each([
  ['order', {orderId: 'another-order'}],
  ['event', {event: 'order.failed'}],
])('a record read again that names another %s tells nothing of the resend', async (_what, other) => {
  const bench = new Bench([record('a')])
  const getDelivery = bench.client.getDelivery.bind(bench.client)
  bench.client.getDelivery = async (id) => {
    const read = await getDelivery(id)
    return read && bench.client.calls.resend > 0 ? {...read, delivery: {...read.delivery, ...other}} : read
  }
  const {states, journal} = await bench.run([record('a')])
  expect({states, journal}).toEqual({states: {a: 'sent'}, journal: ['accepted']})
})
