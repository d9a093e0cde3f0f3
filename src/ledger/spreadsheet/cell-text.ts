/**
 * Turns cells of a spreadsheet into the text of a careful CSV export, so that the same rules read both. A number is its
 * 15 digits, a date is ISO 8601, and what a spreadsheet damaged still looks damaged.
 */

/** How a number format shows a number. */
export interface NumberFormat {
  readonly is: 'number' | 'date' | 'time' | 'date and time'
  /** The least number of digits shown: to a person, leading zeros are part of the number. */
  readonly digits: number
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
  if (bare === undefined || /^general$/.test(bare)) return plainFormat
  if (/^0{2,}$/.test(bare)) return {is: 'number', digits: bare.length}
  const hasDay = /[yde]/.test(bare.replace(/e[+-]/g, '')) || /mmm/.test(bare)
  const hasTime = /h|s|am\/pm/.test(bare)
  // Without a day or a time, m is a month.
  if (!hasDay && !hasTime) return /m/.test(bare) ? {is: 'date', digits: 0} : plainFormat
  return {is: hasDay ? (hasTime ? 'date and time' : 'date') : 'time', digits: 0}
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
export function numberText(source: string, {is, digits}: NumberFormat, epochDays: number): string {
  if (is === 'number' && plainInteger.test(source)) return source.padStart(digits, '0')
  const value = Number(source)
  if (source.trim() === '' || !Number.isFinite(value)) return source
  if (is !== 'number') return dateText(value, is, epochDays)
  if (Math.abs(value) >= 10 ** digitsKept) return longText(value)
  return decimalText(Number(value.toPrecision(digitsKept))).padStart(digits, '0')
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
