import {once} from 'node:events'

import {afterEach, beforeEach, describe, expect, test} from 'vitest'

import type {Sandbox} from '../../../src/sandbox/start.ts'
import {tempDir} from '../../temp-dir.ts'
import {askAt, depositFields, post, signed} from '../acting-merchant.ts'
import {openReceiver, type TestReceiver} from '../receiver-server.ts'
import {accessibilityProblems, describeInBrowser, isTooWide, openSite} from './in-browser.ts'
import {createDeposit, startAtNoon} from './played-sandbox.ts'
import {startProcess} from './start-process.ts'

const player = '01712345678'
const minuteMs = 60_000
/** 15 digits before the point. */
const largest = 999_999_999_999_999_99n

let sandbox: Sandbox
let receiver: TestReceiver
let payUrl: string

beforeEach(async () => {
  receiver = await openReceiver()
  sandbox = await startAtNoon()
  payUrl = await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
})

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

describeInBrowser('a player', (browser) => {
  test('picks, pays, and sees it arrive; the merchant’s receiver books it', async () => {
    const page = await browser.open(payUrl)
    await page.getByRole('radio', {name: '৳500'}).check()
    await page.getByRole('radio', {name: 'bKash'}).check()
    await page.getByRole('button', {name: 'Continue'}).click()
    await page.getByRole('heading', {name: 'Pay ৳500 with bKash'}).waitFor()
    expect(await page.getByText('017****5678').count()).toBe(1)
    await sandbox.control.receiveSms({channel: 'BKASH', sender: player, amount: 500_00n, trxId: '9AB1CD2EF3'})
    await page.getByRole('heading', {name: 'Payment received'}).waitFor()
    expect(await page.getByText('9AB1CD2EF3').count()).toBe(1)
    expect(await page.title()).toBe('Payment received · Demonstration shop')
    expect(await page.locator('#announcement').textContent()).toContain('৳500 has arrived')
    expect(await page.getByRole('link', {name: /^Back to 127\.0\.0\.1/}).getAttribute('href')).toBe(
      `${new URL(receiver.url).origin}/`,
    )
    expect(receiver.received.map(({body}) => body)).toMatchObject([
      {event: 'order.completed', orderNo: 'D-1', amount: '500.00'},
    ])
  })

  test('who pays from a wrong number waits until the desk has released it', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'NAGAD')
    const page = await browser.open(payUrl)
    const wrong = {channel: 'NAGAD', sender: '01999999999', amount: 500_00n} as const
    const {id, reason} = await sandbox.control.receiveSms(wrong)
    expect(reason).toBe('stranger')
    await page.getByText('Waiting for your payment').waitFor()
    expect(receiver.received).toEqual([])
    await sandbox.control.releaseSms(id, 'D-1')
    await page.getByRole('heading', {name: 'Payment received'}).waitFor()
    expect(receiver.received).toHaveLength(1)
  })

  test('who pays a wrong amount is told not to pay again', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const page = await browser.open(payUrl)
    await sandbox.control.receiveSms({channel: 'BKASH', sender: player, amount: 50_00n})
    await page.getByRole('heading', {name: 'Your payment is being checked'}).waitFor()
    expect(await page.locator('main').textContent()).toContain('Do not pay again')
    expect(await page.getByText('Agent number').count()).toBe(0)
  })

  test('sees the time run and run out, and the merchant is told', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const page = await browser.open(payUrl)
    const timer = page.getByRole('timer')
    await expect.poll(() => timer.textContent()).toBe('30:00')
    // That stands in the page as it comes; the next is news, and only after news can a moment have passed.
    await sandbox.control.advanceBy(minuteMs)
    await expect.poll(() => timer.textContent()).toBe('29:00')
    await sandbox.control.advanceBy(24.5 * minuteMs)
    await expect.poll(() => timer.textContent()).toBe('4:30')
    expect(await page.locator('#announcement').textContent()).toBe('5 minutes left')
    const last = page.getByText('This is the last minute.')
    expect(await last.isVisible()).toBe(false)
    await sandbox.control.advanceBy(4 * minuteMs)
    await last.waitFor()
    await sandbox.control.advanceBy(minuteMs)
    await page.getByRole('heading', {name: 'Time is up'}).waitFor()
    expect(receiver.received[0]?.body).toMatchObject({event: 'order.failed'})
  })

  test('reads and types Bengali', async () => {
    const page = await browser.open(payUrl, {locale: 'bn-BD'})
    await page.getByRole('heading', {name: 'টাকা জমা দিন'}).waitFor()
    await page.getByLabel('অথবা পরিমাণ লিখুন').fill('১,৫০০')
    await page.getByRole('radio', {name: 'নগদ'}).check()
    await page.getByRole('button', {name: 'এগিয়ে যান'}).click()
    await page.getByRole('heading', {name: 'নগদ থেকে ৳১,৫০০ দিন'}).waitFor()
    await expect.poll(() => page.getByRole('timer').textContent()).toBe('৩০:০০')
    // What is typed into a telephone stays in its digits.
    expect(await page.locator('[data-copy]').first().getAttribute('data-copy')).toBe('01000000002')
    await sandbox.control.receiveSms({channel: 'NAGAD', sender: player, amount: 1_500_00n})
    await page.getByRole('heading', {name: 'পেমেন্ট পাওয়া গেছে'}).waitFor()
    await page.getByRole('link', {name: 'English'}).click()
    await page.getByRole('heading', {name: 'Payment received'}).waitFor()
  })

  test('needs no mouse', async () => {
    const page = await browser.open(payUrl)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await page.locator('input[name=preset]').first().focus()
    await press('Space', 'ArrowRight', 'Tab', 'Tab', 'Space', 'ArrowRight', 'Enter')
    await page.getByRole('heading', {name: 'Pay ৳500 with Nagad'}).waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await press('Tab', 'Enter')
    await expect.poll(() => page.locator('#announcement').textContent()).toBe('Agent number copied')
    await page.getByRole('button', {name: 'Copied Agent number'}).waitFor()
    await press('Tab', 'Tab', 'Enter')
    await page.getByRole('heading', {name: 'Add money'}).waitFor()
    expect(await page.locator('input[name=preset]:checked').inputValue()).toBe('500.00')
  })

  test('loses nothing typed: not by a mistake, another language, Back, or a connection that is gone', async () => {
    const page = await browser.open(payUrl)
    const amount = page.getByRole('textbox')
    await amount.fill('12,34')
    await page.getByRole('radio', {name: 'Rocket'}).check()
    await page.getByRole('link', {name: 'বাংলা'}).click()
    await page.getByRole('heading', {name: 'টাকা জমা দিন'}).waitFor()
    expect([await amount.inputValue(), await page.getByRole('radio', {name: 'রকেট'}).isChecked()]).toEqual([
      '12,34',
      true,
    ])
    await page.getByRole('button', {name: 'এগিয়ে যান'}).click()
    await page.getByText('কমা ছাড়া ১২৩৪ বা ১২.৩৪ লিখুন।').waitFor()
    await page.getByRole('link', {name: 'English'}).click()
    await page.getByRole('heading', {name: 'Add money'}).waitFor()
    await page.reload()
    expect(await amount.inputValue()).toBe('12,34')
    await amount.fill('1234')
    // No connection: said where it is seen, and the form is as it was.
    await page.route('**/choice?*', (route) => route.abort())
    await page.getByRole('button', {name: 'Continue'}).click()
    await page.getByText('Your last step may not have arrived.').waitFor()
    await page.unroute('**/choice?*')
    await page.locator('#offline').waitFor({state: 'hidden'})
    await page.getByRole('button', {name: 'Continue'}).click()
    await page.getByRole('heading', {name: 'Pay ৳1,234 with Rocket'}).waitFor()
    await page.goBack()
    await page.getByRole('heading', {name: 'Add money'}).waitFor()
    expect([await amount.inputValue(), await page.getByRole('radio', {name: 'Rocket'}).isChecked()]).toEqual([
      '1234',
      true,
    ])
    await page.goForward()
    await page.getByRole('heading', {name: 'Pay ৳1,234 with Rocket'}).waitFor()
    await page.getByRole('link', {name: 'Change amount or wallet'}).click()
    await page.getByRole('heading', {name: 'Add money'}).waitFor()
    await page.goBack()
    expect(page.url()).toBe('about:blank')
  })

  test('sees that something is under way, and sends it once', async () => {
    const page = await browser.open(payUrl)
    let sent = 0
    const {promise: answered, resolve: answer} = Promise.withResolvers<void>()
    await page.route('**/choice?*', async (route) => {
      sent += 1
      await answered
      await route.continue()
    })
    await page.getByRole('radio', {name: '৳200'}).check()
    await page.getByRole('radio', {name: 'bKash'}).check()
    await page.getByRole('button', {name: 'Continue'}).click()
    await page.getByRole('button', {name: 'One moment…'}).click()
    answer()
    await page.getByRole('heading', {name: 'Pay ৳200 with bKash'}).waitFor()
    expect(sent).toBe(1)
  })

  test('is led to what is missing', async () => {
    const page = await browser.open(payUrl)
    await page.getByRole('button', {name: 'Continue'}).click()
    const field = page.getByLabel('Or type an amount')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement.id')).toBe('amount')
    await field.fill('5')
    await page.getByRole('button', {name: 'Continue'}).click()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('channel')
  })

  test('has two tabs of one order: the choice of one is that of the other, and both see the end', async () => {
    const [one, two] = [await browser.open(payUrl), await browser.open(payUrl)]
    await one.getByLabel('Or type an amount').fill('250')
    await one.getByRole('radio', {name: 'Rocket'}).check()
    await one.getByRole('button', {name: 'Continue'}).click()
    await two.getByRole('heading', {name: 'Pay ৳250 with Rocket'}).waitFor()
    // Somebody types: only the end takes the form away.
    await two.getByRole('link', {name: 'Change amount or wallet'}).click()
    await two.getByLabel('Or type an amount').fill('30')
    sandbox.control.chooseAmount('D-1', 70_00n, 'BKASH')
    await one.getByRole('heading', {name: 'Pay ৳70 with bKash'}).waitFor()
    expect(await two.getByLabel('Or type an amount').inputValue()).toBe('30')
    await sandbox.control.receiveSms({channel: 'BKASH', sender: player, amount: 70_00n})
    for (const page of [one, two]) await page.getByRole('heading', {name: 'Payment received'}).waitFor()
    await two.reload()
    await two.getByRole('heading', {name: 'Payment received'}).waitFor()
  })

  test('without scripts picks by form and follows by reload', async () => {
    const page = await browser.open(payUrl, {javaScriptEnabled: false, viewport: {width: 320, height: 640}})
    const amount = page.getByRole('textbox')
    await amount.fill('90')
    await page.getByRole('radio', {name: 'Nagad'}).check()
    expect(await page.getByRole('link', {name: 'বাংলা'}).count()).toBe(0)
    await page.getByRole('button', {name: 'বাংলা'}).click()
    await page.getByRole('heading', {name: 'টাকা জমা দিন'}).waitFor()
    expect([await amount.inputValue(), await page.getByRole('radio', {name: 'নগদ'}).isChecked()]).toEqual([
      '90',
      true,
    ])
    await page.getByRole('button', {name: 'English'}).click()
    await amount.press('Enter')
    await page.getByRole('heading', {name: 'Pay ৳90 with Nagad'}).waitFor()
    await page.getByRole('link', {name: 'Change amount or wallet'}).click()
    await amount.fill('91')
    await page.getByRole('button', {name: 'বাংলা'}).click()
    await page.getByRole('button', {name: 'এগিয়ে যান'}).waitFor()
    expect(await amount.inputValue()).toBe('91')
    await amount.fill('90')
    await page.getByRole('button', {name: 'এগিয়ে যান'}).click()
    await page.getByRole('link', {name: 'English'}).click()
    await page.getByRole('heading', {name: 'Pay ৳90 with Nagad'}).waitFor()
    await sandbox.control.receiveSms({channel: 'NAGAD', sender: player, amount: 90_00n})
    await page.getByRole('heading', {name: 'Payment received'}).waitFor()
  })

  test('whose browser gets no events through asks instead', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const page = await browser.open('about:blank')
    await page.route('**/events?*', (route) => route.fulfill({status: 502, body: 'Bad gateway'}))
    await page.goto(payUrl)
    await page.getByText('Waiting for your payment').waitFor()
    await sandbox.control.receiveSms({channel: 'BKASH', sender: player, amount: 500_00n})
    await page.getByRole('heading', {name: 'Payment received'}).waitFor()
  })

  describe('in a frame of the merchant’s site', () => {
    const frame = (extra = '') =>
      openSite(
        `<!doctype html><title>Shop</title><iframe ${extra} title="Pay" src="${payUrl}" width="360" height="700"></iframe>`,
      )

    test('pays, and is sent nowhere', async () => {
      const page = await browser.open(await frame())
      const inside = page.frameLocator('iframe')
      await inside.getByRole('radio', {name: '৳200'}).check()
      await inside.getByRole('radio', {name: 'bKash'}).check()
      await inside.getByRole('button', {name: 'Continue'}).click()
      await inside.getByRole('button', {name: 'Copy Agent number'}).click()
      await expect.poll(() => inside.locator('#announcement').textContent()).toBe('Agent number copied')
      await sandbox.control.receiveSms({channel: 'BKASH', sender: player, amount: 200_00n})
      await inside.getByRole('heading', {name: 'Payment received'}).waitFor()
      expect(await inside.getByRole('link', {name: /^Back to/}).count()).toBe(0)
      expect(await inside.getByText('You can go on at the site').isVisible()).toBe(true)
    })

    test('pays in a sandboxed one with the three permissions docs/sandbox.md names', async () => {
      const page = await browser.open(await frame('sandbox="allow-scripts allow-same-origin allow-forms"'))
      const inside = page.frameLocator('iframe')
      await inside.getByRole('radio', {name: '৳200'}).check()
      await inside.getByRole('radio', {name: 'bKash'}).check()
      await inside.getByRole('button', {name: 'Continue'}).click()
      await inside.getByRole('heading', {name: 'Pay ৳200 with bKash'}).waitFor()
    })
  })

  const looks = [
    ['light', 'en-GB'],
    ['dark', 'bn-BD'],
  ] as const
  test.each(looks)(
    'on a telephone of 320 pixels, %s, %s: nothing scrolls sideways, nothing is out of reach',
    async (colorScheme, locale) => {
      const page = await browser.open(payUrl, {viewport: {width: 320, height: 640}, colorScheme, locale})
      const check = async () => {
        expect(await isTooWide(page)).toBe(false)
        expect(await accessibilityProblems(page)).toEqual([])
      }
      await check()
      await page.locator('button.go').click()
      await page.locator('#wrong-amount').waitFor()
      await check()
      sandbox.control.chooseAmount('D-1', largest, 'ROCKET')
      await page.goto(payUrl)
      await check()
      await page.evaluate('window.dispatchEvent(new Event("offline"))')
      await check()
      // On paper it is black on white, and what only a screen can do is gone.
      await page.emulateMedia({media: 'print', colorScheme})
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        'rgb(243, 245, 247)',
      )
      for (const name of ['[data-copy]', '.ticking', '.waiting', 'nav', '#offline']) {
        expect(await page.locator(name).first().isVisible()).toBe(false)
      }
      await page.emulateMedia({media: 'screen', colorScheme})
      await sandbox.control.advanceBy(29.5 * minuteMs)
      await page.locator('.hurry').waitFor()
      await check()
      await sandbox.control.receiveSms({channel: 'BKASH', sender: player, amount: 50_00n})
      await page.locator('main.checked').waitFor()
      await check()
      await sandbox.control.receiveSms({channel: 'ROCKET', sender: player, amount: largest})
      await page.locator('main.good').waitFor()
      await check()
      await page.goto(await createDeposit(sandbox, `D-${'9'.repeat(30)}`, {playerPhone: '01812345678'}))
      await sandbox.control.advanceBy(31 * minuteMs)
      await page.locator('main.bad').waitFor()
      await check()
      await page.goto(`${sandbox.url}/pay/nobody`)
      await check()
    },
  )
})

describeInBrowser('a sandbox that dies', (browser) => {
  test('and comes back finds the player’s page waiting, with the choice that was made', async () => {
    const dataDir = tempDir()
    const first = await startProcess(dataDir)
    const created = await post(
      askAt(first.url),
      '/v1/pay/order/create',
      signed(depositFields({orderNo: 'D-1', returnUrl: receiver.url})),
    )
    const page = await browser.open(created.body.data.payUrl)
    await page.getByLabel('Or type an amount').fill('65')
    await page.getByRole('radio', {name: 'bKash'}).check()
    await page.getByRole('button', {name: 'Continue'}).click()
    await page.getByRole('heading', {name: 'Pay ৳65 with bKash'}).waitFor()
    const ask = (path: string, body: unknown, url = first.url) => post(askAt(url), `/sandbox${path}`, body)
    await ask('/sms', {channel: 'BKASH', sender: '01999999999', amount: '65.00', trxId: 'AAAA000001'})
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    await page.locator('#offline').waitFor({state: 'visible'})
    const second = await startProcess(dataDir, Number(new URL(first.url).port))
    await page.locator('#offline').waitFor({state: 'hidden'})
    await ask('/sms/release', {id: 1, orderNo: 'D-1'})
    const again = await ask('/sms', {
      channel: 'BKASH',
      sender: '01999999999',
      amount: '65.00',
      trxId: 'AAAA000001',
    })
    expect(again.body.data).toMatchObject({state: 'duplicate'})
    await page.getByRole('heading', {name: 'Payment received'}).waitFor()
    expect(receiver.received).toHaveLength(1)
    second.child.kill('SIGKILL')
    await once(second.child, 'exit')
  })
})
