import {expect, test} from 'vitest'

import type {ForwardAnswer, Forwarder} from '../../src/receiver/forwarder.ts'
import {Reception} from '../../src/receiver/reception.ts'
import {randomFrom} from '../random.ts'
import {tempDir} from '../temp-dir.ts'
import {openTestInbox, sortedRules, webhookBody} from './fixture.ts'

const seed = Number(process.env.HISAB_SEED ?? 20261122)
const histories = 8

interface Sent {
  readonly orderNo: string
  readonly status: string
  readonly amount: string
}

const eventOf = ({orderNo, status}: Sent) => `${orderNo} ${status}`

/**
 * The judge is the merchant's server: what it was handed, and what it took. It knows nothing of what hisab stores.
 */
test(`a crowd of deliveries at two listeners (seed ${seed})`, async () => {
  for (let history = 0; history < histories; history += 1) {
    const random = randomFrom(seed + history)
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    const taken = new Map<string, string[]>()
    const isCompleted = ({orderNo}: Sent) => taken.has(`${orderNo} completed`)
    let underWay = new Map<string, number>()
    const forwarder: Forwarder = {
      timeoutMs: 5_000,
      close: async () => undefined,
      async send(_headers, body): Promise<ForwardAnswer> {
        const sent = JSON.parse(Buffer.from(body).toString()) as Sent
        const event = eventOf(sent)
        underWay.set(event, (underWay.get(event) ?? 0) + 1)
        expect(underWay.get(event), `seed ${seed + history}: ${event} is handed on twice at once`).toBe(1)
        expect(taken.get(event) ?? [], `seed ${seed + history}: ${event} after it was taken`).toEqual([])
        expect(isCompleted(sent) && sent.status === 'failed', `seed ${seed + history}: ${event}`).toBe(false)
        await new Promise((resolve) => setTimeout(resolve, random() * 3))
        underWay.set(event, (underWay.get(event) ?? 1) - 1)
        const end = random()
        if (end < 0.3) return {kind: 'unanswered', problem: 'broken', isTimeout: false}
        if (end < 0.6) return {kind: 'answered', httpStatus: 503, contentType: null, body: new Uint8Array()}
        taken.set(event, [...(taken.get(event) ?? []), sent.amount])
        return {kind: 'answered', httpStatus: 200, contentType: null, body: new Uint8Array()}
      },
    }
    const dataDir = tempDir()
    const open = () =>
      new Reception({
        rules: sortedRules,
        inbox: openTestInbox(dataDir),
        forwarder,
        now: Date.now,
        onNotice: () => undefined,
      })
    const listeners = [open(), open()]
    let nth = 0
    const deliver = async () => {
      nth += 1
      const [orderNo, status] = [pick(['D-1', 'D-2']), pick(['completed', 'failed'])]
      const fields = {
        ...{orderNo, status},
        // The service names the event or does not, and writes its ID in two ways.
        event: pick([undefined, `order.${status}`, `ORDER.${status.toUpperCase()}`]),
        platformOrderNo: pick([`PF-${orderNo}`, `pf-${orderNo}`]),
        amount: pick(['500.00', '500.00', '500.00', '900.00']),
        timestamp: String(nth),
      }
      const body = Buffer.from(webhookBody(fields))
      const {httpStatus} = await pick(listeners).receive({headers: {}, path: '/webhook', body, from: null})
      return {fields, httpStatus}
    }
    for (let burst = 0; burst < 6; burst += 1) {
      const answers = await Promise.all(Array.from({length: 4}, deliver))
      for (const {fields, httpStatus} of answers) {
        const [amount] = taken.get(eventOf(fields)) ?? []
        const isTaken = amount === fields.amount
        const said = `seed ${seed + history}: ${JSON.stringify(fields)} was answered ${httpStatus}, taken ${amount}`
        if (httpStatus === 200) expect(isTaken, said).toBe(true)
        const isOver = fields.status === 'failed' && isCompleted(fields)
        if (httpStatus === 409) expect((amount !== undefined && !isTaken) || isOver, said).toBe(true)
        expect([200, 409, 502, 503], said).toContain(httpStatus)
      }
      underWay = new Map()
    }
    // The service goes on until it has an answer: each order is completed in the end, and no event is taken twice.
    const isOver = () => ['D-1', 'D-2'].every((orderNo) => taken.has(`${orderNo} completed`))
    for (let more = 0; more < 200 && !isOver(); more += 1) await deliver()
    expect(isOver()).toBe(true)
    expect([...taken.values()].filter(({length}) => length !== 1)).toEqual([])
  }
}, 120_000)
