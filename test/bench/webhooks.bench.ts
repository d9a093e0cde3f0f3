/**
 * How long a webhook takes to a receiver that answers, beside 2,000 that hang with 10,000 webhooks between them:
 * `node test/bench/webhooks.bench.ts`. The receivers are in a process of their own, each on an address of 127.0.0.0/8.
 */
import {fork} from 'node:child_process'
import {once} from 'node:events'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'

import {startSandbox} from '../../src/sandbox/library.ts'
import {askAt, depositFields, post, signed} from '../sandbox/acting-merchant.ts'

const hanging = 2000
const waiting = 10_000
const measured = 1000

if (process.send) {
  const healthy = createServer(
    (request, response) => void request.resume().once('end', () => response.end('ok')),
  )
  const hangs = createServer((request) => void request.resume())
  await Promise.all([healthy, hangs].map((server) => once(server.listen(0, '0.0.0.0'), 'listening')))
  process.send([healthy, hangs].map((server) => (server.address() as AddressInfo).port))
} else {
  await measure()
}

async function measure(): Promise<void> {
  const receivers = fork(import.meta.filename)
  const [[healthyPort, hangingPort]] = (await once(receivers, 'message')) as [[number, number]]
  const sandbox = await startSandbox({timeScale: 1})
  const ask = askAt(sandbox.baseUrl)
  let orders = 0
  const create = async (returnUrl: string): Promise<string> => {
    orders += 1
    await post(ask, '/pay/order/create', signed(depositFields({orderNo: `D-${orders}`, returnUrl})))
    return `D-${orders}`
  }
  const payHealthy = async (): Promise<number[]> => {
    const times: number[] = []
    for (let n = 0; n < measured; n += 1) {
      const orderNo = await create(`http://127.0.0.1:${healthyPort}/hook`)
      const beganAtMs = performance.now()
      const {status} = await sandbox.pay(orderNo, '500.00')
      times.push(performance.now() - beganAtMs)
      if (status !== 'success') throw new Error(`the healthy receiver's webhook is ${status}`)
    }
    return times.sort((a, b) => a - b)
  }
  await payHealthy()
  const alone = await payHealthy()
  for (let n = 0; n < waiting; n += 1) {
    const host = `127.${1 + ((n % hanging) >> 8)}.${(n % hanging) & 255}.1`
    const orderNo = await create(`http://${host}:${hangingPort}/hook`)
    void sandbox.pay(orderNo, '500.00').catch(() => {})
  }
  const beside = await payHealthy()
  const show = (times: readonly number[]) =>
    [0.5, 0.99].map((share) => `${times[Math.floor(times.length * share)]?.toFixed(1)} ms`).join(' and ')
  process.stdout.write(
    `webhooks, one healthy receiver, p50 and p99: ${show(alone)} alone; ${show(beside)} beside ${hanging} that hang, ${waiting} waiting\n`,
  )
  receivers.kill()
  await sandbox.close()
}
