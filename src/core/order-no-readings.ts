import {asDigits, foldOrderNo, foldsOf} from './order-no-fold.ts'

/**
 * Whether both may be one number when payee and amount are equal: also as a spreadsheet reads it (a date, a time, a
 * fraction, a signed number) and as a person misspells it (another separator, a similar letter). Wider than
 * `mayBeSameOrderNo`, because the only effect is a question to a person.
 */
export function mayBeOneOrderNo(one: string, other: string): boolean {
  return agree(readingsOf(one), readingsOf(other))
}

/** The same for one number and many others, or one with a mark: `P-101R`, `P-101 (retry)`. The one is read only once. */
export function mayBeOneAs(orderNo: string): (other: string) => boolean {
  const readings = readingsOf(orderNo)
  const words = wordsIn(orderNo)
  return (other) => {
    const others = wordsIn(other)
    return agree(readings, readingsOf(other)) || isWithin(words, others) || isWithin(others, words)
  }
}

/** Letters and digits apart, without leading zeros; `O`, `I` and `l` typed for digits are digits. */
function wordsIn(orderNo: string): string[] {
  // All numbers of a journal are read so, and most are of these.
  const words = isSimple.test(orderNo)
    ? orderNo.toLowerCase().match(/[a-z]+|\d+/g)
    : plainOf(orderNo)
        .replace(typedDigits, asDigits)
        .match(/\p{L}+|\p{Nd}+/gu)
  return (words ?? []).map((word) => (word.startsWith('0') ? word.replace(/^0+(?=\d)/, '') : word))
}

/**
 * Whether a number is another one in any spelling (`w501`, `W_0501`) or with a mark: behind it (`W-501-2`, `W-501R`, not
 * `W-5012`), in front of it (`NEW W-501`, `RW501`, `2-W-501`), or behind its digits alone (`501-2`). `A-501` is not `B-501`,
 * and `501` is neither `W-501` nor `R-501` unless both are to one name: it may be of another series.
 */
export function isNumberWithMark(text: string, orderNo: string, isOfOneName = false): boolean {
  const [marked, number] = [wordsIn(text), wordsIn(orderNo)]
  if (marked.join(' ') === number.join(' ')) return true
  const [first, ...behind] = number
  const isLettered = /^\p{L}/u.test(first ?? '')
  const isBehindWord =
    isLettered && /^\p{L}/u.test(marked[0] ?? '') && isWithin(number, marked.slice(1), true)
  const isMarked = isOfOneName || marked.length > behind.length
  const isOfDigits = isLettered && isMarked && digitsIn(behind) >= markedDigitsMin
  const isFirst = !isLettered && !isOfOneName
  return isWithin(number, marked, isFirst) || isBehindWord || (isOfDigits && isWithin(behind, marked, true))
}

/**
 * Whether one of two numbers is the other one in another spelling, or with a word that says that it is tried again
 * (`W-501R`, `W-501 (retry 2)`, `NEW W-501`). Series have no such words, so payee and amount say nothing against it.
 */
export function isTriedAgain(one: string, other: string): boolean {
  const [a, b] = [wordsIn(one), wordsIn(other)]
  const isSame = (left: readonly string[], right: readonly string[]) =>
    left.some(isDigits) && left.join(' ') === right.join(' ')
  return isSame(a, b) || isSame(firstTryOf(a), b) || isSame(a, firstTryOf(b))
}

function firstTryOf(words: readonly string[]): readonly string[] {
  const isInFront = againWords.has(words[0] ?? '') && /^\p{L}/u.test(words[1] ?? '')
  const behind = words.findIndex((word, at) => againWords.has(word) && words.slice(0, at).some(isDigits))
  return words.slice(isInFront ? 1 : 0, behind < 0 ? undefined : behind)
}

/**
 * Whether two numbers may be two tries to pay one player: but for the last word or a word in front they are one (`W-501-1`
 * and `W-501-2`, `W-501A` and `W-501B`, `W-501` and `RE-501` or `NEW W-501`). Neighbours of a series are so, too.
 */
export function mayBeTwoTries(one: string, other: string): boolean {
  if (differInTry(one, other)) return true
  const [a, b] = [wordsIn(one), wordsIn(other)]
  const [behindA, behindB] = [a, b].map((words) => words.slice(/^\p{L}/u.test(words[0] ?? '') ? 1 : 0))
  return [behindA, a].some((left) => [behindB, b].some((right) => areOneWithDigits(left, right)))
}

/** The same of the last word alone: `W-501-9` and another series' `A-501-1` are no tries after `W-501-1`. */
export function differInTry(one: string, other: string): boolean {
  const [a, b] = [wordsIn(one), wordsIn(other)]
  const isFar = Math.abs(Number(a.at(-1)) - Number(b.at(-1))) > triesApartMax
  return !isFar && areOneWithDigits(a.slice(0, -1), b.slice(0, -1))
}

function areOneWithDigits(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.some(isDigits) && one.join() === other.join()
}

const triesApartMax = 3

/** A key for a number. Those that it has with a mark have the key among theirs (`markKeysOf`). */
export function markKeyOf(orderNo: string): string {
  const words = wordsIn(orderNo)
  return keyIn(words.filter(isDigits), words[0])
}

export function markKeysOf(orderNo: string): ReadonlySet<string> {
  const words = wordsIn(orderNo)
  const digits = words.filter(isDigits)
  const parts = digits.flatMap((_, from) =>
    digits.slice(from).map((_, n) => digits.slice(from, from + n + 1)),
  )
  return new Set([markKeyOf(orderNo), ...parts.flatMap((part) => [0, 1].map((at) => keyIn(part, words[at])))])
}

/** Few digits are those of many numbers, but a number with few begins the one with a mark, or stands behind its first word. */
function keyIn(digits: readonly string[], first = ''): string {
  return `${digits.join('').length < markedDigitsMin ? `${first} ` : ''}${digits.join(' ')}`
}

const isDigits = (word: string) => /\d/.test(word)

function digitsIn(words: readonly string[]): number {
  return words.join('').replace(/\D/g, '').length
}

/** Fewer digits are in many numbers, so such a number has to begin the other one. */
const markedDigitsMin = 3

/** Whether a number is the whole of another but for a mark before or after it. */
function isWithin(number: readonly string[], marked: readonly string[], isBeginning = false): boolean {
  const digits = digitsIn(number)
  const begins = isBeginning || digits < markedDigitsMin
  const last = number.length - 1
  const fits = (word: string, at: number, found = '') =>
    found === word ||
    (/\p{L}/u.test(word) &&
      ((at === 0 && !begins && found.endsWith(word)) || (at === last && found.startsWith(word))))
  const starts = begins ? marked.slice(0, 1) : marked
  return digits > 0 && starts.some((_, from) => number.every((word, at) => fits(word, at, marked[from + at])))
}

function agree(one: OrderNoReadings, other: OrderNoReadings): boolean {
  return !one.is.isDisjointFrom(other.becomes) || !other.is.isDisjointFrom(one.becomes)
}

/**
 * Readings of an order number. Two numbers may be one if the first's own readings are among the second's possible
 * ones.
 */
export type OrderNoReadings = ReturnType<typeof readingsOf>

export function readingsOf(orderNo: string) {
  const plain = plainOf(orderNo)
  const is = [orderNo, plain].map((text) => `fold ${foldOrderNo(text)}`)
  const becomes = [orderNo, plain].flatMap((text) => [...foldsOf(text)].map((fold) => `fold ${fold}`))
  const both = [...spellingOf(plain), ...decimalOf(plain), ...timeOf(plain), ...dateOfDigits(plain)]
  const joined = joinedOf(plain)
  const dates = datesOf(plain)
  // Digits alone are a date only to a spreadsheet that shows them as one: 3-11 and 3-Nov, not 3-11 and 11-3.
  const shown = isDate(plain) ? dates.flatMap(lessOfDate) : []
  return {
    is: new Set([...is, ...both, ...dates.map(dateKey), ...(isJoined.test(plain) ? joined : [])]),
    /** The readings, and what a spreadsheet or a person can make of them. */
    becomes: new Set([
      ...[...is, ...becomes, ...both, ...joined, ...shown],
      ...[...fractionOf(plain), ...amountOf(plain), ...datesOfSerial(plain)],
    ]),
  }
}

/** ASCII without letters that may be typed for digits. */
const isSimple = /^(?:(?!\d[oil])[\x20-\x7e])*$/i
const isAscii = /^[\x20-\x7e]*$/

/** Greek and Cyrillic capitals that look like Latin ones. */
const lookAlikes = new Map(
  [...'АВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'].map((letter, at) => [
    letter,
    'ABESIJKMHOPCTYXABEZHIKMNOPTYX'[at] ?? '',
  ]),
)

/** Without marks, invisible characters, a formula's quotes and a plus; look-alikes become Latin. */
function plainOf(text: string): string {
  return (isAscii.test(text) ? text : latinOf(text))
    .trim()
    .replace(/^=?\s*"(.*)"$/, '$1')
    .replace(/^[=+'\s]+/, '')
    .toLowerCase()
}

function latinOf(text: string): string {
  return [...text.normalize('NFKD').toUpperCase()]
    .map(
      (character) =>
        lookAlikes.get(character) ?? (/\p{Nd}/u.test(character) ? foldOrderNo(character) : character),
    )
    .join('')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/\p{Pd}|[\u2212\u2044]/gu, (sign) => (sign === '\u2044' ? '/' : '-'))
}

/** What people add to a number that they try again. */
const againWords = new Set(
  'r re rt rtry retry retried again redo repeat resend resent repay rerun new try fix fixed corrected abar আবার পুনরায়'
    .split(' ')
    .map(plainOf),
)

/** Letters among digits that look like digits, also at their end behind two: `5O1`, `50l`; not those of a word, as in `10oct`. */
const typedDigits = /(?<=\d)[oil]+(?=\d)|(?<=\d\d)[oil]+(?!\p{L})|(?<=\d)[oil]{2,}(?!\p{L})/gu

/** With one kind of separator, none between letters and digits, and no leading zeros. */
function spellingOf(plain: string): string[] {
  const spelled = plain
    .replace(/(?<=\p{L})[\s_/.-]+(?=\d)|(?<=\d)[\s_/.-]+(?=\p{L})/gu, '')
    .replace(/(?<=.)[\s_/.-]+(?=.)/g, '-')
  const spelling = spelled.replace(typedDigits, asDigits).replace(/(?<!\d)0+(?=\d)/g, '')
  return spelling === '' ? [] : [`spelled ${spelling}`]
}

const isJoined = /^(?!.*\d[\s_/.-]+\d)/

/**
 * Without separators between its digits: one system writes `WD-20261128-001`, its other export `WD20261128001`. Of few
 * digits two numbers would be one: `3-11` and `311`.
 */
function joinedOf(plain: string): string[] {
  const text = plain.replace(/(?<=[\p{L}\d])[\s_/.-]+(?=\d)|(?<=\d)[\s_/.-]+(?=\p{L})/gu, '')
  const digits = text.replace(/\D/g, '').length
  return digits < (digits === text.length ? 8 : 5) ? [] : [`joined ${text.replace(/(?<!\d)0+(?=\d)/g, '')}`]
}

/** The number's value in one spelling: `(5)` and `5-` are -5, `77%` is 0.77, `$77` is 77. */
function decimalOf(plain: string): string[] {
  const text = plain
    .replace(/^\((.+)\)$|^(\d.*)-$/, '-$1$2')
    .replace(/^(-?)\s*\p{Sc}\s*|\s*\p{Sc}$/u, '$1')
    .replace(/^([^e]+)%$/, '$1e-2')
  const [, sign, whole, rest = '', power = '0'] =
    /^(-?)(\d+)(?:[.,](\d*))?(?:e([+-]?\d{1,3}))?$/.exec(text) ?? []
  if (whole === undefined) return []
  const digits = `${whole}${rest}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return [
    `number ${sign}${kept}e${kept === '' ? 0 : Number(power) - rest.length + digits.length - kept.length}`,
  ]
}

/** The number's value where a spreadsheet shows it as money: `1,001`, `$1,001.00`, `Tk 1,001`, `1.001,00`. */
function amountOf(plain: string): string[] {
  const text = plain.replace(/^(?:tk\.?|bdt|taka|\p{Sc})\s*|\s*(?:tk\.?|bdt|taka|\p{Sc}|\/-)$/gu, '')
  if (/^\d{1,3}(?:,\d{2,3})+(?:\.\d*)?$/.test(text)) return decimalOf(text.replaceAll(',', ''))
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) return decimalOf(text.replaceAll('.', ''))
  return text === plain ? [] : decimalOf(text)
}

/** The decimals that a spreadsheet shows for `1/2`, `1 1/2` and `1:30`. */
function fractionOf(plain: string): string[] {
  const [, whole = '0', over, under] = /^(?:(\d{1,6}) )?(\d{1,6})\/(\d{1,6})$/.exec(plain) ?? []
  const seconds = secondsOf(plain)
  const value = seconds === null ? Number(whole) + Number(over) / Number(under) : seconds / 86_400
  if (!Number.isFinite(value)) return []
  return [value, value.toPrecision(15), value.toPrecision(9), Math.round(value * 1e9) / 1e9].flatMap(
    (shown) => decimalOf(String(shown)),
  )
}

function timeOf(plain: string): string[] {
  const seconds = secondsOf(plain)
  return seconds === null ? [] : [`time ${seconds}`]
}

function secondsOf(plain: string): number | null {
  const [, hours, minutes, seconds = '0', half] =
    /^(\d{1,4}):(\d\d)(?::(\d\d))?\s*([ap])?m?$/.exec(plain.replace(/^(\d\d?)(?=\s*[ap]m$)/, '$1:00')) ?? []
  if (hours === undefined) return null
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'p' ? 12 : 0)
  return hour * 3_600 + Number(minutes) * 60 + Number(seconds)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthName =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|(?:nov|dec)(?:ember)?)'
/** A separator may be missing between a name and digits: `MAR1` is 1 March. */
const nameMeetsDigit = '(?<=[a-z])(?=\\d)|(?<=\\d)(?=[a-z])'
const dateParts = new RegExp(
  `^(\\d{1,4}|${monthName})(?:[-/. ]+|${nameMeetsDigit})(\\d{1,4}|${monthName})(?:(?:[-/., ]+|${nameMeetsDigit})(\\d{1,4}))?(?:[ t]+\\d\\d?:\\d\\d.*)?$`,
)

function partsOf(plain: string): string[] {
  return (dateParts.exec(plain) ?? []).slice(1, 4).filter((part) => part !== undefined)
}

/** Whether a spreadsheet would show it as a date: with a month's name, or complete. */
function isDate(plain: string): boolean {
  const parts = partsOf(plain)
  return parts.length === 3 || parts.some((part) => /^[a-z]/.test(part))
}

/** A date as day, month and year; unknown parts are null. */
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
    (year === null || /^(?:\d\d?|\d{4})$/.test(year))
  return isRight
    ? [[day === null ? null : Number(day), monthNo, year === null ? null : Number(year) % 100]]
    : []
}

function dateKey([day, month, year]: DateReading): string {
  return `date ${day ?? ''}/${month}/${year ?? ''}`
}

/** Spreadsheet day numbers of this half of the century. */
const serials = {first: 36_526, last: 55_153, of1970: 25_569}

/** The date that a spreadsheet shows as `46329`, or with a time as `46329.5`: 3 November 2026. */
function datesOfSerial(plain: string): string[] {
  const serial = Number(/^(\d{5})(?:[.,]\d+)?$/.exec(plain)?.[1] ?? 0)
  if (serial < serials.first || serial > serials.last) return []
  const date = new Date((serial - serials.of1970) * 86_400_000)
  const [day, month, year] = [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear() % 100]
  const dates: DateReading[] = [
    [day, month, year],
    [day, month, null],
  ]
  // A month without a day is its first day.
  return [...dates, ...(day === 1 ? [[null, month, year] as const] : [])].map(dateKey)
}

/** `20261128` is a date to a spreadsheet whose column is told to be one. */
function dateOfDigits(plain: string): string[] {
  const parts = /^(20\d\d)(\d\d)(\d\d)$/.exec(plain)?.slice(1) ?? []
  return dateOf(parts, 'ymd').map(dateKey)
}

/** A date, and its shorter forms: 3 November may be that of 2026. */
function lessOfDate([day, month, year]: DateReading): string[] {
  const less: DateReading[] = [
    [day, month, year],
    [day, month, null],
    [null, month, year],
  ]
  return less.map(dateKey)
}
