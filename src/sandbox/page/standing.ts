import type {PayDesk} from '../pay-desk.ts'
import type {Choice, PaySession} from '../store/pay-sessions.ts'
import type {StoredSms} from '../store/sms.ts'

/** How an order stands for its player. */
export type Standing =
  | {readonly step: 'choose'; readonly remainingMs: number | null}
  | {
      readonly step: 'pay'
      readonly choice: Choice
      readonly remainingMs: number | null
      /** A payment of this player that a person looks at. */
      readonly checking: StoredSms | null
    }
  | {
      readonly step: 'paid'
      readonly paid: Choice
      readonly atMs: number | null
      /** Null where it was paid without an SMS. */
      readonly trxId: string | null
    }
  | {readonly step: 'expired' | 'failed'}

export function standingOf(desk: PayDesk, session: PaySession): Standing {
  const {state, choice, paid, expiresAtMs, finishedAtMs} = session
  if (state === 'completed' && paid) {
    return {step: 'paid', paid, atMs: finishedAtMs, trxId: desk.findPayment(session)?.trxId ?? null}
  }
  const remainingMs = desk.remainingMs(session)
  if (state === 'open' && remainingMs !== 0) {
    const checking = desk.findWaitingPayment(session)
    return choice ? {step: 'pay', choice, remainingMs, checking} : {step: 'choose', remainingMs}
  }
  const isInTime = expiresAtMs === null || (finishedAtMs !== null && finishedAtMs < expiresAtMs)
  return {step: isInTime ? 'failed' : 'expired'}
}

/** A word that changes with whatever the player sees change, the time that is left excepted. */
export function versionOf(standing: Standing): string {
  if (standing.step !== 'pay') return standing.step
  const {choice, checking} = standing
  return ['pay', choice.amount, choice.channel, checking?.seq ?? ''].join('.')
}

export function isEnded({step}: Standing): boolean {
  return step === 'paid' || step === 'expired' || step === 'failed'
}
