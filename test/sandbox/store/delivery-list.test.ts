import {expect, it} from 'vitest'

import {type DeliveryStatus, deliveryStatuses} from '../../../src/core/order.ts'
import {openStateDatabase, transact} from '../../../src/sandbox/store/database.ts'
import {openDeliveryStore} from '../../../src/sandbox/store/deliveries.ts'
import {openDeliveryList} from '../../../src/sandbox/store/delivery-list.ts'

/** More than two stretches of 4096 rows, of two merchants, a tenth of them moved on by an attempt. */
const rows = 9_500

function fill() {
  const db = openStateDatabase(null)
  const store = openDeliveryStore(db)
  const made: {id: string; merchantId: string; status: DeliveryStatus}[] = []
  transact(db, () => {
    for (let n = 0; n < rows; n += 1) {
      const merchantId = n % 7 === 0 ? 'other' : 'own'
      const [orderId, id] = [`order ${n}`, `d${n}`]
      store.insert({
        id,
        merchantId,
        orderId,
        merchantOrderId: id,
        url: 'http://127.0.0.1:9/',
        event: 'order.completed',
        payload: '{}',
        createdAtMs: n,
        dueAtMs: n,
      })
      made.push({id, merchantId, status: 'pending'})
    }
  })
  const move = (n: number, status: DeliveryStatus) => {
    const delivery = made[n]
    if (!delivery) return
    delivery.status = status
    const outcome = {responseCode: null, responseBody: null, attempts: 1, scheduledAttempts: 1}
    store.record(delivery.id, {status, ...outcome, dueAtMs: null, sentAtMs: rows + n})
  }
  transact(db, () => {
    for (let n = 0; n < rows; n += 10) move(n, deliveryStatuses[(n / 10) % 3] ?? 'pending')
    // And on again, and to where it was: a count that is not moved with it shows.
    for (let n = 0; n < rows; n += 50) move(n, 'success')
  })
  return {store, list: openDeliveryList(db), made}
}

it('every page is what the whole list has there, of every status, down to the last', () => {
  const {list, made} = fill()
  for (const status of [undefined, ...deliveryStatuses]) {
    const whole = made
      .filter((row) => row.merchantId === 'own' && (status === undefined || row.status === status))
      .map(({id}) => id)
      .reverse()
    const pages = Math.ceil(whole.length / 100)
    for (const page of [1, 2, 40, 41, 42, Math.floor(pages / 2), pages - 1, pages, pages + 1, 1_000_000]) {
      const {records, total} = list.readPage({merchantId: 'own', status}, page, 100)
      expect(total).toBe(whole.length)
      expect(records.map(({id}) => id)).toEqual(whole.slice((page - 1) * 100, page * 100))
    }
  }
})

it('one order has its own list, of any status', () => {
  const {list} = fill()
  const filter = {merchantId: 'own', orderId: 'order 20'}
  expect(list.readPage(filter, 1, 20)).toMatchObject({total: 1, records: [{id: 'd20'}]})
  expect(list.readPage({...filter, status: 'pending'}, 1, 20)).toEqual({total: 0, records: []})
  expect(list.readPage({...filter, merchantId: 'other'}, 1, 20).total).toBe(0)
})

it('the latest instant is that of the last attempt, though an older row came last', () => {
  const {store} = fill()
  expect(store.latestInstantMs()).toBe(rows + rows - 10)
})
