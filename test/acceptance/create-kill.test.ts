import {describe, expect, it} from 'vitest'

import type {Kind} from '../fake-service/book.ts'
import {beginNight, type Night} from './night.ts'
import {expectStatus, readDocument} from './outcome.ts'

const creates: Readonly<Record<Kind, readonly string[]>> = {
  deposit: ['deposit', 'create', '--order-no', 'N-1', '--player-phone', '01712345678', '--player-ref', 'p-1'],
  payout: [
    ...['payout', 'create', '--order-no', 'N-1', '--amount', '500.00', '--bank-type', 'BKASH', '--yes'],
    ...['--user-name', 'Rahim Uddin', '--account', '01712345678'],
  ],
}

async function doubts({machine}: Night): Promise<unknown> {
  return readDocument<{orders: unknown}>(await machine.run(['payout', 'list', '--in-doubt', '--json'])).orders
}

describe.concurrent('a create that was killed while it was sent', () => {
  it.each([
    ['deposit', 'before acting'],
    ['deposit', 'before answering'],
    ['payout', 'before acting'],
    ['payout', 'before answering'],
  ] as const)('%s, %s: it is listed, and the doctor counts it, until it is seen', async (kind, when) => {
    await using night = await beginNight()
    const {machine, service} = night
    const held = service.calls.hold(({name}) => name === `${kind}.create`, when)
    const running = machine.start(creates[kind])
    await held.seen
    await running.end('SIGKILL')
    held.lose()
    const isMade = when === 'before answering'
    const inDoubt = [{kind, orderNo: 'N-1', next: expect.stringContaining(`hisab ${kind} query N-1`)}]
    expect(await doubts(night)).toMatchObject(inDoubt)
    const doctor = await machine.run(['doctor', '--offline'])
    expect([doctor.status, doctor.stdout]).toEqual([0, expect.stringContaining(`1 ${kind} whose outcome`)])

    expectStatus(await machine.run([kind, 'query', 'N-1']), isMade ? 0 : 7)
    expect(service.book.orders.size).toBe(isMade ? 1 : 0)
    expect(await doubts(night)).toMatchObject(isMade ? [] : inDoubt)
    expectStatus(await machine.run(creates[kind]), 0)
    expect(service.book.orders.size).toBe(1)
    expect(await doubts(night)).toEqual([])
  })
})
