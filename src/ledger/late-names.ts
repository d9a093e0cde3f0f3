import {saysBooked} from './booking-words.ts'
import type {Naming, Span} from './counter-names.ts'
import type {NumberSpan} from './number-span.ts'
import type {TakeAt} from './scanned-file.ts'
import type {Place} from './statement-scan.ts'

interface Late {
  readonly orderNo: string
  readonly span: Span | undefined
  readonly end: string | undefined
  readonly text: string
  readonly where: Place
}

const lateMax = 100_000

/**
 * What names an order or not as the rest of the file is: a range, unless it is that of all the file's rows, and the last digits
 * of a number, unless they are an amount of a row.
 */
export class LateNames {
  private readonly found: Late[] = []
  /** Amounts of rows without their decimals. */
  private readonly amounts = new Set<string>()
  private readonly numbers: NumberSpan
  private readonly takeAt: TakeAt

  constructor(numbers: NumberSpan, takeAt: TakeAt) {
    this.numbers = numbers
    this.takeAt = takeAt
  }

  addAmount(cell: string): void {
    const [, whole = ''] = /^\D*(\d{4,})(?:\.\d*)?\D*$/.exec(cell.replaceAll(',', '')) ?? []
    if (whole !== '' && this.amounts.size < lateMax) this.amounts.add(whole)
  }

  take({orderNo, span, end}: Naming, text: string, where: Place): void {
    const isCertain = end === undefined && (span === undefined || saysBooked(text))
    if (isCertain || this.found.length >= lateMax) this.takeAt(orderNo, text, where, 'named')
    else this.found.push({orderNo, span, end, text, where})
  }

  /** To be called after the last row. */
  finish(): void {
    for (const {orderNo, span, end, text, where} of this.found) {
      const isOfFile = span !== undefined && this.numbers.isWithin(span)
      // A round amount is one also beside a word of booking: `1000 given`.
      const isAmount = end !== undefined && this.amounts.has(end) && (end.endsWith('00') || !saysBooked(text))
      if (!isOfFile && !isAmount) this.takeAt(orderNo, text, where, 'named')
    }
  }
}

/** What a text of a row names: not by digits in which its own number, amount or telephone ends. */
export function namedBeside(
  named: readonly Naming[],
  text: string,
  cells: readonly string[],
): readonly Naming[] {
  if (!named.some(({end}) => end !== undefined)) return named
  const own = cells
    .filter((cell) => cell !== text)
    .map((cell) => cell.replaceAll(',', '').replace(/\.\d*$/, ''))
  return named.filter(({end}) => end === undefined || !own.some((cell) => cell.trim().endsWith(end)))
}
