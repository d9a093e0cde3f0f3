import {foldOrderNo, foldsOf} from './order-no-fold.ts'

/** How an order number may be read. Two may be one where what one is, the other is or may have been made. */
export interface OrderNoReadings {
  /** What it is, in every way to read it. */
  readonly is: ReadonlySet<string>
  /** That, and what a spreadsheet or a hand can make of it. */
  readonly becomes: ReadonlySet<string>
}

/**
 * Whether the two may be one number where payee and amount are one as well: also as a spreadsheet reads it (a date, a
 * time, a fraction, a signed number) and as a hand spells it (another separator, a letter that looks the same). Wider
 * than `mayBeSameOrderNo`, for all that comes of it is that a person is asked.
 */
export function mayBeOneOrderNo(one: string, other: string): boolean {
  return agree(readingsOf(one), readingsOf(other))
}

/** The same for one number and many others, of which it is read once. */
export function mayBeOneAs(orderNo: string): (other: string) => boolean {
  const readings = readingsOf(orderNo)
  return (other) => agree(readings, readingsOf(other))
}

function agree(one: OrderNoReadings, other: OrderNoReadings): boolean {
  return !one.is.isDisjointFrom(other.becomes) || !other.is.isDisjointFrom(one.becomes)
}

export function readingsOf(orderNo: string): OrderNoReadings {
  const plain = plainOf(orderNo)
  const is = [orderNo, plain].map((text) => `fold ${foldOrderNo(text)}`)
  const becomes = [orderNo, plain].flatMap((text) => [...foldsOf(text)].map((fold) => `fold ${fold}`))
  const both = [...spellingOf(plain), ...decimalOf(plain), ...timeOf(plain)]
  const dates = datesOf(plain)
  // Two runs of digits alone are a date only to a spreadsheet that shows one for them: 3-11 and 3-Nov, not 3-11 and 11-3.
  const shown = isDate(plain) ? dates.flatMap(lessOfDate) : []
  return {
    is: new Set([...is, ...both, ...dates.map(dateKey)]),
    becomes: new Set([...is, ...becomes, ...both, ...fractionOf(plain), ...shown]),
  }
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

/** With one separator, and none between letters and digits. */
function spellingOf(plain: string): string[] {
  const spelled = plain
    .replace(/(?<=\p{L})[\s_/.-]+(?=\d)|(?<=\d)[\s_/.-]+(?=\p{L})/gu, '')
    .replace(/(?<=.)[\s_/.-]+(?=.)/g, '-')
  const spelling = /\p{L}/u.test(spelled) ? spelled : spelled.replace(/(?<!\d)0+(?=\d)/g, '')
  return spelling === '' ? [] : [`spelled ${spelling}`]
}

/** The number that it is, `(5)` being -5, in one spelling. */
function decimalOf(plain: string): string[] {
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

/** The decimals that a spreadsheet shows for `1/2`. Two fractions are two numbers. */
function fractionOf(plain: string): string[] {
  const [, over, under] = /^(\d{1,6})\/(\d{1,6})$/.exec(plain) ?? []
  if (over === undefined || Number(under) === 0) return []
  const value = Number(over) / Number(under)
  return [String(value), value.toPrecision(9)].flatMap(decimalOf)
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

function dateKey([day, month, year]: DateReading): string {
  return `date ${day ?? ''}/${month}/${year ?? ''}`
}

/** A date, and what is left of it where less is said: the 3rd of November may be that of 2026. */
function lessOfDate([day, month, year]: DateReading): string[] {
  const less: DateReading[] = [
    [day, month, year],
    [day, month, null],
    [null, month, year],
  ]
  return less.filter((date) => date[0] !== null || date[2] !== null).map(dateKey)
}
