import type {Dialect} from '../core/dialect.ts'
import {escapeInvisible} from '../core/text.ts'
import {Refusal, refuseUnknownOrder} from './answers.ts'
import type {Clock} from './clock.ts'
import type {Log} from './events.ts'
import type {Choice, PaySession, PaySessionStore} from './store/pay-sessions.ts'
import type {SmsStore} from './store/sms.ts'

export interface PayServiceParts {
  readonly sessions: PaySessionStore
  readonly sms: SmsStore
  readonly dialect: Dialect
  readonly clock: Clock
  readonly log: Log
}

export type PayService = ReturnType<typeof openPayService>

/** What a player does on the payment page: pick an amount and a channel, and watch what becomes of it. */
export function openPayService({sessions, sms, dialect, clock, log}: PayServiceParts) {
  return {
    find: sessions.find,
    findByPayCode: sessions.findByPayCode,

    /** Throws `Refusal` (A5) where the merchant has no such order. */
    findByOrderNo(merchantId: string, orderNo: string): PaySession {
      const session = sessions.findByOrderNo(merchantId, orderNo)
      if (session) return session
      throw refuseUnknownOrder(dialect, orderNo)
    },

    /** The last choice counts: a page open in two tabs shows it in both. Throws `Refusal` 409. */
    choose(session: PaySession, choice: Choice): void {
      const {seq, orderNo, platformOrderNo} = session
      if (!sessions.choose(seq, choice, clock.now())) {
        throw new Refusal(
          409,
          'ORDER_NOT_OPEN',
          `The deposit ${escapeInvisible(orderNo, 80)} is not open any more.`,
          'An order is finished once; make another.',
        )
      }
      log({type: 'deposit_chosen', orderNo, platformOrderNo, ...choice})
    },

    /** Milliseconds until the page closes, 0 where its time is up, null where it has none. */
    remainingMs({expiresAtMs}: PaySession): number | null {
      return expiresAtMs === null ? null : Math.max(0, expiresAtMs - clock.now())
    },

    /** The SMS that paid for it; null where it was paid without one, or not at all. */
    findPayment: ({seq}: PaySession) => sms.findOfDeposit(seq),

    /** A payment of the same player that waits for a person, or that a person discarded, since the page was made. */
    findCheckedPayment: (
      {playerPhone, createdAtMs, expiresAtMs}: PaySession,
      state: 'waiting' | 'discarded',
    ) => sms.findOfPlayer(playerPhone, state, createdAtMs, expiresAtMs ?? Number.MAX_SAFE_INTEGER),
  }
}
