import {type Paisa, parsePaisa} from './money.ts'
import {escapeInvisible} from './text.ts'

export type PayoutAmount =
  | {readonly ok: true; readonly paisa: Paisa}
  | {readonly ok: false; readonly reason: string}

const faults: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/[০-৯]/, 'is written in Bengali digits; write 0 to 9'],
  [/tk|taka|bdt|[৳৲]|টাকা/iu, 'names the currency; leave that out'],
  [/^\s|\s$/, 'begins or ends with a blank; leave it out'],
  [/^['’]/, 'begins with an apostrophe; leave it out'],
  [/\d[,'’\u00a0\u202f ]+\d/, 'has separators between its digits; leave them out'],
  [/^-/, 'is negative'],
  [/^\+/, 'has a plus sign; leave it out'],
  [/^\d+\.\d{3,}$/, 'has more than two decimals'],
  [/e/i, 'is written with an exponent; write it out'],
  [/^0\d/, 'begins with a zero; leave it out'],
]

/**
 * Reads a payout's amount as a person wrote it: BDT above zero, digits with at most two decimals (service §2.2).
 * Unlike a ledger's amount it is never repaired, because a wrong guess would be paid.
 */
export function readPayoutAmount(text: string): PayoutAmount {
  const paisa = parsePaisa(text)
  if (paisa !== null && paisa > 0n) return {ok: true, paisa}
  const fault =
    paisa === 0n
      ? 'is not more than zero'
      : (faults.find(([pattern]) => pattern.test(text))?.[1] ?? 'is not an amount')
  return {
    ok: false,
    reason: `The amount "${escapeInvisible(text, 40)}" ${fault}. For example 500 or 1250.50.`,
  }
}
