/** An amount of BDT in paisa (1/100 taka). Never a `number`: money is exact (P12). */
export type Paisa = bigint

const decimalTaka = /^(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,2})?$/

/**
 * Reads taka as the service writes them (`500`, `500.5`, `500.00`; service §2.2). Null for anything else: signs,
 * exponents, blanks, separators, a third decimal.
 */
export function parsePaisa(text: string): Paisa | null {
  if (!decimalTaka.test(text)) return null
  const point = text.indexOf('.')
  if (point === -1) return BigInt(text) * 100n
  const digits = BigInt(text.slice(0, point) + text.slice(point + 1))
  return point === text.length - 3 ? digits : digits * 10n
}

/** The form of amounts in hisab's JSON: `"500.00"`, `"-12.50"`. */
export function formatPaisa(paisa: Paisa): string {
  const digits = (paisa < 0n ? -paisa : paisa).toString().padStart(3, '0')
  return `${paisa < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Grouped in lakh and crore: `1,20,450.00`. */
export function formatTaka(paisa: Paisa): string {
  const [taka = '', fraction] = formatPaisa(paisa).split('.')
  return `${taka.replace(/(?<=\d)(?=(\d\d)*\d{3}$)/g, ',')}.${fraction}`
}

export function sumPaisa(amounts: Iterable<Paisa>): Paisa {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return sum
}

/** Whether two amounts may be one payment's, but for a fee or rounding. */
export function mayBeOneAmount(amount: Paisa, other: Paisa): boolean {
  const [less, more] = amount < other ? [amount, other] : [other, amount]
  return more - less <= feeMax(more)
}

/** The most that a fee or rounding changes: a twentieth of the amount, or 10.00 if that is more. */
export function feeMax(amount: Paisa): Paisa {
  const share = amount / 20n
  return share > 1_000n ? share : 1_000n
}
