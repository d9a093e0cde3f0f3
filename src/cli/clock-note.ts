import {isClockOff} from '../core/payout-limits.ts'
import {clockText} from '../report/figures.ts'

/** Reports a wrong clock and never corrects it (P19). */
export function tellClock(skewMs: number | null, paysOut: boolean): void {
  if (!isClockOff(skewMs)) return
  const meanwhile = paysOut
    ? ' Until it is set right, payouts count as repetitions at any age, and the ceiling counts the day of either clock.'
    : ''
  process.stderr.write(`warning: ${clockText(skewMs)}.${meanwhile}\n`)
}

/** A note only: a single answer may have come from a proxy. */
export function tellAddress(settings: readonly string[]): void {
  if (settings.length === 0) return
  process.stderr.write(
    `warning: What answered at ${settings.join(' and ')} is not the payment service. The address may be wrong: run \`hisab doctor\`.\n`,
  )
}
