import {formatTaka, type Paisa} from '../core/money.ts'
import {type OrderKind, type OrderState, orderKinds} from '../core/order.ts'
import {foldOrderNo} from '../core/order-no-fold.ts'
import {escapeInvisible} from '../core/text.ts'

/** Words of a total row in the place of an order number; case, blanks, hyphens and colons are ignored. */
const totalWords: ReadonlySet<string> = new Set(
  [
    ...[
      'total',
      'grandtotal',
      'subtotal',
      'sum',
      'totalamount',
      'nettotal',
      'pagetotal',
      'daytotal',
      'dailytotal',
    ],
    ...['totalbdt', 'totaltaka', 'মোট', 'সর্বমোট', 'মোটটাকা', 'উপমোট', 'টোটাল', 'সাবটোটাল'],
  ].map((word) => word.normalize('NFC')),
)
/** `Total (9 orders)`, `Sub-total for 20/11/2026` */
const totalPhrase = /^(?:(?:grand|net|page|day|daily) |sub[- ]?)?total[\s(:]/i

/** A row with the sum of others, which checks the file and is no order; or a line of words below the last order. */
export interface TotalRow {
  readonly line: number
  /** Empty if the cell of the order number is blank. */
  readonly label: string
  readonly amount: Paisa | null
  /** The sum of the rows above it. */
  readonly sum: Paisa
  /** Whether its amount is the sum of rows above; null without an amount. */
  readonly agrees: boolean | null
}

export interface TotalCells {
  readonly label: number
  readonly amount: number | undefined
  readonly kind: number | undefined
  /** All other columns that are read. */
  readonly others: readonly number[]
  readonly count: number
}

export interface RowWorth {
  readonly kind: OrderKind | null
  readonly amount: Paisa | null
  /** Null if unknown. */
  readonly status: OrderState | null
}

interface Candidate extends Omit<TotalRow, 'sum' | 'agrees'> {
  readonly cells: readonly string[]
  /** Set if the total is of one kind. */
  readonly kind: OrderKind | null
}

type KindSums = Map<OrderKind | null, Sums>

interface Sums {
  completed: Paisa
  others: Paisa
  rows: number
}

function sumsIn(part: KindSums, kind: OrderKind | null): Sums {
  let sums = part.get(kind)
  if (sums === undefined) {
    sums = none()
    part.set(kind, sums)
  }
  return sums
}

function add(sum: Sums, {completed, others, rows}: Sums): void {
  sum.completed += completed
  sum.others += others
  sum.rows += rows
}

/** Adds the sums of a part to `sum`: of one kind, or of all. */
function addTo(sum: Sums, part: KindSums, kind: OrderKind | null): Sums {
  for (const [of, sums] of part) if (kind === null || of === kind) add(sum, sums)
  return sum
}

const none = (): Sums => ({completed: 0n, others: 0n, rows: 0})

/**
 * Keeps the total rows of one file apart from its orders. A row with a total word is a total whatever its amount, and a
 * row whose other cells are empty is never an order of that name. A row without an order number is a total only if it
 * is such a sum at the end of the file or above a named total, because one order can cost as much as those above it.
 */
export class TotalRows {
  private readonly totals: TotalRow[] = []
  /** Lines of words, and sums without a word: totals if no order comes below them. */
  private held: Candidate[] = []
  /** The sums since the last total, those between earlier totals, and all of the latter together. */
  private part: KindSums = new Map()
  private readonly closed: KindSums[] = []
  private readonly allClosed: KindSums = new Map()
  private readonly at: TotalCells
  private readonly readAmount: (text: string) => Paisa | null
  private readonly onRow: (cells: readonly string[], line: number) => RowWorth

  constructor(
    at: TotalCells,
    /** Returns null if the text is not an amount. */
    readAmount: (text: string) => Paisa | null,
    /** Receives every other row, in the order of the file. */
    onRow: (cells: readonly string[], line: number) => RowWorth,
  ) {
    this.at = at
    this.readAmount = readAmount
    this.onRow = onRow
  }

  take(cells: readonly string[], line: number): void {
    const candidate = this.candidateOf(cells, line)
    const isNamed = candidate !== null && candidate.label !== ''
    const isSum = candidate !== null && this.isSum(candidate)
    if (isNamed && (isSum || isTotalWord(candidate.label))) {
      this.enterUnnamed()
      this.enter(candidate)
    } else if (isNamed || isSum) this.held.push(candidate)
    else this.pass(cells, line)
  }

  /** To be called after the last row. */
  finish(): readonly TotalRow[] {
    for (const candidate of this.held) this.enter(candidate)
    this.held = []
    return this.totals.toSorted((a, b) => a.line - b.line)
  }

  /** A named total ends a section, so sums above it are totals. */
  private enterUnnamed(): void {
    const held = this.held
    this.held = held.filter(({label}) => label !== '')
    for (const candidate of held) if (candidate.label === '') this.enter(candidate)
  }

  private pass(cells: readonly string[], line: number): void {
    for (const row of this.held) this.add(this.onRow(row.cells, row.line))
    if (this.held.length > 0) this.held = []
    this.add(this.onRow(cells, line))
  }

  private add({kind, amount, status}: RowWorth): void {
    const sums = sumsIn(this.part, kind)
    if (status === 'completed') sums.completed += amount ?? 0n
    else sums.others += amount ?? 0n
    sums.rows += 1
  }

  /** Without other columns a row is only its number. */
  private get hasOthers(): boolean {
    return this.at.amount !== undefined || this.at.others.length > 0
  }

  private candidateOf(cells: readonly string[], line: number): Candidate | null {
    const {at} = this
    const text = (index: number | undefined) => cells[index ?? -1]?.trim() ?? ''
    const own = text(at.label)
    // The total word may be in another column, below the dates or the names.
    const wordAt = own === '' ? cells.findIndex((cell) => isTotalWord(cell.trim())) : -1
    const label = wordAt === -1 ? own : text(wordAt)
    const isFooter = label !== '' && !isTotalWord(label)
    if (isFooter && (text(at.amount) !== '' || !footer.test(label) || !this.hasOthers)) return null
    const isShort = label !== '' && cells.length < at.count
    if (cells.length !== at.count && !isShort) return null
    if (at.others.some((index) => index !== wordAt && text(index) !== '')) return null
    const kind = orderKinds.find((name) => name === text(at.kind).toLowerCase()) ?? null
    if (kind === null && wordAt !== at.kind && text(at.kind) !== '') return null
    const stated = text(at.amount)
    const amount = stated === '' ? null : this.readAmount(stated)
    if (amount === null && stated !== '') return null
    return {
      cells,
      line,
      label,
      kind,
      amount: counts.test(label) && this.isCount(amount, kind) ? null : amount,
    }
  }

  /**
   * Whether it is the sum of the rows since one of the totals above, or of all rows. Without a total word it must sum
   * at least two rows: equal to one row, it may be another order of that amount.
   */
  private isSum({label, kind, amount}: Candidate): boolean {
    if (amount === null) return false
    const sum = none()
    return [this.part, ...this.closed.toReversed()].some((part) => {
      const {completed, others, rows} = addTo(sum, part, kind)
      if (label === '' && (rows < 2 || amount === 0n)) return false
      return amount === completed + others || amount === completed
    })
  }

  /** Whether it is the number of rows since a total above, or of all rows: `Total orders`. */
  private isCount(amount: Paisa | null, kind: OrderKind | null): boolean {
    const sum = none()
    return [this.part, ...this.closed.toReversed()].some(
      (part) => amount === BigInt(addTo(sum, part, kind).rows) * 100n,
    )
  }

  private enter(candidate: Candidate): void {
    const {line, label, kind, amount} = candidate
    const {completed, others} = addTo(addTo(none(), this.allClosed, kind), this.part, kind)
    const sum = completed + others
    const agrees = this.isSum(candidate)
    this.totals.push({
      line,
      label,
      amount,
      sum: agrees && amount !== null ? amount : sum,
      agrees: amount === null ? null : agrees,
    })
    if (this.part.size > 0) this.closed.push(this.part)
    for (const [of, sums] of this.part) add(sumsIn(this.allClosed, of), sums)
    this.part = new Map()
  }
}

/** One sentence without its full stop. */
export function describeTotal({line, label, amount, sum, agrees}: TotalRow, path: string): string {
  const named = label === '' ? 'no order number' : `"${escapeInvisible(label, 40)}"`
  const row = `line ${line} of ${escapeInvisible(path)} (${named}) is read as a total, not as an order`
  if (amount === null) return `${row}; it has no amount to compare`
  return agrees === true
    ? `${row}; its BDT ${formatTaka(amount)} is the sum of rows above it`
    : `${row}; it is BDT ${formatTaka(amount)}, but the rows above it sum to BDT ${formatTaka(sum)}`
}

/** Words of a total that is a count and not a sum. */
const counts = /count|orders?|rows?|transactions?|txns?|deposits?|records?|entries|number|nos?\b|সংখ্যা|টি/iu

/** A sentence or a ruled line in the place of an order number, as at the end of reports. */
const footer = /^(?=.*[\p{L}\p{M}]{3}).*\S\s+\S|^([^\p{L}\p{N}])\1{2,}$/u

function isTotalWord(label: string): boolean {
  if (label === '' || label.length > 60) return false
  if (totalPhrase.test(label)) return true
  // Order numbers without a digit are rare, and folding is slow.
  if (/[0-9০-৯]/.test(label)) return false
  return totalWords.has(foldOrderNo(label).replaceAll(/[^\p{L}\p{M}]|\u0983/gu, ''))
}
