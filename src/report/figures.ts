import {formatTaka, parsePaisa} from '../core/money.ts'

/** A count with its noun: `1 page`, `12 pages`. */
export function counted(count = 0, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

const skewWorthSayingMs = 30_000

/** How far the service's clock is from this machine's, `skewMs` being its time minus ours; nothing where that is little. */
export function clockText(skewMs: number | null): string {
  if (skewMs === null || Math.abs(skewMs) <= skewWorthSayingMs) return ''
  return `the service's clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`
}

/** An amount of a report (`"-24050.00"`) for a reader in Bangladesh: `-24,050.00`. */
export function grouped(amount: string): string {
  const negative = amount.startsWith('-')
  const paisa = parsePaisa(negative ? amount.slice(1) : amount) ?? 0n
  return formatTaka(negative ? -paisa : paisa)
}
