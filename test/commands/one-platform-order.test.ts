import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import DepositList from '../../src/commands/deposit/list.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import {type Answering, json, merchantId} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, deposit, payout} from './bookkeeper.ts'

type Played = Awaited<ReturnType<typeof bookkeeper>>

/** P-1 is made. From now on the service makes nothing and answers every number with this platformOrderNo. */
async function answeringWith(platformOrderNo: string, played: Played): Promise<Played> {
  const {service} = played
  const asAsked: Answering = (response, call, nth) => {
    const {outOrderNo, orderNo = outOrderNo} = JSON.parse(call.body) as Record<string, string>
    const data = {merchantId, orderNo, platformOrderNo, status: 'processing', payUrl: 'https://pay.example/1'}
    json({code: 0, data})(response, call, nth)
  }
  Object.assign(service, {carriesOut: false, answer: asAsked, query: asAsked})
  return played
}

const inDoubt = async ({shell}: Played, list: typeof PayoutList | typeof DepositList = PayoutList) =>
  ((await shell.run(list, '--in-doubt', '--json')).json() as {orders: {orderNo: string}[]}).orders.map(
    ({orderNo}) => orderNo,
  )

const second = ['--order-no', 'P-2', '--amount', '1000', '--bank-type', 'BKASH', '--user-name', 'Karim']
const toAnother = [...second, '--account', '01912345679', '--yes', '--json']

test('a payout that the service answers with the order of another number is not confirmed', async () => {
  const played = await bookkeeper()
  const {shell, paid} = played
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
  await answeringWith('PL-P-1', played)
  const ran = await shell.run(PayoutCreate, ...toAnother)
  expect([ran.status, ran.json()]).toMatchObject([7, {confirmed: false}])
  expect(ran.stderr).toContain(
    'accepted, unconfirmed: the service gave it the platformOrderNo of the payout P-1',
  )
  expect([await inDoubt(played), paid()]).toEqual([['P-2'], 100_000n])
  const queried = await shell.run(PayoutQuery, 'P-1', 'P-2', '--json')
  expect([queried.status, queried.stderr]).toEqual([7, expect.stringContaining('the payout P-2 is in doubt')])
  expect(queried.stderr).not.toContain('the payout P-1 is in doubt')
  expect((await shell.run(PayoutCreate, ...toAnother)).status).toBe(7)
  expect(await inDoubt(played)).toEqual(['P-2'])
})

test('rows of a file likewise', async () => {
  const played = await bookkeeper()
  const {shell} = played
  await shell.run(PayoutCreate, ...payout('P-1'))
  await answeringWith('PL-P-1', played)
  const file = join(tempDir(), 'payouts.csv')
  const rows = ['P-2,500.00,BKASH,Karim,01912345679', 'P-3,500.00,BKASH,Rina,01912345670']
  writeFileSync(file, ['out_order_no,amount,bank_type,user_name,account', ...rows, ''].join('\n'))
  const ran = await shell.run(PayoutCreate, '--from', file, '--yes', '--json')
  expect(ran.json()).toMatchObject({payouts: [{confirmed: false}, {confirmed: false}]})
  expect([ran.status, await inDoubt(played)]).toEqual([7, ['P-2', 'P-3']])
})

test('a deposit likewise, and its page is not shown', async () => {
  const played = await bookkeeper()
  const {shell} = played
  expect((await shell.run(DepositCreate, ...deposit('D-1'))).status).toBe(0)
  await answeringWith('PL-D-1', played)
  const ran = await shell.run(DepositCreate, ...deposit('D-2', 'player-8'))
  expect([ran.status, ran.json()]).toEqual([7, expect.not.objectContaining({payUrl: expect.anything()})])
  expect(await inDoubt(played, DepositList)).toEqual(['D-2'])
})

test.each(['0', 'N/A', 'null', '00000000-0000-0000-0000-000000000000'])('%j names no order', async (no) => {
  const played = await answeringWith(no, await bookkeeper())
  const {shell} = played
  await shell.run(PayoutCreate, ...payout('P-1'))
  await shell.run(PayoutCreate, ...toAnother)
  expect(await inDoubt(played)).toEqual([])
})
