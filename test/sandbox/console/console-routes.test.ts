import {request} from 'node:http'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {sandboxCredentials} from '../../../src/core/profile.ts'
import type {Sandbox} from '../../../src/sandbox/start.ts'
import {createDeposit, createPayout, noon, startAtNoon} from '../browser/played-sandbox.ts'
import {fillDisk} from '../full-disk.ts'
import {openReceiver, status, type TestReceiver} from '../receiver-server.ts'

const ownMerchant = {
  merchantId: '5a9db0c5-0000-4000-8000-0000000000aa',
  credentials: {apiSecret: 'canary-secret-of-a-real-one', apiKey: 'canary-key-of-a-real-one'},
  isDemo: true,
}

let sandbox: Sandbox
let receiver: TestReceiver

beforeEach(async () => {
  receiver = await openReceiver()
  sandbox = await startAtNoon({merchants: [ownMerchant], payoutBalance: 1_000_00n})
})

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

const read = async (path: string): Promise<string> => await (await fetch(`${sandbox.url}${path}`)).text()
const act = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${sandbox.url}/console${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: {origin: sandbox.url, ...headers},
    redirect: 'manual',
  })

describe('the door of the console', () => {
  beforeEach(() => createPayout(sandbox, 'P-1', {returnUrl: receiver.url}))

  it.each([
    ['a page of another site', {origin: 'https://evil.example'}],
    ['a page of another port', {origin: 'http://127.0.0.1:1'}],
    ['a page without an origin', {origin: 'null'}],
  ])('is closed to a form of %s', async (_, headers) => {
    expect((await act('/payouts/1/complete', {}, headers)).status).toBe(403)
    expect(receiver.received).toEqual([])
  })

  it('is closed to a form that tells no origin, and to a strange Host', async () => {
    const answered = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const path = `${sandbox.url}/console/payouts/1/complete`
        const type = {'content-type': 'application/x-www-form-urlencoded'}
        request(path, {method: 'POST', headers: {...type, ...headers}}, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end('')
      })
    expect(await answered({})).toBe(403)
    expect(await answered({host: 'evil.example', origin: 'http://evil.example'})).toBe(403)
    expect(receiver.received).toEqual([])
    expect(await answered({origin: sandbox.url})).toBe(303)
    expect(receiver.received).toHaveLength(1)
  })

  it('stands in no frame and keeps nothing in the browser', async () => {
    const {headers} = await fetch(`${sandbox.url}/console/orders`)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('leads back into the console only', async () => {
    const wish = async (back: string) =>
      (await act('/clock/advance', {by: '1m', back})).headers.get('location')
    expect(await wish('/console/clock')).toBe('/console/clock?notice=moved')
    for (const back of [
      'https://evil.example/console/clock',
      '//evil.example/console/',
      '/pay/x',
      '',
      'javascript:1',
    ]) {
      expect(await wish(back)).toBe('/console/orders?notice=moved')
    }
  })

  it('shows no credentials but those everybody knows', async () => {
    const page = await read('/console/merchants')
    expect(page).toContain(sandboxCredentials.apiSecret)
    expect(page).toContain(ownMerchant.merchantId)
    expect(page).not.toContain('canary')
  })

  it.each([
    '/orders/deposit/99',
    '/orders/cash/1',
    '/sms/7',
    '/deliveries/x',
    '/deliveries/5a9db0c5-0000-4000-8000-0000000000ff',
  ])('says 404 at %s', async (path) => {
    const answer = await fetch(`${sandbox.url}/console${path}`)
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('has no such')])
  })
})

it('says on every page that nothing can be stored, until there is room', async () => {
  await createPayout(sandbox, 'P-1', {returnUrl: receiver.url})
  const banner = '<p class="failing" role="status">The disk is full'
  expect(await read('/console/payouts')).not.toContain(banner)
  const disk = fillDisk()
  try {
    const refused = await act('/payouts/1/complete')
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('Nothing of this request was kept.'),
    ])
    for (const page of ['orders', 'payouts', 'deliveries', 'clock']) {
      expect(await read(`/console/${page}`)).toContain(banner)
    }
  } finally {
    disk.mockRestore()
  }
  await expect.poll(() => read('/console/payouts'), {timeout: 3000}).not.toContain(banner)
  expect((await act('/payouts/1/complete')).status).toBe(303)
})

describe('what a person does there', () => {
  it('pays out and rejects, once each, and the balance follows', async () => {
    await createPayout(sandbox, 'P-1', {returnUrl: receiver.url})
    await createPayout(sandbox, 'P-2', {returnUrl: receiver.url})
    expect((await act('/payouts/1/complete', {back: '/console/payouts'})).headers.get('location')).toBe(
      '/console/payouts?notice=paid_out',
    )
    expect((await act('/payouts/2/reject')).status).toBe(303)
    const again = await act('/payouts/2/complete')
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('is failed already')])
    expect(sandbox.control.balance()).toBe(750_00n)
    expect(receiver.received.map(({body}) => [body.orderNo, body.event])).toEqual([
      ['P-1', 'order.completed'],
      ['P-2', 'order.failed'],
    ])
  })

  it('releases an SMS to an order whose number no form could carry', async () => {
    await createDeposit(sandbox, 'D-\n1', {returnUrl: receiver.url})
    sandbox.control.chooseAmount('D-\n1', 75_50n, 'NAGAD')
    await sandbox.control.receiveSms({channel: 'NAGAD', sender: '01911111111', amount: 75_50n})
    expect(await read('/console/sms/1')).toContain('name="deposit" value="1"')
    expect((await act('/sms/1/release', {deposit: '1'})).status).toBe(303)
    expect(receiver.received[0]?.body).toMatchObject({orderNo: 'D-\n1'})
  })

  it('lets an SMS come in and releases it to another order', async () => {
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    const sent = await act('/sms/compose', {
      channel: 'NAGAD',
      sender: '01911111111',
      amount: '75.50',
      trxId: '',
    })
    expect(sent.headers.get('location')).toContain('notice=waiting')
    expect(await read('/console/sms')).toContain('No open deposit belongs to the number that paid.')
    const released = await act('/sms/1/release', {
      orderNo: 'D-1',
      merchantId: '5a9db0c5-0000-4000-8000-000000000001',
      back: '/console/sms',
    })
    expect(released.headers.get('location')).toBe('/console/sms?notice=released')
    expect(receiver.received[0]?.body).toMatchObject({orderNo: 'D-1', amount: '75.50'})
  })

  it.each([
    ['an amount in words', '/sms/compose', {channel: 'NAGAD', sender: '01911111111', amount: 'x', trxId: ''}],
    ['no text', '/sms/raw', {from: 'bKash', text: ''}],
    ['no length of time', '/clock/advance', {by: 'a while'}],
    ['a pace in words', '/clock/pace', {timeScale: '-1'}],
  ])('is refused with a reason: %s', async (_, path, fields) => {
    const answer = await act(path, fields)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('role="alert"')])
    expect(sandbox.control.listSms()).toEqual([])
    expect(sandbox.control.now()).toBe(noon)
  })

  it('sees the body that was sent and the answer, as text, and resends', async () => {
    receiver.answer = status(503, '<script>alert(1)</script>')
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url, playerRef: '<b>7</b>'})
    const {id} = await sandbox.control.payDeposit('D-1', 500_00n)
    const page = await read(`/console/deliveries/${id}`)
    expect(page).toContain('&lt;script&gt;alert(1)')
    expect(page).toContain('&lt;b&gt;7&lt;/b&gt;')
    expect(page).not.toContain('<script>alert')
    receiver.answer = status(200)
    const answer = await act(`/deliveries/${id}/resend`, {back: `/console/deliveries/${id}`})
    expect(answer.headers.get('location')).toContain('notice=delivered')
    expect(receiver.received).toHaveLength(2)
  })

  it('makes what hides in an order number visible', async () => {
    await createDeposit(sandbox, 'D-\u202e1', {playerRef: '\u0007'})
    for (const path of ['/console/orders', '/console/orders/deposit/1']) {
      const page = await read(path)
      expect(page).toContain('D-\\u{202e}1')
      expect(page).not.toMatch(/[\u202e\u0007]/)
    }
  })
})

describe('the list of orders', () => {
  beforeEach(async () => {
    for (let n = 1; n <= 120; n += 1) {
      await createDeposit(sandbox, `D-${n}`, {playerPhone: n === 77 ? '01999999999' : '01712345678'})
    }
    for (const n of [3, 60]) await sandbox.control.expireDeposit(`D-${n}`)
  })

  const numbers = async (path: string) =>
    [...(await read(path)).matchAll(/<th scope="row"><a[^>]*><bdi>([^<]+)<\/bdi>/g)].map(([, no]) => no)
  const next = async (path: string, name: string) =>
    new RegExp(`<a href="([^"]+)"[^>]*>${name}</a>`).exec(await read(path))?.[1]?.replaceAll('&amp;', '&') ??
    ''

  it('goes back page by page, and forth again, through every order once', async () => {
    const first = await numbers('/console/orders')
    const second = await next('/console/orders', 'Older')
    const third = await next(second, 'Older')
    const all = [...first, ...(await numbers(second)), ...(await numbers(third))]
    expect(all).toEqual(Array.from({length: 120}, (_, n) => `D-${120 - n}`))
    expect(await next(third, 'Older')).toBe('')
    expect(await numbers(await next(third, 'Newer'))).toEqual(await numbers(second))
    expect(await numbers(await next(third, 'Newest'))).toEqual(first)
  })

  it.each([
    ['/console/orders?state=failed', ['D-60', 'D-3']],
    ['/console/orders?q=D-77', ['D-77']],
    [
      '/console/orders?q=D-11',
      ['D-119', 'D-118', 'D-117', 'D-116', 'D-115', 'D-114', 'D-113', 'D-112', 'D-111', 'D-110', 'D-11'],
    ],
    ['/console/orders?q=01999999999', ['D-77']],
    ['/console/orders?q=9999999', ['D-77']],
    [
      '/console/orders?q=d-7',
      ['D-79', 'D-78', 'D-77', 'D-76', 'D-75', 'D-74', 'D-73', 'D-72', 'D-71', 'D-70', 'D-7'],
    ],
    ['/console/orders?q=nothing', []],
    ['/console/orders?q=%25', []],
    ['/console/orders?kind=payout', []],
  ])('%s', async (path, expected) => {
    expect(await numbers(path)).toEqual(expected)
  })

  it('finds the platform’s number', async () => {
    const platformNo = /<dt>Platform number<\/dt><dd><code>([^<]+)/.exec(
      await read('/console/orders/deposit/42'),
    )?.[1]
    expect(await numbers(`/console/orders?q=${platformNo}`)).toEqual(['D-42'])
  })
})
