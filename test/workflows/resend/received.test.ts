import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import type {StoredEvent} from '../../../src/receiver/stored-events.ts'
import {receivedBy} from '../../../src/workflows/resend/received.ts'

function stored(more: Partial<StoredEvent>): StoredEvent {
  return {
    ...{id: 1, orderId: 'platform-1', event: 'order.completed', orderNo: 'D-1', status: 'completed'},
    ...{amount: '500.00', playerRef: 'player-1', content: '{}', digest: '', isConflict: false},
    ...{receivedAtMs: 1, forwards: 1, forwardStatus: 503, acknowledgedAtMs: null, forward: 'pending'},
    ...{isAnsweredAlone: false, closedBy: null, closeReason: null, ...more},
  }
}

const taken = {forward: 'acknowledged', acknowledgedAtMs: 2} as const
const closed = {forward: 'closed', closedBy: 'rima', closeReason: 'booked by hand'} as const
const failed = {event: 'order.failed', status: 'failed', playerRef: null}

const unknown = {...taken, event: 'order.settled', status: 'settled'}
const [before, after] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.002Z']

test.each<
  [what: string, received: Partial<StoredEvent>, asked: string, why: string | null, createdAt?: string]
>([
  ['acknowledged', taken, 'order.completed', 'your server took its order.completed, which hisab handed on'],
  [
    'closed by a person',
    {...taken, ...closed},
    'order.completed',
    'rima closed its order.completed: booked by hand',
  ],
  ['a contradiction that a person closed', {...closed, isConflict: true}, 'order.completed', null],
  ['acknowledged by another name', {...taken, event: 'order.paid'}, 'order.completed', 'took its order.paid'],
  ['acknowledged without a name', {...taken, event: ''}, 'order.completed', 'took its completed'],
  [
    'a completion by its word alone',
    {...taken, event: 'payment.callback', status: 'SUCCESS'},
    'order.completed',
    'took',
  ],
  ['a completion by its name alone', {...taken, status: '1'}, 'order.completed', 'took'],
  [
    'neither by its name nor by its word',
    {...taken, event: 'order.updated', status: 'waiting'},
    'order.completed',
    null,
  ],
  ['a failed payout, acknowledged', {...taken, ...failed}, 'order.failed', 'took its order.failed'],
  ['a payout of a word that nobody knows', {...taken, ...failed, status: 'x'}, 'order.failed', 'took'],
  ['handed on without an end', {forward: 'unknown'}, 'order.completed', 'your server may have it'],
  [
    'money back',
    {...taken, event: 'order.refunded', status: 'refunded'},
    'order.completed',
    'speaks against',
  ],
  [
    'unknown by name and word, after it',
    unknown,
    'order.completed',
    'its order.settled, which speaks',
    before,
  ],
  ['unknown by name and word, before it', unknown, 'order.completed', null, after],
  [
    'unknown by name and word, not acknowledged',
    {...unknown, acknowledgedAtMs: null},
    'order.completed',
    null,
    before,
  ],
  ['an event that is usual', {...unknown, event: 'order.usual'}, 'order.completed', null, before],
  ['an unknown name with a word for open', {...unknown, status: 'pending'}, 'order.completed', null, before],
  [
    'that it failed, after it',
    {event: 'order.failed', status: 'failed'},
    'order.completed',
    'speaks',
    before,
  ],
  ['a contradiction', {isConflict: true, forward: null}, 'order.completed', 'contradicts'],
  ['not acknowledged', {}, 'order.completed', null],
  ['received without a server', {forward: null, isAnsweredAlone: true}, 'order.completed', null],
  ['another event of it', {...taken, event: 'order.created', status: 'pending'}, 'order.completed', null],
  ['the event only says that it is open', taken, 'order.processing', null],
  ['the same number, a payout', {...taken, orderId: 'other', playerRef: null}, 'order.completed', null],
  [
    'another order, whose wallet has its digits',
    {...taken, orderNo: 'D-2', orderId: 'x'},
    'order.completed',
    null,
  ],
])('what came through the own receiver: %s', (_what, received, event, why, createdAt) => {
  const whyReceived = receivedBy((about) => (about === 'D-1' ? [stored(received)] : []), defaultDialect)
  const kind = received.playerRef === null && event === 'order.failed' ? 'payout' : 'deposit'
  const found = whyReceived(
    {kind, orderNo: 'D-1', platformOrderNo: 'platform-1'},
    {
      ...{event, ...(createdAt !== undefined && {createdAt})},
      ...{isUsual: (name) => name === 'order.usual'},
    },
  )
  expect(found?.why ?? null).toEqual(why === null ? null : expect.stringContaining(why))
  expect(found?.takenAtMs ?? null).toBe(why?.includes('took') ? 2 : null)
})
