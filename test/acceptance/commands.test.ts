import {describe, expect, it} from 'vitest'
import type {Kind} from '../fake-service/book.ts'
import {html, json, type Reply, refusal, reset, WireNumber} from '../fake-service/replies.ts'
import {expectStatus, readDocument, readError} from './outcome.ts'
import {type Scenario, startScenario} from './scenario.ts'

const depositCreate = [
  ...['deposit', 'create', '--order-no', 'D-1001'],
  ...['--player-phone', '01711112222', '--player-ref', 'u-7'],
]
const payoutCreate = [
  ...['payout', 'create', '--out-order-no', 'P-1001', '--amount', '500.00', '--bank-type', 'BKASH'],
  ...['--user-name', 'Rahim', '--account', '01711112222'],
]

interface Orders {
  readonly orders: readonly {readonly orderNo: string; readonly found: boolean; readonly status?: string}[]
}

describe.concurrent('deposit create', () => {
  it('returns the service’s data, and a repetition the same order', async () => {
    await using scenario = await startScenario({isBuilt: true})
    const first = await scenario.machine.run([...depositCreate, '--json'])
    expectStatus(first, 0)
    const order = scenario.service.book.findOrder('deposit', 'D-1001')
    const created = {
      orderNo: 'D-1001',
      platformOrderNo: order?.platformOrderNo,
      payUrl: `https://pay.example/session/${order?.platformOrderNo}`,
      confirmed: true,
    }
    expect(readDocument(first)).toMatchObject(created)
    const again = await scenario.machine.run([...depositCreate, '--json'])
    expectStatus(again, 0)
    expect(readDocument(again)).toMatchObject(created)
    expect(scenario.service.calls.rejected).toEqual([])
    expect(bodiesOf(scenario, 'deposit.create')).toHaveLength(1)
  })

  it('shows the payment page without --json, and keeps phone numbers to itself', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(depositCreate)
    expectStatus(outcome, 0)
    expect(outcome.stdout).toContain('https://pay.example/session/')
    expect(`${outcome.stdout}${outcome.stderr}`).not.toContain('01711112222')
  })

  it('a number used before with other parameters is refused before any request', async () => {
    await using scenario = await startScenario()
    expectStatus(await scenario.machine.run(depositCreate), 0)
    scenario.service.calls.clear()
    const outcome = await scenario.machine.run([...depositCreate, '--player-ref', 'u-8', '--json'])
    expectStatus(outcome, 2)
    readError(outcome)
    expect(scenario.service.calls.all).toEqual([])
  })

  it('a sandbox deposit of a live merchant is refused with a code nobody knows, which proves nothing: 6', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run([...depositCreate, '--test', '--json'])
    expectStatus(outcome, 6)
    readError(outcome)
  })

  it('a demo merchant’s sandbox deposit carries a signed isTest', async () => {
    await using scenario = await startScenario()
    scenario.service.merchant.isDemo = true
    expectStatus(await scenario.machine.run([...depositCreate, '--test']), 0)
    expect(JSON.parse(bodiesOf(scenario, 'deposit.create')[0] ?? '')).toMatchObject({isTest: true})
    expect(scenario.service.calls.rejected).toEqual([])
  })
})

describe.concurrent('payout create', () => {
  it.each([[[]], [['--json']]])('without a terminal and without --yes it refuses: %j', async (flags) => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run([...payoutCreate, ...flags])
    expectStatus(outcome, 2)
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('--yes')
    expect(scenario.service.calls.all).toEqual([])
  })

  it('--dry-run creates nothing', async () => {
    await using scenario = await startScenario()
    expectStatus(await scenario.machine.run([...payoutCreate, '--dry-run', '--json']), 0)
    expect(scenario.service.calls.count('payout.create')).toBe(0)
  })

  it('--yes pays once, however often it is said', async () => {
    await using scenario = await startScenario({isBuilt: true})
    for (const _ of ['once', 'again']) {
      const outcome = await scenario.machine.run([...payoutCreate, '--yes', '--json'])
      expectStatus(outcome, 0)
      expect(readDocument(outcome)).toMatchObject({orderNo: 'P-1001', status: 'processing', confirmed: true})
    }
    expect(bodiesOf(scenario, 'payout.create')).toHaveLength(1)
    expect(scenario.service.book.orders.size).toBe(1)
  })

  it.each([
    ['another amount', ['--amount', '600.00']],
    ['another account', ['--account', '01711113333']],
  ])('a number used before with %s is refused before any request', async (_, change) => {
    await using scenario = await startScenario()
    expectStatus(await scenario.machine.run([...payoutCreate, '--yes']), 0)
    scenario.service.calls.clear()
    const outcome = await scenario.machine.run([...payoutCreate, ...change, '--yes', '--json'])
    expectStatus(outcome, 2)
    expect(scenario.service.calls.all).toEqual([])
  })

  it('an old order of another amount, answered as if it were this one, is not confirmed', async () => {
    await using scenario = await startScenario()
    scenario.service.book.addOrder({kind: 'payout', number: 'P-1001', status: 'completed', amount: '300.00'})
    const outcome = await scenario.machine.run([...payoutCreate, '--yes', '--json'])
    expect(readDocument(outcome)).not.toMatchObject({confirmed: true})
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('300.00')
  })

  it('where the query cannot confirm it, it says so and why', async () => {
    await using scenario = await startScenario()
    scenario.service.on('payout.query', () => html(404))
    const outcome = await scenario.machine.run([...payoutCreate, '--yes', '--json'])
    expect(readDocument(outcome)).toMatchObject({
      orderNo: 'P-1001',
      confirmed: false,
      why: expect.stringMatching(/./),
    })
  })

  // The body of an error is not documented, so the code is recognised in every place of A4.
  it.each([
    ['code', {code: 'INSUFFICIENT_BALANCE'}],
    ['error', {error: 'INSUFFICIENT_BALANCE'}],
    ['error.code', {error: {code: 'INSUFFICIENT_BALANCE', message: 'not enough'}}],
    ['message', {code: 1002, message: 'INSUFFICIENT_BALANCE'}],
    ['msg', {code: 1002, msg: 'INSUFFICIENT_BALANCE'}],
    ['error.message', {error: {message: 'INSUFFICIENT_BALANCE'}}],
  ])('INSUFFICIENT_BALANCE in %s is a refusal: 4', async (_, body) => {
    await using scenario = await startScenario()
    scenario.service.on('payout.create', () => json(body, 'code' in body ? 200 : 400))
    const outcome = await scenario.machine.run([...payoutCreate, '--yes', '--json'])
    expectStatus(outcome, 4)
    expect(readError(outcome)).toMatchObject({serviceCode: 'INSUFFICIENT_BALANCE'})
    expect(scenario.service.calls.count('payout.create')).toBe(1)
  })
})

describe.concurrent('a create whose outcome is unknown', () => {
  it.each<[string, Reply]>([
    ['the connection breaks', reset],
    ['an error page', html(502)],
    ['a JSON error 500', refusal(500, 'INTERNAL', 'oops')],
    ['a page with status 200', html(200)],
    ['half an answer', {...json({}), text: '{"code":0,"data":{"merch'} as Reply],
  ])('%s: 6, after at most three requests of the same bytes', async (_, reply) => {
    await using scenario = await startScenario()
    scenario.service.on('payout.create', () => reply)
    scenario.service.on('payout.query', () => html(503))
    const outcome = await scenario.machine.run([...payoutCreate, '--yes', '--json'])
    expectStatus(outcome, 6)
    readError(outcome)
    const sent = scenario.service.calls.of('payout.create')
    expect(sent.length).toBeLessThanOrEqual(3)
    expect(bodiesOf(scenario, 'payout.create')).toHaveLength(1)
  })

  it('a broken connection that did create the order is never reported as not done', async () => {
    await using scenario = await startScenario()
    scenario.service.on('payout.create', (act) => {
      act()
      return reset
    })
    const outcome = await scenario.machine.run([...payoutCreate, '--yes', '--json'])
    // It may have asked and found the order, or leave it open.
    expectStatus(outcome, 0, 6)
    expect(scenario.service.book.orders.size).toBe(1)
  })
})

describe.concurrent.each<[Kind, readonly string[]]>([
  ['deposit', ['deposit', 'query']],
  ['payout', ['payout', 'query']],
])('%s query', (kind, command) => {
  it('tells what was found and what was not: 7', async () => {
    await using scenario = await startScenario()
    const amount = new WireNumber('19.90')
    scenario.service.book.addOrder({kind, number: 'known', status: 'completed', amount})
    scenario.service.book.addOrder({kind, number: 'strange', status: ' Completed', amount: '5'})
    const outcome = await scenario.machine.run([...command, 'known', 'strange', 'unknown', '--json'])
    expectStatus(outcome, 7)
    const {orders} = readDocument<Orders>(outcome)
    expect(orders).toMatchObject([
      {orderNo: 'known', found: true, status: 'completed', rawStatus: 'completed', amount: '19.90'},
      {orderNo: 'strange', found: true, status: 'unknown_status', rawStatus: ' Completed', amount: '5.00'},
      {orderNo: 'unknown', found: false},
    ])
  })

  it('all found: 0, from a file too, and the same without --json', async () => {
    await using scenario = await startScenario()
    for (const number of ['one', 'two']) scenario.service.book.addOrder({kind, number, status: 'processing'})
    const args = [...command, '--from', await scenario.machine.write('numbers.txt', 'one\ntwo\n')]
    const outcome = await scenario.machine.run([...args, '--json'])
    expectStatus(outcome, 0)
    expect(readDocument<Orders>(outcome).orders.map(({orderNo}) => orderNo)).toEqual(['one', 'two'])
    const text = await scenario.machine.run([...command, '--from', '-'], {stdin: 'one\ntwo\n'})
    expectStatus(text, 0)
    expect(text.stdout).toMatch(/one[\s\S]*processing[\s\S]*two/)
  })

  it.each([
    ['an error page', html(503)],
    ['a page that says 200', html(200)],
    ['a page that says 404', html(404)],
    ['no answer', reset],
  ])('%s is neither yes nor no', async (_, reply) => {
    await using scenario = await startScenario()
    scenario.service.book.addOrder({kind, number: 'known', status: 'completed'})
    scenario.service.on(`${kind}.query`, () => reply)
    const outcome = await scenario.machine.run([...command, 'known', '--json'])
    expectStatus(outcome, 4, 5, 8)
    expect(outcome.stdout).not.toMatch(/"found":\s*(true|false)/)
  })
})

/** The different bodies of one operation: a repetition must not add one (P1). */
function bodiesOf(scenario: Scenario, name: 'deposit.create' | 'payout.create'): string[] {
  return [...new Set(scenario.service.calls.of(name).map(({body}) => body))]
}
