import type {PayService} from '../pay-service.ts'
import type {Choice, PaySession} from '../store/pay-sessions.ts'

export type Standing =
  | {readonly step: 'choose'; readonly remainingMs: number | null}
  | {
      readonly step: 'pay'
      readonly choice: Choice
      readonly remainingMs: number | null
    }
  | {
      readonly step: 'checking'
      readonly choice: Choice | null
      readonly remainingMs: number | null
      /** A payment of this player that a person looks at. */
      readonly checking: Choice & {readonly seq: number}
    }
  | {
      readonly step: 'paid'
      readonly paid: Choice
      readonly atMs: number | null
      /** Null where it was paid without an SMS. */
      readonly trxId: string | null
    }
  | {readonly step: 'expired' | 'failed'}

export function standingOf(payService: PayService, session: PaySession): Standing {
  const {state, choice, paid, expiresAtMs, finishedAtMs} = session
  if (state === 'completed' && paid) {
    return {step: 'paid', paid, atMs: finishedAtMs, trxId: payService.findPayment(session)?.trxId ?? null}
  }
  const remainingMs = payService.remainingMs(session)
  if (state === 'open') {
    // It is open past its time too, until a person has decided.
    const sms = payService.findCheckedPayment(session, 'waiting')
    if (sms?.amount && sms.channel) {
      const {seq, amount, channel} = sms
      return {step: 'checking', choice, remainingMs: remainingMs || null, checking: {seq, amount, channel}}
    }
  }
  if (state === 'open' && remainingMs !== 0) {
    return choice ? {step: 'pay', choice, remainingMs} : {step: 'choose', remainingMs}
  }
  const isInTime = expiresAtMs === null || (finishedAtMs !== null && finishedAtMs < expiresAtMs)
  return {step: isInTime ? 'failed' : 'expired'}
}

/** A word that changes with whatever the player sees change, the time that is left excepted. */
export function versionOf(standing: Standing): string {
  const {step} = standing
  if (step === 'checking') return `${step}.${standing.checking.seq}`
  return step === 'pay' ? `${step}.${standing.choice.amount}.${standing.choice.channel}` : step
}

export function isEnded({step}: Standing): boolean {
  return step === 'paid' || step === 'expired' || step === 'failed'
}
