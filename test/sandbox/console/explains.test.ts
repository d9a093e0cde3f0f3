import {setTimeout as sleep} from 'node:timers/promises'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import {realClock, scaledClock} from '../../../src/sandbox/clock.ts'
import {demonstrationMerchant} from '../../../src/sandbox/merchants.ts'
import {writeHistory} from '../../../src/sandbox/seed/write-history.ts'
import type {Sandbox} from '../../../src/sandbox/start.ts'
import {openStateDatabase} from '../../../src/sandbox/store/database.ts'
import {tempDir} from '../../temp-dir.ts'
import {askAt, depositFields, post, signed} from '../acting-merchant.ts'
import {createDeposit, createPayout, noon, startAtNoon} from '../browser/played-sandbox.ts'
import {openReceiver, status, type TestReceiver} from '../receiver-server.ts'

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

const read = async (path: string): Promise<string> =>
  await (await fetch(`${sandbox.url}/console${path}`)).text()
const act = (path: string, fields: Record<string, string>) =>
  fetch(`${sandbox.url}/console${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: {origin: sandbox.url},
    redirect: 'manual',
  })
/** The receiver keeps whoever asks waiting, until `go` answers all of them. */
function holdAnswers() {
  const held: Parameters<TestReceiver['answer']>[0][] = []
  receiver.answer = (response) => void held.push(response)
  return {
    go(code: number) {
      for (const response of held.splice(0)) status(code)(response)
    },
  }
}
/** What a reader sees: no tags, one blank between words. */
const textOf = (page: string) =>
  page
    .replace(/<[^>]+>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ')

describe('a delivery', () => {
  it('says of every attempt what came of it, and leads to its order, and the order to it', async () => {
    await createDeposit(sandbox, 'D-1', {returnUrl: 'http://127.0.0.1:9/hook'})
    await sandbox.control.payDeposit('D-1', 500_00n)
    await sandbox.control.advanceBy(60_000)
    const list = await read('/deliveries?status=failed')
    expect(textOf(list)).toContain('1 × The connection was refused: nothing listens at this address. ')
    expect(list).toContain('<a href="/console/orders/deposit/1">')
    const [, path = ''] =
      /href="\/console(\/deliveries\/[0-9a-f-]{36})"/.exec(await read('/orders/deposit/1')) ?? []
    const page = textOf(await read(path))
    for (const number of [1, 2])
      expect(page).toContain(`Attempt ${number} no answer The connection was refused`)
    expect(page).toContain('Start the receiver, or check the host and port of returnUrl.')
    expect(page).toContain('signature right')
    expect(page).toContain('content-type: application/json')
  })

  it('tells a wrong answer from none, with its headers and its body', async () => {
    receiver.answer = status(401, 'bad signature')
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    const {id} = await sandbox.control.payDeposit('D-1', 500_00n)
    const page = textOf(await read(`/deliveries/${id}`))
    expect(page).toContain('Attempt 1 HTTP 401 The receiver refused it: HTTP 401.')
    expect(page).toContain('The signature is right. Compare the secret and the rule in the receiver')
    expect(page).toContain('It answered: bad signature')
    expect(page).toMatch(/What is signed: amount=500.00&amp;event=.*&amp;key=\*\*\*/)
    expect(page).toMatch(/POST \/hook HTTP\/1.1 host: .* HTTP\/1.1 401 /)
  })

  it('that the receiver has not answered yet is under way, and is not sent besides', async () => {
    const answers = holdAnswers()
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    const paid = sandbox.control.payDeposit('D-1', 500_00n)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [{id = ''} = {}] = sandbox.control.deliveries()
    const page = textOf(await read(`/deliveries/${id}`))
    expect(page).toMatch(/Status under way .* Attempt 1 under way Sent. No answer yet. After 2 s /)
    expect(page).not.toMatch(/Nothing was sent|Resend now/)
    expect(textOf(await read('/deliveries'))).toContain('under way Sent. No answer yet.')
    expect(textOf(await read('/orders'))).toMatch(/D-1 completed under way/)
    expect((await act(`/deliveries/${id}/resend`, {})).status).toBe(409)
    answers.go(503)
    await paid
    expect(receiver.received).toHaveLength(1)
    // Whoever waits for a resend is told after a second that it goes on.
    const resent = await act(`/deliveries/${id}/resend`, {
      back: `/console/deliveries/${id}?from=status%3Dfailed`,
    })
    expect(resent.headers.get('location')).toBe(
      `/console/deliveries/${id}?from=status%3Dfailed&notice=resending`,
    )
    answers.go(503)
  })

  it('was sent when its attempt began, and names real time for the log of the receiver', async () => {
    const moving = await startAtNoon({clock: scaledClock(60, noon)})
    const answers = holdAnswers()
    await createDeposit(moving, 'D-1', {returnUrl: receiver.url})
    const beforeMs = Date.now()
    const paid = moving.control.payDeposit('D-1', 500_00n)
    await expect.poll(() => receiver.received.length).toBe(1)
    const afterMs = Date.now()
    await sleep(300)
    answers.go(500)
    const {id, sent_at, created_at} = await paid
    // 300 ms are 18 s of its clock.
    expect(Date.parse(sent_at ?? '') - Date.parse(created_at)).toBeLessThan(18_000)
    const [attempt] = moving.control.attempts(id)
    expect([sent_at, attempt?.nextStep]).toEqual([
      attempt?.beganAt,
      `Look for ${attempt?.beganRealAt.slice(0, 19)}Z in its log.`,
    ])
    const realMs = Date.parse(attempt?.beganRealAt ?? '')
    expect([realMs >= beforeMs, realMs <= afterMs]).toEqual([true, true])
    const page = textOf(await (await fetch(`${moving.url}/console/deliveries/${id}`)).text())
    expect(page).toMatch(/by the sandbox’s clock, which was \d+ h \d+ min behind; in real time 20/)
    await moving.close()
  })

  it('that failed is resent with all others, past a receiver that hangs', async () => {
    receiver.answer = status(503)
    const hanging = await openReceiver()
    hanging.answer = status(503)
    const running = await startAtNoon({clock: realClock(), deliveryTimeoutMs: 3000})
    const readPage = async (path: string) => await (await fetch(`${running.url}/console${path}`)).text()
    for (const [at, {url}] of [hanging, receiver, receiver, receiver].entries()) {
      await createDeposit(running, `D-${at}`, {returnUrl: url})
      await running.control.payDeposit(`D-${at}`, 500_00n)
    }
    hanging.answer = () => {}
    receiver.answer = status(200)
    const list = await readPage('/deliveries?status=failed')
    expect(textOf(list)).toContain('Deliveries 4 failed')
    expect(textOf(list)).toContain('4 × HTTP 503')
    expect(list).toContain('Resend all 4 failed')
    // The page of one leads back to the list as it was.
    const [, one = ''] = /href="\/console(\/deliveries\/[^"?]+\?from=status%3Dfailed)"/.exec(list) ?? []
    expect(await readPage(one)).toContain('<a href="/console/deliveries?status=failed">Back to the list</a>')
    const resend = () =>
      fetch(`${running.url}/console/deliveries/resend-failed`, {
        ...{method: 'POST', redirect: 'manual', headers: {origin: running.url}},
        body: new URLSearchParams({back: '/console/deliveries?status=failed'}),
      })
    const begun = await resend()
    expect(begun.headers.get('location')).toBe('/console/deliveries?status=failed&notice=resending_all')
    expect((await resend()).status).toBe(409)
    await expect
      .poll(async () => textOf(await readPage('/deliveries')))
      .toContain('Resending: 3 of 4; the receiver took 3.')
    expect(textOf(await readPage('/deliveries?status=failed'))).toMatch(/D-0 order.completed under way/)
    await running.close()
    await hanging.close()
  })

  it('of a seeded history says that nothing was sent, and a later attempt is shown beside it', async () => {
    const dataDir = tempDir()
    const db = openStateDatabase(dataDir)
    const [fromMs, untilMs] = [noon - 86_400_000, noon]
    await writeHistory(db, {
      ...{orders: 20, seed: 1, fromMs, untilMs, outages: [{fromMs, toMs: untilMs}]},
      ...{merchant: demonstrationMerchant, dialect: defaultDialect, returnUrl: receiver.url},
    })
    db.close()
    const seeded = await startAtNoon({dataDir})
    const [{id = '', attempts = 0} = {}] = seeded.control.deliveries()
    const page = async () => textOf(await (await fetch(`${seeded.url}/console/deliveries/${id}`)).text())
    const words = `The first ${attempts} attempts are of a seeded history. Nothing was sent, `
    expect(attempts).toBeGreaterThan(1)
    expect(await page()).toContain(words)
    await fetch(`${seeded.url}/console/deliveries/${id}/resend`, {
      ...{method: 'POST', body: new URLSearchParams(), headers: {origin: seeded.url}},
    })
    expect(await page()).toMatch(new RegExp(`Attempt ${attempts + 1} HTTP 200 .*${words}`))
    await seeded.close()
  })

  it('is found by a part of its order number', async () => {
    for (const name of ['D-17', 'D-28']) {
      await createDeposit(sandbox, name, {returnUrl: receiver.url})
      await sandbox.control.payDeposit(name, 500_00n)
    }
    expect(textOf(await read('/deliveries?q=17'))).toMatch(/D-17 .*1 found, the newest first/)
    expect(textOf(await read('/deliveries?q=%25'))).toContain('No delivery has this in it.')
  })
})

describe('a request', () => {
  const refuse = async () => {
    const fields = signed(depositFields({orderNo: 'D-9'}))
    const signature = String(fields.signature).toUpperCase()
    await post(askAt(sandbox.url), '/v1/pay/order/create', {...fields, signature})
  }

  it('that was refused says why; one click diagnoses its signature', async () => {
    expect(textOf(await read('/requests'))).toContain(
      `No request has come in since the sandbox was started. Send one: HISAB_BASE_URL=${sandbox.baseUrl} hisab deposit query`,
    )
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    await refuse()
    const list = await read('/requests?show=refused')
    expect(textOf(list)).toContain('Since the sandbox was started: 2 in all, 1 refused.')
    expect(textOf(list)).toContain(
      'D-9 HTTP 401 The signature is not that of these fields and this merchant.',
    )
    expect(list).not.toContain('>D-1<')
    const [, click = ''] = /href="\/console(\/requests\/\d+\?[^"]*diagnose=1)"/.exec(list) ?? []
    const diagnosis = textOf(await read(click.replaceAll('&amp;', '&')))
    expect(diagnosis).toContain('Write the MD5 in lower-case hexadecimal.')
    expect(diagnosis).toMatch(/What was signed: it is right merchantId=.*&amp;returnUrl=[^&]*&amp;key=\*\*\*/)
    expect(textOf(await read('/requests?show=done'))).toContain('POST /v1/pay/order/create')
    expect(await read('/requests?q=D-1')).toContain('/console/orders/deposit/1')
  })

  it('shows no key that came in a header', async () => {
    await fetch(`${sandbox.url}/api/v1/merchant/webhooks`, {headers: {'X-API-Key': 'canary-live-key'}})
    const page = await read('/requests/1')
    expect(page).toContain('(not shown)')
    const asked = await (await fetch(`${sandbox.url}/sandbox/requests`)).text()
    for (const text of [page, asked]) expect(text).not.toContain('canary-live-key')
  })
})

describe('the search', () => {
  beforeEach(async () => {
    await createDeposit(sandbox, 'A-700', {
      playerPhone: '01911112222',
      playerRef: 'vip_42',
      returnUrl: receiver.url,
    })
    await sandbox.control.advanceBy(1000)
    await createPayout(sandbox, 'B-700', {account: '01833334444', userName: 'Rahim Uddin'})
    sandbox.control.chooseAmount('A-700', 75_00n, 'NAGAD')
    await sandbox.control.receiveSms({
      channel: 'NAGAD',
      sender: '01911112222',
      amount: 75_00n,
      trxId: '75KOJBDW',
    })
  })

  const found = async (text: string) =>
    [
      ...(await read(`/orders?q=${encodeURIComponent(text)}`)).matchAll(
        /<th scope="row"><a[^>]*><bdi>([^<]+)/g,
      ),
    ].map(([, number]) => number)

  it.each([
    ['a part of numbers of both kinds, the newest first', '-70', ['B-700', 'A-700']],
    ['a part of a telephone', '11112', ['A-700']],
    ['a part of an account', '3333', ['B-700']],
    ['a reference, its underscore meant', 'vip_4', ['A-700']],
    ['a name', 'rahim', ['B-700']],
    ['a transaction', '75KOJ', ['A-700']],
    ['a sign that means anything to the database', '%', []],
  ])('finds by %s', async (_, text, expected) => {
    expect(await found(text)).toEqual(expected)
  })

  it('finds by the whole id of a delivery and by the payment page', async () => {
    const [delivery] = sandbox.control.deliveries()
    expect(await found(delivery?.id ?? '')).toEqual(['A-700'])
    expect(await found(new URL(await createDeposit(sandbox, 'A-701')).pathname.slice(5))).toEqual(['A-701'])
  })

  it('says how many there are, and that there are more', async () => {
    for (let n = 1; n <= 60; n += 1) await createDeposit(sandbox, `D26-${n}`)
    const page = await read('/orders?q=D26')
    expect(page).toContain('The newest 50 that fit; there are more.')
    expect((await found('D26'))[0]).toBe('D26-60')
    expect(await read('/orders?q=D26-6')).toContain('2 found, the newest first.')
  })
})

it('is found by whoever types its address by hand', async () => {
  const payouts = sandbox.applyUrl.replace(/\/v1$/, '')
  for (const url of [sandbox.url, `${sandbox.url}/console/`, payouts]) {
    const answer = await fetch(`${url}`)
    expect([url, answer.url]).toEqual([url, `${sandbox.url}/console/orders`])
  }
  expect(textOf(await read('/requests'))).toContain('No request has come in')
})

describe('a person', () => {
  it('lets the player of a fresh order pay', async () => {
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    expect(await read('/orders/deposit/1')).toContain('The player has not chosen yet')
    const done = await act('/deposits/1/pay', {
      amount: '75.50',
      channel: 'ROCKET',
      back: '/console/orders/deposit/1',
    })
    expect(done.headers.get('location')).toBe('/console/orders/deposit/1?notice=matched')
    expect(receiver.received[0]?.body).toMatchObject({orderNo: 'D-1', amount: '75.50'})
    expect((await act('/deposits/1/pay', {amount: '-1', channel: 'ROCKET'})).status).toBe(400)
  })

  it('begins and ends faults, each explained; those in force go on as they are', async () => {
    expect(textOf(await read('/faults'))).toContain(
      'your receiver is not asked, and the attempt fails as HTTP 503',
    )
    expect((await act('/faults/begin', {rule: 'receiver-outage@+1h/+2h'})).status).toBe(303)
    await sandbox.control.advanceBy(90 * 60_000)
    await act('/faults/begin', {rule: 'webhook-doubled'})
    await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
    expect((await sandbox.control.payDeposit('D-1', 500_00n)).status).toBe('failed')
    expect(textOf(await read('/faults'))).toContain('receiver-outage@+1h/+2h End it')
    await act('/faults/end', {rule: 'receiver-outage@+1h/+2h'})
    expect(sandbox.faults.state()).toMatchObject({chaos: ['webhook-doubled'], played: {'receiver-outage': 1}})
    const wrong = await act('/faults/begin', {rule: 'receiver-outag'})
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringContaining('Did you mean receiver-outage?'),
    ])
  })
})
