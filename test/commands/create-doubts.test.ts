import {describe, expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import {type Answering, json, merchantId, text} from '../api/fixture.ts'
import {bookkeeper, deposit, payout, stateOf} from './bookkeeper.ts'

/** A 404 of an address that never knew an order: no answer, and it may be sent (A5). */
const noRoute = json({message: 'no Route matched'}, 404)

/** Answers that say no, or nothing, and prove nothing (A5b). */
const doubtful: Record<string, Answering> = {
  '200 with a code nobody knows': json({code: 500, message: 'system busy, please query'}),
  '200 with the code TIMEOUT': json({code: 'TIMEOUT'}),
  '400 with a code nobody knows': json({code: 'BAD_FIELD'}, 400),
  '422 with a code nobody knows': json({code: 'BAD_FIELD'}, 422),
  'HTML 400': text('<p>no', 400, {'content-type': 'text/html'}),
  'a redirect': text('', 303, {location: 'https://elsewhere.example/'}),
  'a redirect that says INSUFFICIENT_BALANCE': json({code: 'INSUFFICIENT_BALANCE'}, 303),
  'JSON 404': json({message: 'no Route matched'}, 404),
  'HTML 404': text('<p>no', 404, {'content-type': 'text/html'}),
  '405': json({message: 'no'}, 405),
  '409': json({code: 'DUPLICATE'}, 409),
  '415': text('', 415),
  '431': text('', 431),
  '429 on every try': text('', 429),
  '500 that says INSUFFICIENT_BALANCE': json({code: 'INSUFFICIENT_BALANCE'}, 500),
  '503': text('busy', 503),
}

describe.each(Object.entries(doubtful))('%s', (_name, answer) => {
  test('after the payout was made, hisab finds it, and the same again under another number is refused', async () => {
    const {service, shell, paid} = await bookkeeper()
    service.answer = answer
    const first = await shell.run(PayoutCreate, ...payout('P-1'))
    expect(first.json()).toMatchObject({platformOrderNo: 'PL-P-1', confirmed: true})
    expect(first.status).toBe(0)
    const second = await shell.run(PayoutCreate, ...payout('P-2'))
    expect(second.json()).toMatchObject({error: {code: 'payout_repeated', exitCode: 2}})
    expect(paid()).toBe(100_000n)
  })

  test('with no answer to the query either it is a doubt, which the guards count and a query ends', async () => {
    const {service, shell, paid, creates} = await bookkeeper('payouts = { daily_ceiling = "1500.00" }')
    service.answer = answer
    service.query = text('busy', 503)
    const first = await shell.run(PayoutCreate, ...payout('P-1'))
    expect(first.json()).toMatchObject({
      error: {
        ...{code: 'outcome_unknown', exitCode: 6},
        hint: expect.stringMatching(
          /^It may have been made\. .*hisab payout query P-1 .*hisab payout resolve P-1 /,
        ),
      },
    })
    expect(await stateOf(shell, 'P-1')).toBe('unknown')
    const sent = creates()
    const second = await shell.run(PayoutCreate, ...payout('P-2'), '--allow-repeat')
    expect(second.json()).toMatchObject({error: {code: 'payout_over_limit'}})
    expect(creates()).toBe(sent)
    expect(paid()).toBe(100_000n)
    service.query = null
    expect((await shell.run(PayoutQuery, 'P-1', '--json')).status).toBe(0)
    expect(await stateOf(shell, 'P-1')).toBe('accepted')
  })

  test('of a payout that was accepted before, it is no doubt, and unconfirmed', async () => {
    const {service, shell, paid} = await bookkeeper()
    service.query = text('busy', 503)
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(8)
    service.answer = answer
    const again = await shell.run(PayoutCreate, ...payout('P-1'))
    expect(again.json()).toMatchObject({platformOrderNo: 'PL-P-1', confirmed: false, existing: true})
    expect([again.status, await stateOf(shell, 'P-1')]).toEqual([8, 'accepted'])
    expect(paid()).toBe(100_000n)
  })

  test('where it was not made, it is a doubt all the same: not found proves nothing', async () => {
    const {service, shell, paid} = await bookkeeper()
    service.answer = answer
    service.carriesOut = false
    const first = await shell.run(PayoutCreate, ...payout('P-1'))
    expect(first.json()).toMatchObject({error: {code: 'outcome_unknown'}})
    expect(await stateOf(shell, 'P-1')).toBe('unknown')
    service.answer = null
    service.carriesOut = true
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
    expect(paid()).toBe(100_000n)
  })
})

test('a payout that a person said was paid stays paid, whatever the same again is answered', async () => {
  const {service, shell} = await bookkeeper()
  service.answer = text('busy', 503)
  service.query = text('busy', 503)
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
  const word = ['--paid', '--reason', 'the desk says so', '--json']
  expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
  const again = await shell.run(PayoutCreate, ...payout('P-1'))
  expect(again.json()).toMatchObject({error: {code: 'incomplete', exitCode: 8}})
  expect(await stateOf(shell, 'P-1')).toBe('accepted')
})

test.each<[name: string, answer: Answering, status: number, more: string]>([
  ['INSUFFICIENT_BALANCE, HTTP 200', json({code: 'INSUFFICIENT_BALANCE'}), 4, ''],
  ['INSUFFICIENT_BALANCE, HTTP 409', json({code: 'INSUFFICIENT_BALANCE'}, 409), 4, ''],
  [
    'a code of the profile’s list, HTTP 400',
    json({code: 'BAD_FIELD'}, 400),
    4,
    'refusal_codes = ["BAD_FIELD"]',
  ],
  ['the same, HTTP 422', json({error: {code: 'BAD_FIELD'}}, 422), 4, 'refusal_codes = ["BAD_FIELD"]'],
  ['413', text('<p>no', 413, {'content-type': 'text/html'}), 4, ''],
  ['414', text('', 414), 4, ''],
])('a refusal that proves that nothing was done frees the money: %s', async (_name, answer, status, more) => {
  const {service, shell, paid} = await bookkeeper(more)
  service.answer = answer
  service.carriesOut = false
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(status)
  expect(await stateOf(shell, 'P-1')).toBe('refused')
  service.answer = null
  service.carriesOut = true
  expect((await shell.run(PayoutCreate, ...payout('P-2'))).status).toBe(0)
  expect(paid()).toBe(100_000n)
})

describe.each([401, 403])('HTTP %i', (status) => {
  const rejected = json({code: 'SIGN'}, status)

  test.each<[queries: string, query: Answering | null, known: boolean]>([
    ['answered', null, true],
    ['busy', text('busy', 503), false],
  ])('after the payout was made, with queries %s, pays nobody twice', async (_queries, query, isKnown) => {
    const {service, shell, paid} = await bookkeeper()
    Object.assign(service, {answer: rejected, query})
    const first = await shell.run(PayoutCreate, ...payout('P-1'))
    expect([first.status, await stateOf(shell, 'P-1')]).toEqual(isKnown ? [0, 'accepted'] : [3, 'unknown'])
    const second = await shell.run(PayoutCreate, ...payout('P-2'))
    expect(second.json()).toMatchObject({error: {code: 'payout_repeated'}})
    expect(paid()).toBe(100_000n)
  })

  test('where nothing was made: a doubt while queries are let in, a refusal where they are not', async () => {
    const {service, shell, paid} = await bookkeeper()
    Object.assign(service, {answer: rejected, carriesOut: false})
    const first = await shell.run(PayoutCreate, ...payout('P-1'))
    expect(first.json()).toMatchObject({
      error: {code: 'credentials_rejected', hint: expect.stringContaining('It may have been made.')},
    })
    expect([first.status, await stateOf(shell, 'P-1')]).toEqual([3, 'unknown'])
    service.query = rejected
    const other = await shell.run(PayoutCreate, ...payout('P-2'), '--allow-repeat')
    expect([other.status, await stateOf(shell, 'P-2')]).toEqual([3, 'refused'])
    expect(paid()).toBe(0n)
  })
})

test('a refusal that an order contradicts was none', async () => {
  const {service, shell, paid} = await bookkeeper()
  service.answer = json({code: 'INSUFFICIENT_BALANCE'})
  const first = await shell.run(PayoutCreate, ...payout('P-1'))
  expect([first.status, await stateOf(shell, 'P-1')]).toEqual([0, 'accepted'])
  expect((await shell.run(PayoutCreate, ...payout('P-2'))).status).toBe(2)
  expect(paid()).toBe(100_000n)
})

test('a code of the list proves nothing outside HTTP 400 and 422', async () => {
  const {service, shell} = await bookkeeper('refusal_codes = ["BAD_FIELD"]')
  service.answer = json({code: 'BAD_FIELD'})
  service.query = text('busy', 503)
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
})

test('a deposit whose create was answered with an unknown code is found, and the same again has its page', async () => {
  const {service, shell} = await bookkeeper()
  service.answer = json({code: 500, message: 'system busy, please query'})
  const found = await shell.run(DepositCreate, ...deposit('D-1'))
  expect(found.json()).toMatchObject({platformOrderNo: 'PL-D-1', confirmed: true})
  expect(found.stderr).toContain('the service did not accept it')
  service.answer = null
  const again = await shell.run(DepositCreate, ...deposit('D-1'))
  expect(again.json()).toMatchObject({payUrl: 'https://pay.example/D-1', confirmed: true, existing: true})
})

test('a deposit number of another player’s open order is not answered with that player’s page', async () => {
  const {service, shell, books} = await bookkeeper()
  books.set('D-1', {status: 'pending', orderNo: 'D-1', platformOrderNo: 'PL-D-1', playerRef: 'player-1'})
  const refused = await shell.run(DepositCreate, ...deposit('D-1'))
  expect(refused.json()).toMatchObject({error: {code: 'number_reused', exitCode: 2}})
  // Where the query before the send proved nothing, the one after it tells.
  service.before = noRoute
  const ran = await shell.run(DepositCreate, ...deposit('D-1'), '--qr')
  expect(ran.json()).toMatchObject({confirmed: false, why: expect.stringContaining('playerRef')})
  expect(ran.status).toBe(7)
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/pay\.example|█|▄|▀/)
})

test('--wait on an order that is not confirmed never says paid', async () => {
  const {service, shell, books} = await bookkeeper()
  books.set('D-1', {status: 'completed', amount: '900.00', orderNo: 'D-1', platformOrderNo: 'PL-D-1'})
  service.before = noRoute
  let asked = 0
  service.query = (...all) => {
    asked += 1
    const data = {merchantId, ...books.get('D-1')}
    ;(asked <= 3 ? text('busy', 503) : json({code: 0, data}))(...all)
  }
  const ran = await shell.run(DepositCreate, ...deposit('D-1'), '--wait-for', '5s')
  expect(ran.json()).toMatchObject({confirmed: false})
  expect(ran.stderr).not.toContain('is paid')
  expect(ran.status).not.toBe(0)
})
