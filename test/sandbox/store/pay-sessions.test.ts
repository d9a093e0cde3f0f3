import {expect, it} from 'vitest'

import {openStateDatabase} from '../../../src/sandbox/store/database.ts'
import {openOrderStore} from '../../../src/sandbox/store/orders.ts'
import {openPaySessionStore} from '../../../src/sandbox/store/pay-sessions.ts'

it('a deposit whose time is up takes no choice and no payment, even before it has been failed', () => {
  const db = openStateDatabase(null)
  const seq = openOrderStore(db).insertDeposit({
    merchantId: 'm',
    orderNo: 'D-1',
    platformOrderNo: 'p',
    payCode: 'c',
    returnUrl: 'http://127.0.0.1:9/',
    playerPhone: '01712345678',
    playerRef: '7',
    isTest: false,
    createdAtMs: 0,
    expiresAtMs: 1000,
  })
  const sessions = openPaySessionStore(db)
  const choice = {amount: 5_00n, channel: 'BKASH'} as const
  const found = (atMs: number) => [
    sessions.listFitting('01712345678', choice, atMs, 2).length,
    sessions.listOpenOfPlayer('01712345678', atMs, 2).length,
    sessions.listAwaiting(choice, atMs, 2).length,
  ]
  expect([sessions.choose(seq, choice, 999), found(999)]).toEqual([true, [1, 1, 1]])
  expect([sessions.choose(seq, {...choice, amount: 6_00n}, 1000), found(1000)]).toEqual([false, [0, 0, 0]])
  expect(sessions.find(seq)?.choice).toEqual(choice)
})
