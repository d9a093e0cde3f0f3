import {describe, expect, it} from 'vitest'
import type {Call} from '../fake-service/calls.ts'
import {html, refusal, reset} from '../fake-service/replies.ts'
import {interruptWhile} from './interrupt-while.ts'
import {expectStatus, readError} from './outcome.ts'
import {killed} from './own-home.ts'
import {allAccepted, beginPayDay, numbers, type PayDay} from './payout-file.ts'

const isCreateOf = (number: string) => (call: Call) => call.name === 'payout.create' && call.target === number
const isQueryOf = (number: string) => (call: Call) => call.name === 'payout.query' && call.target === number

describe.concurrent('payout create --from', {timeout: 70_000}, () => {
  it('pays every row once, in the order of the file, and writes down how each ended', async () => {
    await using day = await beginPayDay()
    const {outcome, report} = await day.pay()
    expectStatus(outcome, 0)
    expect(report).toMatchObject({
      total: {payouts: 6, amount: '621.00'},
      remaining: {payouts: 0, amount: '0.00'},
      stopped: null,
      resultFile: 'payouts.result.csv',
    })
    expect(day.states(report)).toEqual(allAccepted)
    expect(await day.result()).toEqual(allAccepted)
    expect(day.scenario.service.calls.of('payout.create').map(({target}) => target)).toEqual(numbers)
    day.expectPaidOnce()
  })

  it('the same command again pays nobody, and says how the payouts stand now', async () => {
    await using day = await beginPayDay()
    await day.pay()
    const order = day.scenario.service.book.findOrder('payout', 'P-2')
    if (order) order.status = 'failed'
    day.scenario.service.calls.clear()
    const {outcome, report} = await day.pay()
    expectStatus(outcome, 7)
    expect(report.payouts.map(({status}) => status)).toEqual(['open', 'failed', ...Array(4).fill('open')])
    expect(day.scenario.service.calls.of('payout.create')).toEqual([])
  })

  it('no row is sent while one is bad, and without --yes none is sent at all', async () => {
    await using day = await beginPayDay()
    const {machine, service} = day.scenario
    await machine.write(
      'bad.csv',
      'out_order_no,amount,bank_type,user_name,account\nP-1,5,BKASH,R,01711112222\nP-2,5.001,BKASH,R,1711112222\n',
    )
    const bad = await machine.run(['payout', 'create', '--from', 'bad.csv', '--yes', '--json'])
    expectStatus(bad, 2)
    expect(readError(bad).message).toMatch(/line 3: The amount "5\.001" has more.*\n.*line 3: account/)
    const asked = await machine.run(['payout', 'create', '--from', 'payouts.csv', '--json'])
    expectStatus(asked, 2)
    expect(readError(asked).code).toBe('confirmation_needed')
    expect(service.calls.all).toEqual([])
    expect(day.hasResult).toBe(false)
  })

  it('a row of totals below the payouts is named and never paid', async () => {
    await using day = await beginPayDay()
    const {machine, service} = day.scenario
    await machine.write(
      'total.csv',
      'out_order_no,amount,bank_type,user_name,account\nP-91,5,BKASH,R,01711112222\nTotal,"1,000",,,\n',
    )
    const wrong = await machine.run(['payout', 'create', '--from', 'total.csv', '--yes', '--json'])
    expectStatus(wrong, 2)
    expect(readError(wrong).message).toContain(
      'line 3: the total is BDT 1,000.00, but the rows above it sum to BDT 5.00',
    )
    await machine.write(
      'total.csv',
      'out_order_no,amount,bank_type,user_name,account\nP-91,5,BKASH,R,01711112222\nTotal,5.00,,,\n',
    )
    const paid = await machine.run(['payout', 'create', '--from', 'total.csv', '--yes', '--json'])
    expectStatus(paid, 0)
    expect(JSON.parse(paid.stdout)).toMatchObject({
      total: {payouts: 1, amount: '5.00'},
      warnings: [expect.stringMatching(/^line 3 .*its BDT 5\.00 is the sum of rows above it$/)],
    })
    expect(service.calls.of('payout.create').map(({target}) => target)).toEqual(['P-91'])
  })

  it('the balance running out stops it there, with what remains; topped up, it goes on', async () => {
    await using day = await beginPayDay()
    const {merchant} = day.scenario.service
    merchant.balancePaisa = 10_399n
    const {outcome, report} = await day.pay()
    expectStatus(outcome, 4)
    expect(report.stopped).toMatchObject({line: 5, orderNo: 'P-4', serviceCode: 'INSUFFICIENT_BALANCE'})
    expect(report.remaining).toEqual({payouts: 3, amount: '315.00'})
    const states = ['P-4 refused', 'P-5 not_sent', 'P-6 not_sent']
    expect(await day.result()).toEqual([...allAccepted.slice(0, 3), ...states])
    merchant.balancePaisa = 100_000n
    const second = await day.pay()
    expectStatus(second.outcome, 0)
    expect(day.states(second.report)).toEqual(allAccepted)
    day.expectPaidOnce()
  })

  it('a row that may have been paid is asked for, and sent again only where the service has none', async () => {
    await using day = await beginPayDay()
    const {service} = day.scenario
    service.on('payout.create', (act, {target}) => (target === 'P-3' ? reset : act()))
    const first = await day.pay()
    expectStatus(first.outcome, 6)
    expect(day.states(first.report)[2]).toBe('P-3 unknown')

    const sentBefore = day.sent('P-3').times
    service.on('payout.create', (act) => act())
    service.onQuery('payout', 'P-3', () => html(404))
    const second = await day.pay()
    expectStatus(second.outcome, 6)
    expect(day.sent('P-3').times, 'sent while nobody knows').toBe(sentBefore)

    service.onQuery('payout', 'P-3', (act) => act())
    const third = await day.pay()
    expectStatus(third.outcome, 0)
    expect(day.sent('P-3').times).toBe(sentBefore + 1)
    day.expectPaidOnce()
  })

  it('a refusal takes nothing back of a try whose answer was lost: it may be what used the balance up', async () => {
    await using day = await beginPayDay()
    const {service} = day.scenario
    // It looks at the balance first, and its query is behind. Its document allows both.
    let isTaken = false
    const short = refusal(402, 'INSUFFICIENT_BALANCE', 'The balance is too low.')
    service.on('payout.create', (act, {target}) => {
      if (target !== 'P-3') return act()
      if (!isTaken) act()
      const reply = isTaken ? short : reset
      isTaken = true
      return reply
    })
    service.onQuery('payout', 'P-3', () => refusal(404, 'ORDER_NOT_FOUND', 'No such order.'))
    for (const pay of [await day.pay(), await day.pay()]) {
      expectStatus(pay.outcome, 6)
      expect(day.states(pay.report)[2]).toBe('P-3 unknown')
    }
    service.onQuery('payout', 'P-3', (act) => act())
    const third = await day.pay()
    expectStatus(third.outcome, 0)
    expect(day.states(third.report)).toEqual(allAccepted)
    day.expectPaidOnce()
  })

  it('a new return_url changes nothing of what was sent: the doubtful row goes out in its first bytes', async () => {
    await using day = await beginPayDay()
    const {service} = day.scenario
    service.on('payout.create', (act, {target}) => (target === 'P-3' ? reset : act()))
    expectStatus((await day.pay()).outcome, 6)
    service.on('payout.create', (act) => act())
    const moved = {env: {HISAB_RETURN_URL: 'https://merchant.example/moved'}}
    const {outcome, report} = await day.pay([], moved)
    expectStatus(outcome, 0)
    expect(day.states(report)).toEqual(allAccepted)
    expect(outcome.stderr).toMatch(/1 of them .* return_url/)
    day.expectPaidOnce()
    expect(service.book.findOrder('payout', 'P-3')?.created.returnUrl).toBe(
      'https://merchant.example/webhooks',
    )
  })

  it('a row that was refused goes out with the return_url of now', async () => {
    await using day = await beginPayDay()
    const {merchant, book} = day.scenario.service
    merchant.balancePaisa = 0n
    expectStatus((await day.pay()).outcome, 4)
    merchant.balancePaisa = 100_000n
    const moved = 'https://merchant.example/moved'
    expectStatus((await day.pay([], {env: {HISAB_RETURN_URL: moved}})).outcome, 0)
    expect(numbers.map((number) => book.findOrder('payout', number)?.created.returnUrl)).toEqual(
      numbers.map(() => moved),
    )
  })

  it('five refusals in a row are not the payouts’ fault: the rest is left alone', async () => {
    await using day = await beginPayDay()
    day.scenario.service.on('payout.create', () => refusal(400, 'CHANNEL_DOWN', 'try later'))
    const {outcome, report} = await day.pay()
    // A code nobody knows proves nothing: each may have been paid.
    expectStatus(outcome, 6)
    expect(report.stopped?.why).toMatch(/5 payouts in a row/)
    expect(day.states(report)[5]).toBe('P-6 not_sent')
  })

  it('a number that belongs to an older payout is not taken for paid', async () => {
    await using day = await beginPayDay()
    day.scenario.service.book.addOrder({kind: 'payout', number: 'P-5', status: 'completed', amount: '9.00'})
    const {outcome, report} = await day.pay()
    expectStatus(outcome, 7)
    expect(day.states(report)[4]).toBe('P-5 contradicted')
    expect(report.payouts[4]?.why).toMatch(/already knows the payout number P-5 \(completed, BDT 9\.00\)/)
  })

  it('a second run at the same time is turned away with 9', async () => {
    await using day = await beginPayDay()
    const held = day.scenario.service.calls.hold(isCreateOf('P-1'))
    const first = day.scenario.machine.start(day.command)
    await held.seen
    expectStatus(await day.scenario.machine.run(day.command), 9)
    held.letGo()
    expectStatus(await first.ended, 0)
    day.expectPaidOnce()
  })

  it('Ctrl-C finishes the payout in flight, and the result names every row', async () => {
    await using day = await beginPayDay()
    const held = day.scenario.service.calls.hold(isCreateOf('P-3'))
    expectStatus(await interruptWhile(held, day.scenario.machine, day.command), 130)
    const rest = ['P-4', 'P-5', 'P-6'].map((number) => `${number} not_sent`)
    expect(await day.result()).toEqual([...allAccepted.slice(0, 3), ...rest])
    const again = await day.pay()
    expectStatus(again.outcome, 0)
    expect(numbers.map((number) => day.sent(number).times)).toEqual([1, 1, 1, 1, 1, 1])
    day.expectPaidOnce()
  })
})

describe.concurrent('SIGKILL, and the same command again', {timeout: 70_000}, () => {
  /** Kills the run while the service holds a call. The service acts on what it received, or on none of it. */
  async function killAt(day: PayDay, matches: (call: Call) => boolean, delivered: boolean): Promise<void> {
    const {calls} = day.scenario.service
    const held = calls.hold(matches, delivered ? 'before answering' : 'before acting')
    const running = day.scenario.machine.start(day.command)
    await held.seen
    const {status} = await running.end('SIGKILL')
    expect(status, 'the run was over before it could be killed').toBe(killed)
    if (delivered) held.letGo()
    else held.lose()
  }

  it.each([
    ['the first payout, which never arrived', isCreateOf('P-1'), false],
    ['the first payout, which arrived', isCreateOf('P-1'), true],
    ['a payout in the middle, which never arrived', isCreateOf('P-4'), false],
    ['a payout in the middle, which arrived', isCreateOf('P-4'), true],
    ['the last payout, which arrived', isCreateOf('P-6'), true],
    ['the question after a payout', isQueryOf('P-2'), true],
    ['the question after the last payout', isQueryOf('P-6'), true],
  ] as const)('during %s', async (_what, matches, delivered) => {
    await using day = await beginPayDay()
    await killAt(day, matches, delivered)
    const {outcome, report} = await day.pay()
    expectStatus(outcome, 0)
    expect(day.states(report)).toEqual(allAccepted)
    expect(await day.result()).toEqual(allAccepted)
    day.expectPaidOnce()
  })

  it('between the intent and the send nothing was sent, and the next run sends it', async () => {
    await using day = await beginPayDay()
    await killAt(day, isCreateOf('P-2'), false)
    // The doubtful payout is asked for before it is sent, and the service says that it has none.
    day.scenario.service.calls.clear()
    await day.pay()
    const calls = day.scenario.service.calls.all.filter(({target}) => target === 'P-2').map(({name}) => name)
    expect(calls).toEqual(['payout.query', 'payout.create', 'payout.query'])
  })
})
