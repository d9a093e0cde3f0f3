import {writeFileSync} from 'node:fs'
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {pathToFileURL} from 'node:url'
import {describe, expect, onTestFinished, test} from 'vitest'

import {sandboxCredentials} from '../../src/core/profile.ts'
import {openForwarder} from '../../src/receiver/forwarder.ts'
import {type RunningSandbox, startSandbox} from '../../src/sandbox/library.ts'
import {openTestReceiver} from '../receiver/fixture.ts'
import {askAt, depositFields, legacy, payoutFields, post, signed} from '../sandbox/acting-merchant.ts'
import {tempDir} from '../temp-dir.ts'
import {listPages, readFences} from './pages.ts'

/** A receiver of the docs, and what its own books say at the end. */
interface Played {
  readonly url: string
  credits(): [order: string, amount: string][]
  payouts(): [orderNo: string, state: string][]
}

const {apiSecret} = sandboxCredentials

/** The code of a page, as a merchant would copy it. */
async function load(page: string, file: string): Promise<Record<string, unknown>> {
  const fence = readFences(page).find(({info}) => info === file)
  if (!fence) throw new Error(`${page} has no ${file}`)
  const path = join(tempDir(), file)
  const library = new URL('../../src/index.ts', import.meta.url).href
  writeFileSync(path, fence.lines.join('\n').replace("from 'hisab'", `from '${library}'`))
  return await import(/* @vite-ignore */ pathToFileURL(path).href)
}

async function listen(take: RequestListener): Promise<string> {
  const server = createServer(take)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

interface SigningBooks {
  readonly credits: Map<string, {readonly amount: string}>
  readonly payouts: Map<string, string>
  readonly failedDeposits: Set<string>
  readonly setAside: unknown[]
}

const receivers: Record<string, () => Promise<Played>> = {
  'docs/signing.md: webhook.ts': async () => {
    const {acceptWebhook} = (await load('docs/signing.md', 'webhook.ts')) as {
      acceptWebhook: (body: Uint8Array, secret: string, books: SigningBooks) => number
    }
    const books = {credits: new Map(), payouts: new Map(), failedDeposits: new Set<string>(), setAside: []}
    const url = await listen(
      async (request, response) =>
        void response.writeHead(acceptWebhook(await buffer(request), apiSecret, books)).end(),
    )
    return {
      url,
      credits: () => [...books.credits].map(([order, {amount}]) => [order, amount]),
      payouts: () => [...books.payouts],
    }
  },
  'docs/testing.md: receiver.ts': async () => {
    const {openReceiver} = (await load('docs/testing.md', 'receiver.ts')) as {
      openReceiver: (secret: string) => Promise<{
        readonly books: Map<string, string>
        readonly payouts: Map<string, string>
        readonly url: string
        close(): void
      }>
    }
    const receiver = await openReceiver(apiSecret)
    onTestFinished(() => receiver.close())
    return {
      url: receiver.url,
      credits: () => [...receiver.books],
      payouts: () => [...receiver.payouts],
    }
  },
}

/** `webhooks listen --forward-to`, as docs/receiving.md puts it before a server of one's own. */
async function behindListener({url, ...books}: Played): Promise<Played> {
  const forwarder = openForwarder({url, timeoutMs: 5_000})
  onTestFinished(() => forwarder.close())
  const receiver = await openTestReceiver({forwarder})
  return {...books, url: receiver.url}
}

/** Everything the embedded service can send; what the merchant's books must say of it. */
async function playEverything(sandbox: RunningSandbox, returnUrl: string) {
  const ask = askAt(sandbox.url)
  const platform = new Map<string, string>()
  const create = async (path: string, fields: Parameters<typeof signed>[0]) => {
    const {body} = await post(
      askAt(path === '/apply/create' ? sandbox.applyUrl : sandbox.baseUrl),
      path,
      signed(fields),
    )
    platform.set(String(fields.orderNo ?? fields.outOrderNo), body.data.platformOrderNo)
  }
  const deposit = (orderNo: string, more = {}) =>
    create('/pay/order/create', depositFields({orderNo, returnUrl, ...more}))
  const payout = (outOrderNo: string) => create('/apply/create', payoutFields({outOrderNo, returnUrl}))

  for (const orderNo of ['paid', 'expired', 'doubled', 'forged', 'outage']) await deposit(orderNo)
  for (const outOrderNo of ['P-paid', 'P-rejected', 'P-doubled', 'P-forged']) await payout(outOrderNo)
  await sandbox.pay('paid', '500.00')
  await sandbox.expire('expired')
  await sandbox.completePayout('P-paid')
  await sandbox.rejectPayout('P-rejected')
  await deposit('test', {isTest: true})
  await sandbox.clock.advance('10m')
  sandbox.faults.set(['webhook-doubled'], 1)
  await sandbox.pay('doubled', '700.00')
  await sandbox.completePayout('P-doubled')
  sandbox.faults.set(['webhook-forged'], 1)
  await sandbox.pay('forged', '300.00')
  await sandbox.completePayout('P-forged')
  const {forgeriesTaken} = sandbox.faults.state()
  sandbox.faults.set(['receiver-outage'], 1)
  await sandbox.pay('outage', '900.00')
  sandbox.faults.clear()
  await sandbox.clock.advance('1h')
  for (const {id} of sandbox.deliveries()) {
    const {status} = await legacy(ask, 'POST', `/api/v1/merchant/webhooks/${id}/resend`)
    expect(status).toBe(200)
  }
  const testAmount = sandbox.deliveries().find(({merchant_order_id: number}) => number === 'test')?.payload
  const paid = {
    paid: '500.00',
    doubled: '700.00',
    forged: '300.00',
    outage: '900.00',
    test: amountIn(testAmount),
  }
  return {
    forgeriesTaken,
    credits: Object.entries(paid).map(([number, amount]) => [platform.get(number), amount]),
    payouts: ['P-paid', 'P-rejected', 'P-doubled', 'P-forged'].map((number) => [
      number,
      number === 'P-rejected' ? 'failed' : 'completed',
    ]),
  }
}

function amountIn(payload: unknown): string {
  const body = typeof payload === 'string' ? JSON.parse(payload) : payload
  return (body as {amount: string}).amount
}

test('every receiver of the pages is played', () => {
  const pages = listPages().flatMap((page) =>
    readFences(page)
      .filter(({language, lines}) => language === 'ts' && lines.some((line) => /\bverify\(/.test(line)))
      .map(({info}) => `${page}: ${info}`),
  )
  expect(pages).toEqual(Object.keys(receivers))
})

describe.each(Object.entries(receivers))('%s', (_name, open) => {
  test.each([
    ['by itself', async (played: Played) => played],
    ['behind `webhooks listen --forward-to`', behindListener],
  ])(
    '%s: each completed deposit once, each payout marked, everything genuine acknowledged',
    async (_how, place) => {
      const sandbox = await startSandbox({seed: 1})
      onTestFinished(() => sandbox.close())
      const played = await place(await open())
      const {forgeriesTaken, credits, payouts} = await playEverything(sandbox, played.url)
      expect(played.credits().toSorted()).toEqual(credits.toSorted())
      expect(played.payouts().toSorted()).toEqual(payouts.toSorted())
      expect(forgeriesTaken).toBe(0)
      const records = sandbox.deliveries()
      expect(records).toHaveLength(10)
      expect(records.filter(({status, response_code: code}) => status !== 'success' || code !== 200)).toEqual(
        [],
      )
    },
  )
})
