import type {PayService} from '../pay-service.ts'
import type {Choice, PaySession} from '../store/pay-sessions.ts'

interface Open {
  readonly remainingMs: number | null
  readonly choice: Choice | null
  /** The player's last payment that a person discarded. */
  readonly discarded: SeenPayment | null
}

export type SeenPayment = Choice & {readonly seq: number; readonly trxId: string}

export type Standing =
  | (Open & {readonly step: 'choose'})
  | (Open & {readonly step: 'pay'; readonly choice: Choice})
  /** A payment of this player that waits for a person. */
  | {readonly step: 'checking'; readonly choice: Choice | null; readonly checking: SeenPayment}
  | {
      readonly step: 'paid'
      readonly paid: Choice
      readonly atMs: number | null
      readonly trxId: string | null
    }
  | {readonly step: 'expired' | 'failed'; readonly discarded: SeenPayment | null}

export function standingOf(payService: PayService, session: PaySession): Standing {
  const {state, choice, paid, expiresAtMs, finishedAtMs} = session
  if (state === 'completed' && paid) {
    return {step: 'paid', paid, atMs: finishedAtMs, trxId: payService.findPayment(session)?.trxId ?? null}
  }
  const remainingMs = payService.remainingMs(session)
  // A payment under check keeps the order open past its time.
  const checking = state === 'open' ? seenPayment(payService.findCheckedPayment(session, 'waiting')) : null
  if (checking) return {step: 'checking', choice, checking}
  const discarded = seenPayment(payService.findCheckedPayment(session, 'discarded'))
  if (state === 'open' && remainingMs !== 0) {
    return choice
      ? {step: 'pay', choice, remainingMs, discarded}
      : {step: 'choose', choice, remainingMs, discarded}
  }
  const isInTime = expiresAtMs === null || (finishedAtMs !== null && finishedAtMs < expiresAtMs)
  return {step: isInTime ? 'failed' : 'expired', discarded}
}

function seenPayment(sms: ReturnType<PayService['findCheckedPayment']>): SeenPayment | null {
  if (!sms?.amount || !sms.channel || sms.trxId === null) return null
  const {seq, amount, channel, trxId} = sms
  return {seq, amount, channel, trxId}
}

/** Changes whenever the page changes, except for the time left. */
export function versionOf(standing: Standing): string {
  const {step} = standing
  if (step === 'paid') return step
  if (step === 'checking') return `${step}.${standing.checking.seq}`
  const discarded = standing.discarded ? `.after-${standing.discarded.seq}` : ''
  return step === 'pay'
    ? `${step}.${standing.choice.amount}.${standing.choice.channel}${discarded}`
    : `${step}${discarded}`
}

export function isEnded({step}: Standing): boolean {
  return step === 'paid' || step === 'expired' || step === 'failed'
}

/** Whether a form that is being filled in must be replaced: paying now would be a mistake. */
export function interrupts(standing: Standing): boolean {
  return isEnded(standing) || standing.step === 'checking'
}
