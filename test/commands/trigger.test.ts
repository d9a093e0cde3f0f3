import {once} from 'node:events'
import {writeFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'

import {describe, expect, it, onTestFinished} from 'vitest'

import SandboxEnv from '../../src/commands/sandbox/env.ts'
import Trigger from '../../src/commands/trigger.ts'
import {receiverPath} from '../../src/core/profile.ts'
import {readEvent, verify, type WebhookEvent} from '../../src/index.ts'
import {rehearsedEvents, rehearsedWays} from '../../src/sandbox/rehearsal.ts'
import {credentials, merchantId} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {shellAt} from './run-command.ts'

/** What a merchant's server answers, and what it books; it is handed the body and whether it is genuine. */
type Server = (genuine: WebhookEvent | null, books: Map<string, number>) => number

const careful: Server = (event, books) => {
  if (event === null) return 401
  if (event.type === 'deposit.completed') books.set(event.orderNo ?? '', 1)
  return 200
}

async function serve(server: Server) {
  const books = new Map<string, number>()
  const bodies: string[] = []
  const file = join(tempDir(), 'books.json')
  const http = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    const verdict = verify(body, credentials.apiSecret)
    response.writeHead(server(verdict.isValid ? readEvent(verdict.fields) : null, books)).end()
    writeFileSync(file, JSON.stringify(Object.fromEntries(books)))
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  const script = `console.log(JSON.parse(fs.readFileSync('${file}'))[process.env.ORDER_NO] ?? 0)`
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}${receiverPath}`
  return {url, bodies, credits: `'${process.execPath}' -e "${script}"`}
}

/** A machine on which no sandbox runs. */
const shell = (env: Record<string, string> = {}) =>
  shellAt('http://127.0.0.1:1', {HISAB_PROFILE: 'sandbox', HISAB_BASE_URL: 'http://127.0.0.1:1/v1', ...env})

const everyWay = ['--as', 'all', '--delay', '0s']

describe('trigger', () => {
  it.each(rehearsedEvents)('%s in every way: a careful server does all right', async (event) => {
    const {url, credits, bodies} = await serve(careful)
    const asked = event === 'deposit.completed' ? ['--credits', credits] : []
    const {status, stdout} = await shell().run(Trigger, event, '--to', url, ...everyWay, ...asked)
    expect([status, stdout.match(/WRONG/)]).toEqual([0, null])
    expect(stdout).toContain('All 12 answers were right.')
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      merchantId,
      orderNo: expect.stringMatching(/^TRIGGER-/),
    })
  })

  it.each<[string, Server, string, RegExp]>([
    ['believes what is not signed', () => 200, 'forged', /YOUR SERVER TOOK A FORGERY/],
    ['fails at a forgery', (event) => (event ? 200 : 500), 'forged', /Answer 401/],
    ['insists on an amount', (event) => (event && 'amount' in event ? 200 : 422), 'genuine', /Answer 2xx/],
  ])('a server that %s is found out', async (_, server, way, why) => {
    const {url} = await serve(server)
    const {status, stdout} = await shell().run(Trigger, 'deposit.failed', '--to', url, '--as', way)
    expect([status, stdout]).toEqual([7, expect.stringMatching(why)])
  })

  it('a server that books a duplicate again is found out by its books, and not by its answers', async () => {
    const server: Server = (event, books) => {
      if (event === null) return 401
      const no = event.orderNo ?? ''
      books.set(no, (books.get(no) ?? 0) + 1)
      return 200
    }
    const {url, credits} = await serve(server)
    const duplicated = ['deposit.completed', '--to', url, '--as', 'duplicated']
    const blind = await shell().run(Trigger, ...duplicated)
    expect([blind.status, blind.stdout]).toEqual([
      0,
      expect.stringContaining('does not show what was booked'),
    ])
    const seen = await shell().run(Trigger, ...duplicated, '--credits', credits)
    expect([seen.status, seen.stdout]).toEqual([7, expect.stringContaining('credited it 4 times (right: 1)')])
    const unsure = await shell().run(Trigger, ...duplicated, '--credits', 'echo many')
    expect([unsure.status, unsure.stderr]).toEqual([8, expect.stringContaining('printed "many"')])
  })

  it('of a service that signs headers, an hour old signature is a forgery', async () => {
    const dir = tempDir()
    const config = join(dir, 'config.toml')
    writeFileSync(config, '[profiles.sandbox.webhook_signature]\nscheme = "hmac"\n', {mode: 0o600})
    const {url} = await serve(() => 200)
    const ran = await shell({HISAB_CONFIG: config}).run(
      Trigger,
      'deposit.completed',
      '--to',
      url,
      ...everyWay,
    )
    expect([ran.status, ran.stdout.match(/FORGERY/g)]).toEqual([7, expect.objectContaining({length: 4})])
    expect(ran.stdout).toContain('a signature of an hour ago')
  })

  it('no server, another machine, and a live secret without a word are refused', async () => {
    const to = (url: string, env?: Record<string, string>) =>
      shell(env).run(Trigger, 'payout.failed', '--to', url, ...(env ? ['--profile', 'environment'] : []))
    expect(await to('http://127.0.0.1:9/webhook')).toMatchObject({status: 5})
    const plain = await to('http://shop.example.com/webhook')
    expect([plain.status, plain.stderr]).toEqual([
      2,
      expect.stringMatching(/this machine, or https:.*deliver_to/),
    ])
    const away = await to('https://shop.example.com/webhook')
    expect([away.status, away.stderr]).toEqual([2, expect.stringContaining('deliver_to')])
    const {url, bodies} = await serve(careful)
    const live = await to(url, {HISAB_BASE_URL: 'https://pay.example.com/v1'})
    expect([live.status, live.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect(bodies).toEqual([])
  })

  it('an order number goes with one way', async () => {
    const {url, bodies} = await serve(careful)
    const numbered = ['deposit.completed', '--to', url, '--order-no', 'D-1']
    expect((await shell().run(Trigger, ...numbered, ...everyWay)).status).toBe(2)
    const {orders} = (await shell().run(Trigger, ...numbered, '--json')).json() as {orders: object[]}
    expect(orders).toMatchObject([{orderNo: 'D-1', way: rehearsedWays[0], credits: null}])
    expect(bodies).toHaveLength(1)
  })
})

it('sandbox env names what every command reads', async () => {
  const {stdout} = await shell().run(SandboxEnv, '--port', '5010')
  expect(stdout).toContain(
    'export HISAB_BASE_URL=http://127.0.0.1:5010/v1\nexport HISAB_APPLY_URL=http://127.0.0.1:5011/v1\n',
  )
  expect((await shell().run(SandboxEnv, '--unset', '--shell', 'fish')).stdout).toContain(
    'set -e HISAB_PROFILE\n',
  )
})
