import {expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {parseJson} from '../../src/core/json.ts'
import {answersFor} from '../../src/receiver/same-event.ts'
import {readWebhook, type Webhook} from '../../src/receiver/webhook.ts'
import {sortedRules} from './fixture.ts'

const paid = {platformOrderNo: 'PF-1', orderNo: 'D-1', playerRef: 'u7', status: 'completed', amount: '500.00'}

type Fields = Partial<Record<keyof typeof paid, string | undefined>>

function webhook(fields: Fields): Webhook {
  const body = parseJson(JSON.stringify({...paid, ...fields}))
  const read = readWebhook(body as Parameters<typeof readWebhook>[0], sortedRules)
  if (!read) throw new Error('a body names its order')
  return read
}

test.each<[what: string, earlier: Fields, later: Fields, isAnswered: boolean]>([
  ['the same once more', {}, {}, true],
  ['the same of another order', {}, {platformOrderNo: 'PF-2'}, false],
  ['an open order that was completed', {status: 'processing'}, {}, false],
  ['a completed order that failed', {}, {status: 'failed'}, true],
  ['a completed order that failed, now with its number', {orderNo: undefined}, {status: 'failed'}, true],
  ['the same, now with its number', {orderNo: undefined}, {}, false],
  ['another amount, now with its number', {orderNo: undefined}, {amount: '600.00'}, true],
  ['an amount where there was none', {amount: undefined}, {}, false],
  ['another amount', {}, {amount: '600.00'}, true],
  ['one amount, written otherwise', {}, {amount: '500'}, true],
  ['another player', {}, {playerRef: 'u8'}, true],
])('after an acknowledged one, %s', (_, earlier, later, isAnswered) => {
  expect(answersFor(webhook(earlier), webhook(later), defaultDialect.status)).toBe(isAnswered)
})
