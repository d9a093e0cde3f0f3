import {existsSync, readFileSync} from 'node:fs'
import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'

import type {Check} from '../../src/core/doctor/check.ts'
import {json, merchantId, serve} from '../api/fixture.ts'
import {startFakeService} from '../fake-service/service.ts'
import {modeOf} from '../temp-dir.ts'
import {type CertificateWish, hasOpenssl, makeCertificate} from './certificates.ts'
import {OwnHome} from './own-home.ts'
import {hasTerminal, keys, openTerminal} from './terminal.ts'

const secret = 'canary-typed-secret-31f0'

function openHome(env: Readonly<Record<string, string>> = {}): OwnHome {
  const home = new OwnHome(env)
  onTestFinished(() => home.remove())
  return home
}

function envAt(origin: string): Record<string, string> {
  return {
    HISAB_MERCHANT_ID: merchantId,
    HISAB_BASE_URL: `${origin}/v1`,
    HISAB_APPLY_URL: `${origin}/v1`,
    HISAB_API_SECRET: secret,
  }
}

describe.skipIf(!hasOpenssl)('certificates (skipped where there is no openssl)', () => {
  /** A service behind TLS: it knows no order, and remembers whether anybody got as far as asking. */
  async function serveTls(home: OwnHome, wish: CertificateWish) {
    const {key, cert, certPath} = makeCertificate(home.dir, wish)
    const asked: string[] = []
    const server = createServer({key, cert}, (request, response) => {
      asked.push(request.url ?? '')
      const isQuery = request.url?.endsWith('/query')
      response.writeHead(404, {'content-type': isQuery ? 'application/json' : 'text/html'})
      response.end(isQuery ? '{"code":"ORDER_NOT_FOUND"}' : '<h1>no')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    return {origin, asked, trusted: {NODE_EXTRA_CA_CERTS: certPath}}
  }

  async function examine(home: OwnHome, env: Record<string, string>) {
    const ended = await home.run(['doctor', '--json'], {env})
    const {checks} = JSON.parse(ended.stdout) as {checks: Check[]}
    return {status: ended.status, base: checks.find(({name}) => name === 'base_url'), checks}
  }

  const here = {host: 'IP:127.0.0.1', days: 90}

  it('one that is trusted, with the days it has left', async () => {
    const home = openHome()
    const {origin, trusted} = await serveTls(home, here)
    const {base, checks} = await examine(home, {...envAt(origin), ...trusted})
    expect(base).toMatchObject({
      status: 'ok',
      why: expect.stringMatching(/TLSv1\.3, .*\(89 days\) by Example Pay/),
    })
    expect(checks.find(({name}) => name === 'deposits')?.status).toBe('ok')
  })

  it('one that ends within a fortnight is a warning', async () => {
    const home = openHome()
    const {origin, trusted} = await serveTls(home, {...here, days: 5})
    const {base, status} = await examine(home, {...envAt(origin), ...trusted})
    expect(base).toMatchObject({status: 'warning', next: expect.stringContaining('renew')})
    expect(status).toBe(0)
  })

  it.each<
    [
      what: string,
      wish: Partial<CertificateWish>,
      isTrusted: boolean,
      env: Record<string, string>,
      why: RegExp,
    ]
  >([
    ['signed by itself', {}, false, {}, /signed by itself/],
    [
      'signed by itself, and Node told not to mind',
      {},
      false,
      {NODE_TLS_REJECT_UNAUTHORIZED: '0'},
      /signed by itself/,
    ],
    ['expired', {days: -3}, true, {}, /has expired, certificate expired on \d{4}-/],
    ['of another host', {host: 'DNS:pay.example'}, true, {}, /for another host name/],
  ])('%s: 5, and not one request is sent', async (_what, wish, isTrusted, env, why) => {
    const home = openHome()
    const {origin, asked, trusted} = await serveTls(home, {...here, ...wish})
    const {base, status} = await examine(home, {...envAt(origin), ...(isTrusted ? trusted : {}), ...env})
    expect(base).toMatchObject({
      status: 'failed',
      code: 'service_unreachable',
      why: expect.stringMatching(why),
    })
    expect({status, asked}).toEqual({status: 5, asked: []})
  })
})

it('a host name nobody knows: 5', async () => {
  const home = openHome()
  const ended = await home.run(['doctor'], {env: envAt('https://pay.invalid')})
  expect(ended.stdout).toMatch(/failed +base_url +pay\.invalid: the host name/)
  expect(ended.status).toBe(5)
})

describe.skipIf(!hasTerminal)('in a terminal (skipped where python3 has no pty)', () => {
  const configIn = (home: OwnHome) => join(home.dir, '.config/hisab/config.toml')

  it('the wizard asks, corrects, and keeps a typed secret out of screen and configuration', async () => {
    await using service = await startFakeService()
    Object.assign(service.merchant, {id: merchantId, apiSecret: secret})
    const home = openHome()
    const screen = openTerminal(home, ['config', 'init', '--profile', 'live'])
    await screen.shows('Merchant id')
    screen.type(`shop${keys.enter}`)
    await screen.shows('not a UUID')
    screen.type(`\u0015${merchantId}${keys.enter}`)
    await screen.shows('deposit API')
    screen.type(`http://127.0.0.1:9/v1${keys.enter}`)
    await screen.shows('What now?')
    const asked = screen.text.length
    screen.type(keys.enter)
    await expect.poll(() => screen.text.slice(asked)).toContain('deposit API')
    screen.type(`\u0015${service.baseUrl}${keys.enter}`)
    await screen.shows('payout API')
    screen.type(`${service.applyUrl}${keys.enter}`)
    await screen.shows('Host of the webhook log')
    screen.type(keys.enter)
    await screen.shows('sends its webhooks to')
    screen.type(keys.enter)
    await screen.shows('The API secret: where is it?')
    screen.type(keys.enter)
    await screen.shows('(hidden)')
    screen.type(`${secret}${keys.enter}`)
    await screen.shows('The API key, for the webhook log: where is it?')
    // Up from the first goes nowhere: the list does not loop.
    screen.type(`\u001b[B\u001b[B\u001b[B\u001b[B${keys.enter}`)
    await screen.shows('Use "live" by default?')
    screen.type(`y${keys.enter}`)
    await screen.shows('Write this to')
    expect(existsSync(configIn(home))).toBe(false)
    screen.type(`y${keys.enter}`)
    expect(await screen.ended).toBe(0)

    const toml = readFileSync(configIn(home), 'utf8')
    expect(toml).toContain('api_secret = { file = "secrets/live-api-secret" }')
    expect(`${toml}${screen.text}`).not.toContain(secret)
    const kept = join(home.dir, '.config/hisab/secrets/live-api-secret')
    expect(readFileSync(kept, 'utf8')).toBe(secret)
    expect([kept, join(kept, '..'), configIn(home), join(configIn(home), '..')].map(modeOf)).toEqual([
      '600',
      '700',
      '600',
      '700',
    ])
    const ended = await home.runHere(['doctor', '--offline'])
    expect(ended.stdout).toMatch(/ok +api_secret +set, from the file .*live-api-secret, 24 characters/)
    expect(ended.status).toBe(0)
  })

  it('Ctrl-C at any question writes nothing', async () => {
    const home = openHome()
    const screen = openTerminal(home, ['config', 'init', '--profile', 'live'])
    await screen.shows('Merchant id')
    screen.type(keys.ctrlC)
    expect(await screen.ended).toBe(130)
    expect(existsSync(configIn(home))).toBe(false)
  })

  it('asks before it sends differently signed requests: no is no', async () => {
    const {origin, seen} = await serve(json({}, 401))
    const home = openHome({...envAt(origin), HISAB_API_KEY: 'canary-key-4411'})
    const screen = openTerminal(home, ['doctor', '--find-legacy-scheme'])
    await screen.shows('differently signed GET requests')
    screen.type(keys.enter)
    expect(await screen.ended).toBe(2)
    expect(seen).toEqual([])
  })

  it('asks what a word means, and writes only after a yes', async () => {
    const {origin} = await serve((response, call, nth) => {
      const {orderNo} = JSON.parse(call.body) as {orderNo: string}
      const status = {'D-1': 'PAID', 'D-2': 'DEAD'}[orderNo] ?? 'processing'
      json({code: 0, data: {merchantId, orderNo, platformOrderNo: 'P', status}})(response, call, nth)
    })
    const home = openHome(envAt(origin))
    const screen = openTerminal(home, ['doctor', '--learn', 'D-1', '--failed', 'D-2', '--open', 'D-3'])
    await screen.shows('The service has the status "PAID" for the deposit D-1.')
    screen.type(`\u001b[B${keys.enter}`)
    await screen.shows('Write this to')
    expect(screen.text).toContain('completed = ["completed", "PAID"]')
    expect(existsSync(configIn(home))).toBe(false)
    screen.type(`y${keys.enter}`)
    expect(await screen.ended).toBe(0)
    expect(readFileSync(configIn(home), 'utf8')).toBe(
      '[profiles.environment.status.deposit]\ncompleted = ["completed", "PAID"]\nfailed = ["failed", "DEAD"]\n',
    )
    const queried = await home.runHere(['deposit', 'query', 'D-1', '--json'])
    expect(JSON.parse(queried.stdout)).toMatchObject({orders: [{status: 'completed'}]})
  })
})
