import {mkdtempSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {request} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {steppedClock} from '../../src/sandbox/clock.ts'
import {startSandbox} from '../../src/sandbox/start.ts'
import {askAt, askPayoutsAt, depositFields, legacy, payoutFields, post, signed} from './acting-merchant.ts'
import {fillDisk} from './full-disk.ts'
import {openReceiver, status, type TestReceiver} from './receiver-server.ts'

const morning = Date.parse('2026-11-20T06:00:00Z')
const minuteMs = 60_000
const logPath = '/api/v1/merchant/webhooks'

let folder: string
let dataDir: string
let receiver: TestReceiver

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'))
  dataDir = join(folder, 'data')
  receiver = await openReceiver()
})

afterEach(async () => {
  await receiver.close()
  rmSync(folder, {recursive: true})
})

describe('over a restart', () => {
  it('orders, balance, records and the retry schedule are kept', async () => {
    const first = await startSandbox({port: 0, dataDir, clock: steppedClock(morning)})
    const deposit = signed(depositFields({returnUrl: receiver.url}))
    const created = await post(askAt(first.url), '/v1/pay/order/create', deposit)
    await post(askPayoutsAt(first.url), '/v1/apply/create', signed(payoutFields()))
    const balance = first.control.balance()
    receiver.answer = status(500)
    const record = await first.control.payDeposit('D-1001', 500_00n)
    await first.control.advanceBy(minuteMs)
    await first.close()

    const second = await startSandbox({port: 0, dataDir, clock: steppedClock(0), payoutBalance: 1n})
    expect(second.control.now()).toBe(morning + minuteMs)
    expect(second.control.balance()).toBe(balance)
    const again = await post(askAt(second.url), '/v1/pay/order/create', deposit)
    expect(again.body.data).toMatchObject({
      platformOrderNo: created.body.data.platformOrderNo,
      payCode: created.body.data.payCode,
    })
    receiver.answer = status(200)
    await second.control.advanceBy(5 * minuteMs)
    const kept = await legacy(askAt(second.url), 'GET', `${logPath}/${record.id}`)
    expect(kept.body.data).toMatchObject({status: 'success', attempts: 3})
    expect(receiver.received).toHaveLength(3)
    await second.close()
  })

  it('an attempt that was cut off is made again', async () => {
    const first = await startSandbox({port: 0, dataDir, clock: steppedClock(morning)})
    await post(askAt(first.url), '/v1/pay/order/create', signed(depositFields({returnUrl: receiver.url})))
    const arrived = new Promise<void>((resolve) => {
      receiver.answer = () => resolve()
    })
    const paid = first.control.payDeposit('D-1001', 500_00n)
    await arrived
    await first.close()
    expect(await paid).toMatchObject({status: 'pending', attempts: 0, sent_at: null})

    receiver.answer = status(200)
    const second = await startSandbox({port: 0, dataDir, clock: steppedClock(morning)})
    await second.control.idle()
    const list = await legacy(askAt(second.url), 'GET', logPath)
    expect(list.body.data.data).toMatchObject([{status: 'success', attempts: 1}])
    expect(receiver.received).toHaveLength(2)
    await second.close()
  })
})

describe('the folder', () => {
  it('is 0700 and its files are 0600', async () => {
    const sandbox = await startSandbox({port: 0, dataDir})
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    const files = readdirSync(dataDir)
    expect(files).toContain('sandbox.sqlite')
    for (const file of files)
      expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600])
    await sandbox.close()
  })

  it('serves one sandbox at a time', async () => {
    const sandbox = await startSandbox({port: 0, dataDir})
    await expect(startSandbox({port: 0, dataDir})).rejects.toMatchObject({code: 'locked'})
    await sandbox.close()
    await (await startSandbox({port: 0, dataDir})).close()
  })

  it('that is a file is a failure that names it', async () => {
    writeFileSync(dataDir, 'not a folder')
    await expect(startSandbox({port: 0, dataDir})).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(dataDir),
    })
  })
})

it('a full disk is said in the answer and in /healthz, and is over by itself', async () => {
  const sandbox = await startSandbox({port: 0, dataDir})
  const health = async () => {
    const answer = await fetch(`${sandbox.url}/healthz`)
    return [answer.status, await answer.json()]
  }
  const create = () =>
    post(askAt(sandbox.url), '/v1/pay/order/create', signed(depositFields({returnUrl: receiver.url})))
  expect(await health()).toEqual([200, {status: 'ok', problem: null, since: null}])
  const disk = fillDisk()
  try {
    expect(await create()).toMatchObject({status: 503, body: {code: 'STORAGE_UNAVAILABLE'}})
    expect(await health()).toMatchObject([
      503,
      {status: 'failing', problem: expect.stringContaining('The disk is full')},
    ])
  } finally {
    disk.mockRestore()
  }
  expect(await create()).toMatchObject({status: 200})
  await expect.poll(health, {timeout: 3000}).toMatchObject([200, {status: 'ok'}])
  expect(await sandbox.control.payDeposit('D-1001', 500_00n)).toMatchObject({status: 'success'})
  await sandbox.close()
})

it('1,200 creates at once, each on a connection of its own, are all answered', async () => {
  const sandbox = await startSandbox({port: 0, dataDir: null})
  const create = (n: number) =>
    new Promise<number>((resolve, reject) => {
      const body = JSON.stringify(signed(depositFields({orderNo: `D-${n}`})))
      const headers = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body))}
      request(`${sandbox.baseUrl}/pay/order/create`, {method: 'POST', agent: false, headers}, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      })
        .once('error', reject)
        .end(body)
    })
  const statuses = await Promise.all(Array.from({length: 1200}, (_, n) => create(n)))
  expect(statuses.filter((code) => code !== 200)).toEqual([])
  await sandbox.close()
}, 60_000)
