import {type Entry, type Kind, keyOf, type State, taka} from './world.ts'

/** How a cell of an order number was changed on its way into the file. */
export type Corruption =
  | 'zeros lost'
  | 'other case'
  | 'a blank inside'
  | 'blanks around'
  | 'no-break space'
  | 'zero-width space'
  | 'Bengali digits'
  | 'leading apostrophe'
  | 'scientific'
  | 'rounded to 15 digits'
  | 'status unreadable'
  | 'amount unreadable'
  | 'no number'
  | 'a shortened number'
  | 'too long a number'

/** How this merchant exports the books. */
export interface ExportStyle {
  readonly holds: 'orders' | 'credits'
  readonly hasTimes: boolean
  /** How a time is written, of milliseconds since the epoch. */
  readonly time: (ms: number) => string
  readonly headers?: Readonly<Record<string, string>>
}

/** One row as it was written, and what it was written of. */
export interface WrittenRow {
  readonly line: number
  readonly key: string
  readonly kind: Kind
  readonly orderNo: string
  /** The cell, which is another number where it was damaged. */
  readonly cell: string
  readonly state: State
  readonly amount: bigint | null
  readonly corruption: Corruption | null
  readonly createdMs: number
}

export interface WrittenLedger {
  readonly text: string
  readonly rows: readonly WrittenRow[]
  readonly style: ExportStyle
  readonly writtenMs: number
}

const dhaka = (ms: number) => new Date(ms + 6 * 3_600_000).toISOString().replace(/\.\d+Z$/, '')
export const timeShapes = {
  iso: (ms: number) => `${dhaka(ms)}+06:00`,
  database: (ms: number) => `${dhaka(ms).replace('T', ' ')}+06`,
  plain: (ms: number) => dhaka(ms).replace('T', ' '),
  minutes: (ms: number) => dhaka(ms).replace('T', ' ').slice(0, 16),
} as const

export const plainStyle: ExportStyle = {holds: 'orders', hasTimes: true, time: timeShapes.iso}

/** The export of some entries of the merchant's books, with the damage somebody did to some of them. */
export function writeLedger(
  entries: readonly Entry[],
  style: ExportStyle,
  writtenMs: number,
  damageOf: (entry: Entry) => Corruption | null = () => null,
): WrittenLedger {
  const shown = style.holds === 'credits' ? entries.filter(({state}) => state === 'completed') : entries
  const rows = shown.map((entry, index) => {
    const corruption = damageOf(entry)
    const {kind, orderNo} = entry
    return {
      ...entry,
      line: index + 2,
      key: keyOf(kind, orderNo),
      corruption,
      cell: damaged(orderNo, corruption),
    }
  })
  const name = (column: string) => style.headers?.[column] ?? column
  const columns = [
    ...['order_no', 'kind'],
    ...(style.holds === 'orders' ? ['status'] : []),
    'amount',
    ...(style.hasTimes ? ['created_at'] : []),
  ]
  const cells = ({cell, kind, state, amount, createdMs, corruption}: WrittenRow) => [
    ...[cell, kind],
    ...(style.holds === 'orders' ? [corruption === 'status unreadable' ? 'perhaps' : state] : []),
    corruption === 'amount unreadable' ? '1.2E+3' : amount === null ? '' : taka(amount),
    ...(style.hasTimes ? [style.time(createdMs)] : []),
  ]
  const lines = [columns.map(name), ...rows.map(cells)].map((line) => line.join(','))
  return {text: `${lines.join('\n')}\n`, rows, style, writtenMs}
}

function damaged(number: string, corruption: Corruption | null): string {
  switch (corruption) {
    case 'zeros lost':
      return number.replace(/^0+(?=\d)/, '')
    case 'other case':
      return number.toLowerCase()
    case 'a blank inside':
      return `${number.slice(0, 2)} ${number.slice(2)}`
    case 'blanks around':
      return ` ${number} `
    case 'no-break space':
      return `${number}\u00a0`
    case 'zero-width space':
      return `${number.slice(0, 3)}\u200b${number.slice(3)}`
    case 'Bengali digits':
      return number.replace(/\d/g, (digit) => String.fromCharCode(0x9e6 + Number(digit)))
    case 'leading apostrophe':
      return `'${number}`
    case 'scientific':
      return /^\d{7,}$/.test(number)
        ? Number(number).toExponential(5).toUpperCase().replace('+', 'E+').replace('EE', 'E')
        : number
    case 'rounded to 15 digits':
      return /^\d{16,}$/.test(number) ? number.slice(0, 15).padEnd(number.length, '0') : number
    case 'no number':
      return ''
    case 'a shortened number':
      return '1.2E+12'
    case 'too long a number':
      return 'BKASH-TRX-8F7G6H5J4K3L2M1N0P9Q8R7S6T5'
    default:
      return number
  }
}

/** What can befall this number and leave something that folds to it. */
export function possibleCorruptions(orderNo: string): readonly Corruption[] {
  const always = [
    ...(['a blank inside', 'blanks around', 'no-break space', 'zero-width space'] as const),
    ...(['Bengali digits', 'leading apostrophe', 'no number', 'a shortened number'] as const),
  ]
  return [
    ...always,
    ...(/^0/.test(orderNo) ? (['zeros lost'] as const) : []),
    ...(/[A-Z]/.test(orderNo) ? (['other case'] as const) : []),
    ...(/^[1-9]\d{15,}$/.test(orderNo) ? (['rounded to 15 digits', 'scientific'] as const) : []),
  ]
}
