import {formatTaka, type Paisa, parsePaisa} from '../core/money.ts'

export function counted(count = 0, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

const skewWorthSayingMs = 30_000

/** The clock difference in words, or nothing if it is small. `skewMs` is the service's time minus ours. */
export function clockText(skewMs: number | null): string {
  if (skewMs === null || Math.abs(skewMs) <= skewWorthSayingMs) return ''
  return `the service's clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`
}

/** `, BDT 1,200.00`; empty if the amount is unknown. */
export function moneyAfter(amount: Paisa | null): string {
  return amount === null ? '' : `, BDT ${formatTaka(amount)}`
}

/** `2026-11-20 18:00`, of a time in ISO 8601. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}

export function grouped(amount: string): string {
  const negative = amount.startsWith('-')
  const paisa = parsePaisa(negative ? amount.slice(1) : amount) ?? 0n
  return formatTaka(negative ? -paisa : paisa)
}
