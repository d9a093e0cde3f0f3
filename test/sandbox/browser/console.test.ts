import {afterEach, beforeEach, expect, test} from 'vitest'

import type {Sandbox} from '../../../src/sandbox/start.ts'
import {askAt, demoAccount, depositFields, post, signed} from '../acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from '../receiver-server.ts'
import {accessibilityProblems, describeInBrowser, isTooWide} from './in-browser.ts'
import {createDeposit, createPayout, playDay, startAtNoon} from './played-sandbox.ts'

const wide = {viewport: {width: 1180, height: 760}}

let sandbox: Sandbox
let receiver: TestReceiver

beforeEach(async () => {
  receiver = await openReceiver()
  sandbox = await startAtNoon()
})

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

describeInBrowser('the console', (browser) => {
  test('shows an order the moment it is made, and its end', async () => {
    const page = await browser.open(`${sandbox.url}/console`, wide)
    await page.getByText('No deposits here yet.').waitFor()
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    const row = page.getByRole('row').filter({hasText: 'D-1'})
    await row.getByText('processing').waitFor()
    await sandbox.control.payDeposit('D-1', 12_345_00n)
    await row.getByText('completed').waitFor()
    await row.getByText('৳12,345.00').waitFor()
  })

  test('lets a person release the SMS of a wrong number', async () => {
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const page = await browser.open(`${sandbox.url}/console/sms`, wide)
    await sandbox.control.receiveSms({channel: 'BKASH', sender: '01999999999', amount: 500_00n})
    await page.getByRole('navigation', {name: 'Sections'}).getByText('1 waiting').waitFor()
    await page.getByRole('link', {name: 'Decide on SMS 1'}).click()
    await page.getByRole('button', {name: 'Release with ৳500.00: D-1'}).click()
    await page.getByText('The SMS was released, and the order is completed.').first().waitFor()
    expect(receiver.received[0]?.body).toMatchObject({orderNo: 'D-1', amount: '500.00'})
    // The notice is said once, and the address is that of the list.
    expect(page.url()).toBe(`${sandbox.url}/console/sms`)
  })

  test('lets an SMS come in, matched, waiting, twice', async () => {
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const page = await browser.open(`${sandbox.url}/console/orders/deposit/1`, wide)
    await page.getByText('Let another SMS come in').click()
    await page.getByLabel('Transaction').fill('AAAA000001')
    await page.getByRole('button', {name: 'Let the SMS come in'}).click()
    await page.getByText('The SMS came in and released its order.').first().waitFor()
    await page.getByRole('link', {name: 'SMS 1'}).waitFor()
    expect(receiver.received).toHaveLength(1)
    await page.goto(`${sandbox.url}/console/sms`)
    await page.getByText('Let an SMS come in', {exact: true}).click()
    await page.getByLabel('Sender').fill('bKash')
    await page
      .getByLabel('Text, word for word')
      .fill('You have received Tk 500.00 from 01712345678. TrxID AAAA000001')
    await page.getByRole('button', {name: 'Let it come in'}).click()
    await page.getByText('the SMS is a duplicate').first().waitFor()
    expect(receiver.received).toHaveLength(1)
  })

  test('pays out and rejects by keyboard, and the row under the finger stays the same while others come', async () => {
    for (const n of [1, 2]) await createPayout(sandbox, `P-${n}`, {returnUrl: receiver.url})
    const page = await browser.open(`${sandbox.url}/console/payouts`, wide)
    await page.getByRole('button', {name: 'Complete P-1'}).focus()
    for (const n of [3, 4, 5]) await createPayout(sandbox, `P-${n}`, {returnUrl: receiver.url})
    await page.getByRole('button', {name: 'Complete P-5'}).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('The payout is completed.').first().waitFor()
    await page.getByRole('button', {name: 'Reject P-2'}).press('Enter')
    await page.getByText('its amount is back in the balance').first().waitFor()
    expect(receiver.received.map(({body}) => [body.orderNo, body.event])).toEqual([
      ['P-1', 'order.completed'],
      ['P-2', 'order.failed'],
    ])
    await page.getByRole('link', {name: 'Orders'}).click()
    await page.getByRole('link', {name: 'Payouts'}).click()
    await page.getByRole('link', {name: 'P-2', exact: true}).waitFor()
    expect(await page.getByRole('row').count()).toBe(6)
  })

  test('shows what was sent and answered, and resends', async () => {
    receiver.answer = status(503, '<h1>down</h1>')
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    await sandbox.control.payDeposit('D-1', 500_00n)
    const page = await browser.open(`${sandbox.url}/console/deliveries?status=failed`, wide)
    await page.getByRole('link', {name: 'Details of order.completed for D-1'}).click()
    const first = page.getByRole('region', {name: 'Attempt 1'})
    await first.getByText('The receiver failed: HTTP 503.').waitFor()
    await first.getByText('What went over the wire').click()
    await first.getByText('"amount": "500.00"').waitFor()
    await first.locator('pre').getByText('<h1>down</h1>').waitFor()
    receiver.answer = status(200, 'thanks')
    await page.getByRole('button', {name: 'Resend now'}).click()
    await page.getByText('the receiver took it').first().waitFor()
    const second = page.getByRole('region', {name: 'Attempt 2'})
    await second.getByText('The receiver took it: HTTP 200.').waitFor()
    // What was opened stays open.
    expect([
      await first.locator('pre').getByText('<h1>down</h1>').isVisible(),
      await second.locator('pre').getByText('thanks').isVisible(),
    ]).toEqual([true, false])
    await page.getByRole('link', {name: 'D-1'}).click()
    await page.getByRole('heading', {name: 'Deposit D-1'}).waitFor()
    await page.getByRole('link', {name: 'Details of order.completed for D-1'}).waitFor()
    expect(receiver.received).toHaveLength(2)
  })

  test('says of a resend that takes its time that it goes on, and of one that failed that it did', async () => {
    receiver.answer = status(500, 'no room')
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    await sandbox.control.payDeposit('D-1', 500_00n)
    const page = await browser.open(`${sandbox.url}/console/orders`, wide)
    await page.getByRole('link', {name: 'Webhook of D-1: failed'}).click()
    await page.getByRole('button', {name: 'Resend now'}).click()
    await page.locator('.notice.bad').getByText('the receiver did not take it').waitFor()
    let answer = () => {}
    receiver.answer = (response) => {
      answer = () => status(200)(response)
    }
    await page.getByRole('button', {name: 'Resend now'}).click()
    await page.locator('#main').getByText('The webhook is being sent again.').waitFor()
    await page.getByRole('region', {name: 'Attempt 3'}).getByText('Sent. No answer yet.').waitFor()
    expect(await page.getByRole('button', {name: 'Resend now'}).count()).toBe(0)
    answer()
    await page.getByRole('region', {name: 'Attempt 3'}).getByText('The receiver took it: HTTP 200.').waitFor()
  })

  test('resends all that failed with one click, and stays with the filter', async () => {
    receiver.answer = status(500)
    for (const n of [1, 2, 3]) {
      await createDeposit(sandbox, `D-${n}`, {returnUrl: receiver.url})
      await sandbox.control.payDeposit(`D-${n}`, 500_00n)
    }
    receiver.answer = status(200)
    const page = await browser.open(`${sandbox.url}/console/deliveries?status=failed`, wide)
    await page.getByRole('button', {name: 'Resend all 3 failed'}).click()
    await page.getByText('Resent: 3 of 3; the receiver took 3.').waitFor()
    await page.getByText('No delivery is failed.').waitFor()
    expect(page.url()).toBe(`${sandbox.url}/console/deliveries?status=failed`)
    expect(receiver.received).toHaveLength(6)
  })

  test('explains an outage without another tool', async () => {
    // Down for a while, then back with another secret; the merchant's own requests are refused as well.
    const {port} = new URL(receiver.url)
    await receiver.close()
    await createDeposit(sandbox, 'T-77', {returnUrl: receiver.url})
    await sandbox.control.payDeposit('T-77', 500_00n)
    await sandbox.control.advanceBy(21 * 60_000)
    receiver = await openReceiver(Number(port))
    receiver.answer = status(401, 'bad signature')
    await sandbox.control.advanceBy(7 * 3_600_000)
    const worn = {...demoAccount, apiSecret: `${demoAccount.apiSecret}\n`}
    const fields = signed(depositFields({orderNo: 'T-78'}), worn)
    await post(askAt(sandbox.url), '/v1/pay/order/create', fields)

    const page = await browser.open(`${sandbox.url}/console`, wide)
    await page.getByRole('searchbox').fill('77')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('link', {name: 'T-77', exact: true}).click()
    await page.getByText('completed', {exact: true}).waitFor()
    await page.getByText('The receiver refused it: HTTP 401.').waitFor()
    await page.getByRole('link', {name: 'Details of order.completed for T-77'}).click()
    await page.getByRole('region', {name: 'Attempt 4'}).getByText('The connection was refused').waitFor()
    const last = page.getByRole('region', {name: 'Attempt 6'})
    await last.getByText('The signature is right. Compare the secret').waitFor()
    await last.getByText('It answered: bad signature').waitFor()
    await page.getByRole('link', {name: 'Requests', exact: true}).click()
    await page.getByRole('link', {name: 'Refused'}).click()
    await page.getByRole('link', {name: /^Diagnose the signature/}).click()
    await page.getByRole('region', {name: 'Diagnosis of the signature'}).getByText('secret').first().waitFor()
    receiver.answer = status(200)
    await page.goto(`${sandbox.url}/console/deliveries?q=T-77`)
    await page.getByRole('link', {name: /^Details/}).click()
    await page.getByRole('button', {name: 'Resend now'}).click()
    await page.getByText('The receiver took it: HTTP 200.').waitFor()
  })

  test('moves the clock: all five retries run, and an open deposit expires', async () => {
    receiver.answer = status(503)
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    await createDeposit(sandbox, 'D-2', {returnUrl: receiver.url})
    await sandbox.control.payDeposit('D-1', 500_00n)
    const page = await browser.open(`${sandbox.url}/console/clock`, wide)
    await page.getByRole('button', {name: 'All five retries'}).click()
    await page.getByText('Time has moved on').first().waitFor()
    await expect.poll(() => page.locator('.big').textContent()).toBe('2026-11-20 19:21:00 Dhaka')
    expect(receiver.received.filter(({body}) => body.orderNo === 'D-1')).toHaveLength(6)
    expect(receiver.received.filter(({body}) => body.event === 'order.failed').length).toBeGreaterThan(0)
    await page.getByRole('button', {name: 'Real time'}).click()
    await page.getByText('It runs in real time.').waitFor()
    await page.getByRole('button', {name: 'Stand still'}).click()
    // What cannot be read is said, and stays to be mended.
    const span = page.getByLabel('By any time')
    await span.fill('2 hours')
    await page.getByRole('button', {name: 'Move it on'}).click()
    await page.getByText('a length of time such as 7h21m').first().waitFor()
    expect(await span.inputValue()).toBe('2 hours')
    await span.fill('2h30m')
    await page.getByRole('button', {name: 'Move it on'}).click()
    await expect.poll(() => page.locator('.big').textContent()).toMatch(/^2026-11-20 21:51/)
    await page.getByRole('button', {name: 'Real time'}).click()
    await page.getByText('It runs in real time.').waitFor()
    expect(await page.getByRole('button', {name: 'Real time'}).getAttribute('aria-pressed')).toBe('true')
  })

  test('hides credentials until they are asked for, and leaves them open while things happen', async () => {
    const page = await browser.open(`${sandbox.url}/console/merchants`, wide)
    const secret = page.getByText('sandbox-secret-not-for-live-use')
    expect(await secret.isVisible()).toBe(false)
    await page.getByText('Show the credentials').first().click()
    await secret.waitFor()
    await createPayout(sandbox, 'P-1')
    await page.getByText('৳9,99,750.00').waitFor()
    expect(await secret.isVisible()).toBe(true)
  })

  test('keeps what somebody types while the list changes', async () => {
    const page = await browser.open(`${sandbox.url}/console/orders`, wide)
    const search = page.getByRole('searchbox')
    await search.fill('D-7')
    await createDeposit(sandbox, 'D-71')
    await page.getByRole('link', {name: 'D-71'}).waitFor()
    expect(await search.inputValue()).toBe('D-7')
    await search.press('Enter')
    await page.getByText('1 found, the newest first.').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })

  test('goes through many orders by pages', async () => {
    for (let n = 1; n <= 105; n += 1) await createDeposit(sandbox, `D-${n}`)
    const page = await browser.open(`${sandbox.url}/console/orders`, wide)
    for (const first of ['D-55', 'D-5']) {
      await page.getByRole('link', {name: 'Older'}).click()
      await page.getByRole('link', {name: first, exact: true}).waitFor()
    }
    expect(await page.getByRole('link', {name: 'Older'}).count()).toBe(0)
    await page.getByRole('link', {name: 'Newest'}).click()
    await page.getByRole('link', {name: 'D-105'}).waitFor()
  })

  test('is closed to another site’s form, which the browser itself sends', async () => {
    await createPayout(sandbox, 'P-1', {returnUrl: receiver.url})
    const page = await browser.open(`${sandbox.url}/pay/nobody`)
    const evil = `<form method="post" action="${sandbox.url}/console/payouts/1/complete"><button>Win</button></form>`
    await page.route('http://evil.example/', (route) => route.fulfill({contentType: 'text/html', body: evil}))
    await page.goto('http://evil.example/')
    await page.getByRole('button', {name: 'Win'}).click()
    await page.getByText('A web page of another origin may not drive the sandbox.').waitFor()
    expect(receiver.received).toEqual([])
  })

  const looks = [
    ['light', 1180],
    ['dark', 390],
  ] as const
  test.each(looks)(
    '%s, %i pixels wide: nothing scrolls sideways, nothing is out of reach',
    async (colorScheme, width) => {
      const dead = await openReceiver()
      dead.answer = status(503, 'down')
      await playDay(sandbox, receiver.url, dead.url)
      await dead.close()
      const page = await browser.open(`${sandbox.url}/console`, {colorScheme, viewport: {width, height: 760}})
      const paths = [
        '/orders',
        '/orders/deposit/18',
        '/orders/payout/2',
        '/sms',
        '/sms/18',
        '/payouts',
        '/merchants',
        '/clock',
        '/requests',
        '/requests/1',
        '/faults',
        '/orders?q=017',
        '/deliveries?status=failed',
      ]
      for (const [at, path] of paths.entries()) {
        await page.goto(`${sandbox.url}/console${path}`)
        expect([path, await isTooWide(page)]).toEqual([path, false])
        // Each page in one of the two looks: the rules take longer than all the rest.
        if (at % 2 === looks.findIndex(([look]) => look === colorScheme)) {
          expect([path, await accessibilityProblems(page)]).toEqual([path, []])
        }
      }
      await page
        .getByRole('link', {name: /^Details of/})
        .first()
        .click()
      await page.getByText('What went over the wire').first().click()
      expect(await accessibilityProblems(page)).toEqual([])
    },
  )
})
