import {expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {parseJson} from '../../src/core/json.ts'
import {agreesWith, answersFor, isSameEvent} from '../../src/receiver/same-event.ts'
import {readWebhook, type Webhook} from '../../src/receiver/webhook.ts'
import {sortedRules} from './fixture.ts'

const paid = {platformOrderNo: 'PF-1', orderNo: 'D-1', playerRef: 'u7', status: 'completed', amount: '500.00'}

type Fields = Readonly<Record<string, string | null | undefined>>

function webhook(fields: Fields): Webhook {
  const body = parseJson(JSON.stringify({...paid, ...fields}))
  const read = readWebhook(body as Parameters<typeof readWebhook>[0], sortedRules)
  if (!read) throw new Error('a body names its order')
  return read
}

/**
 * What a second content is after a first one that was acknowledged. `repeats`: answered 200, and not handed on. `contradicts`:
 * answered 409. `goes on`: handed on. The word behind it says whether both are one event.
 */
type Verdict = `${'repeats' | 'contradicts' | 'goes on'}, ${'one' | 'another'}`

const words = defaultDialect.status

function verdictOf(earlier: Webhook, later: Webhook): Verdict {
  const isAnswered = answersFor(earlier, later, words)
  const what = !isAnswered ? 'goes on' : agreesWith(later, earlier, words) ? 'repeats' : 'contradicts'
  return `${what}, ${isSameEvent(earlier, later, words) ? 'one' : 'another'}`
}

const none = undefined
const bare = {platformOrderNo: none}
const named = {event: 'payment'}
const both = {outOrderNo: 'D-1'}
const rows: readonly (readonly [what: string, earlier: Fields, later: Fields, verdict: Verdict])[] = [
  // Which order it is.
  ['the same once more', {}, {}, 'repeats, one'],
  ['another order', {}, {platformOrderNo: 'PF-2', orderNo: 'D-2'}, 'goes on, another'],
  ['its number under another ID', {}, {platformOrderNo: 'PF-2'}, 'contradicts, one'],
  [
    'its ID in another case, without its number',
    {},
    {platformOrderNo: 'pf-1', orderNo: undefined},
    'repeats, one',
  ],
  ['its ID in another case', {}, {platformOrderNo: 'pf-1', amount: '500'}, 'repeats, one'],
  [
    'its ID in another case, of another number',
    {},
    {platformOrderNo: 'pf-1', orderNo: 'D-2'},
    'goes on, another',
  ],
  ['one ID, another number', {}, {orderNo: 'D-2'}, 'contradicts, one'],
  ['one number, no ID', {}, {...bare, amount: '500'}, 'repeats, one'],
  ['one number, an ID that is new', bare, {amount: '500'}, 'repeats, one'],
  ['one number, no ID, another player', {}, {...bare, playerRef: 'u8'}, 'goes on, another'],
  ['another number, no ID', {}, {...bare, orderNo: 'D-2'}, 'goes on, another'],
  [
    'no ID, its number by a name the first has not',
    {},
    {...bare, orderNo: none, outOrderNo: 'D-1'},
    'goes on, another',
  ],
  [
    'no ID, by the second of two names the first has',
    {outOrderNo: 'D-1'},
    {...bare, orderNo: none, outOrderNo: 'D-1'},
    'repeats, one',
  ],
  [
    'no ID, by a name that is null in the first',
    {outOrderNo: null},
    {...bare, orderNo: none, outOrderNo: 'D-1'},
    'goes on, another',
  ],
  [
    'none with an ID, two names of one number',
    bare,
    {...bare, orderNo: none, outOrderNo: 'D-1'},
    'goes on, another',
  ],
  ['none with an ID', bare, {...bare, amount: '500'}, 'repeats, one'],
  ['none with an ID, a deposit and a payout', bare, {...bare, playerRef: none}, 'goes on, another'],
  ['one ID and number, no player', {}, {playerRef: none}, 'repeats, one'],
  // A retry that lost its player, or a payout: a person decides. Without an ID it is a payout's (service §6).
  ...['d-1', 'SHOP-D-1', 'D_1', 'D-1A'].map((orderNo): (typeof rows)[number] => [
    `one ID, the number ${orderNo}, no player`,
    {},
    {orderNo, playerRef: none},
    'contradicts, one',
  ]),
  ['one ID, the number P-1, no player', {}, {orderNo: 'P-1', playerRef: none}, 'goes on, another'],
  ['one number, no ID and no player', {}, {...bare, playerRef: none}, 'goes on, another'],
  [
    'one ID, a deposit and a payout',
    {},
    {orderNo: none, outOrderNo: 'P-1', playerRef: none},
    'goes on, another',
  ],
  ['one ID, a payout and a deposit', {orderNo: 'P-1', playerRef: none}, {}, 'goes on, another'],
  [
    'none with an ID, two names of one number twice',
    {...bare, ...both},
    {...bare, ...both, amount: '500'},
    'repeats, one',
  ],
  [
    'none with an ID, two names of one number, then the second',
    {...bare, ...both},
    {...bare, orderNo: none, ...both},
    'goes on, another',
  ],
  [
    'no number in either',
    {orderNo: none},
    {orderNo: none, platformOrderNo: 'pf-1', amount: '500'},
    'repeats, one',
  ],
  // Whose it is.
  ['another player', {}, {playerRef: 'u8'}, 'contradicts, one'],
  ['no player', {}, {playerRef: none}, 'repeats, one'],
  ['an empty player', {}, {playerRef: ''}, 'repeats, one'],
  ['a player that is new', {playerRef: none}, {}, 'goes on, one'],
  ['an empty player, then one', {playerRef: ''}, {}, 'goes on, one'],
  ['a number that is new', {orderNo: none}, {}, 'goes on, one'],
  ['a number that is gone', {}, {orderNo: none}, 'repeats, one'],
  ['a number that is new, another amount', {orderNo: none}, {amount: '600.00'}, 'contradicts, one'],
  ['a number that is new, and it failed', {orderNo: none}, {status: 'failed'}, 'contradicts, another'],
  ['another player and a number that is new', {orderNo: none}, {playerRef: 'u8'}, 'contradicts, one'],
  // How much.
  ['open, then completed, no player any more', {status: 'processing'}, {playerRef: none}, 'goes on, another'],
  ['open, then completed, no number any more', {status: 'processing'}, {orderNo: none}, 'goes on, another'],
  ['an amount that is none, and another', {amount: 'x'}, {amount: 'y'}, 'contradicts, one'],
  ['another amount', {}, {amount: '600.00'}, 'contradicts, one'],
  ['one amount, written otherwise', {}, {amount: '500'}, 'repeats, one'],
  ['one amount, with zeros before it', {}, {amount: '000500'}, 'repeats, one'],
  ['an amount of nothing', {}, {amount: '0.00'}, 'repeats, one'],
  ['blanks for an amount', {}, {amount: ' '}, 'repeats, one'],
  ['no amount any more', {}, {amount: none}, 'repeats, one'],
  ['an amount where there was none', {amount: none}, {}, 'goes on, one'],
  ['an amount where there was nothing', {amount: '0'}, {}, 'goes on, one'],
  ['an amount where there were blanks', {amount: ' '}, {}, 'goes on, one'],
  ['nothing where there was none', {amount: none}, {amount: '0'}, 'repeats, one'],
  ['an amount that is none', {}, {amount: 'x'}, 'contradicts, one'],
  ['an amount that is none, twice', {amount: 'x'}, {amount: 'x', timestamp: '2'}, 'repeats, one'],
  ['an amount where there was what is none', {amount: 'x'}, {}, 'contradicts, one'],
  [
    'an amount where there was none, and it failed',
    {amount: none},
    {status: 'failed'},
    'contradicts, another',
  ],
  // What became of it.
  ['it failed', {}, {status: 'failed'}, 'contradicts, another'],
  ['it was open', {}, {status: 'processing'}, 'goes on, another'],
  ['completed in capitals', {}, {status: 'COMPLETED '}, 'repeats, one'],
  ['a word that nobody knows', {}, {status: 'settled'}, 'goes on, another'],
  ['no word', {}, {status: none}, 'goes on, another'],
  ['open, then completed', {status: 'processing'}, {}, 'goes on, another'],
  ['open, then failed', {status: 'processing'}, {status: 'failed'}, 'goes on, another'],
  ['open, then open by another word', {status: 'processing'}, {status: 'pending'}, 'repeats, one'],
  ['open, then a word that nobody knows', {status: 'processing'}, {status: 'settled'}, 'goes on, another'],
  ['open, then no word', {status: 'processing'}, {status: none}, 'goes on, another'],
  ['failed, then completed', {status: 'failed'}, {}, 'goes on, another'],
  ['failed, then open', {status: 'failed'}, {status: 'processing'}, 'goes on, another'],
  ['failed, then a word that nobody knows', {status: 'failed'}, {status: 'settled'}, 'goes on, another'],
  ['a word that nobody knows, then completed', {status: 'settled'}, {}, 'goes on, another'],
  ['a word that nobody knows, then another', {status: 'settled'}, {status: 'cleared'}, 'goes on, another'],
  ['a word that nobody knows, once more', {status: 'settled'}, {status: 'Settled'}, 'repeats, one'],
  ['no word, then an empty one', {status: none}, {status: ' '}, 'repeats, one'],
  ['no word, then completed', {status: none}, {}, 'goes on, another'],
  ['no word, then no word', {status: none}, {status: none, amount: '500'}, 'repeats, one'],
  ['no word, then a word that nobody knows', {status: none}, {status: 'settled'}, 'goes on, another'],
  // By which name.
  ['one name, in another case', {event: 'paid'}, {event: 'Paid ', amount: '500'}, 'repeats, one'],
  ['one name, another state', {event: 'paid'}, {event: 'paid', status: 'failed'}, 'contradicts, one'],
  ['one name, another amount', {event: 'paid'}, {event: 'paid', amount: '600'}, 'contradicts, one'],
  ['one name, open, then completed', {event: 'paid', status: 'processing'}, {event: 'paid'}, 'goes on, one'],
  [
    'one name, failed, then open',
    {...named, status: 'failed'},
    {...named, status: 'processing'},
    'contradicts, one',
  ],
  [
    'one name, failed, then a word that nobody knows',
    {...named, status: 'failed'},
    {...named, status: 'settled'},
    'goes on, one',
  ],
  [
    'one name, a word that nobody knows, then open',
    {...named, status: 'settled'},
    {...named, status: 'processing'},
    'goes on, one',
  ],
  ['one name, a word that nobody knows', named, {...named, status: 'settled'}, 'contradicts, one'],
  ['one name, no word any more', named, {...named, status: none}, 'repeats, one'],
  [
    'one name, open, then no word',
    {...named, status: 'processing'},
    {...named, status: none},
    'repeats, one',
  ],
  [
    'one name, no word in either',
    {...named, status: none},
    {...named, status: none, amount: '500'},
    'repeats, one',
  ],
  ['another name', {event: 'paid'}, {event: 'settled'}, 'goes on, another'],
  [
    'another name of the same meaning',
    {event: 'order.completed'},
    {event: 'payment.success'},
    'repeats, one',
  ],
  ...['success', 'PAID', 'settled'].flatMap((status): typeof rows => [
    [
      `completed by another name with the word ${status}`,
      {event: 'order.completed'},
      {event: 'payment.success', status},
      'repeats, another',
    ],
    [
      `completed, of another amount, with the word ${status}`,
      {event: 'order.completed'},
      {event: 'order.paid', status, amount: '600'},
      'contradicts, another',
    ],
    [
      `the word ${status}, then completed by another name`,
      {event: 'payment.success', status},
      {event: 'order.completed'},
      'goes on, another',
    ],
    [
      `open, then another name with the word ${status}`,
      {event: 'order.completed', status: 'pending'},
      {event: 'payment.success', status},
      'goes on, another',
    ],
    [
      `failed, then another name with the word ${status}`,
      {event: 'order.failed', status: 'failed'},
      {event: 'payment.success', status},
      'goes on, another',
    ],
    [
      `completed, then a name of no meaning with the word ${status}`,
      {event: 'order.completed'},
      {event: 'order.updated', status},
      'goes on, another',
    ],
  ]),
  [
    'completed by another name without a word',
    {event: 'order.completed'},
    {event: 'payment.success', status: none},
    'repeats, one',
  ],
  [
    'two names that mean failed',
    {event: 'order.failed', status: 'failed'},
    {event: 'payment.rejected', status: 'failed'},
    'repeats, one',
  ],
  [
    'another name of the same meaning, another state',
    {event: 'order.completed'},
    {event: 'payment.success', status: 'refunded'},
    'goes on, another',
  ],
  [
    'another name, another amount',
    {event: 'paid'},
    {event: 'settled', amount: '600'},
    'contradicts, another',
  ],
  [
    'another name, and it failed',
    {event: 'paid'},
    {event: 'failed', status: 'failed'},
    'contradicts, another',
  ],
  [
    'another name, and it was open',
    {event: 'paid'},
    {event: 'began', status: 'processing'},
    'goes on, another',
  ],
  [
    'another name, it was open, another amount',
    {event: 'paid'},
    {event: 'began', status: 'processing', amount: '600'},
    'goes on, another',
  ],
  [
    'another name, failed, then open',
    {event: 'failed', status: 'failed'},
    {event: 'began', status: 'processing'},
    'goes on, another',
  ],
  [
    'another name, failed twice',
    {event: 'failed', status: 'failed'},
    {event: 'refused', status: 'failed'},
    'goes on, another',
  ],
  [
    'the documented name after another: a server may answer 200 to that one and wait for this',
    {event: 'payment.success'},
    {event: 'order.completed'},
    'goes on, one',
  ],
  ['another name after the documented one', {event: 'order.completed'}, {event: 'paid'}, 'repeats, one'],
  [
    'the documented name after another, another amount',
    {event: 'payment.success'},
    {event: 'order.completed', amount: '600'},
    'contradicts, one',
  ],
  ['a name that is new', {}, {event: 'paid'}, 'repeats, one'],
  ['a name that is new, another state', {}, {event: 'paid', status: 'failed'}, 'contradicts, another'],
  ['a name that is gone', {event: 'paid'}, {}, 'repeats, one'],
  [
    'a name that is gone, no word in either',
    {event: 'order.completed', status: none},
    {status: none},
    'goes on, another',
  ],
  [
    'a name that tells nothing is gone, no word in either',
    {...named, status: none},
    {status: none},
    'goes on, another',
  ],
  [
    'no word in either, a name that is new',
    {status: none},
    {event: 'order.completed', status: none},
    'goes on, another',
  ],
  [
    'two names, no word in either',
    {event: 'order.completed', status: none},
    {event: 'order.failed', status: none},
    'contradicts, another',
  ],
  ['a name for a word', {}, {event: 'order.completed', status: none}, 'repeats, one'],
  ['a word for a name', {event: 'order.completed', status: none}, {}, 'repeats, one'],
  ['the word and the name contradict: the word counts', {}, {event: 'order.failed'}, 'repeats, one'],
]

test.each(rows)('after an acknowledged one, %s', (_, earlier, later, verdict) => {
  expect(verdictOf(webhook(earlier), webhook(later))).toBe(verdict)
})
