import {expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {mayBeSameEvent, stateOfEvent} from '../../src/core/event-state.ts'
import {compareEvents, readEvent, type WebhookEvent} from '../../src/core/webhook-event.ts'

type Fields = Readonly<Record<string, string>>
const deposit: Fields = {
  platformOrderNo: 'PF',
  orderNo: 'D-1',
  playerRef: 'u7',
  status: 'completed',
  amount: '500',
}
const payout: Fields = {platformOrderNo: 'PF', outOrderNo: 'P-1', status: 'completed', amount: '500.5'}

test.each<
  [what: string, fields: Fields, read: Partial<Record<keyof WebhookEvent | 'amount' | 'playerRef', unknown>>]
>([
  [
    'a deposit',
    deposit,
    {type: 'deposit.completed', order: 'PF', amount: '500.00', playerRef: 'u7', event: null},
  ],
  ['a deposit that failed', {...deposit, status: 'failed'}, {type: 'deposit.failed', playerRef: 'u7'}],
  [
    'a word nobody knows',
    {...deposit, status: 'paid'},
    {type: 'deposit.unknown', status: 'paid', playerRef: 'u7'},
  ],
  ['no amount', {...deposit, amount: ''}, {type: 'deposit.unknown'}],
  ['an amount of nothing', {...deposit, amount: '0.00'}, {type: 'deposit.unknown'}],
  ['an amount that is none', {...deposit, amount: '1e3'}, {type: 'deposit.unknown'}],
  ['no ID', {...deposit, platformOrderNo: ''}, {order: 'orderNo=D-1', platformOrderNo: null, orderNo: 'D-1'}],
  ['no number', {...deposit, orderNo: ''}, {order: 'PF', orderNo: null}],
  ['neither', {playerRef: 'u7', status: 'completed', amount: '5'}, {type: 'deposit.unknown', order: ''}],
  ['a payout', payout, {type: 'payout.completed', order: 'PF', orderNo: 'P-1', amount: '500.50'}],
  ['a payout without an amount', {...payout, amount: ''}, {type: 'payout.completed', amount: null}],
  ['a payout that failed', {...payout, status: 'failed'}, {type: 'payout.failed'}],
  ['a payout of a word nobody knows', {...payout, status: 'paid'}, {type: 'payout.unknown'}],
  ['a payout with a player', {...payout, playerRef: 'u7'}, {type: 'payout.unknown'}],
  ['a failed payout with a player', {...payout, playerRef: 'u7', status: 'failed'}, {type: 'payout.unknown'}],
  ['an empty number of a payout', {...deposit, outOrderNo: ''}, {type: 'deposit.completed'}],
  ['a name that says the same', {...deposit, event: 'order.completed'}, {type: 'deposit.completed'}],
  ['a name that says otherwise', {...deposit, event: 'order.failed'}, {type: 'deposit.unknown'}],
  [
    'a name alone',
    {...deposit, status: '', event: 'order.failed'},
    {type: 'deposit.failed', event: 'order.failed'},
  ],
  [
    'neither a name nor a word',
    {...deposit, status: ''},
    {type: 'deposit.unknown', status: null, event: null},
  ],
])('%s', (_, fields, read) => {
  expect(readEvent(fields)).toMatchObject(read)
})

test('the words of a service take the place of the documented ones', () => {
  const words = {completed: ['PAID'], failed: ['NO'], completedEvents: ['paid'], failedEvents: ['no']}
  const typeOf = (status: string, event = '') => readEvent({...deposit, status, event}, words).type
  expect([typeOf('PAID'), typeOf('NO'), typeOf('completed'), typeOf('failed')]).toEqual([
    ...['deposit.completed', 'deposit.failed', 'deposit.unknown', 'deposit.unknown'],
  ])
  expect([typeOf('', 'paid'), typeOf('', 'no'), typeOf('', 'order.completed'), typeOf('NO', 'paid')]).toEqual(
    [...['deposit.completed', 'deposit.failed', 'deposit.unknown', 'deposit.unknown']],
  )
})

test.each<[what: string, one: Fields, other: Fields, verdict: string]>([
  ['once more', deposit, deposit, 'same'],
  ['an ID in another case', deposit, {...deposit, platformOrderNo: ' pf '}, 'same'],
  ['a number with blanks', deposit, {...deposit, orderNo: 'D-1 '}, 'same'],
  ['a number in another case', deposit, {...deposit, orderNo: 'd-1'}, 'contradiction'],
  ['no ID', deposit, {...deposit, platformOrderNo: ''}, 'same'],
  ['no number', deposit, {...deposit, orderNo: ''}, 'same'],
  [
    'one without an ID, one without a number',
    {...deposit, orderNo: ''},
    {...deposit, platformOrderNo: ''},
    'other_order',
  ],
  ['another order', deposit, {...deposit, platformOrderNo: 'PG', orderNo: 'D-2'}, 'other_order'],
  ['another number of one ID', deposit, {...deposit, orderNo: 'D-2'}, 'contradiction'],
  ['another ID of one number', deposit, {...deposit, platformOrderNo: 'PG'}, 'contradiction'],
  ['another amount', deposit, {...deposit, amount: '600'}, 'contradiction'],
  ['one amount, written otherwise', deposit, {...deposit, amount: '500.00'}, 'same'],
  ['another player', deposit, {...deposit, playerRef: 'u8'}, 'contradiction'],
  ['another state', deposit, {...deposit, status: 'failed'}, 'contradiction'],
  ['two payouts', payout, {...payout, amount: '500.50'}, 'same'],
  ['two payouts of two amounts', payout, {...payout, amount: ''}, 'contradiction'],
])('of two events %s', (_, one, other, verdict) => {
  expect(compareEvents(readEvent(one), readEvent(other))).toBe(verdict)
  expect(compareEvents(readEvent(other), readEvent(one))).toBe(verdict)
})

test.each([
  ['order.completed', 'completed'],
  ['ORDER.COMPLETED', 'completed'],
  ['deposit_success', 'completed'],
  ['order.failed.2', 'failed'],
  ['order.processing', 'open'],
  ['failed.order', null],
  ['completedish', null],
  ['', null],
])('the name "%s" says %s', (event, state) => {
  expect(stateOfEvent(event, defaultDialect)).toBe(state)
})

test('a word that means one thing of a deposit and another of a payout says nothing', () => {
  const {deposit: words, payout: others} = defaultDialect.status
  const status = {
    deposit: {...words, completed: [...words.completed, 'done']},
    payout: {...others, failed: [...others.failed, 'done']},
  }
  expect([stateOfEvent('order.done', {status}), stateOfEvent('order.completed', {status})]).toEqual([
    null,
    'completed',
  ])
})

test.each([
  ['order.completed', ' ORDER.completed', true],
  ['order.completed', 'deposit.success', true],
  ['order.failed', 'deposit.failed', true],
  ['order.completed', 'order.failed', false],
  ['order.processing', 'order.pending', false],
  ['order.x', 'order.y', false],
])('%s and %s may be one event: %s', (one, other, mayBe) => {
  expect(mayBeSameEvent(one, other)).toBe(mayBe)
})
