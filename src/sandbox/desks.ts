import type {DatabaseSync} from 'node:sqlite'

import {ExpiryWatch} from './expiry.ts'
import {type DeskParts, openOrderDesk} from './order-desk.ts'
import {openPayDesk} from './pay-desk.ts'
import {openInbox} from './sms/inbox.ts'
import {openConsoleDeliveries} from './store/console-deliveries.ts'
import {openOrderLists} from './store/order-lists.ts'
import {openPaySessionStore} from './store/pay-sessions.ts'
import {openSmsStore} from './store/sms.ts'

export interface DesksParts extends Omit<DeskParts, 'sms' | 'onExpiring'> {
  readonly db: DatabaseSync
  /** Resolves when the webhooks under way have been tried. */
  readonly settled: () => Promise<void>
}

/** Everybody who does something to an order: the service, the players, the SMS desk, time; and who looks at them all. */
export function openDesks(parts: DesksParts) {
  const {db, dialect, clock, log, settled} = parts
  const sms = openSmsStore(db)
  const sessions = openPaySessionStore(db)
  const desk = openOrderDesk({...parts, sms, onExpiring: (atMs) => expiry.watch(atMs)})
  const expiry = new ExpiryWatch({sessions, desk, clock, log, settled})
  return {
    desk,
    expiry,
    sms,
    payDesk: openPayDesk({sessions, sms, dialect, clock, log}),
    inbox: openInbox({store: sms, sessions, desk, clock, log}),
    orderLists: openOrderLists(db),
    consoleDeliveries: openConsoleDeliveries(db),
  }
}
