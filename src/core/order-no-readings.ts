import {foldOrderNo, mayBeSameOrderNo} from './order-no-fold.ts'

/**
 * Whether the two may be one number where payee and amount are one as well: also as a spreadsheet reads it (a date, a
 * time, a fraction, a signed number) and as a hand spells it (another separator, a letter that looks the same). Wider
 * than `mayBeSameOrderNo`, for all that comes of it is that a person is asked.
 */
export function mayBeOneOrderNo(one: string, other: string): boolean {
  const [first, second] = [plainOf(one), plainOf(other)]
  if (mayBeSameOrderNo(one, other) || mayBeSameOrderNo(first, second)) return true
  const readings = readingsOf(first)
  if (readingsOf(second).some((reading) => readings.includes(reading))) return true
  return (isDate(first) || isDate(second)) && agree(datesOf(first), datesOf(second))
}

/** Capitals of Greek and Cyrillic that look like Latin ones, and those. */
const lookAlikes = new Map(
  [...'АВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'].map((letter, at) => [
    letter,
    'ABESIJKMHOPCTYXABEZHIKMNOPTYX'[at] ?? '',
  ]),
)

/** Without marks, what nobody sees, a formula's quotes and a plus; look-alikes are Latin. */
function plainOf(text: string): string {
  return [...text.normalize('NFKD').toUpperCase()]
    .map(
      (character) =>
        lookAlikes.get(character) ?? (/\p{Nd}/u.test(character) ? foldOrderNo(character) : character),
    )
    .join('')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/\p{Pd}|[\u2212\u2044]/gu, (sign) => (sign === '\u2044' ? '/' : '-'))
    .trim()
    .replace(/^=?\s*"(.*)"$/, '$1')
    .replace(/^[=+'\s]+/, '')
    .toLowerCase()
}

function readingsOf(plain: string): string[] {
  const spelled = plain
    .replace(/(?<=\p{L})[\s_/.-]+(?=\d)|(?<=\d)[\s_/.-]+(?=\p{L})/gu, '')
    .replace(/(?<=.)[\s_/.-]+(?=.)/g, '-')
  return [
    /\p{L}/u.test(spelled) ? spelled : spelled.replace(/(?<!\d)0+(?=\d)/g, ''),
    ...numbersOf(plain),
    ...timeOf(plain),
  ].filter((reading) => reading !== '')
}

/** The number that it is, `(5)` being -5 and `1/2` being 0.5, in one spelling. */
function numbersOf(plain: string): string[] {
  const [, over, under] = /^(\d{1,6})\/(\d{1,6})$/.exec(plain) ?? []
  if (over !== undefined && Number(under) > 0) {
    const value = Number(over) / Number(under)
    return [String(value), value.toPrecision(9)].flatMap(numbersOf)
  }
  const text = plain.replace(/^\((.+)\)$/, '-$1')
  const [, sign, whole, rest = '', power = '0'] =
    /^(-?)(\d+)(?:[.,](\d*))?(?:e([+-]?\d{1,3}))?$/.exec(text) ?? []
  if (whole === undefined) return []
  const digits = `${whole}${rest}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return [
    `number ${sign}${kept}e${kept === '' ? 0 : Number(power) - rest.length + digits.length - kept.length}`,
  ]
}

function timeOf(plain: string): string[] {
  const [, hours, minutes, seconds = '0', half] =
    /^(\d{1,4}):(\d\d)(?::(\d\d))?\s*([ap])?m?$/.exec(plain) ?? []
  if (hours === undefined) return []
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'p' ? 12 : 0)
  return [`time ${hour}:${Number(minutes)}:${Number(seconds)}`]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthName = `(?:${months.join('|')})[a-z]*`
const dateParts = new RegExp(
  `^(\\d{1,4}|${monthName})[-/. ]+(\\d{1,4}|${monthName})(?:[-/., ]+(\\d{1,4}))?(?:[ t]+\\d\\d?:\\d\\d.*)?$`,
)

function partsOf(plain: string): string[] {
  return (dateParts.exec(plain) ?? []).slice(1, 4).filter((part) => part !== undefined)
}

/** Whether it is what a spreadsheet shows of a date: with a month's name, or whole. */
function isDate(plain: string): boolean {
  const parts = partsOf(plain)
  return parts.length === 3 || parts.some((part) => /^[a-z]/.test(part))
}

/** A date as day, month and year; null where that is not said. */
type DateReading = readonly [day: number | null, month: number, year: number | null]

function datesOf(plain: string): DateReading[] {
  const parts = partsOf(plain)
  const orders = parts.length === 3 ? ['dmy', 'mdy', 'ymd'] : ['dm', 'md', 'my', 'ym']
  return parts.length === 0 ? [] : orders.flatMap((order) => dateOf(parts, order))
}

function dateOf(parts: readonly string[], order: string): DateReading[] {
  const part = (letter: string) => parts[order.indexOf(letter)] ?? null
  const [day, month, year] = [part('d'), part('m') ?? '', part('y')]
  const monthNo = /^[a-z]/.test(month) ? months.indexOf(month.slice(0, 3)) + 1 : Number(month)
  const isRight =
    (day === null || (/^\d\d?$/.test(day) && Number(day) >= 1 && Number(day) <= 31)) &&
    monthNo >= 1 &&
    monthNo <= 12 &&
    (year === null || /^(?:\d\d|\d{4})$/.test(year))
  return isRight
    ? [[day === null ? null : Number(day), monthNo, year === null ? null : Number(year) % 100]]
    : []
}

/** Whether two readings say the same, one of them perhaps less: the 3rd of November may be that of 2026. */
function agree(some: readonly DateReading[], others: readonly DateReading[]): boolean {
  const isWithin = (less: DateReading, more: DateReading) =>
    less.every((part, at) => part === more[at] || part === null)
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)))
}
