import {rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import {json, merchantId} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, deposit, payout} from './bookkeeper.ts'

type Played = Awaited<ReturnType<typeof bookkeeper>>

const doubtsOf = async ({shell}: Played) => {
  const {orders} = (await shell.run(PayoutList, '--in-doubt', '--json')).json() as {
    orders: {orderNo: string}[]
  }
  return orders.map(({orderNo}) => orderNo)
}

/** All that this machine remembers is lost, as by another disk. */
const loseMemory = ({shell}: Played) => rmSync(shell.dataDir, {recursive: true, force: true})

describe('a payout that this machine forgot, and the service has', () => {
  const limits = 'payouts = { daily_ceiling = "2500.00" }'

  test('is counted by the guard and the ceiling, and no new number is advised', async () => {
    const played = await bookkeeper(limits)
    const {shell, paid} = played
    await shell.run(PayoutCreate, ...payout('P-1'))
    loseMemory(played)
    const again = await shell.run(PayoutCreate, ...payout('P-1'))
    expect([again.status, again.json()]).toMatchObject([
      2,
      {
        error: {
          message: expect.stringContaining('It may be this payout'),
          hint: expect.stringMatching(/^(?!.*a new number).*payout resolve P-1 --reason TEXT .*--paid/),
        },
      },
    ])
    for (const _ of 'twice') {
      const repeated = await shell.run(PayoutCreate, ...payout('P-1'))
      expect([repeated.status, repeated.stderr]).toEqual([7, expect.not.stringContaining('was sent before')])
      expect(repeated.stderr).toContain('was found at the service')
    }
    expect((await shell.run(PayoutCreate, ...payout('P-1-new'))).json()).toMatchObject({
      error: {code: 'payout_repeated'},
    })
    expect((await shell.run(PayoutCreate, ...payout('P-2', '1600'))).json()).toMatchObject({
      error: {code: 'payout_over_limit'},
    })
    expect([paid(), await doubtsOf(played)]).toEqual([100_000n, ['P-1']])
  })

  test('is counted the same where a file has it', async () => {
    const played = await bookkeeper()
    const {shell, paid} = played
    await shell.run(PayoutCreate, ...payout('P-1'))
    loseMemory(played)
    const file = join(tempDir(), 'payouts.csv')
    const rows = ['P-1,1000,BKASH,Rahim Uddin,01812345678', 'P-3,70,BKASH,Karim Mia,01912345678']
    writeFileSync(file, ['order_no,amount,bank_type,user_name,account', ...rows, ''].join('\n'))
    const ran = await shell.run(PayoutCreate, '--from', file, '--yes', '--json')
    expect([ran.status, ran.json()]).toMatchObject([
      7,
      {payouts: [{state: 'contradicted'}, {state: 'accepted'}]},
    ])
    expect((await shell.run(PayoutCreate, ...payout('P-1-new'))).status).toBe(2)
    expect([paid(), await doubtsOf(played)]).toEqual([107_000n, ['P-1']])
  })

  test.each(['--paid', '--not-paid'])('after %s a new number needs a word', async (word) => {
    const played = await bookkeeper()
    const {shell, paid} = played
    await shell.run(PayoutCreate, ...payout('P-1'))
    loseMemory(played)
    await shell.run(PayoutCreate, ...payout('P-1'))
    const resolved = await shell.run(PayoutResolve, 'P-1', word, '--reason', 'the desk says so', '--json')
    expect([resolved.status, await doubtsOf(played)]).toEqual([0, []])
    expect((await shell.run(PayoutCreate, ...payout('P-1-new'))).status).toBe(2)
    expect(paid()).toBe(100_000n)
    expect((await shell.run(PayoutCreate, ...payout('P-1-new'), '--allow-repeat')).status).toBe(0)
    expect(paid()).toBe(200_000n)
  })

  const bare = {amount: undefined, account: undefined, userName: undefined, bankType: undefined}
  test.each([
    ['does not show its amount', {amount: undefined}],
    ['does not show its payee', {account: undefined, userName: undefined}],
    ['shows nothing but its status', bare],
    ['shows it less a fee', {...bare, amount: '995.00'}],
    ['shows another name', {userName: 'MD RAHIM'}],
    ['shows account and channel in forms of its own', {account: 'WALLET-77', bankType: '7'}],
  ])('is counted where the service %s', async (_what, fields) => {
    const played = await bookkeeper()
    const {shell, books, creates} = played
    await shell.run(PayoutCreate, ...payout('P-1'))
    books.set('P-1', {...books.get('P-1'), ...fields})
    loseMemory(played)
    const again = await shell.run(PayoutCreate, ...payout('P-1'))
    expect([again.status, again.stderr]).toEqual([2, expect.not.stringContaining('a new number')])
    expect((await shell.run(PayoutCreate, ...payout('P-1-new'))).status).toBe(2)
    expect([creates(), [...books.keys()], await doubtsOf(played)]).toEqual([1, ['P-1'], ['P-1']])
  })

  test.each([
    ['payee', {account: '01912345678'}],
    ['payee, masked', {account: '019****5678'}],
    ['channel', {bankType: 'Nagad'}],
  ])('of another %s it is an older payout, and nothing is in doubt', async (_what, fields) => {
    const played = await bookkeeper()
    const {shell, books} = played
    await shell.run(PayoutCreate, ...payout('P-1'))
    books.set('P-1', {...books.get('P-1'), ...fields})
    loseMemory(played)
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(2)
    expect(await doubtsOf(played)).toEqual([])
  })
})

describe('a payout that was confirmed, and is shown otherwise since', () => {
  test.each([
    ['another account', {account: '01999999999'}],
    ['another amount', {amount: '900.00'}],
    ['another channel', {bankType: 'NAGAD'}],
    ['another platformOrderNo', {platformOrderNo: 'PL-other'}],
  ])('%s: each query ends with 7, and it is in doubt', async (_what, fields) => {
    const played = await bookkeeper()
    const {shell, books} = played
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
    expect((await shell.run(PayoutQuery, 'P-1', '--json')).status).toBe(0)
    books.set('P-1', {...books.get('P-1'), ...fields, status: 'completed'})
    for (const _ of 'twice') {
      const queried = await shell.run(PayoutQuery, 'P-1', '--json')
      expect([queried.status, queried.stderr]).toEqual([7, expect.stringContaining('in doubt')])
    }
    expect(await doubtsOf(played)).toEqual(['P-1'])
  })

  test.each([
    ['another account', {account: '01999999999'}, [8, 0, 1]],
    ['nothing, while it is in doubt', null, [8, 0, 1]],
    ['the same', {}, [0, 1, 0]],
  ])(
    'a ledger that has it agrees only where the service shows the same: %s',
    async (_what, fields, expected) => {
      const {shell, books, service} = await bookkeeper()
      service.carriesOut = fields !== null
      if (fields === null) service.answer = json({code: 'BUSY'}, 500)
      await shell.run(PayoutCreate, ...payout('P-1'))
      await shell.run(PayoutQuery, 'P-1', '--json')
      if (fields !== null) books.set('P-1', {...books.get('P-1'), ...fields, status: 'completed'})
      books.set('P-0', {orderNo: 'P-0', platformOrderNo: 'PL-0', status: 'failed', amount: '10.00'})
      const ledger = join(tempDir(), 'ledger.csv')
      const rows = [
        `P-1,payout,${fields === null ? 'failed' : 'completed'},1000.00`,
        'P-0,payout,failed,10.00',
        '',
      ]
      writeFileSync(ledger, ['order_no,kind,status,amount', ...rows].join('\n'))
      const ran = await shell.run(Reconcile, ledger, '--yes', '--no-deliveries', '--json')
      const {counts} = ran.json() as unknown as {counts: {matched: number; query_failed: number}}
      expect([ran.status, counts.matched - 1, counts.query_failed]).toEqual(expected)
    },
  )

  test('is what a person says of it', async () => {
    const played = await bookkeeper()
    const {shell, books} = played
    await shell.run(PayoutCreate, ...payout('P-1'))
    books.set('P-1', {...books.get('P-1'), amount: '995.00'})
    await shell.run(PayoutQuery, 'P-1', '--json')
    await shell.run(PayoutResolve, 'P-1', '--paid', '--reason', 'less the fee', '--json')
    expect((await shell.run(PayoutQuery, 'P-1', '--json')).status).toBe(0)
    expect(await doubtsOf(played)).toEqual([])
  })
})

test.each([
  ['accepted', null, 'was accepted as PL-P-1'],
  ['in doubt', json({code: 'BUSY'}, 500), 'is in doubt'],
])(
  'a query that does not find a payout that is %s says what the journal knows',
  async (_what, answer, said) => {
    const {service, shell} = await bookkeeper()
    // The endpoint has known an order (A5).
    await shell.run(PayoutCreate, ...payout('P-0', '1'))
    Object.assign(service, {answer, query: answer && json({code: 'ORDER_NOT_FOUND'}, 404)})
    await shell.run(PayoutCreate, ...payout('P-1'))
    service.query = json({message: 'Not Found'}, 404)
    const queried = await shell.run(PayoutQuery, 'P-1', '--json')
    expect([queried.status, queried.stderr]).toEqual([7, expect.stringContaining(said)])
  },
)

describe('a deposit that is waited for', () => {
  test.each([
    ['another player', {playerRef: 'player-9'}],
    ['another telephone', {playerPhone: '01912345678'}],
    ['another platformOrderNo', {platformOrderNo: 'PL-other'}],
  ])('is not "paid" where the answer that completes it shows %s', async (_what, fields) => {
    const {books, service, shell} = await bookkeeper()
    const waiting = shell.run(DepositCreate, ...deposit('D-1'), '--wait-for', '20s')
    let looks = 0
    service.query = (...all) => {
      looks += 1
      if (looks > 1) books.set('D-1', {...books.get('D-1'), ...fields, status: 'completed', amount: '900.00'})
      const {orderNo: _, ...order} = books.get('D-1') ?? {}
      json({code: 0, data: {...order, orderNo: 'D-1', merchantId: JSON.parse(all[1].body).merchantId}})(
        ...all,
      )
    }
    const ran = await waiting
    expect([ran.status, ran.json()]).toMatchObject([7, {confirmed: false}])
    expect(ran.stderr).not.toContain('is paid')
  })
  test.each([
    ['no money', '0.00', 8, 'no money was paid'],
    ['no amount', undefined, 0, 'does not show how much was paid'],
  ])('is not "paid" where the answer that completes it shows %s', async (_what, amount, status, said) => {
    const {books, service, shell} = await bookkeeper()
    service.answer = (...all) => {
      books.set('D-1', {...books.get('D-1'), status: 'completed', ...(amount && {amount})})
      json({code: 0, data: {...books.get('D-1'), payUrl: 'https://pay.example/D-1', merchantId}})(...all)
    }
    const ran = await shell.run(DepositCreate, ...deposit('D-1'), '--test', '--wait-for', '5s')
    expect([ran.status, ran.stderr]).toEqual([status, expect.stringContaining(said)])
    expect(ran.stderr).not.toContain('is paid')
  })
})
