import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {
  askAt,
  askPayoutsAt,
  depositFields,
  legacy,
  payoutFields,
  post,
  signed,
} from '../sandbox/acting-merchant.ts'
import {openReceiver, type TestReceiver} from '../sandbox/receiver-server.ts'
import {binary, OwnHome} from './own-home.ts'

let home: OwnHome
let receiver: TestReceiver
let running: ChildProcess

beforeEach(async () => {
  home = new OwnHome()
  receiver = await openReceiver()
})

afterEach(async () => {
  running.kill('SIGKILL')
  await receiver.close()
  home.remove()
})

/** `hisab sandbox start`, as installed; answers its address. */
async function startBinary(): Promise<string> {
  const args = [binary, 'sandbox', 'start', '--port', '0', '--data', `${home.dir}/state`, '--json']
  running = spawn(process.execPath, args, {env: home.env, stdio: ['ignore', 'pipe', 'ignore']})
  let said = ''
  for await (const text of running.stdout?.setEncoding('utf8') ?? []) {
    said += text
    if (said.endsWith('}\n')) break
  }
  return (JSON.parse(said) as {url: string}).url
}

const workers = 6
/** As many webhooks as the service has on their way at once. */
const underWayMax = 64

interface Answered {
  /** Order number → the platform's, as it was answered. */
  readonly created: Map<string, string>
  readonly finished: Set<string>
}

/** Six players and a desk at work without a pause, until the service is gone after `answers` answers. */
async function workUntilKilled(url: string, answers: number): Promise<Answered> {
  const ask = askAt(url)
  const answered: Answered = {created: new Map(), finished: new Set()}
  let left = answers
  const count = () => {
    left -= 1
    if (left === 0) running.kill('SIGKILL')
  }
  const work = async (worker: number): Promise<void> => {
    for (let n = 1; ; n += 1) {
      const isPayout = n % 4 === 0
      const orderNo = `${isPayout ? 'P' : 'D'}-${worker}-${n}`
      const {body} = await create(url, orderNo)
      answered.created.set(orderNo, body.data.platformOrderNo)
      count()
      await (isPayout
        ? post(ask, '/sandbox/payouts/complete', {outOrderNo: orderNo})
        : post(ask, '/sandbox/deposits/pay', {orderNo, amount: '500.00'}))
      answered.finished.add(orderNo)
      count()
    }
  }
  await Promise.all(Array.from({length: workers}, (_, worker) => work(worker).catch(() => {})))
  if (running.exitCode === null && running.signalCode === null) await once(running, 'exit')
  return answered
}

function create(url: string, orderNo: string) {
  const returnUrl = receiver.url
  return orderNo.startsWith('P')
    ? post(askPayoutsAt(url), '/v1/apply/create', signed(payoutFields({outOrderNo: orderNo, returnUrl})))
    : post(askAt(url), '/v1/pay/order/create', signed(depositFields({orderNo, returnUrl})))
}

describe('SIGKILL of the service in the middle of its work', () => {
  it.each([3, 20, 55, 90, 150])('after %i answers: nothing lost, no order twice', async (answers) => {
    const {created, finished} = await workUntilKilled(await startBinary(), answers)
    expect(created.size).toBeGreaterThan(1)
    const url = await startBinary()

    // The same number again is the same order, also that of a create whose answer the kill took.
    for (const [orderNo, platformOrderNo] of created) {
      expect((await create(url, orderNo)).body.data.platformOrderNo, orderNo).toBe(platformOrderNo)
    }
    const records = await everyRecord(url)
    const recordsOf = Map.groupBy(records, (record) => record.merchant_order_id)
    for (const orderNo of finished) expect(recordsOf.get(orderNo), orderNo).toHaveLength(1)
    for (const [orderNo, all] of recordsOf) expect(all, orderNo).toHaveLength(1)

    // Every webhook came. Only what was under way may have come twice (service §4.7).
    await expect
      .poll(async () => (await everyRecord(url)).filter(({status}) => status !== 'success'), {
        timeout: 20_000,
      })
      .toEqual([])
    const came = Map.groupBy(receiver.received, ({body}) => body.platformOrderNo)
    for (const {order_id} of records) expect(came.get(order_id)).not.toBeUndefined()
    const doubled = [...came.values()].filter((webhooks) => webhooks.length > 1)
    expect(doubled.length).toBeLessThanOrEqual(underWayMax)
    for (const [first, ...others] of doubled) for (const other of others) expect(other.raw).toBe(first?.raw)

    const paidOut = [...created.keys()].filter((orderNo) => orderNo.startsWith('P')).length
    const {data} = (await (await fetch(`${url}/sandbox/balance`)).json()) as {data: {balance: string}}
    expect((1_000_000 - Number(data.balance)) / 250 - paidOut).toBeLessThanOrEqual(workers)
    expect((1_000_000 - Number(data.balance)) / 250).toBeGreaterThanOrEqual(paidOut)
  })
})

async function everyRecord(url: string) {
  const all = []
  for (let page = 1; ; page += 1) {
    const answer = await legacy(askAt(url), 'GET', `/api/v1/merchant/webhooks?limit=100&page=${page}`)
    all.push(...answer.body.data.data)
    if (page >= answer.body.data.pagination.total_pages) return all
  }
}
