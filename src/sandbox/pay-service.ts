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

/** What a player does on the payment page: choose an amount and a channel, and watch the result. */
export function openPayService({sessions, sms, dialect, clock, log}: PayServiceParts) {
  return {
    find: sessions.find,
    findByPayCode: sessions.findByPayCode,

    findByOrderNo(merchantId: string, orderNo: string): PaySession {
      const session = sessions.findByOrderNo(merchantId, orderNo)
      if (session) return session
      throw refuseUnknownOrder(dialect, orderNo)
    },

    /** The last choice counts. Throws `Refusal` 409. */
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

    /** Milliseconds until the page closes, at least 0; null without a limit. */
    remainingMs({expiresAtMs}: PaySession): number | null {
      return expiresAtMs === null ? null : Math.max(0, expiresAtMs - clock.now())
    },

    /** The SMS that paid for it, or null. */
    findPayment: ({seq}: PaySession) => sms.findOfDeposit(seq),

    /** A payment of the same player since the page was made that waits for a person, or that a person discarded. */
    findCheckedPayment: (
      {playerPhone, createdAtMs, expiresAtMs}: PaySession,
      state: 'waiting' | 'discarded',
    ) => sms.findOfPlayer(playerPhone, state, createdAtMs, expiresAtMs ?? Number.MAX_SAFE_INTEGER),
  }
}
