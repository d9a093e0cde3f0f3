/** Draws the pictures of docs/sandbox.md anew: `npm run screenshots`. They are those of a day that is always the same. */
import {mkdirSync} from 'node:fs'
import {fileURLToPath} from 'node:url'

import type {BrowserContextOptions} from 'playwright-core'

import {askAt, demoAccount, depositFields, post, signed} from '../acting-merchant.ts'
import {openReceiver, status} from '../receiver-server.ts'
import {findChromium, openBrowser} from './chromium.ts'
import {createDeposit, playDay, startAtNoon} from './played-sandbox.ts'

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url))
const phone = {viewport: {width: 390, height: 780}, locale: 'en-GB'}
const desktop = {viewport: {width: 1180, height: 660}, locale: 'en-GB'}

const chromium = findChromium()
if (chromium === null) throw new Error('There is no Chromium on the PATH, and no CHROMIUM_PATH.')
mkdirSync(folder, {recursive: true})
const browser = await openBrowser(chromium)
const receiver = await openReceiver()
const dead = await openReceiver()
dead.answer = status(503)
const sandbox = await startAtNoon()

async function draw(name: string, url: string, options: BrowserContextOptions): Promise<void> {
  const context = await browser.newContext({reducedMotion: 'reduce', ...options})
  const page = await context.newPage()
  await page.goto(url)
  await page.screenshot({
    path: `${folder}${name}.png`,
    fullPage: options.viewport?.width === phone.viewport.width,
  })
  await context.close()
}

try {
  const returnUrl = 'https://shop.example/webhook'
  const chosen = await createDeposit(sandbox, 'D-1001', {returnUrl})
  await draw('pay-choose', chosen, phone)
  sandbox.control.chooseAmount('D-1001', 1_500_00n, 'BKASH')
  await draw('pay-steps', chosen, phone)
  await draw('pay-steps-bengali', chosen, {...phone, locale: 'bn-BD', colorScheme: 'dark'})
  await sandbox.control.receiveSms({
    ...{channel: 'BKASH', sender: '01712345678', amount: 1_500_00n},
    trxId: '9AB1CD2EF3',
  })
  await draw('pay-done', chosen, phone)
  await playDay(sandbox, receiver.url, dead.url)
  await draw('console-orders', `${sandbox.consoleUrl}/orders`, desktop)
  await draw('console-sms', `${sandbox.consoleUrl}/sms`, desktop)
  const lost = sandbox.control
    .deliveries()
    .find(({status, response_code}) => status === 'failed' && response_code === 503)
  await draw('console-delivery', `${sandbox.consoleUrl}/deliveries/${lost?.id}`, desktop)
  const worn = {...demoAccount, apiSecret: `${demoAccount.apiSecret}\n`}
  const fields = signed(depositFields({orderNo: 'D-2025'}), worn)
  await post(askAt(sandbox.url), '/v1/pay/order/create', fields)
  const [refused] = sandbox.requestLog.list({isRefused: true}, 1)
  await draw('console-request', `${sandbox.consoleUrl}/requests/${refused?.id}?diagnose=1`, desktop)
  await draw('console-payouts', `${sandbox.consoleUrl}/payouts`, {...desktop, colorScheme: 'dark'})
} finally {
  await browser.close()
  await sandbox.close()
  await receiver.close()
  await dead.close()
}
