import {escapeInvisible} from '../core/text.ts'

/**
 * Makes text of a free-text cell that a spreadsheet would run as a formula (P24): an apostrophe before it, and inside
 * it after anything that a spreadsheet may take for the end of a cell. csv-stringify's own option misses LF.
 */
export function escapeFormula(text: string): string {
  const inside = text.replaceAll(/([;|])(\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, "$1'$2")
  return /^[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${inside}` : inside
}

/**
 * Identifiers that a spreadsheet changes when it opens a CSV: leading zeros, 12 digits and more, powers, dates,
 * fractions.
 */
const changedOnOpening =
  /^(?:0\d+|\d{12,}|[\d,.]*\d[\d,.]*e[+-]?\d+|\d{1,4}[-/.:]\d{1,4}(?:[-/.:]\d{1,4})?|\d[\d.,]*%|\d*[.,]\d+|\d{1,3}(?:,\d{2,3})+|\d*[-/ ]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/ ]?\d*|true|false)$/i

export type CellKind = 'text' | 'number' | 'identifier'

/** A cell of a CSV: a number stays a number in a column of numbers; anything else is text from outside. */
export function csvCell(kind: CellKind, value: unknown): string | number {
  if (typeof value === 'number') return value
  const text = String(value ?? '')
  if (kind === 'number' && /^-?\d{1,30}(?:\.\d{1,10})?$/.test(text)) return text
  // The apostrophe marks it as text, and is not part of the number.
  if (kind === 'identifier' && changedOnOpening.test(text.trim())) return `'${escapeInvisible(text)}`
  return escapeFormula(escapeInvisible(text))
}
