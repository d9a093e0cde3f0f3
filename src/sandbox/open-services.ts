import type {DatabaseSync} from 'node:sqlite'

import {ExpiryWatch} from './expiry.ts'
import {type OrderServiceParts, openOrderService} from './order-service.ts'
import {openPayService} from './pay-service.ts'
import {openSmsInbox} from './sms/inbox.ts'
import {openConsoleDeliveries} from './store/console-deliveries.ts'
import {openOrderLists} from './store/order-lists.ts'
import {openPaySessionStore} from './store/pay-sessions.ts'
import {openSmsStore} from './store/sms.ts'

export interface ServicesParts extends Omit<OrderServiceParts, 'sms' | 'onExpiring'> {
  readonly db: DatabaseSync
  /** Resolves when the webhooks under way have been tried. */
  readonly idle: () => Promise<void>
}

/** Everybody who does something to an order: the service, the players, the SMS desk, time; and who looks at them all. */
export function openServices(parts: ServicesParts) {
  const {db, dialect, clock, log, idle} = parts
  const sms = openSmsStore(db)
  const sessions = openPaySessionStore(db)
  const orderService = openOrderService({...parts, sms, onExpiring: (atMs) => expiry.watch(atMs)})
  const expiry = new ExpiryWatch({sessions, orderService, clock, log, idle})
  return {
    orderService,
    expiry,
    sms,
    payService: openPayService({sessions, sms, dialect, clock, log}),
    inbox: openSmsInbox({store: sms, sessions, orderService, clock, log}),
    orderLists: openOrderLists(db),
    consoleDeliveries: openConsoleDeliveries(db),
  }
}
