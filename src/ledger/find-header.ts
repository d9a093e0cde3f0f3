import {firstOf} from '../core/text.ts'
import {saysBooked} from './booking-words.ts'
import {corruptFile} from './corrupt-file.ts'
import {type HeaderRule, resolveHeader} from './header.ts'
import {quoteCell} from './quotation.ts'

/** A line of a file that may be its header, and the first rows below it. */
export interface Candidate {
  readonly line: number
  readonly cells: readonly string[]
  readonly below: readonly (readonly string[])[]
}

export interface FoundHeader {
  readonly candidate: Candidate
  /** The lines above it that are not blank. */
  readonly above: readonly Candidate[]
  /** The number of columns that it names. */
  readonly known: number
}

/** How far down a header is looked for. */
export const titleLinesMax = 30

/**
 * The header of a file: its first line, or the first lower one with an order number and another column, if all lines
 * above have fewer cells and no order number. Null if none: bookings above the header must not be lost.
 */
export function findHeader<Column extends string>(
  candidates: Iterable<Candidate>,
  rule: HeaderRule<Column>,
): FoundHeader | null {
  const above: Candidate[] = []
  for (const candidate of candidates) {
    const {cells, below} = candidate
    const {at} = resolveHeader(cells, rule, below)
    const known = Object.keys(at).length
    const isHeader = rule.required.every((column) => at[column] !== undefined)
    const isFirst = above.length === 0
    const mayLabel = !above.some((line) => line.cells.some(saysBooked))
    const isBelowTitles = above.every(
      (line) => filled(line) < filled(candidate) && (isTitle(line) || (mayLabel && isLabelled(line))),
    )
    if (isHeader && (isFirst || (known > 1 && isBelowTitles))) return {candidate, above, known}
    if (isHeader && known > 1) return null
    above.push(candidate)
    if (above.length > titleLinesMax) return null
  }
  return null
}

/** Throws if cells under no header are the header of a second table: the orders below it would not be read. */
export function refuseTableBeside<Column extends string>(
  path: string,
  line: number,
  cells: readonly string[],
  rule: HeaderRule<Column>,
): void {
  const headers = cells.filter((cell) => cell.trim() !== '')
  if (headers.length < 2 || headers.some((cell) => /\p{N}/u.test(cell))) return
  const unmapped = {} as HeaderRule<Column>['mapped']
  const isHeader = [rule, {...rule, mapped: unmapped}].some((one) => {
    const {at} = resolveHeader(headers, one)
    return Object.keys(at).length > 1 && rule.required.every((column) => at[column] !== undefined)
  })
  if (!isHeader) return
  throw corruptFile(
    path,
    `line ${line}: another table begins beside the rows: ${firstOf(headers, 5, quoteCell)}`,
    'Put each table into a file or a sheet of its own.',
  )
}

/** Whether nothing in it could be an order number. */
function isTitle({cells}: Candidate): boolean {
  const words = cells.flatMap((cell) => cell.split(/[\s,;|()]+/)).map((word) => word.replace(/[.:]+$/, ''))
  return words.every((word) => !/\p{N}/u.test(word) || titleNumbers.some((pattern) => pattern.test(word)))
}

/** A number with its label, such as `Report 00017`. It is not a booking, which has its amount in another cell. */
function isLabelled({cells}: Candidate): boolean {
  const [label, ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (label === undefined || others.length > 1) return false
  return others.length === 0 ? /(?<![\p{L}\p{N}])\p{L}{2,}(?![\p{L}\p{N}])/u.test(label) : labels.test(label)
}

const labels =
  /(?<!\p{L})(?:a\/c|account|acct|merchant|report|statement|page|user|branch|phone|mobile|wallet|vat|tin|bin|reg|registration|হিসাব|মোবাইল)(?!\p{L})/iu

/** Days, times, years, small counts and amounts, as titles have them, in digits of any script. */
const titleNumbers: readonly RegExp[] = [
  /^\p{N}{1,2}(?:st|nd|rd|th)?$/u,
  /^(?:(?:19|20)\d\d|[১২][৯০][০-৯]{2})$/,
  /^\p{N}{1,4}[-/.]\p{N}{1,2}[-/.]\p{N}{1,4}(?:T[\p{N}:.+Z-]*)?$/u,
  /^\p{N}{1,2}[-/]\p{L}{3,9}[-/]\p{N}{2,4}$/u,
  /^\p{N}{1,2}[:.]\p{N}{2}(?:[:.]\p{N}{2})?(?:am|pm|Z)?$/iu,
  /^(?:BDT|Tk\.?|৳)?\p{N}[\p{N},]*\.\p{N}{2}$/iu,
]

function filled({cells}: Candidate): number {
  return cells.filter((cell) => cell.trim() !== '').length
}
