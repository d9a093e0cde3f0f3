import {readdirSync, readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'

import {type EventWords, Failure, readEvent, sign, verify} from '../src/index.ts'

const secret = 'sandbox-secret-not-for-live-use'
const fields = {orderNo: 'D-1', amount: '500.00', isTest: true, note: null, count: 3}
const body = JSON.stringify({...fields, signature: sign(fields, secret)})

test('what sign makes, verify accepts, and gives back the text of each signed field', () => {
  const texts = {orderNo: 'D-1', amount: '500.00', isTest: 'true', count: '3'}
  const expected = {isValid: true, fields: texts, undocumented: ['note', 'count']}
  expect(verify(body, secret)).toEqual(expected)
  expect(verify(Buffer.from(body), secret)).toEqual(expected)
  const {signature, ...unsigned} = JSON.parse(body) as Record<string, string>
  expect(verify(JSON.stringify(unsigned), secret, {signature: signature ?? ''})).toEqual(expected)
})

test.each([
  ['malformed', '{"a":1'],
  ['malformed', '[]'],
  ['malformed', '{"a":{"b":1}}'],
  ['malformed', '{"a":1,"a":2}'],
  ['unsigned', '{"a":1}'],
  ['unsigned', '{"a":1,"signature":1}'],
  ['mismatch', '{"a":1,"signature":""}'],
  ['mismatch', body.replace('500.00', '900.00')],
  [
    'mismatch',
    body.replace(/"signature":"(.*?)"/, (text) => text.toUpperCase().replace('SIGNATURE', 'signature')),
  ],
])('%s: %s', (reason, text) => {
  expect(verify(text, secret)).toEqual({isValid: false, reason})
})

test('a value that reads as further fields is refused unless it is allowed (P22)', () => {
  const forged = {playerRef: 'u7&status=completed'}
  const text = JSON.stringify({...forged, signature: sign(forged, secret)})
  expect(verify(text, secret)).toEqual({isValid: false, reason: 'ambiguous'})
  expect(verify(text, secret, {allowAmbiguous: true})).toEqual({
    isValid: true,
    fields: forged,
    undocumented: [],
  })
})

test('a signature over one value, split into two fields, shows by a name the document does not have (P22)', () => {
  const signature = sign({playerRef: 'victim&r=1', status: 'completed'}, secret)
  const split = {playerRef: 'victim', r: '1', status: 'completed', signature}
  expect(verify(JSON.stringify(split), secret)).toMatchObject({isValid: true, undocumented: ['r']})
})

test('a blank secret and a number without a certain text are refused', () => {
  for (const blank of ['', ' ', '\n', '\u200b\u2060\ufeff\u00ad', '\u3164']) {
    expect(() => sign({a: '1'}, blank)).toThrow(Failure)
    expect(() => verify(body, blank)).toThrow(Failure)
  }
  for (const amount of [0.1, Number.NaN, 2 ** 60]) expect(() => sign({amount}, secret)).toThrow(/not known/)
})

test('the library and the signing core do no input or output: only hashing is imported from Node', () => {
  const root = new URL('../src/', import.meta.url)
  const files = readdirSync(new URL('core/signing', root), {recursive: true, encoding: 'utf8'})
  const sources = [
    'index.ts',
    ...files.filter((path) => path.endsWith('.ts')).map((path) => `core/signing/${path}`),
  ]
  expect(sources.length).toBeGreaterThan(20)
  for (const path of sources) {
    const text = readFileSync(new URL(path, root), 'utf8')
    const imported = [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name)
    expect([path, imported.filter((name) => name !== 'node:crypto')]).toEqual([path, []])
    expect(text).not.toMatch(/Date\.now|process\.|new Date\(\)|Math\.random|performance/)
  }
})

describe('what a webhook says', () => {
  const deposit = {
    event: 'order.completed',
    orderNo: 'D-1',
    platformOrderNo: 'PF-1',
    status: 'completed',
    amount: '500.00',
    playerRef: 'u7',
  }
  const {playerRef: _, ...payout} = {...deposit, orderNo: 'P-1'}
  const {amount: __, ...unpaid} = {...deposit, event: 'order.failed', status: 'failed'}
  const {amount: ___, ...unnamed} = payout

  const table: [what: string, fields: Record<string, string>, type: string, words?: EventWords][] = [
    ['a paid deposit', deposit, 'deposit.completed'],
    ['a deposit that failed has no amount', unpaid, 'deposit.failed'],
    ['a payout has no player', payout, 'payout.completed'],
    ['a payout without an amount', unnamed, 'payout.completed'],
    ['a payout that failed', {...payout, event: 'order.failed', status: 'failed'}, 'payout.failed'],
    ['a payout by its documented number', {...unnamed, orderNo: '', outOrderNo: 'P-1'}, 'payout.completed'],
    ['both a player and a payout’s number', {...deposit, outOrderNo: 'P-1'}, 'payout.unknown'],
    ['an empty player', {...deposit, playerRef: ''}, 'payout.completed'],
    ['no name of the event', {...deposit, event: ''}, 'deposit.completed'],
    ['no status', {...deposit, status: ''}, 'deposit.completed'],
    ['neither', {...deposit, status: '', event: ''}, 'deposit.unknown'],
    ['a word that is not known', {...deposit, status: 'PAID'}, 'deposit.unknown'],
    ['another case', {...deposit, status: 'Completed'}, 'deposit.unknown'],
    ['still open', {...deposit, status: 'processing'}, 'deposit.unknown'],
    ['an event that is not known', {...deposit, event: 'order.refunded'}, 'deposit.unknown'],
    ['name and status contradict each other', {...deposit, event: 'order.failed'}, 'deposit.unknown'],
    ['completed without an amount', {...deposit, amount: ''}, 'deposit.unknown'],
    ['completed with nothing', {...deposit, amount: '0.00'}, 'deposit.unknown'],
    ['completed with less than nothing', {...deposit, amount: '-5.00'}, 'deposit.unknown'],
    ['no order', {...deposit, orderNo: '', platformOrderNo: ''}, 'deposit.unknown'],
    ['a payout’s word that is not known', {...payout, status: 'SUCCESS'}, 'payout.unknown'],
    ['words of the service’s own', {...deposit, status: 'PAID'}, 'deposit.completed', {completed: ['PAID']}],
    ['its word for failed', {...payout, event: '', status: 'NO'}, 'payout.failed', {failed: ['NO']}],
  ]

  test.each(table)('%s', (_what, fields, type, words) => {
    expect(readEvent(fields, words).type).toBe(type)
  })

  test('the amount has two decimals, and the order is known without its platform’s number', () => {
    expect(readEvent({...deposit, amount: '500'})).toMatchObject({amount: '500.00', order: 'PF-1'})
    expect(readEvent({...deposit, platformOrderNo: ''})).toMatchObject({order: 'orderNo=D-1'})
  })

  test('a payout cannot be credited: it has no player in its type', () => {
    const event = readEvent(payout)
    // @ts-expect-error Only a deposit has one.
    expect(event.playerRef).toBeUndefined()
    // @ts-expect-error An amount is a completed event's alone.
    if (event.type !== 'payout.completed' && event.type !== 'deposit.completed') event.amount
  })
})
