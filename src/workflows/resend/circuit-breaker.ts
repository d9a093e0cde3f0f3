import type {ResendOutcome} from '../../core/reconcile/finding.ts'

/** Resends stop after this many in a row that failed, at the service or at the merchant's server. */
export const failuresInARowMax = 5

/** Holds back the rest of a run once going on would only fail: the fault is then not the order's. */
export class CircuitBreaker {
  private failuresInARow = 0
  private reason: string | null = null

  /** Why nothing more is to be sent; null while there is no reason. The answers stand with what was sent. */
  get heldBecause(): string | null {
    return this.reason
  }

  /** How one resend went. What it takes to count as a failure is that it neither delivered nor may still. */
  record({state}: Pick<ResendOutcome, 'state'>): void {
    if (state === 'delivered' || state === 'sent') {
      if (state === 'delivered') this.failuresInARow = 0
      return
    }
    this.failuresInARow += 1
    if (this.failuresInARow < failuresInARowMax) return
    this.reason ??= `Not sent: the run stopped after ${failuresInARowMax} failed resends in a row.`
  }

  /** How the one resend went that was sent ahead of all others. */
  recordCanary(orderNo: string, {state, why}: Pick<ResendOutcome, 'state' | 'why'>): void {
    if (state === 'delivered') return
    const itsOwn = why === null ? '' : ` Of ${orderNo}: ${why}`
    this.reason = `Not sent: ${orderNo} was sent first and not delivered, so the run stopped.${itsOwn}`
  }
}
