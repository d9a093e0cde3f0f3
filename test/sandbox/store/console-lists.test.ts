import type {DatabaseSync} from 'node:sqlite'

import {expect, it} from 'vitest'

import {deliveryStatuses, orderKinds, orderStates} from '../../../src/core/order.ts'
import {openConsoleDeliveries} from '../../../src/sandbox/store/console-deliveries.ts'
import {openStateDatabase} from '../../../src/sandbox/store/database.ts'
import {openOrderLists} from '../../../src/sandbox/store/order-lists.ts'
import {type Cursor, topCursor} from '../../../src/sandbox/store/pages.ts'
import {openPaySessionStore} from '../../../src/sandbox/store/pay-sessions.ts'
import {openSmsStore, smsStates} from '../../../src/sandbox/store/sms.ts'

const cursors: readonly Cursor[] = [topCursor, {beforeSeq: 5}, {afterSeq: 5}]

/** The statements `use` prepares, and how SQLite means to run each. */
function plansOf(use: (db: DatabaseSync) => void): [sql: string, plan: string][] {
  const db = openStateDatabase(null)
  const prepared = new Set<string>()
  const prepare = db.prepare.bind(db)
  db.prepare = (sql: string) => {
    prepared.add(sql)
    return prepare(sql)
  }
  use(db)
  return [...prepared].map((sql) => {
    const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(null))
    return [sql, steps.map(({detail}) => detail).join('; ')]
  })
}

it('no page of the console walks to where it begins, and none is sorted: an index leads there', () => {
  const plans = plansOf((db) => {
    const lists = openOrderLists(db)
    for (const kind of orderKinds) {
      for (const cursor of cursors) {
        for (const state of [null, ...orderStates]) lists.list(kind, state, cursor, 50)
      }
      lists.countOpen(kind, 100)
      lists.find(kind, 1)
    }
    lists.findByNumber('a', 'D-1')
    const deliveries = openConsoleDeliveries(db)
    const sms = openSmsStore(db)
    for (const cursor of cursors) {
      for (const status of [null, ...deliveryStatuses]) deliveries.list(['a'], status, cursor, 50)
      for (const state of [null, ...smsStates]) sms.list(state, cursor, 50)
    }
  })
  expect(plans.length).toBeGreaterThan(25)
  // A search reads through a table by design. A count's own subquery is a SCAN of the few rows it holds.
  const isReadThrough = (sql: string) => / LIKE \?/.test(sql)
  const slow = plans.filter(
    ([sql, plan]) => /B-TREE/.test(plan) || (/SCAN (?!\(subquery)/.test(plan) && !isReadThrough(sql)),
  )
  expect(slow).toEqual([])
})

it('an SMS finds its order, a page its SMS, and time the next expiry, by an index', () => {
  const plans = plansOf((db) => {
    const sessions = openPaySessionStore(db)
    sessions.listFitting('017', {amount: 1n, channel: 'BKASH'}, 0, 2)
    openSmsStore(db)
  })
  const planOf = (part: string) => plans.find(([sql]) => sql.includes(part))?.[1]
  expect(planOf('player_phone = ? AND chosen_paisa = ?')).toContain('deposits_awaiting_sms')
  expect(planOf('player_phone = ? AND state')).toContain('deposits_awaiting_sms')
  expect(planOf('WHERE sender = ? AND sms.state')).toContain('sms_of_player')
  expect(planOf('ORDER BY expires_at')).toContain('deposits_expiring')
})
