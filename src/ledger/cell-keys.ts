import {wordsOf} from './booking-words.ts'

export function isBlank(text: string): boolean {
  // A GUID of zeros is none.
  if (/^0{8}-[0-]+$/.test(text)) return true
  return /^[\s\p{P}]*$/u.test(text) && !/^(?:["'’”″〃][\s]*)+$/u.test(text)
}

/** What somebody may have put around a value: `*`, `√`. */
export function signsOf(text: string): string[] {
  const [before = ''] = /^[^\p{L}\p{M}\p{N}\s]*/u.exec(text.slice(0, signsMax)) ?? []
  const [after = ''] = /[^\p{L}\p{M}\p{N}\s]*$/u.exec(text.slice(-signsMax)) ?? []
  return [...new Set(before + after)]
}
const signsMax = 20

/** Cells with equal keys are alike: same words, or same form of number, time or code. A short number is its own key. */
export function keyOf(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase().replace(uuid, '0-0')
  if (isNothing.test(plain) || (/^[\p{N}.,]*$/u.test(plain) && !/[1-9১-৯]/.test(plain))) return 'no'
  if (isShort(plain)) return plain
  const words = wordsOf(plain)
  return words === '' ? plain.replace(/[\p{L}\p{M}\p{N}]*\p{N}[\p{L}\p{M}\p{N}]*/gu, '#') : words
}

/** A group of one may be letters alone, and is no word. */
const uuid = /(?<![\p{L}\p{N}])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\p{L}\p{N}])/gu

export function isForm(key: string): boolean {
  return key.includes('#')
}

export function isShort(key: string): boolean {
  return /^\p{N}{1,3}$/u.test(key)
}

/** Whether the column has short numbers that differ from row to row: a serial number, a score. */
export function isOfNumbers(cells: ReadonlyMap<string, number>): boolean {
  const numbers = [...cells].filter(([key]) => isShort(key))
  const rows = numbers.reduce((all, [, of]) => all + of, 0)
  return numbers.length >= 3 && numbers.every(([, of]) => of * 2 < rows)
}

/** `\N` and zero dates are how databases write nothing. */
export const isNothing =
  /^(?:n|no|nil|none|null|\\n|n\/a|na|f|false|(?:0000-00-00|1970-01-01)(?:[ t]00:00:00.*)?|0+(?:[.,]0+)?|না|নাই|নেই)$/u

export function isNo(text: string): boolean {
  return /^(?:open|pending|waiting|unpaid)$/iu.test(text) || isNothing.test(text.toLowerCase())
}
