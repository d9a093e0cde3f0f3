import {describe, expect, it} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {scaledClock} from '../../src/sandbox/clock.ts'
import {DeliveryEngine, receiverOf} from '../../src/sandbox/deliveries.ts'
import {notSent, type Sender} from '../../src/sandbox/delivery-sender.ts'
import type {SandboxEvent} from '../../src/sandbox/events.ts'
import {demonstrationMerchant} from '../../src/sandbox/merchants.ts'
import {StorageHealth} from '../../src/sandbox/storage-health.ts'
import {openStateDatabase} from '../../src/sandbox/store/database.ts'
import {openDeliveryStore} from '../../src/sandbox/store/deliveries.ts'
import {openAttemptStore} from '../../src/sandbox/store/delivery-attempts.ts'
import {openGroupCommit} from '../../src/sandbox/store/group-commit.ts'
import {fillDisk} from './full-disk.ts'

const start = Date.parse('2026-11-20T06:00:00Z')
const {merchantId} = demonstrationMerchant

/** An engine whose sends end only when the test says so. */
function openEngine(concurrency: number) {
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
  const log = (event: SandboxEvent) => events.push(event)
  const health = new StorageHealth(store.probe, log)
  const attempts = openAttemptStore(db)
  const engine = new DeliveryEngine({
    ...{store, attempts, sender, health, concurrency, log},
    clock: scaledClock(1, start),
    merchants: new Map([[merchantId, demonstrationMerchant]]),
    dialect: defaultDialect,
    commit: openGroupCommit(db),
    serviceNow: Date.now,
  })
  const insert = (id: string, port = 9) => {
    const url = `http://127.0.0.1:${port}/${id}`
    store.insert({
      ...{id, merchantId, url, orderId: `order of ${id}`, merchantOrderId: id},
      ...{event: 'order.completed', payload: '{}', createdAtMs: start, dueAtMs: start},
    })
    return url
  }
  const sent = () => sends.map(({url}) => url.slice(-2)).join(' ')
  return {engine, health, store, attempts, sends, sent, insert, events}
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

  it('gives each receiver its share: thousands that wait for one delay no other', async () => {
    const {engine, sends, sent, insert} = openEngine(2)
    for (let n = 0; n < 3000; n += 1) insert(`w${n}`)
    engine.wake()
    expect(sent()).toBe('w0 w1')
    engine.added(insert('h1', 10), start)
    expect(sent()).toBe('w0 w1 h1')
    sends[2]?.end()
    await engine.attempted('h1')
    engine.added(insert('h2', 10), start)
    expect(sent()).toBe('w0 w1 h1 h2')
  })

  it('names a receiver as the state does', () => {
    const {store, insert} = openEngine(1)
    const urls = [insert('d1'), insert('d2', 12345)]
    expect(store.listDueReceivers(0, start)).toEqual(urls.map(receiverOf))
    expect(receiverOf('http://a')).toBe('http://a')
  })

  it('sends nothing while the disk is full, and goes on by itself: what came meanwhile is stored, once', async () => {
    const {engine, health, store, attempts, sends, sent, insert, events} = openEngine(1)
    for (const id of ['d1', 'd2']) insert(id)
    const disk = fillDisk()
    try {
      const ended = engine.attempted('d1')
      sends[0]?.end()
      await ended
      await expect(engine.resend('d2')).rejects.toMatchObject({
        httpStatus: 503,
        serviceCode: 'STORAGE_UNAVAILABLE',
      })
      await new Promise((resolve) => setTimeout(resolve, 1200))
      expect([sent(), health.state().isFailing]).toEqual(['d1', true])
      expect(engine.progressOf('d1')).toMatchObject({isUnstored: true})
    } finally {
      disk.mockRestore()
    }
    await expect.poll(sent, {timeout: 3000}).toBe('d1 d2')
    expect(store.find('d1')).toMatchObject({status: 'success', attempts: 1})
    expect(attempts.ofDelivery('d1')).toHaveLength(1)
    expect(engine.progressOf('d1')).toBeNull()
    expect(events.filter(({type}) => type === 'storage')).toEqual([
      {
        type: 'storage',
        problem: 'The disk is full: the sandbox stores nothing and sends no webhook until there is room.',
      },
      {type: 'storage', problem: null},
    ])
  })
})
