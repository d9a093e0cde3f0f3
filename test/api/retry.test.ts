import {expect, test} from 'vitest'

import {backoffMs, RetryBudget, readRetryAfterMs} from '../../src/api/retry.ts'
import {Failure} from '../../src/core/failure.ts'
import {
  type Answering,
  clientAt,
  deliveryId,
  deposit,
  failureFrom,
  good,
  json,
  payout,
  profileAt,
  serve,
  stillTime,
  text,
} from './fixture.ts'

/** Answers the n-th request with the n-th answer, and the last one ever after. */
function inTurn(...answers: Answering[]): Answering {
  return (response, seen, nth) =>
    (answers[Math.min(nth, answers.length) - 1] as Answering)(response, seen, nth)
}

const reset: Answering = (response) => response.destroy()
const okDeposit = json(good.depositCreate)

test('a create is sent again with the very same bytes, and its success counts', async () => {
  const {origin, seen} = await serve(inTurn(reset, text('', 503), okDeposit))

  const created = await clientAt(origin).createDeposit(deposit)

  expect(created.payUrl).toBe('https://pay.example/p/1')
  expect(seen).toHaveLength(3)
  expect(new Set(seen.map(({body}) => body)).size).toBe(1)
})

test.each([
  ['refused with 400', json({code: 'BAD'}, 400), 'BAD'],
  ['refused with 401', json({}, 401), undefined],
  ['throttled', text('', 429), undefined],
  ['redirected', text('', 302, {location: '/x'}), undefined],
])('a payout in doubt and then %s is still in doubt', async (_, later, serviceCode) => {
  const {origin} = await serve(inTurn(reset, later))

  const failure = await failureFrom(clientAt(origin).createPayout(payout))

  expect(failure.code).toBe('outcome_unknown')
  expect(failure.message).toContain('a later try')
  expect(failure.hint).toContain('hisab payout query P-1')
  expect(failure.serviceCode).toBe(serviceCode)
})

const noBalance = {error: 'INSUFFICIENT_BALANCE'}
const unknown = 'outcome_unknown'

/** A no to a payout is believed where it proves that nothing was done (A5b, P6): else it is in doubt. */
test.each<[what: string, status: number, body: unknown, code: string]>([
  ['no balance, in a 200', 200, noBalance, 'service_refused'],
  ['no balance, in a 202: something was taken', 202, noBalance, unknown],
  ['no balance, in a 400', 400, noBalance, 'service_refused'],
  ['no balance, in a 409', 409, noBalance, 'service_refused'],
  ['no balance, in a 500', 500, noBalance, unknown],
  ['no balance, in a 503', 503, noBalance, unknown],
  ['no balance, as text', 400, 'INSUFFICIENT_BALANCE', unknown],
  ['no balance, in a message', 200, {code: 9, message: 'INSUFFICIENT_BALANCE: top up'}, 'service_refused'],
  [
    'no balance, at the beginning of a sentence',
    200,
    {code: 9, message: 'INSUFFICIENT_BALANCE after this payout'},
    unknown,
  ],
  ['no balance, and an order', 400, {...noBalance, data: {platformOrderNo: 'PL'}}, unknown],
  ['no balance, and success', 400, {code: 0, ...noBalance}, unknown],
  ['no balance, of this order', 400, {...noBalance, data: {outOrderNo: 'P-1'}}, 'service_refused'],
  ['no balance, of another order', 400, {...noBalance, orderNo: 'X-77'}, unknown],
  ['no balance, of another order, deep inside', 200, {...noBalance, a: {order: {outOrderNo: 77}}}, unknown],
  [
    'no balance, of another order, by another name',
    200,
    {...noBalance, a: {merchant_order_id: 'X'}},
    unknown,
  ],
  ['no balance, of another merchant', 422, {...noBalance, data: {merchantId: 'another'}}, unknown],
  ['no balance, and success: true', 400, {code: 'INSUFFICIENT_BALANCE', success: true}, unknown],
  ['no balance, and an order deep inside', 400, {...noBalance, order: {platformOrderNo: 7}}, unknown],
  ['no balance, and an order in a list', 400, {...noBalance, data: [{platformOrderNo: 'PL'}]}, unknown],
  [
    'no balance, and an order among others in a list',
    400,
    {...noBalance, data: [{note: 'none'}, {platformOrderNo: 'PL'}]},
    unknown,
  ],
  ['no balance, of an order that is done', 400, {...noBalance, data: {status: 'completed'}}, unknown],
  ['no balance, of an order that is open', 422, {...noBalance, order: {status: 'processing'}}, unknown],
  ['no balance, of an order that failed', 400, {...noBalance, status: 'failed'}, 'service_refused'],
  ['no balance, of another amount', 400, {...noBalance, data: {amount: '99.00'}}, unknown],
  ['no balance, of this amount', 400, {...noBalance, data: {amount: 500}}, 'service_refused'],
  ['no balance, of another account', 400, {...noBalance, data: {account: '01799999999'}}, unknown],
  ['no balance, of this account', 400, {...noBalance, account: '8801812345678'}, 'service_refused'],
  ['no balance, of this account, masked', 400, {...noBalance, account: '018****5678'}, 'service_refused'],
  ['no balance in words, and another code', 400, {...noBalance, code: 'TIMEOUT'}, unknown],
  ['no balance in words, and two symbols', 400, {...noBalance, code: 'SYSTEM_BUSY'}, unknown],
  ['no balance in words, and a number', 400, {...noBalance, code: 1003}, 'service_refused'],
  ['no balance in words, and a general code', 400, {...noBalance, code: 'ERROR'}, 'service_refused'],
  ['this number in the message alone', 400, {code: 'DUPLICATE', message: 'P-1 exists'}, unknown],
  ['no balance, of another number in the message', 400, {...noBalance, message: 'for P-77'}, unknown],
  [
    'no balance, of this number in the message',
    400,
    {...noBalance, message: 'P-1 for P-77'},
    'service_refused',
  ],
  [
    'no balance, and figures',
    400,
    {...noBalance, message: 'BDT 450.00 (E-7), 2026-11-23'},
    'service_refused',
  ],
  ['HTTP 401 with an order', 401, {data: {platformOrderNo: 'PL'}}, unknown],
  ['HTTP 403 with success', 403, {code: 0, data: {}}, unknown],
  ['HTTP 413 with an open order', 413, {code: 'TOO_LARGE', data: {status: 'processing'}}, unknown],
  ...([409, 423, 425, 499] as const).flatMap((status): [string, number, unknown, string][] => [
    [`HTTP ${status} and a code of the profile`, status, {code: 'CLOSED'}, unknown],
    [`HTTP ${status}`, status, {code: 'LOCKED'}, unknown],
  ]),
  ['a code of the profile, in a 400', 400, {code: 'CLOSED'}, 'service_refused'],
  ['a code of the profile, in a 422', 422, {code: 'CLOSED'}, 'service_refused'],
  ['a code of the profile, in a 409', 409, {code: 'CLOSED'}, unknown],
  ['a code of the profile, in a 200', 200, {code: 'CLOSED'}, unknown],
  ['another code', 400, {code: 'OTHER'}, unknown],
  ['HTTP 401', 401, '', 'credentials_rejected'],
  ['HTTP 403', 403, '', 'credentials_rejected'],
  ['HTTP 404', 404, '', unknown],
  ['HTTP 413', 413, '', 'service_refused'],
  ['HTTP 414', 414, '', 'service_refused'],
  ['HTTP 415', 415, '', unknown],
])('a payout is answered %s', async (_, status, body, code) => {
  const {origin} = await serve(typeof body === 'string' ? text(body, status) : json(body, status))
  const profile = profileAt(origin)
  const dialect = {...profile.dialect, refusalCodes: ['CLOSED']}
  const client = clientAt(origin, {profile: {...profile, dialect}})
  expect((await failureFrom(client.createPayout(payout))).code).toBe(code)
})

test('a deposit has no amount that a refusal could contradict', async () => {
  const {origin} = await serve(json({...noBalance, data: {amount: '99.00'}}, 400))
  expect((await failureFrom(clientAt(origin).createDeposit(deposit))).code).toBe('service_refused')
})

test.each<[outOrderNo: string, message: string, isAbout: boolean]>([
  ['P-1', 'P-1 has no balance', true],
  ['P-1', 'P-2 has no balance', false],
  ['P-1', 'Q-2 has no balance', true],
  ['77', 'no balance, only 45 left', true],
  ['12345', '54321 has no balance', true],
  ['123456', '654321 has no balance', false],
  ['123456', '65432 has no balance', true],
  ['123456', '654321 after 123456 has no balance', true],
  ['01712345678', '01899999999 has no balance', false],
  ['01712345678', `${payout.account} has no balance`, true],
])('a refusal of the payout %s that says "%s" is about it: %s', async (outOrderNo, message, isAbout) => {
  const {origin} = await serve(json({...noBalance, message}, 400))
  const {code} = await failureFrom(clientAt(origin).createPayout({...payout, outOrderNo}))
  expect(code).toBe(isAbout ? 'service_refused' : unknown)
})

/** What a call costs the service: how often it is asked, and whether that is said. */
test.each<[status: number, requests: number]>([
  [408, 3],
  [500, 3],
  [501, 1],
  [502, 3],
  [503, 3],
  [504, 3],
  [505, 1],
  [507, 1],
])('HTTP %i is asked for %i times', async (status, requests) => {
  const {origin, seen} = await serve(text('', status))
  const {code, message} = await failureFrom(clientAt(origin).queryOrder('deposit', 'D-1'))
  expect([code, seen.length]).toEqual(['service_busy', requests])
  expect(message.includes('(3 tries)')).toBe(requests === 3)
})

test('a payout throttled and then refused is in doubt: that 429 was given unread is no proof (P6)', async () => {
  const {origin} = await serve(inTurn(text('', 429), json({error: 'INSUFFICIENT_BALANCE'}, 422)))

  const failure = await failureFrom(clientAt(origin).createPayout(payout))

  expect([failure.code, failure.serviceCode]).toEqual(['outcome_unknown', 'INSUFFICIENT_BALANCE'])
})

test('a resend that was answered is not sent again from here, not even after a 429: it may have been delivered first', async () => {
  const {origin, seen} = await serve(inTurn(text('', 429), json({success: true})))
  const client = clientAt(origin)

  expect(await client.resendDelivery(deliveryId)).toMatchObject({is: 'refused'})

  expect([seen.length, client.calls.resend]).toEqual([1, 1])
})

test('Retry-After is waited for in full by the call that got it', async () => {
  const {origin, seen} = await serve(inTurn(text('', 429, {'retry-after': '7'}), json(good.query)))
  const time = stillTime()
  const startMs = time.now()

  await clientAt(origin, {...time, random: () => 0}).queryOrder('deposit', 'D-1')

  expect(time.now() - startMs).toBe(7_000)
  expect(seen).toHaveLength(2)
})

test('a Retry-After beyond a minute ends the call, and the service is left alone until then', async () => {
  const {origin, seen} = await serve(inTurn(text('', 503, {'retry-after': '3600'}), json(good.query)))
  const time = stillTime()
  const client = clientAt(origin, time)

  const first = await failureFrom(client.queryOrder('deposit', 'D-1'))
  const second = await failureFrom(client.queryOrder('deposit', 'D-1'))

  expect([first.code, second.code, seen.length]).toEqual(['service_busy', 'service_busy', 1])
  expect(first.message).toContain('3600 s (Retry-After)')
  await time.sleep(3_600_000)
  expect(await client.queryOrder('deposit', 'D-1')).toMatchObject({found: true})
})

test.each([
  [429, false],
  [408, false],
  [503, false],
  [400, true],
  [401, true],
  [302, true],
])('a Retry-After beside %i, the next call is sent: %s', async (status, isSent) => {
  const {origin, seen} = await serve(inTurn(text('', status, {'retry-after': '3600'}), json(good.query)))
  const client = clientAt(origin, stillTime())

  await failureFrom(client.queryOrder('deposit', 'D-1'))
  await client.queryOrder('deposit', 'D-2').catch(() => undefined)

  expect(seen).toHaveLength(isSent ? 2 : 1)
})

test.each([
  ['seconds', '12', '', 12_000],
  [
    'a date, by the service’s own clock',
    'Sat, 21 Nov 2026 00:00:30 GMT',
    'Sat, 21 Nov 2026 00:00:10 GMT',
    20_000,
  ],
  ['a date, by ours where it shows none', 'Sat, 21 Nov 2026 00:00:30 GMT', '', 30_000],
  ['a date that is past', 'Fri, 20 Nov 2026 00:00:00 GMT', '', 0],
  ['junk', 'soon', '', null],
  ['seconds of nine digits', '999999999', '', 999_999_999_000],
  ['of ten', '1000000000', '', null],
  ['seconds and more', '12 s', '', null],
  ['seconds behind a sign', '+12', '', null],
  ['a date of no zone', 'Sat, 21 Nov 2026 00:00:30', '', null],
  ['a date that is none', 'soon GMT', '', null],
  ['a negative number', '-5', '', null],
])('Retry-After: %s', (_, header, date, expected) => {
  expect(readRetryAfterMs(header, date, Date.UTC(2026, 10, 21))).toBe(expected)
})

test('a service that answers nothing but 503 gets 35 extra requests in all, not two for each call', async () => {
  const {origin, seen} = await serve(text('', 503))
  const client = clientAt(origin)

  const failures = await Promise.all(
    Array.from({length: 400}, (_, n) => failureFrom(client.queryOrder('deposit', `D-${n}`))),
  )

  expect(new Set(failures.map(({code}) => code))).toEqual(new Set(['service_busy']))
  expect(seen.length).toBe(435)
})

test('good answers earn retries back, never beyond the start', () => {
  const budget = new RetryBudget()
  const spendAll = () => {
    let spent = 0
    while (budget.spend('transient')) spent += 1
    return spent
  }
  for (let n = 0; n < 28; n += 1) budget.earn()
  expect(spendAll()).toBe(35)
  for (let n = 0; n < 28; n += 1) budget.earn()
  expect(spendAll()).toBe(2)
})

test('of the budget a try after a 429 costs less, and what is left over is spent by neither', () => {
  const budget = new RetryBudget()
  for (let n = 0; n < 100; n += 1) expect(budget.spend('throttled')).toBe(true)
  expect(budget.spend('throttled')).toBe(false)
  for (let n = 1; n <= 13; n += 1) budget.earn()
  expect(budget.spend('transient')).toBe(false)
  budget.earn()
  expect([budget.spend('transient'), budget.spend('throttled')]).toEqual([true, false])
})

test.each([
  ['transient', 0, 50],
  ['transient', 8, 12_800],
  ['transient', 9, 20_000],
  ['throttled', 4, 16_000],
  ['throttled', 5, 20_000],
] as const)('the wait after a %s fault and %i more is at most %i ms', (cost, retry, most) => {
  expect(backoffMs(cost, retry, () => 1)).toBe(most)
})

test('waits grow from a full-jitter base, longer when throttled', async () => {
  const {origin} = await serve(text('', 429))
  const time = stillTime()
  await failureFrom(clientAt(origin, time).queryOrder('deposit', 'D-1'))
  expect(time.slept).toEqual([1_000, 2_000])

  const broken = await serve(text('', 500))
  const other = stillTime()
  await failureFrom(clientAt(broken.origin, {...other, random: () => 0.5}).queryOrder('deposit', 'D-1'))
  expect(other.slept).toEqual([25, 50])
})

test('a try goes out only once the wait before it has ended', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const {origin, seen} = await serve((...call) =>
    (seen.length === 1 ? text('', 500) : json(good.query))(...call),
  )
  const sleep = async () => {
    begun.resolve()
    await ended.promise
  }
  const answer = clientAt(origin, {sleep}).queryOrder('deposit', 'D-1')
  await begun.promise
  // A try that did not wait would have come before this one is answered.
  await clientAt(origin).queryOrder('deposit', 'D-1')
  expect(seen).toHaveLength(2)
  ended.resolve()
  await answer
  expect(seen).toHaveLength(3)
})

test('of many calls four go out at first, whatever the ceiling; the others wait until one has ended', async () => {
  const [full, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const {origin, seen} = await serve(async (response, request, nth) => {
    if (nth === 4) full.resolve()
    if (nth <= 4) await ended.promise
    json(good.query)(response, request, nth)
  })
  const client = clientAt(origin, {concurrencyMax: 16})
  const answers = Array.from({length: 9}, () => client.queryOrder('deposit', 'D-1'))
  await full.promise
  // A call that did not wait would have come before this one is answered.
  await clientAt(origin).queryOrder('deposit', 'D-1')
  expect(seen).toHaveLength(5)
  ended.resolve()
  await Promise.all(answers)
  expect(seen).toHaveLength(10)
})

test('an interrupt lets what is on its way finish and refuses what waits', async () => {
  const interrupt = new AbortController()
  const {origin, seen} = await serve((response, request, nth) => {
    interrupt.abort()
    json(good.query)(response, request, nth)
  })
  const client = clientAt(origin, {signal: interrupt.signal, concurrencyMax: 1})

  const [first, second] = await Promise.allSettled([
    client.queryOrder('deposit', 'D-1'),
    client.queryOrder('deposit', 'D-1'),
  ])

  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({reason: {code: 'interrupted'}})
  expect(seen).toHaveLength(1)
})

test('an interrupt between two tries of a create leaves it in doubt, and sends nothing more', async () => {
  const interrupt = new AbortController()
  const {origin, seen} = await serve((response) => {
    interrupt.abort(new Failure('terminated', 'Terminated.', 'Run it again.'))
    response.destroy()
  })
  const client = clientAt(origin, {signal: interrupt.signal})

  expect(await failureFrom(client.createPayout(payout))).toMatchObject({code: 'outcome_unknown'})
  expect(await failureFrom(client.createPayout(payout))).toMatchObject({code: 'terminated'})
  expect(seen).toHaveLength(1)
})
