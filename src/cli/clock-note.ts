import {isClockOff} from '../core/payout-limits.ts'
import {clockText} from '../report/figures.ts'

/** A wrong clock is reported and never corrected (P19). */
export function tellClock(skewMs: number | null, paysOut: boolean): void {
  if (!isClockOff(skewMs)) return
  const meanwhile = paysOut
    ? ' Until it is set right, payouts count as repetitions at any age, and the ceiling counts the day of either clock.'
    : ''
  process.stderr.write(`warning: ${clockText(skewMs)}.${meanwhile}\n`)
}

/** Not an error of its own: a single answer may have been a proxy's. */
export function tellAddress(settings: readonly string[]): void {
  if (settings.length === 0) return
  process.stderr.write(
    `warning: What answered at ${settings.join(' and ')} is not the payment service. The address may be wrong: run \`hisab doctor\`.\n`,
  )
}
