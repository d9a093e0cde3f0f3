/**
 * A free-text cell that a spreadsheet would run as a formula, made text again by a leading apostrophe
 * (P24). Not for columns of numbers: csv-stringify's own option turns `-100.00` into text, and misses LF.
 */
export function escapeFormula(text: string): string {
  return /^[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text
}
