import {describe, expect, it} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {scaledClock} from '../../src/sandbox/clock.ts'
import {DeliveryEngine} from '../../src/sandbox/deliveries.ts'
import {notSent, type Sender} from '../../src/sandbox/delivery-sender.ts'
import type {SandboxEvent} from '../../src/sandbox/events.ts'
import {demonstrationMerchant} from '../../src/sandbox/merchants.ts'
import {openStateDatabase} from '../../src/sandbox/store/database.ts'
import {type DeliveryStore, openDeliveryStore} from '../../src/sandbox/store/deliveries.ts'
import {openAttemptStore} from '../../src/sandbox/store/delivery-attempts.ts'
import {openGroupCommit} from '../../src/sandbox/store/group-commit.ts'

const start = Date.parse('2026-11-20T06:00:00Z')
const {merchantId} = demonstrationMerchant

/** An engine whose sends end only when the test says so. */
function openEngine(concurrency: number, alter: (store: DeliveryStore) => DeliveryStore = (store) => store) {
  const db = openStateDatabase(null)
  const store = openDeliveryStore(db)
  const sends: {url: string; end: () => void}[] = []
  const sender: Sender = {
    send: (url) =>
      new Promise((resolve) => {
        const end = () => resolve({...notSent('{}', 'connection_failed'), responseCode: 200, reason: null})
        sends.push({url, end})
      }),
    close: async () => {},
  }
  const events: SandboxEvent[] = []
  const engine = new DeliveryEngine({
    store: alter(store),
    attempts: openAttemptStore(db),
    sender,
    clock: scaledClock(1, start),
    merchants: new Map([[merchantId, demonstrationMerchant]]),
    dialect: defaultDialect,
    concurrency,
    commit: openGroupCommit(db),
    serviceNow: Date.now,
    log: (event) => events.push(event),
  })
  const insert = (id: string) =>
    store.insert({
      id,
      merchantId,
      orderId: `order of ${id}`,
      merchantOrderId: id,
      url: `http://127.0.0.1:9/${id}`,
      event: 'order.completed',
      payload: '{}',
      createdAtMs: start,
      dueAtMs: start,
    })
  const sent = () => sends.map(({url}) => url.slice(-2)).join(' ')
  return {engine, store, sends, sent, insert, events}
}

describe('the webhook engine', () => {
  it('has no more attempts under way than it may, and gets through them all', async () => {
    const {engine, sends, sent, insert} = openEngine(2)
    for (const id of ['d1', 'd2', 'd3', 'd4', 'd5']) insert(id)
    engine.wake()
    expect(sent()).toBe('d1 d2')
    sends[1]?.end()
    await expect.poll(sent).toBe('d1 d2 d3')
    sends[0]?.end()
    await expect.poll(sent).toBe('d1 d2 d3 d4')
    for (const {end} of sends) end()
    await expect.poll(sent).toBe('d1 d2 d3 d4 d5')
    sends[4]?.end()
    await engine.idle()
    expect(sent()).toBe('d1 d2 d3 d4 d5')
  })

  it('lets a resend go before a long backlog', async () => {
    const {engine, sends, sent, insert} = openEngine(1)
    for (const id of ['d1', 'd2', 'd3']) insert(id)
    engine.wake()
    const resent = engine.resend('d3')
    sends[0]?.end()
    await expect.poll(sent).toBe('d1 d3')
    sends[1]?.end()
    await resent
    await expect.poll(sent).toBe('d1 d3 d2')
  })

  it('stops, and says so, when an attempt cannot be recorded: it would be due again at once, for ever', async () => {
    const {engine, sends, sent, insert, events} = openEngine(1, (store) => ({
      ...store,
      record: () => {
        throw new Error('database or disk is full')
      },
    }))
    for (const id of ['d1', 'd2']) insert(id)
    const ended = engine.attempted('d1')
    sends[0]?.end()
    await ended
    await engine.idle()
    engine.wake()
    await expect(engine.resend('d2')).rejects.toMatchObject({httpStatus: 503})
    expect(sent()).toBe('d1')
    expect(events).toEqual([
      {
        type: 'defect',
        message: 'Webhooks have stopped until the sandbox is restarted: database or disk is full',
      },
    ])
  })
})
