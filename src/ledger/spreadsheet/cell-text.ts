import {isBdt} from '../../core/currency.ts'

/**
 * Turns cells of a spreadsheet into the text of a careful CSV export, so that the same rules read both. A number is its
 * 15 digits, a date is ISO 8601, and what a spreadsheet damaged still looks damaged.
 */

/** How a number format shows a number. */
export interface NumberFormat {
  readonly is: 'number' | 'date' | 'time' | 'date and time'
  /** The least number of digits shown: to a person, leading zeros are part of the number. */
  readonly digits: number
  /** Words and signs around the number, `DEP` or `USD `; none that mean the service's currency. */
  readonly before?: string
  readonly after?: string
}

export const plainFormat: NumberFormat = {is: 'number', digits: 0}

/** Reads a format code such as `yyyy-mm-dd hh:mm` or `00000000`. */
export function formatOfCode(code: string): NumberFormat {
  const bare = code
    .replace(/"[^"]*"|\\.|_.|\*./g, ' ')
    .replace(/\[(?:h+|m+|s+)\]/gi, 'h')
    .replace(/\[[^\]]*\]/g, '')
    .split(';')[0]
    ?.toLowerCase()
    .trim()
  if (bare === undefined) return plainFormat
  const around = wordsAround(code)
  if (/^general$/.test(bare)) return {...plainFormat, ...around}
  const zeros = /^\p{Sc}?\s*(0{2,})$/u.exec(bare)?.[1]
  if (zeros !== undefined) return {is: 'number', digits: zeros.length, ...around}
  const hasDay = /[yde]/.test(bare.replace(/e[+-]/g, '')) || /mmm/.test(bare)
  const hasTime = /h|s|am\/pm/.test(bare)
  // Without a day or a time, m is a month.
  if (!hasDay && !hasTime) return /m/.test(bare) ? {is: 'date', digits: 0} : {...plainFormat, ...around}
  return {is: hasDay ? (hasTime ? 'date and time' : 'date') : 'time', digits: 0}
}

function wordsAround(code: string): Pick<NumberFormat, 'before' | 'after'> {
  const [section = ''] = /^(?:"[^"]*"|\\.|[^;])*/.exec(code) ?? []
  // Another section may be meant, by a condition.
  if (/\[[<>=]/.test(section)) return {}
  const pieces = section.match(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|[0#?]+|general|./giu) ?? []
  const isDigits = (piece: string) => /^(?:[0#?]+|general)$/i.test(piece)
  const [from, to] = [pieces.findIndex(isDigits), pieces.findLastIndex(isDigits)]
  const wordsOf = (part: readonly string[]) => {
    const words = part.map(literalOf).join('')
    return /[\p{L}\p{N}\p{Sc}]/u.test(words) && !isBdt(words) ? words : ''
  }
  return from < 0 ? {} : {before: wordsOf(pieces.slice(0, from)), after: wordsOf(pieces.slice(to + 1))}
}

/** The text that a piece of a format code shows: `"DEP"`, `\D`, `[$USD-409]`, `$`. */
function literalOf(piece: string): string {
  const [, quoted, escaped, symbol, sign] =
    /^(?:"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|([\p{Sc} ]))$/u.exec(piece) ?? []
  return quoted ?? escaped ?? symbol ?? sign ?? ''
}

/** Built-in formats, whose codes are not in the file. */
export function formatOfId(id: number): NumberFormat {
  const isDate = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  if (isDate) return {is: 'date', digits: 0}
  if (id === 22) return {is: 'date and time', digits: 0}
  return (id >= 18 && id <= 21) || (id >= 45 && id <= 47) ? {is: 'time', digits: 0} : plainFormat
}

const digitsKept = 15
const plainInteger = /^[0-9]{1,15}$/

/** A number as the source writes it, shown in a cell of this format. */
export function numberText(source: string, format: NumberFormat, epochDays: number): string {
  const {is, digits, before = '', after = ''} = format
  if (is === 'number' && plainInteger.test(source)) return before + source.padStart(digits, '0') + after
  const value = Number(source)
  if (source.trim() === '' || !Number.isFinite(value)) return source
  if (is !== 'number') return dateText(value, is, epochDays)
  if (Math.abs(value) >= 10 ** digitsKept) return before + longText(value) + after
  return before + decimalText(Number(value.toPrecision(digitsKept))).padStart(digits, '0') + after
}

/** Without an exponent, for numbers below 10^15. */
function decimalText(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text
}

/**
 * A whole number with more digits than spreadsheets keep. It is exact if it does not end in zero and a double holds it;
 * else its last digits may be lost, and it is written as a spreadsheet shows it.
 */
function longText(value: number): string {
  return Number.isSafeInteger(value) && value % 10 !== 0 ? String(value) : value.toExponential().toUpperCase()
}

const dayMs = 86_400_000
/** Days from the day 0 of spreadsheets to 1970. */
export const epoch1900 = 25_569
export const epoch1904 = 24_107

function dateText(serial: number, is: NumberFormat['is'], epochDays: number): string {
  // Spreadsheets have a 29 February 1900, so earlier days are off by one.
  const days = epochDays === epoch1900 && serial >= 1 && serial < 60 ? serial + 1 : serial
  const ms = Math.round((days - epochDays) * dayMs)
  if (serial < 0 || ms > Date.UTC(9999, 11, 31, 23, 59, 59, 999)) return decimalText(serial)
  const [date = '', time = ''] = new Date(ms).toISOString().split('T')
  const clock = time.replace(/(?:\.000)?Z$/, '')
  if (is === 'time' && serial < 1) return clock
  return is === 'date' && ms % dayMs === 0 ? date : `${date} ${clock.replace(/Z$/, '')}`
}
