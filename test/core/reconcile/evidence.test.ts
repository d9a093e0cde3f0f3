import {describe, expect, test} from 'vitest'

import type {Delivery} from '../../../src/core/order.ts'
import {
  cooldownMs,
  type EarlierResend,
  isDueAgain,
  newestOf,
  outcomeInDoubt,
  outcomeOf,
  type ResendBaseline,
  type ResendOverrides,
  stateBy,
  type Weighed,
  waitMaxMs,
  weighDelivery,
  weighWait,
} from '../../../src/core/reconcile/evidence.ts'
import {reasonAgainst, whyWaitIsOpen} from '../../../src/core/reconcile/reason-against.ts'
import {delivery, minutesAgo, noOverrides, nowMs} from './sample.ts'

function weigh(
  record: Delivery | null,
  earlier: EarlierResend | null = null,
  over = {},
  skewMs: number | null = 0,
): string {
  const overrides: ResendOverrides = {...noOverrides, ...over}
  const {cause, action} = weighDelivery({is: 'read', newest: record}, earlier, overrides, {nowMs, skewMs})
  return `${cause}: ${action}`
}

const failed = delivery()
const scheduled = delivery({attempts: 3, nextRetryAt: minutesAgo(-10)})
const delivered = delivery({status: 'success', responseCode: 200})
const stuck = delivery({status: 'pending', attempts: 0, sentAt: null, responseCode: null})

describe('the evidence table', () => {
  test.each<[what: string, record: Delivery | null, expected: string]>([
    ['failed for good', failed, 'delivery_exhausted: resend'],
    ['failed for good this minute', delivery({sentAt: minutesAgo(0)}), 'delivery_exhausted: resend'],
    [
      'failed with tries left, 29 minutes ago, no retry written yet',
      delivery({attempts: 2, sentAt: minutesAgo(29)}),
      'delivery_stuck: wait',
    ],
    [
      'the same 31 minutes ago',
      delivery({attempts: 2, sentAt: minutesAgo(31)}),
      'delivery_exhausted: resend',
    ],
    ['failed, a retry is due', scheduled, 'retry_scheduled: wait'],
    ['pending, a retry is due', {...scheduled, status: 'pending'}, 'retry_scheduled: wait'],
    [
      'failed, due one second from now',
      {...failed, nextRetryAt: minutesAgo(-1 / 60)},
      'retry_scheduled: wait',
    ],
    ['failed, due exactly now', {...failed, nextRetryAt: minutesAgo(0)}, 'delivery_stuck: wait'],
    ['failed, due 30 minutes ago', {...failed, nextRetryAt: minutesAgo(30)}, 'delivery_stuck: wait'],
    ['failed, due 31 minutes ago', {...failed, nextRetryAt: minutesAgo(31)}, 'delivery_stuck: resend'],
    ['pending, created 30 minutes ago', {...stuck, createdAt: minutesAgo(30)}, 'delivery_stuck: wait'],
    ['a millisecond longer', {...stuck, createdAt: minutesAgo(30 + 1 / 60_000)}, 'delivery_stuck: resend'],
    ['pending, old, sent 29 minutes ago', {...stuck, sentAt: minutesAgo(29)}, 'delivery_stuck: wait'],
    ['pending, old, sent 31 minutes ago', {...stuck, sentAt: minutesAgo(31)}, 'delivery_stuck: resend'],
    ['delivered', delivered, 'delivered_not_booked: review'],
    ['no record of the event', null, 'no_delivery_record: review'],
  ])('%s', (_what, record, expected) => {
    expect(weigh(record)).toBe(expected)
  })

  test('without the legacy API a person books by hand; records that were not read ask for another run', () => {
    const unavailable = {is: 'unavailable', because: 'HTTP 404'} as const
    const unread = {is: 'unread', because: 'the list moved'} as const
    expect(weighDelivery(unavailable, null, noOverrides, {nowMs, skewMs: 0})).toEqual({
      cause: 'resend_unavailable',
      action: 'review',
    })
    expect(weighDelivery(unread, null, noOverrides, {nowMs, skewMs: 0})).toEqual({
      cause: 'delivery_unknown',
      action: 'retry',
    })
  })

  test('times with another offset are the same instants', () => {
    const dhaka = {...failed, nextRetryAt: '2026-11-20T18:00:01+06:00'}
    expect(weigh(dhaka)).toBe('retry_scheduled: wait')
    expect(weigh({...failed, nextRetryAt: '2026-11-20T17:29:59+06:00'})).toBe('delivery_stuck: resend')
  })
})

describe('a clock of the service that shows another time (P19)', () => {
  const minute = 60_000
  const overdue = {...failed, nextRetryAt: minutesAgo(36)}
  const created = {...stuck, createdAt: minutesAgo(36)}
  const triesLeft = delivery({attempts: 3, sentAt: minutesAgo(36)})
  test.each<[what: string, skewMs: number | null, record: Delivery, expected: string]>([
    ['36 min behind: the retry is due at this moment', -36 * minute, overdue, 'delivery_stuck: review'],
    ['2 h ahead', 120 * minute, overdue, 'delivery_stuck: review'],
    ['never measured', null, overdue, 'delivery_stuck: review'],
    ['36 min behind: it was made at this moment', -36 * minute, created, 'delivery_stuck: review'],
    ['2 min behind, which is borne', -2 * minute, overdue, 'delivery_stuck: resend'],
    ['a millisecond more', -2 * minute - 1, overdue, 'delivery_stuck: review'],
    ['2 h behind, and it is given up', -120 * minute, failed, 'delivery_exhausted: resend'],
    [
      '36 min behind: it failed at this moment, tries left',
      -36 * minute,
      triesLeft,
      'delivery_stuck: review',
    ],
    ['tries left, never measured', null, triesLeft, 'delivery_stuck: review'],
    ['2 min behind, tries left', -2 * minute, triesLeft, 'delivery_exhausted: resend'],
    ['2 h behind, and a retry is due', -120 * minute, scheduled, 'retry_scheduled: wait'],
    ['due, and overdue by a clock 36 min ahead', 36 * 60_000, scheduled, 'retry_scheduled: review'],
    ['due, by a clock 9 min ahead as well', 9 * 60_000, scheduled, 'retry_scheduled: wait'],
    ['due, by a clock behind all the more', -36 * 60_000, scheduled, 'retry_scheduled: wait'],
    [
      'due, by a clock that may drift',
      2 * 60_000,
      {...failed, nextRetryAt: minutesAgo(-1)},
      'retry_scheduled: wait',
    ],
  ])('%s', (_what, skewMs, record, expected) => {
    expect(weigh(record, null, {}, skewMs)).toBe(expected)
  })

  test('a delivered one that has a retry in the past is not sent again on the strength of it', () => {
    const record = {...delivered, nextRetryAt: minutesAgo(36)}
    const word = {includeDelivered: true}
    expect(weigh(record, null, word)).toBe('delivered_not_booked: resend')
    expect(weigh(record, null, word, -36 * minute)).toBe('delivered_not_booked: review')
  })

  test.each<[what: string, hours: number, skewMs: number | null, expected: string]>([
    ['this clock was set 9 h ahead since', 9, -9 * 60 * minute, 'recently_resent: wait'],
    ['2 h apart: 8 hours and 2', 10 - 1 / 60, -120 * minute, 'recently_resent: wait'],
    ['2 h apart, and 10 hours ago', 10, -120 * minute, 'delivery_exhausted: resend'],
    ['how far apart nobody knows', 100, null, 'recently_resent: wait'],
  ])('the cool-down: %s', (_what, hours, skewMs, expected) => {
    const baseline = {attempts: failed.attempts, sentAt: failed.sentAt, nextRetryAt: null}
    const before = {
      state: 'still_failing',
      atMs: nowMs - hours * 60 * minute,
      skewMs: 0,
      deliveryId: failed.id,
      by: null,
      baseline,
    } as const
    expect(weigh(failed, before, {}, skewMs)).toBe(expected)
  })
})

describe('an earlier resend', () => {
  const asItWas: ResendBaseline = {attempts: failed.attempts, sentAt: failed.sentAt, nextRetryAt: null}
  const earlier = (state: EarlierResend['state'], minutes = 60, baseline = asItWas): EarlierResend => ({
    state,
    atMs: nowMs - minutes * 60_000,
    skewMs: 0,
    by: null,
    deliveryId: failed.id,
    baseline,
  })
  const eight = 8 * 60
  const movedOn = delivery({attempts: 6, sentAt: minutesAgo(59)})

  test.each<[what: string, record: Delivery, earlier: EarlierResend, expected: string]>([
    ['accepted an hour ago, nothing moved', failed, earlier('accepted'), 'recently_resent: wait'],
    ['failed again an hour ago', movedOn, earlier('still_failing'), 'recently_resent: wait'],
    ['delivered an hour ago and failed since', movedOn, earlier('delivered'), 'recently_resent: wait'],
    [
      'a millisecond short of 8 hours',
      failed,
      earlier('accepted', eight - 1 / 60_000),
      'recently_resent: wait',
    ],
    [
      'delivered 9 hours ago and failed since',
      movedOn,
      earlier('delivered', 9 * 60),
      'delivered_not_booked: review',
    ],
    ['delivered, and its retry is due', scheduled, earlier('delivered', 9 * 60), 'retry_scheduled: wait'],
    [
      'delivered, and its record is stuck',
      stuck,
      earlier('delivered', 9 * 60),
      'delivered_not_booked: review',
    ],
    ['exactly 8 hours ago', movedOn, earlier('still_failing', eight), 'delivery_exhausted: resend'],
    ['in the future, by a clock set back', failed, earlier('still_failing', -60), 'recently_resent: wait'],
    ['refused an hour ago, nothing moved', failed, earlier('refused'), 'recently_resent: wait'],
    ['refused 8 hours ago, nothing moved', failed, earlier('refused', eight), 'resend_in_doubt: review'],
    [
      'answer lost, and the record is another one',
      {...movedOn, id: 'another'},
      earlier('unknown'),
      'resend_in_doubt: review',
    ],
    ['answer lost an hour ago', failed, earlier('unknown'), 'resend_in_doubt: review'],
    ['answer lost a week ago', failed, earlier('unknown', 7 * 24 * 60), 'resend_in_doubt: review'],
    ['answer lost, and a retry is due', scheduled, earlier('unknown'), 'resend_in_doubt: review'],
    ['answer lost, but the record then failed', movedOn, earlier('unknown'), 'recently_resent: wait'],
    ['the same, 9 hours ago', movedOn, earlier('unknown', 9 * 60), 'delivery_exhausted: resend'],
    ['accepted 9 hours ago, nothing moved', failed, earlier('accepted', 9 * 60), 'resend_in_doubt: review'],
    ['accepted, and a retry is due', scheduled, earlier('accepted'), 'retry_scheduled: wait'],
    ['delivered since', delivered, earlier('accepted'), 'delivered_not_booked: review'],
  ])('%s', (_what, record, before, expected) => {
    expect(weigh(record, before)).toBe(expected)
  })

  test('a record that failed again is sent again by a person, or after a resend that failed since', () => {
    expect(weigh(movedOn, earlier('delivered', 9 * 60), {includeDelivered: true})).toBe(
      'delivery_exhausted: resend',
    )
    const seenHoursAgo = (hours: number, before: EarlierResend | null) =>
      weighDelivery(
        {is: 'read', newest: movedOn},
        before,
        noOverrides,
        {nowMs, skewMs: 0},
        {
          takenSeenMs: nowMs - hours * 3_600_000,
        },
      ).cause
    const stillFailing = earlier('still_failing', 9 * 60)
    expect(seenHoursAgo(1, null)).toBe('delivered_not_booked')
    expect(seenHoursAgo(1, stillFailing)).toBe('delivered_not_booked')
    expect(seenHoursAgo(10, stillFailing)).toBe('delivery_exhausted')
  })

  test.each<[what: string, state: EarlierResend['state'], endsMinutesAgo: number | null, expected: string]>([
    ['accepted, and the ledger ends before that', 'accepted', 10 * 60, 'resend_in_doubt: review'],
    ['accepted, and the ledger has no time', 'accepted', null, 'resend_in_doubt: review'],
    ['accepted, and a later ledger does not have it booked', 'accepted', 30, 'delivery_exhausted: resend'],
    ['refused, and a later ledger does not have it booked', 'refused', 30, 'delivery_exhausted: resend'],
    ['its answer lost, whatever the ledger', 'unknown', 30, 'resend_in_doubt: review'],
  ])('%s: nothing moved in nine hours', (_what, state, endsMinutesAgo, expected) => {
    const endsMs = endsMinutesAgo === null ? null : nowMs - endsMinutesAgo * 60_000
    const evidence = {is: 'read', newest: failed} as const
    const time = {nowMs, skewMs: 0}
    const {cause, action} = weighDelivery(evidence, earlier(state, 9 * 60), noOverrides, time, {
      ledgerEndsMs: endsMs,
    })
    expect(`${cause}: ${action}`).toBe(expected)
  })

  test.each<[what: string, record: Delivery, state: EarlierResend['state'], hours: number, expected: string]>(
    [
      ['its record shows it an hour ago', movedOn, 'still_failing', 11, 'recently_resent: wait'],
      [
        'its record shows it 8 hours ago',
        {...movedOn, sentAt: minutesAgo(eight)},
        'still_failing',
        11,
        'delivery_exhausted: resend',
      ],
      [
        'another record is of 8 hours ago',
        {...movedOn, id: 'b', sentAt: minutesAgo(eight)},
        'still_failing',
        11,
        'recently_resent: wait',
      ],
      ['its record never moved', failed, 'accepted', 11, 'resend_in_doubt: review'],
      ['its record never moved since an hour', failed, 'accepted', 1, 'recently_resent: wait'],
      ['another record moved', {...movedOn, id: 'b'}, 'accepted', 11, 'resend_in_doubt: review'],
      [
        'its record shows it delivered',
        {...delivered, sentAt: minutesAgo(59)},
        'accepted',
        11,
        'delivered_not_booked: review',
      ],
    ],
  )('whose time nobody could check: %s', (_what, record, state, hours, expected) => {
    const before = {...earlier(state, hours * 60), skewMs: null}
    const {cause, action} = weighDelivery(
      {is: 'read', newest: record},
      before,
      noOverrides,
      {nowMs, skewMs: 0},
      {ledgerEndsMs: nowMs - 30 * 60_000},
    )
    expect(`${cause}: ${action}`).toBe(expected)
    expect(weigh(record, before, {includeDelivered: true})).not.toBe('delivered_not_booked: resend')
  })

  test('a ledger shows what a resend booked if it ends later by either clock', () => {
    const ofSlowClock = {...earlier('accepted', 20 * 60), skewMs: 10 * 3_600_000}
    const weighAt = (endsHoursAgo: number) =>
      weighDelivery(
        {is: 'read', newest: failed},
        ofSlowClock,
        noOverrides,
        {nowMs, skewMs: 0},
        {ledgerEndsMs: nowMs - endsHoursAgo * 3_600_000},
      ).action
    expect([weighAt(11), weighAt(9)]).toEqual(['review', 'resend'])
  })

  test('a lost answer stays in doubt where an automatic retry may have been what moved the record', () => {
    const whileScheduled = {...asItWas, nextRetryAt: minutesAgo(58)}
    expect(weigh(movedOn, earlier('unknown', 60, whileScheduled))).toBe('resend_in_doubt: review')
    expect(weigh({...movedOn, status: 'success'}, earlier('unknown', 60, whileScheduled))).toBe(
      'delivered_not_booked: review',
    )
  })

  test('the cool-down outlasts the automatic retries', () => {
    expect(cooldownMs).toBe(8 * 60 * 60_000)
  })

  const all = {includeDelivered: true, ignoreCooldown: true, retryUnknown: true}
  test.each<
    [over: Partial<ResendOverrides>, record: Delivery, earlier: EarlierResend | null, expected: string]
  >([
    [{ignoreCooldown: true}, failed, earlier('accepted'), 'delivery_exhausted: resend'],
    [{ignoreCooldown: true}, failed, earlier('unknown'), 'resend_in_doubt: review'],
    [{retryUnknown: true}, failed, earlier('unknown'), 'delivery_exhausted: resend'],
    [{retryUnknown: true}, failed, earlier('accepted'), 'recently_resent: wait'],
    [{retryUnknown: true}, failed, earlier('accepted', eight), 'delivery_exhausted: resend'],
    [{ignoreCooldown: true}, failed, earlier('refused', eight), 'delivery_exhausted: resend'],
    [{retryUnknown: true}, scheduled, earlier('unknown'), 'retry_scheduled: wait'],
    [{includeDelivered: true}, delivered, null, 'delivered_not_booked: resend'],
    [{includeDelivered: true}, delivered, earlier('delivered'), 'delivered_not_booked: review'],
    [{includeDelivered: true}, delivered, earlier('delivered', eight), 'delivered_not_booked: resend'],
    [
      {includeDelivered: true, ignoreCooldown: true},
      delivered,
      earlier('delivered'),
      'delivered_not_booked: resend',
    ],
    [{includeDelivered: true}, delivered, earlier('unknown'), 'resend_in_doubt: review'],
    [all, scheduled, null, 'retry_scheduled: wait'],
    [all, {...delivered, nextRetryAt: minutesAgo(-1)}, null, 'delivered_not_booked: review'],
    [all, {...stuck, createdAt: minutesAgo(5)}, null, 'delivery_stuck: wait'],
  ])('%o over %#', (over, record, before, expected) => {
    expect(weigh(record, before, over)).toBe(expected)
  })
})

describe('what a record read after a resend says', () => {
  const before = {attempts: 5, sentAt: minutesAgo(600), nextRetryAt: null}
  test.each<[what: string, record: Delivery, outcome: string | null]>([
    ['as it was', failed, null],
    ['success, but no later attempt', delivered, null],
    ['success with one more attempt', {...delivered, attempts: 6}, 'delivered'],
    ['success, sent later, attempts not counted', {...delivered, sentAt: minutesAgo(1)}, 'delivered'],
    [
      'success, attempts started again from 1 but sent later',
      {...delivered, attempts: 1, sentAt: minutesAgo(1)},
      'delivered',
    ],
    ['failed with one more attempt', {...failed, attempts: 6}, 'still_failing'],
    ['pending with one more attempt', {...failed, attempts: 6, status: 'pending'}, null],
    ['success, sent earlier than before', {...delivered, sentAt: minutesAgo(601)}, null],
  ])('%s', (_what, record, outcome) => {
    expect(outcomeOf(before, record)).toBe(outcome)
    expect(outcomeInDoubt(before, record)).toBe(outcome)
  })

  test('a record never sent before is moved by its first sending', () => {
    const never = {attempts: 0, sentAt: null, nextRetryAt: null}
    expect(outcomeOf(never, {...delivered, attempts: 1})).toBe('delivered')
  })
})

describe('of several records the newest decides', () => {
  const at = (created: number, sent: number | null, attempts: number, id: string) =>
    delivery({
      id,
      createdAt: minutesAgo(created),
      sentAt: sent === null ? null : minutesAgo(sent),
      attempts,
    })

  test.each<[what: string, records: Delivery[], newest: string | null]>([
    ['none', [], null],
    ['the later created', [at(60, 1, 5, 'old'), at(50, 40, 1, 'new')], 'new'],
    ['created together: the later sent', [at(60, 30, 1, 'new'), at(60, 40, 5, 'old')], 'new'],
    ['created together: sent before never sent', [at(60, null, 0, 'old'), at(60, 40, 1, 'new')], 'new'],
    ['sent together: more attempts', [at(60, 40, 4, 'old'), at(60, 40, 5, 'new')], 'new'],
  ])('%s', (_what, records, newest) => {
    expect(newestOf(records)?.id ?? null).toBe(newest)
    expect(newestOf(records.toReversed())?.id ?? null).toBe(newest)
  })

  test('by instant, not by text', () => {
    const dhaka = {...delivery({id: 'old'}), createdAt: '2026-11-20T17:00:00+06:00'}
    const utc = {...delivery({id: 'new'}), createdAt: '2026-11-20T11:30:00Z'}
    expect(newestOf([dhaka, utc])?.id).toBe('new')
  })
})

const waiting: Weighed = {cause: 'delivery_stuck', action: 'wait'}
const dayAgo = nowMs - waitMaxMs

test.each<
  [
    what: string,
    weighed: Weighed,
    sinceMs: number | null,
    over: object,
    skewMs: number | null,
    action: string,
  ]
>([
  ['24 hours ago', waiting, dayAgo, {}, 0, 'review'],
  ['a moment later', waiting, dayAgo + 1, {}, 0, 'wait'],
  ['never', waiting, null, {}, 0, 'wait'],
  ['24 hours ago, and it may be sent', waiting, dayAgo, {ignoreCooldown: true}, 0, 'resend'],
  ['24 hours ago, and the clocks differ', waiting, dayAgo, {ignoreCooldown: true}, 130_000, 'review'],
  ['24 hours ago, and it is scheduled', {...waiting, cause: 'retry_scheduled'}, dayAgo, {}, 0, 'review'],
  ['24 hours ago, and it was resent since', {...waiting, cause: 'recently_resent'}, dayAgo, {}, 0, 'wait'],
  ['24 hours ago, and it is to be resent', {...waiting, action: 'resend'}, dayAgo, {}, 0, 'resend'],
])('an earlier run saw it waiting %s', (_, weighed, sinceMs, over, skewMs, action) => {
  const now = weighWait(weighed, () => sinceMs, {...noOverrides, ...over}, {nowMs, skewMs})
  expect(now.action).toBe(action)
  const isOpen = now.waitsSinceMs !== undefined && action === 'review'
  const said = 'An earlier run saw it waiting at 2026-11-19 12:00, and it is still waiting.'
  expect(whyWaitIsOpen(now, 'UTC')).toEqual(isOpen ? [expect.stringContaining(said)] : [])
})

test.each([
  [delivery({status: 'pending', nextRetryAt: minutesAgo(-1)}), true],
  [delivery({status: 'failed', nextRetryAt: minutesAgo(-1)}), true],
  [delivery({status: 'failed', attempts: 2, sentAt: minutesAgo(29)}), true],
  [delivery({status: 'failed', attempts: 2, sentAt: minutesAgo(31)}), false],
  [delivery({status: 'failed', sentAt: minutesAgo(1)}), false],
  [delivery({status: 'success', nextRetryAt: minutesAgo(-1)}), false],
  [delivery({status: 'failed', nextRetryAt: minutesAgo(0)}), true],
  [delivery({status: 'failed', nextRetryAt: minutesAgo(31)}), false],
  [delivery({status: 'pending', nextRetryAt: null, sentAt: minutesAgo(1)}), true],
  [delivery({status: 'pending', nextRetryAt: null, sentAt: minutesAgo(31)}), false],
  [delivery({status: 'failed', nextRetryAt: null, sentAt: minutesAgo(1)}), false],
  [delivery({status: 'failed', nextRetryAt: null}), false],
])('the service tries it again by itself (%#)', (record, isDue) => {
  expect(isDueAgain(record, {nowMs, skewMs: 0})).toBe(isDue)
  // By a clock that is wrong it may be due at any age.
  const mayBeDue =
    isDue ||
    (record.status !== 'success' &&
      ((record.nextRetryAt ?? record.status) !== 'failed' || record.attempts < 5))
  for (const skewMs of [null, -6 * 3_600_000, 6 * 3_600_000])
    expect(isDueAgain(record, {nowMs, skewMs})).toBe(mayBeDue)
})

const baseline: ResendBaseline = {attempts: 5, sentAt: minutesAgo(600), nextRetryAt: null}
const earlierResend = {
  state: 'sent',
  deliveryId: delivery().id.toUpperCase(),
  baseline,
} as unknown as EarlierResend
const moved = {attempts: 6, sentAt: minutesAgo(1)}

test.each<[what: string, earlier: Partial<EarlierResend>, record: Partial<Delivery>, state: string]>([
  ['nothing moved', {}, {}, 'sent'],
  ['it was taken', {}, {...moved, status: 'success'}, 'delivered'],
  ['it failed again', {}, moved, 'still_failing'],
  ['it is on its way', {}, {...moved, status: 'pending'}, 'sent'],
  ['it failed, perhaps by a retry', {baseline: {...baseline, nextRetryAt: minutesAgo(9)}}, moved, 'sent'],
  [
    'it was taken, perhaps by a retry',
    {baseline: {...baseline, nextRetryAt: minutesAgo(9)}},
    {...moved, status: 'success'},
    'delivered',
  ],
  ['another record moved', {}, {...moved, id: '00000000-0000-4000-8000-000000000002'}, 'sent'],
  ['it ended before', {state: 'delivered'}, moved, 'delivered'],
  ['it had failed before', {state: 'still_failing'}, {...moved, status: 'success'}, 'still_failing'],
])('of an earlier resend, as its record is now: %s', (_, earlier, record, state) => {
  expect(stateBy({...earlierResend, ...earlier}, delivery(record))).toBe(state)
})

const by = {...earlierResend, by: 'rahima@laptop-3', atMs: nowMs - 3_600_000} as EarlierResend
const resent = 'rahima@laptop-3 resent it at 2026-11-20 17:00'

test.each<
  [
    cause: Parameters<typeof reasonAgainst>[0],
    earlier: EarlierResend | null,
    over: object,
    skewMs: number | null,
    says: string,
  ]
>([
  ['retry_scheduled', null, {}, 0, 'The service retries it at 2026-11-20 18:10. Wait.'],
  ['delivery_stuck', null, {}, 0, 'It changed less than 30 minutes ago. Wait.'],
  [
    'delivery_stuck',
    null,
    {},
    null,
    "Whether it is stuck is not known: the service's clock could not be read. Set this machine's clock, then run it again.",
  ],
  [
    'delivered_not_booked',
    null,
    {},
    0,
    'Your server already accepted it. To send it again, add --include-delivered.',
  ],
  [
    'delivered_not_booked',
    by,
    {},
    0,
    `Your server already accepted it: ${resent}. To send it again, add --include-delivered.`,
  ],
  [
    'delivered_not_booked',
    {...by, by: null, state: 'delivered'} as EarlierResend,
    {},
    0,
    'Your server already accepted it: hisab resent it at 2026-11-20 17:00. Its record is failed again. To send it again, add --include-delivered.',
  ],
  [
    'delivered_not_booked',
    by,
    {includeDelivered: true},
    0,
    `${resent}, less than 8 hours ago. To send it now, add --ignore-cooldown.`,
  ],
  [
    'recently_resent',
    null,
    {},
    0,
    'hisab resent it, less than 8 hours ago, and it is not delivered. Find out why. Then wait, or add --ignore-cooldown.',
  ],
  [
    'resend_in_doubt',
    {...by, by: null} as EarlierResend,
    {},
    0,
    "hisab resent it at 2026-11-20 17:00, outcome unknown. Look in your server's log. If it is not there, send it again with --retry-unknown.",
  ],
  [
    'resend_in_doubt',
    {...by, isOnItsWay: true} as EarlierResend,
    {},
    0,
    'rahima@laptop-3 is resending it now, since 2026-11-20 17:00. Wait until that run has finished, then look again.',
  ],
  ['delivery_exhausted', null, {}, 0, 'Not sent: delivery_exhausted.'],
])('%s is not resent now: why (%#)', (cause, earlier, over, skewMs, says) => {
  const isAgain = earlier?.state === 'delivered'
  const status = cause === 'delivered_not_booked' && !isAgain ? 'success' : 'failed'
  const newest = delivery({status, nextRetryAt: minutesAgo(-10)})
  expect(reasonAgainst(cause, newest, earlier, {...noOverrides, ...over}, 'Asia/Dhaka', {skewMs})).toBe(says)
})
