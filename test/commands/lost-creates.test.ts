import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import DepositQuery from '../../src/commands/deposit/query.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import {json, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, deposit, payout, stateOf} from './bookkeeper.ts'

type Played = Awaited<ReturnType<typeof bookkeeper>>

const absent = json({code: 'ORDER_NOT_FOUND'})
const accepting = json({
  code: 0,
  data: {
    ...{merchantId: '11111111-2222-4333-8444-555555555555', orderNo: 'P-1'},
    ...{platformOrderNo: 'PL-P-1', status: 'processing'},
  },
})

const doubtsOf = async ({shell}: Played) =>
  (
    (await shell.run(PayoutList, '--in-doubt', '--json')).json() as {
      orders: {orderNo: string; next: string}[]
    }
  ).orders.map(({orderNo, next}) => `${orderNo}: ${next}`)

const inSight = ['P-1: hisab payout query P-1 --profile environment']

/** How the books come to have no P-1 that the journal has as accepted, and what the create of then ended with. */
const losses: Record<string, (played: Played) => Promise<number>> = {
  'the service said yes and made nothing': async ({service, shell}) => {
    Object.assign(service, {carriesOut: false, answer: accepting, query: absent})
    const {status} = await shell.run(PayoutCreate, ...payout('P-1'))
    Object.assign(service, {carriesOut: true, answer: null, query: null})
    return status
  },
  'the service lost it after it was confirmed': async ({books, shell}) => {
    const {status} = await shell.run(PayoutCreate, ...payout('P-1'))
    books.delete('P-1')
    expect((await shell.run(PayoutQuery, 'P-1')).status).toBe(7)
    return status
  },
}

describe.each(Object.entries(losses))('a payout was accepted, and %s', (name, lose) => {
  const played = async () => {
    const one = await bookkeeper('payouts = { daily_ceiling = "1500.00" }')
    return {...one, status: await lose(one)}
  }

  test('it is in sight everywhere, and counted, until it is made once more; where it was shown before, by resolve alone', async () => {
    const one = await played()
    const {shell, paid, creates, books} = one
    expect(await doubtsOf(one)).toEqual(inSight)
    const ledger = join(tempDir(), 'ledger.csv')
    writeFileSync(ledger, 'order_no,status,amount,created_at\nP-1,open,1000.00,2026-11-20\n')
    const ran = await shell.run(Reconcile, ledger, '--kind', 'payout', '--no-deliveries', '--json')
    expect(ran.json()).toMatchObject({
      counts: {missing_at_provider: 1},
      inDoubt: [{orderNo: 'P-1', next: expect.stringContaining('payout query P-1')}],
    })
    expect((await shell.run(PayoutCreate, ...payout('P-2'))).status).toBe(2)
    const over = await shell.run(PayoutCreate, ...payout('P-3', '600'))
    expect(over.json()).toMatchObject({error: {code: 'payout_over_limit'}})
    const sent = creates()
    const again = await shell.run(PayoutCreate, ...payout('P-1'))
    if (name.includes('confirmed')) {
      // It was made: the books lost it, and the money may be with the player.
      expect([again.status, creates() - sent, paid(), await doubtsOf(one)]).toEqual([8, 0, 0n, inSight])
      expect(again.stdout + again.stderr).toContain('could pay it twice')
      expect(
        (await shell.run(PayoutResolve, 'P-1', '--not-paid', '--reason', 'the service says so')).status,
      ).toBe(0)
      expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
    } else expect(again.status).toBe(0)
    expect([creates() - sent, paid()]).toEqual([1, 100_000n])
    expect([await doubtsOf(one), [...books.keys()]]).toEqual([[], ['P-1']])
  })

  test('a query that finds it later ends the doubt, and so does the same command, with nothing sent', async () => {
    for (const command of [PayoutQuery, PayoutCreate]) {
      const one = await played()
      const {shell, books, creates} = one
      books.set('P-1', {status: 'processing', amount: '1000.00', orderNo: 'P-1', platformOrderNo: 'PL-P-1'})
      const sent = creates()
      const argv = command === PayoutCreate ? payout('P-1') : ['P-1']
      expect((await shell.run(command, ...argv)).status).toBe(0)
      expect([creates() - sent, await doubtsOf(one), await stateOf(shell, 'P-1')]).toEqual([
        0,
        [],
        'accepted',
      ])
    }
  })

  test('nothing is sent while the service does not answer; a person ends it', async () => {
    const one = await played()
    const {service, shell, creates} = one
    service.query = text('busy', 503)
    const sent = creates()
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
    expect([creates() - sent, await doubtsOf(one)]).toEqual([0, inSight])
    service.query = null
    const word = ['--not-paid', '--reason', 'the service has no such payout', '--json']
    expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
    expect([await doubtsOf(one), await stateOf(shell, 'P-1')]).toEqual([[], 'refused'])
  })

  test('in a file, it is made once by the same command, but not where it was shown before', async () => {
    const one = await played()
    const {shell, paid} = one
    const file = join(tempDir(), 'payouts.csv')
    writeFileSync(
      file,
      'out_order_no,amount,bank_type,user_name,account\nP-1,1000.00,BKASH,Rahim Uddin,01812345678\n',
    )
    const runs = [0, 1].map(() => () => shell.run(PayoutCreate, '--from', file, '--yes', '--json'))
    const isShown = name.includes('confirmed')
    for (const run of runs) expect([(await run()).status, paid()]).toEqual(isShown ? [8, 0n] : [0, 100_000n])
    expect(await doubtsOf(one)).toEqual(isShown ? inSight : [])
  })
})

test('a service that only lags: unconfirmed and in sight, then confirmed, made once', async () => {
  const played = await bookkeeper()
  const {service, shell, creates, paid} = played
  service.query = absent
  const first = await shell.run(PayoutCreate, ...payout('P-1'))
  expect([first.status, await doubtsOf(played)]).toEqual([8, inSight])
  expect(first.stderr).toContain('accepted, unconfirmed: a query does not find the payout yet')
  service.query = null
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
  expect([creates(), paid(), await doubtsOf(played)]).toEqual([1, 100_000n, []])
})

test('a file that finds an accepted payout gone does not send it, not in the next run either', async () => {
  const played = await bookkeeper()
  const {shell, books, creates} = played
  const file = join(tempDir(), 'payouts.csv')
  writeFileSync(
    file,
    'out_order_no,amount,bank_type,user_name,account\nP-1,1000.00,BKASH,Rahim Uddin,01812345678\n',
  )
  const pay = async () => (await shell.run(PayoutCreate, '--from', file, '--yes', '--json')).status
  expect(await pay()).toBe(0)
  books.clear()
  expect([await pay(), creates(), await doubtsOf(played)]).toEqual([8, 1, inSight])
  expect([await pay(), creates(), await doubtsOf(played)]).toEqual([8, 1, inSight])
})

test('a run that does not find an accepted payout puts it in doubt', async () => {
  const played = await bookkeeper()
  const {shell, books} = played
  await shell.run(PayoutCreate, ...payout('P-1'))
  books.clear()
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, 'order_no,status,amount,created_at\nP-1,open,1000.00,2026-11-20\n')
  const ran = await shell.run(Reconcile, ledger, '--kind', 'payout', '--no-deliveries', '--json')
  expect([ran.status, ran.json().inDoubt]).toMatchObject([7, [{orderNo: 'P-1'}]])
})

test('what a person recorded as paid is no doubt again', async () => {
  const played = await bookkeeper()
  const {service, shell, creates} = played
  service.query = absent
  await shell.run(PayoutCreate, ...payout('P-1'))
  await shell.run(PayoutResolve, 'P-1', '--paid', '--reason', 'the desk shows it', '--json')
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(8)
  expect([creates(), await doubtsOf(played)]).toEqual([1, []])
})

test('a deposit that is not found any more is in doubt', async () => {
  const played = await bookkeeper()
  const {shell, books} = played
  expect((await shell.run(DepositCreate, ...deposit('D-1'))).status).toBe(0)
  books.clear()
  expect((await shell.run(DepositQuery, 'D-1')).status).toBe(7)
  expect(await doubtsOf(played)).toEqual(['D-1: hisab deposit query D-1 --profile environment'])
  expect((await shell.run(DepositCreate, ...deposit('D-1'))).status).toBe(0)
  expect([await doubtsOf(played), books.size]).toEqual([[], 1])
})
