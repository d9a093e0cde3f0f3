import type {Paisa} from './money.ts'

const ones = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ...['twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
]
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

/** Largest first. A crore is itself counted in crores: ten lakh crore. */
const scales: readonly (readonly [size: bigint, name: string])[] = [
  [10_000_000n, 'crore'],
  [100_000n, 'lakh'],
  [1_000n, 'thousand'],
  [100n, 'hundred'],
]

/**
 * A non-negative amount as on a cheque in Bangladesh: `one lakh twenty thousand four hundred fifty taka and five
 * paisa`. In words, a slip of a digit is easy to see.
 */
export function takaInWords(paisa: Paisa): string {
  const [taka, fraction] = [paisa / 100n, paisa % 100n]
  if (taka === 0n && fraction > 0n) return `${inWords(fraction)} paisa`
  return `${inWords(taka)} taka${fraction === 0n ? '' : ` and ${inWords(fraction)} paisa`}`
}

function inWords(count: bigint): string {
  if (count < 20n) return ones[Number(count)] ?? ''
  if (count < 100n) {
    const rest = count % 10n
    return `${tens[Number(count / 10n)]}${rest === 0n ? '' : `-${ones[Number(rest)]}`}`
  }
  const [size, name] = scales.find(([size]) => count >= size) ?? [100n, 'hundred']
  const rest = count % size
  return `${inWords(count / size)} ${name}${rest === 0n ? '' : ` ${inWords(rest)}`}`
}
