import {type HeaderRule, resolveHeader} from './header.ts'

/** A line of a file that may be its header, and the first rows below it. */
export interface Candidate {
  readonly line: number
  readonly cells: readonly string[]
  readonly below: readonly (readonly string[])[]
}

export interface FoundHeader {
  readonly candidate: Candidate
  /** Lines above it with anything in them. */
  readonly above: readonly Candidate[]
  /** How many columns it names. */
  readonly known: number
}

/** How far down a header is looked for. */
export const titleLinesMax = 30

/**
 * The header of a file: its first line, or the first one below that has an order number and another column, where everything
 * above has fewer cells, as titles have. Null where there is none: rows above another file's header must not be lost.
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
    if (isHeader && (isFirst || (known > 1 && above.every((line) => filled(line) < filled(candidate)))))
      return {candidate, above, known}
    if (isHeader && known > 1) return null
    above.push(candidate)
    if (above.length > titleLinesMax) return null
  }
  return null
}

function filled({cells}: Candidate): number {
  return cells.filter((cell) => cell.trim() !== '').length
}
