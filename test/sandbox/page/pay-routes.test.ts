import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {demonstrationMerchant} from '../../../src/sandbox/merchants.ts'
import type {Sandbox} from '../../../src/sandbox/start.ts'
import {createDeposit, startAtNoon} from '../browser/played-sandbox.ts'

const minuteMs = 60_000

let sandbox: Sandbox
let payUrl: string

beforeEach(async () => {
  sandbox = await startAtNoon()
  payUrl = await createDeposit(sandbox, 'D-1', {returnUrl: 'https://shop.example/hook'})
})

afterEach(() => sandbox.close())

const choose = (fields: Record<string, string>, headers: Record<string, string> = {}, lang = 'en') =>
  fetch(`${payUrl}/choice?lang=${lang}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
    redirect: 'manual',
  })
const read = async (url = payUrl, headers: Record<string, string> = {}) =>
  await (await fetch(url, {headers})).text()

describe('the payment page', () => {
  it('of a code nobody gave out is a page, and no order of a merchant', async () => {
    const answer = await fetch(`${sandbox.url}/pay/AAAAAAAAAAAA`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
    expect(await answer.text()).toContain('No such payment')
  })

  it('loads nothing from elsewhere and may stand in a frame of any site', async () => {
    const {headers} = await fetch(payUrl)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain('frame-ancestors http: https:')
    expect(headers.get('x-frame-options')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
    const resources = [...(await read()).matchAll(/<(?:link|script)[^>]*(?:src|href)="([^"]*)"/g)].map(
      ([, url]) => url,
    )
    for (const url of resources) expect(url).toMatch(/^\/(?:assets|pay)\//)
  })

  it('shows an order number as text, whatever is in it', async () => {
    const url = await createDeposit(sandbox, '"><script>alert(1)</script>')
    expect(await read(url)).toContain('&lt;script&gt;alert(1)')
    expect(await read(url)).not.toContain('<script>alert')
  })

  it.each([
    ['?lang=bn', 'en', 'bn'],
    ['?lang=en', 'bn', 'en'],
    ['', 'bn-BD,bn;q=0.9,en;q=0.8', 'bn'],
    ['', 'en-GB,en;q=0.9,bn;q=0.8', 'en'],
    ['', 'fr, bn;q=0.5', 'bn'],
    ['', 'en;q=0.1, bn;q=0.9', 'bn'],
    ['', 'bn;q=0, en;q=0.1', 'en'],
    ['', 'fr', 'en'],
    ['?lang=fr', '*', 'en'],
  ])('%s with Accept-Language %s is in %s', async (query, accept, language) => {
    expect(await read(`${payUrl}${query}`, {'accept-language': accept})).toContain(
      `<html lang="${language}">`,
    )
  })
})

describe('the choice', () => {
  const accepted: [what: string, fields: Record<string, string>, shown: string][] = [
    ['a preset', {preset: '500.00', channel: 'BKASH'}, '৳500'],
    ['a typed amount before a preset', {preset: '500.00', amount: ' 750.5 ', channel: 'NAGAD'}, '৳750.50'],
    ['Bengali digits', {amount: '১,৫০০', channel: 'ROCKET'}, '৳1,500'],
    ['zeros before and a point behind', {amount: '0500.', channel: 'BKASH'}, '৳500'],
    ['lakh commas and the sign of the taka', {amount: '৳1,20,000', channel: 'BKASH'}, '৳1,20,000'],
  ]
  it.each(accepted)('is taken: %s', async (_, fields, shown) => {
    const answer = await choose(fields)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${new URL(payUrl).pathname}?lang=en`,
    ])
    expect(await read()).toContain(`<span class="value">${shown}</span>`)
  })

  it.each([
    ['', 'Choose an amount, or type one.', 'টাকার একটি পরিমাণ বেছে নিন বা লিখুন।'],
    ['0', 'Type an amount above zero.', 'শূন্যের বেশি পরিমাণ লিখুন।'],
    ['-5', 'Type an amount above zero.', 'শূন্যের বেশি পরিমাণ লিখুন।'],
    ['12,34', 'Type 1234 or 12.34, without a comma.', 'কমা ছাড়া ১২৩৪ বা ১২.৩৪ লিখুন।'],
    ['1.005', 'Type at most two digits after the point', 'দশমিকের পরে বেশি হলে দুটি অঙ্ক লিখুন'],
    ['9'.repeat(16), 'This amount is too large.', 'পরিমাণটি খুব বড়।'],
    ['all', 'Type the amount in digits only', 'পরিমাণ শুধু অঙ্কে লিখুন'],
  ])('is refused in its own words, and stays as it was typed: %s', async (amount, english, bengali) => {
    for (const [lang, words] of Object.entries({en: english, bn: bengali})) {
      const answer = await choose({amount, channel: 'BKASH'}, {}, lang)
      const page = await answer.text()
      expect(answer.status).toBe(422)
      expect(page).toContain(`id="wrong-amount">${words}`)
      expect(page).toContain(
        `name="amount" inputmode="decimal" autocomplete="off" maxlength="64" value="${amount}"`,
      )
      expect(page).not.toContain('wrong-channel')
      // The other language has it, too.
      const other = /href="([^"]*)"[^>]*data-language/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect(await read(new URL(other, payUrl).href)).toContain(`value="${amount}"`)
    }
    expect(await read()).toContain('<form')
  })

  it.each(['', 'CASH'])('without a wallet that is there is refused: "%s"', async (channel) => {
    const page = await (await choose({amount: '5', channel})).text()
    expect(page).toContain('Choose bKash, Nagad or Rocket.')
    expect(page).not.toContain('wrong-amount')
  })

  it('of a page of another origin is refused', async () => {
    const answer = await choose({amount: '5', channel: 'BKASH'}, {origin: 'https://evil.example'})
    expect(answer.status).toBe(403)
  })

  it('comes too late where the order is paid, or its time is up', async () => {
    await sandbox.control.payDeposit('D-1', 70_00n)
    expect((await choose({amount: '5', channel: 'BKASH'})).status).toBe(303)
    expect(await read()).toContain('Payment received')
    payUrl = await createDeposit(sandbox, 'D-2')
    await sandbox.control.advanceBy(30 * minuteMs)
    expect((await choose({amount: '5', channel: 'BKASH'})).status).toBe(303)
    expect(await read()).toContain('Time is up')
  })
})

describe('the end', () => {
  it('tells what was paid and leads back to the site, not to where webhooks go', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    await sandbox.control.receiveSms({
      ...{channel: 'BKASH', sender: '01712345678', amount: 500_00n},
      trxId: '9AB1CD2EF3',
    })
    const page = await read()
    for (const text of ['৳500', 'bKash', '9AB1CD2EF3', 'D-1', 'href="https://shop.example/"']) {
      expect(page).toContain(text)
    }
    expect(page).not.toContain('shop.example/hook')
  })

  it('is another one for what expired and what was closed', async () => {
    await sandbox.control.expireDeposit('D-1')
    expect(await read()).toContain('Payment closed')
    const unlimited = await startAtNoon({depositLifetimeMs: null})
    const url = await createDeposit(unlimited, 'D-1')
    expect(await read(url)).not.toContain('Time left')
    await unlimited.control.expireDeposit('D-1')
    expect(await read(url)).toContain('Payment closed')
    await unlimited.close()
    const late = await createDeposit(sandbox, 'D-2')
    await sandbox.control.advanceBy(31 * minuteMs)
    expect(await read(late)).toContain('Time is up')
  })

  it('says that a payment which does not fit is being checked, until it is decided', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const wrong = {channel: 'BKASH', sender: '01712345678', amount: 600_00n} as const
    const {id} = await sandbox.control.receiveSms(wrong)
    expect(await read()).toContain('Your payment is being checked')
    await sandbox.control.discardSms(id)
    expect(await read()).toContain('Waiting for your payment')
  })

  it('does not ask for the money again without a word about the payment that was discarded', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const paid = {channel: 'BKASH', sender: '01712345678', amount: 600_00n, trxId: '9AB1CD2EF3'} as const
    const words = 'Your payment of ৳600 (transaction 9AB1CD2EF3) was checked by a person and was not counted'
    const news = await listen(`${payUrl}/events`)
    const {id} = await sandbox.control.receiveSms(paid)
    await news.until(`checking.${id}`)
    expect(await read()).not.toContain(words)
    await sandbox.control.discardSms(id)
    await news.until(`pay.50000.BKASH.after-${id}`)
    await news.close()
    for (const page of [await read(), await read(`${payUrl}?change=1`)]) expect(page).toContain(words)
    // What a stranger wrote is no payment of the player's.
    const forged = {
      from: '01812000000',
      text: 'You have received Tk 9,000.00 from 01712345678. TrxID 9ZZZZZZZZZ',
    }
    await sandbox.control.discardSms((await sandbox.control.receiveSms(forged)).id)
    expect(await read()).toContain(words)
    await sandbox.control.advanceBy(31 * minuteMs)
    expect(await read()).toContain(words)
  })

  it('names the payee in every state, and the site where the merchant has no name', async () => {
    const named = 'Payment to <strong><bdi>Demonstration shop</bdi></strong>'
    expect(await read()).toContain(named)
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    expect(await read()).toContain(named)
    await sandbox.control.payDeposit('D-1', 500_00n)
    expect(await read()).toContain(named)
    expect(await read()).toContain('<title>Payment received · Demonstration shop</title>')
    const nameless = await startAtNoon({merchants: [{...demonstrationMerchant, name: ''}]})
    expect(
      await read(await createDeposit(nameless, 'D-1', {returnUrl: 'https://shop.example/hook'})),
    ).toContain('Payment to <strong><bdi>shop.example</bdi></strong>')
    await nameless.close()
  })
})

describe('the news of a page', () => {
  it('tell the state at once, then each change, and end with the order', async () => {
    const news = await listen(`${payUrl}/events?lang=bn`)
    expect(await news.next()).toMatchObject({version: 'choose', ended: false, remaining: '৩০:০০'})
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    expect(await news.until('pay.50000.BKASH')).toMatchObject({ended: false})
    await sandbox.control.advanceBy(25 * minuteMs)
    await sandbox.control.receiveSms({channel: 'BKASH', sender: '01712345678', amount: 500_00n})
    expect(await news.until('paid')).toMatchObject({ended: true, remaining: null})
    await news.close()
  })

  it('can be asked for, too', async () => {
    const answer = await fetch(`${payUrl}/news`)
    expect(await answer.json()).toEqual({
      version: 'choose',
      ended: false,
      interrupts: false,
      isLastMinute: false,
      remaining: '30:00',
      announcement: null,
    })
  })

  it('do not keep a sandbox from ending', async () => {
    const news = await listen(`${payUrl}/events`)
    await news.next()
    await sandbox.close()
    await expect(news.next()).rejects.toThrow('ended')
    sandbox = await startAtNoon()
  })
})

/** Server-sent events, one after the other. */
async function listen(url: string) {
  const {body} = await fetch(url)
  const reader = (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Record<string, unknown>> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1] ?? '{}'
        text = text.slice(end + 2)
        return JSON.parse(data)
      }
      const {done, value} = await reader.read()
      if (done) throw new Error('the events have ended')
      text += value
    }
  }
  return {
    next,
    async until(version: string) {
      let news = await next()
      while (news.version !== version) news = await next()
      return news
    },
    close: () => reader.cancel(),
  }
}
