import {describe, expect, it} from 'vitest'

import type {Kind} from '../fake-service/book.ts'
import {expectStatus, readDocument} from './outcome.ts'
import {type Scenario, startScenario} from './scenario.ts'

const creates: Readonly<Record<Kind, readonly string[]>> = {
  deposit: ['deposit', 'create', '--order-no', 'N-1', '--player-phone', '01712345678', '--player-ref', 'p-1'],
  payout: [
    ...['payout', 'create', '--order-no', 'N-1', '--amount', '500.00', '--bank-type', 'BKASH', '--yes'],
    ...['--user-name', 'Rahim Uddin', '--account', '01712345678'],
  ],
}

async function doubts({machine}: Scenario): Promise<unknown> {
  return readDocument<{orders: unknown}>(await machine.run(['payout', 'list', '--in-doubt', '--json'])).orders
}

describe.concurrent('a create that was killed while it was sent', () => {
  it.each([
    ['deposit', 'before acting'],
    ['deposit', 'before answering'],
    ['payout', 'before acting'],
    ['payout', 'before answering'],
  ] as const)('%s, %s: it is listed, and the doctor counts it, until it is seen', async (kind, when) => {
    await using scenario = await startScenario()
    const {machine, service} = scenario
    const held = service.calls.hold(({name}) => name === `${kind}.create`, when)
    const running = machine.start(creates[kind])
    await held.seen
    await running.end('SIGKILL')
    held.lose()
    const isMade = when === 'before answering'
    const inDoubt = [{kind, orderNo: 'N-1', next: expect.stringContaining(`hisab ${kind} query N-1`)}]
    expect(await doubts(scenario)).toMatchObject(inDoubt)
    const doctor = await machine.run(['doctor', '--offline'])
    expect([doctor.status, doctor.stdout]).toEqual([0, expect.stringContaining(`1 ${kind} whose outcome`)])

    expectStatus(await machine.run([kind, 'query', 'N-1']), isMade ? 0 : 7)
    expect(service.book.orders.size).toBe(isMade ? 1 : 0)
    expect(await doubts(scenario)).toMatchObject(isMade ? [] : inDoubt)
    expectStatus(await machine.run(creates[kind]), 0)
    expect(service.book.orders.size).toBe(1)
    expect(await doubts(scenario)).toEqual([])
  })
})

describe.concurrent('a person’s word on a create that is on its way', () => {
  const no = {deposit: '--not-made', payout: '--not-paid'} as const

  it.each(['deposit', 'payout'] as const)(
    '%s: it is not taken (9), and nothing takes its place',
    async (kind) => {
      await using scenario = await startScenario()
      const {machine, service} = scenario
      const held = service.calls.hold(({name}) => name === `${kind}.create`, 'before acting')
      const running = machine.start(creates[kind])
      await held.seen
      expect(await doubts(scenario)).toMatchObject([{kind, orderNo: 'N-1'}])
      const resolve = [kind, 'resolve', 'N-1', no[kind], '--reason', 'the service does not show it']
      const early = await machine.run(resolve)
      expect([early.status, early.stderr]).toEqual([
        9,
        expect.stringMatching(/Another hisab is sending.*Wait until/s),
      ])
      if (kind === 'payout') {
        const again = creates.payout.map((word) => (word === 'N-1' ? 'N-2' : word))
        expectStatus(await machine.run(again), 2)
      }
      held.letGo()
      expectStatus(await running.ended, 0)
      expect([...service.book.orders.values()].map(({number}) => number)).toEqual(['N-1'])
    },
  )

  it('while a file is paid out no word is taken on any row of it', async () => {
    await using scenario = await startScenario()
    const {machine, service} = scenario
    const rows = ['P-1', 'P-2'].map((number, n) => `${number},500.00,BKASH,Rahim Uddin,0171234567${n}`)
    const file = await machine.write(
      'f.csv',
      `out_order_no,amount,bank_type,user_name,account\n${rows.join('\n')}\n`,
    )
    const second = service.calls.hold(({body}) => body.includes('outOrderNo":"P-2'), 'before acting')
    const running = machine.start(['payout', 'create', '--from', file, '--yes'])
    await second.seen
    const resolve = ['payout', 'resolve', 'P-1', '--not-paid', '--reason', 'the service does not show it']
    expect((await machine.run(resolve)).status).toBe(9)
    second.letGo()
    expectStatus(await running.ended, 0)
    expect(service.book.orders.size).toBe(2)
  })

  it('once the command that sent it is gone, the word is taken', async () => {
    await using scenario = await startScenario()
    const {machine, service} = scenario
    const held = service.calls.hold(({name}) => name === 'payout.create', 'before acting')
    const running = machine.start(creates.payout)
    await held.seen
    await running.end('SIGKILL')
    held.lose()
    expectStatus(await machine.run(['payout', 'resolve', 'N-1', '--not-paid', '--reason', 'killed']), 0)
    expect(await doubts(scenario)).toEqual([])
  })
})
