import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {type DeliveryFilter, passes} from '../../src/core/delivery-filter.ts'
import type {Delivery} from '../../src/core/order.ts'
import {findOutages} from '../../src/core/outages.ts'
import {delivery, minutesAgo, nowMs} from './reconcile/sample.ts'

const everything: DeliveryFilter = {
  ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
  ...{codes: [], host: null, urlStart: null},
}

/** A record by when it was created, in minutes before now: failed then and at its last attempt, or taken. */
type Sketch = readonly [createdAgo: number, change?: Partial<Delivery> | 'taken']

function records(sketches: readonly Sketch[]): Delivery[] {
  return sketches.map(([createdAgo, change], index) => {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const at = minutesAgo(createdAgo)
    const base = {id, orderId: `platform-${index}`, merchantOrderId: `D-${index}`, createdAt: at, sentAt: at}
    if (change !== 'taken') return delivery({...base, ...change})
    return delivery({...base, status: 'success', responseCode: 200, attempts: 1})
  })
}

/** Each outage as host, from, to and the numbers of its orders; times in minutes before now. */
function tell(sketches: readonly Sketch[], filter: Partial<DeliveryFilter> = {}): string[] {
  return findOutages(records(sketches), {...everything, ...filter}, nowMs).map((outage) => {
    const ago = (ms: number) => (nowMs - ms) / 60_000
    const orders = outage.records.map(({merchantOrderId}) => merchantOrderId.slice(2)).join(' ')
    const end = outage.upAtMs === null ? 'still' : `up ${ago(outage.upAtMs)}`
    return `${outage.host} ${ago(outage.fromMs)}-${ago(outage.toMs)} ${end}: ${orders}`
  })
}

const shop = 'shop.example'
const other = {url: 'https://other.example:8443/hook'}
const pending = {status: 'pending', attempts: 1} as const

describe('what is one outage', () => {
  test.each<[what: string, sketches: Sketch[], outages: string[]]>([
    [
      'nothing is failed',
      [
        [90, 'taken'],
        [10, 'taken'],
      ],
      [],
    ],
    ['a list without records', [], []],
    ['one webhook', [[90]], [`${shop} 90-90 still: 0`]],
    ['an hour between two, and nothing taken', [[120], [60]], [`${shop} 120-60 still: 0 1`]],
    ['more than an hour between two', [[121], [60]], [`${shop} 121-121 still: 0`, `${shop} 60-60 still: 1`]],
    [
      'a quiet night, bridged by the retries of the first: its last attempt failed 30 minutes before the next',
      [[500, {sentAt: minutesAgo(90)}], [60]],
      [`${shop} 500-60 still: 0 1`],
    ],
    [
      'a webhook taken in between ends it',
      [[120], [100, 'taken'], [80]],
      [`${shop} 120-120 up 100: 0`, `${shop} 80-80 still: 2`],
    ],
    [
      'a resend that was taken in between ends it as well: the host was up then',
      [[120], [600, {status: 'success', sentAt: minutesAgo(100)}], [80]],
      [`${shop} 120-120 up 100: 0`, `${shop} 80-80 still: 2`],
    ],
    [
      'a server that flaps: the next failure follows within five minutes',
      [[120], [118, 'taken'], [115], [100, 'taken']],
      [`${shop} 120-115 up 100: 0 2`],
    ],
    [
      'six minutes after the last failure a server that flaps failed anew',
      [[120], [118, 'taken'], [114]],
      [`${shop} 120-120 up 118: 0`, `${shop} 114-114 still: 2`],
    ],
    [
      'one that was taken at the very moment ends nothing',
      [[120], [120, 'taken']],
      [`${shop} 120-120 still: 0`],
    ],
    [
      'two hosts at one moment stand by name, two webhooks of one moment by their IDs',
      [[60, other], [60], [60]],
      [`other.example:8443 60-60 still: 0`, `${shop} 60-60 still: 1 2`],
    ],
    [
      'one that was taken before or after is not in between',
      [[121, 'taken'], [120], [80], [79, 'taken']],
      [`${shop} 120-80 up 79: 1 2`],
    ],
    [
      'attempts that failed after the host was up again are not of it',
      [
        [120, {sentAt: minutesAgo(10)}],
        [100, 'taken'],
      ],
      [`${shop} 120-120 up 100: 0`],
    ],
    ['a retry that failed makes it longer', [[120, {sentAt: minutesAgo(30)}]], [`${shop} 120-30 still: 0`]],
    [
      'each host by itself: what one took says nothing of another',
      [[120], [110, other], [100, {...other, status: 'success'}], [90]],
      [`${shop} 120-90 still: 0 3`, `other.example:8443 110-110 up 100: 1`],
    ],
    [
      'what is pending is not failed, and not taken',
      [[120], [110, pending], [100]],
      [`${shop} 120-100 still: 0 2`],
    ],
    [
      'webhooks taken, in any order of the list: the first one counts',
      [[120], [60, 'taken'], [100, 'taken'], [90, 'taken'], [80]],
      [`${shop} 120-120 up 100: 0`, `${shop} 80-80 up 60: 4`],
    ],
    ['records in any order of the list', [[60], [120], [90]], [`${shop} 120-60 still: 1 2 0`]],
    ['what is no address', [[60, {url: 'call me'}]], ['- 60-60 still: 0']],
  ])('%s', (_what, sketches, outages) => {
    expect(tell(sketches)).toEqual(outages)
  })

  test('a filter chooses what is mended, and not what is evidence', () => {
    const sketches: Sketch[] = [[120, {responseCode: null}], [110], [100, 'taken'], [80, {responseCode: 500}]]
    expect(tell(sketches, {codes: ['5xx']})).toEqual([`${shop} 110-110 up 100: 1`, `${shop} 80-80 still: 3`])
    expect(tell(sketches, {event: 'order.failed'})).toEqual([])
  })
})

describe('what is said of one', () => {
  const one = (sketches: readonly Sketch[]) => findOutages(records(sketches), everything, nowMs)[0]

  test('several codes, the most frequent first; nothing, and 0 for nothing, is none', () => {
    const codes = [null, 503, 0, 502, null].map((responseCode, n): Sketch => [90 - n, {responseCode}])
    expect(one(codes)?.codes).toEqual([
      {code: 'none', webhooks: 3},
      {code: '502', webhooks: 1},
      {code: '503', webhooks: 1},
    ])
  })

  test('orders are counted once, and what is due again by itself is counted', () => {
    const twice = {orderId: 'platform-1'}
    expect(
      one([
        [90, twice],
        [89, {...twice, event: 'order.failed'}],
        [88, {nextRetryAt: minutesAgo(-5)}],
        [87, {nextRetryAt: minutesAgo(5)}],
      ]),
    ).toMatchObject({orders: 3, scheduled: 1, taken: 0})
  })

  test('a flapping server: how many it took meanwhile', () => {
    expect(one([[120], [119, 'taken'], [118, 'taken'], [117], [100, 'taken']])).toMatchObject({taken: 2})
  })
})

describe('whatever the list', () => {
  const sketch = fc.record({
    // Half of them within one hour, so that minutes hold several.
    createdMs: fc.oneof(
      fc.integer({min: nowMs - 6 * 3_600_000, max: nowMs - 1}),
      fc.integer({min: nowMs - 3_600_000, max: nowMs - 1}),
    ),
    sentAfterMs: fc.integer({min: 0, max: 7_200_000}),
    status: fc.constantFrom('failed', 'failed', 'success', 'pending'),
    url: fc.constantFrom(
      'https://shop.example/a',
      'https://shop.example/b',
      'http://other.example',
      'no address',
    ),
    responseCode: fc.constantFrom(null, 500, 503),
  })

  const moment = fc.option(fc.integer({min: nowMs - 6 * 3_600_000, max: nowMs}))
  const narrowing = fc.record({
    codes: fc.constantFrom([], ['5xx'], ['none']),
    sinceMs: moment,
    untilMs: moment,
  })

  test('every failed record that passes is in one outage, and no two have one id', () => {
    fc.assert(
      fc.property(fc.array(sketch, {maxLength: 40}), narrowing, (drawn, narrow) => {
        const filter = {...everything, ...narrow}
        const list = drawn.map(({createdMs, sentAfterMs, ...fields}, index) =>
          delivery({
            ...(fields as Partial<Delivery>),
            id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
            createdAt: new Date(createdMs).toISOString(),
            sentAt: new Date(createdMs + sentAfterMs).toISOString(),
          }),
        )
        const outages = findOutages(list, filter, nowMs)
        const failed = list.filter((record) => record.status === 'failed' && passes(record, filter))
        expect(outages.flatMap(({records: found}) => found.map(({id}) => id)).sort()).toEqual(
          failed.map(({id}) => id).sort(),
        )
        expect(new Set(outages.map(({id}) => id)).size).toBe(outages.length)
      }),
    )
  })
})
