import {type CounterNames, isBelow, type Span} from './counter-names.ts'

/** The numbers of a file's own rows, from the lowest to the highest. */
export class NumberSpan {
  private lowest: string | null = null
  private highest = ''
  private readonly index: Pick<CounterNames, 'counterOf' | 'counts'>

  constructor(index: NumberSpan['index']) {
    this.index = index
  }

  add(orderNo: string): void {
    if (this.lowest === null || isBelow(orderNo, this.lowest)) this.lowest = orderNo
    if (isBelow(this.highest, orderNo)) this.highest = orderNo
  }

  /** Whether a range has them all. */
  isWithin(span: Span): boolean {
    return this.ends().every(
      (end) => end?.prefix === span.prefix && end.value >= span.from && end.value <= span.to,
    )
  }

  /** Whether a text is a number of this file, or of another series. */
  has(text: string): 'file' | 'series' | null {
    const counter = this.index.counterOf(text.trim())
    if (counter === null) return null
    if (!this.index.counts(counter.prefix)) return counter.prefix === '' ? null : 'series'
    const [from = counter.value, to = counter.value] = this.ends().map((end) => end?.value)
    return counter.value >= from && counter.value <= to ? 'file' : null
  }

  private ends() {
    return [this.lowest, this.highest].map((orderNo) => this.index.counterOf(orderNo ?? ''))
  }
}
