/** Significant digits that a spreadsheet keeps; Excel writes zeros for the rest. */
const spreadsheetDigits = 15
/** The most digits that a program writes of a 64-bit float. */
const floatDigits = 17
/** The most characters of a code that is read as a number with an exponent. */
const powerMax = 12

/** Without a sign, which would make another number: order numbers are compared, never added. */
const scientific = /^(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/
const grouped = /^\d{1,3}(?:,\d{2,3})*,\d{3}$/

/**
 * What survives of an order number when a spreadsheet, a person or a database changes it: ASCII digits, lower-case
 * letters, one Unicode form, one kind of dash; without blanks, invisible characters, apostrophes, leading zeros and a
 * final `.0`. Two numbers with one fold may be one order; only equal bytes prove it (P13).
 */
export function foldOrderNo(text: string): string {
  const plain = plainText(text)
    .replace(/[\s\p{Z}\p{Cc}]/gu, '')
    .normalize('NFC')
  const power = scientific.exec(plain)
  if (power) return scientificFold(`${power[1]}${power[2] ?? ''}`, Number(power[3]))
  const whole = grouped.test(plain) ? plain.replaceAll(',', '') : plain
  return whole.replace(/^(\d+)\.0+$/, '$1').replace(/^0+(?=.)/, '')
}

/**
 * How texts are compared: digits of any script as ASCII, lower-case letters (Turkish ones too), one kind of dash, no
 * invisible characters or apostrophes.
 */
export function plainText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.replace(/['`]/g, '').toLowerCase()
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/\p{Pd}|\u2212/gu, '-')
    .replace(/['\u2018\u2019\u201b\u02bc`\u00b4]|\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
}

/** A word of the merchant's own, or of a program, as it is compared. */
export function foldWord(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim()
}

export function isOneOf(words: readonly string[], word: string): boolean {
  return words.some((own) => foldWord(own) === foldWord(word))
}

/** Letters that look like digits, as digits. */
export function asDigits(lower: string): string {
  return lower.replaceAll('o', '0').replace(/[il]/g, '1')
}

/** Whether a fold is of a shortened number, `1.23E+15`, with only its first digits left. */
export function isShortened(fold: string): boolean {
  return /^\d+e\d+$/.test(fold)
}

/**
 * Every fold that a spreadsheet can make of an order number: its own, and for digits alone those of the rounded and
 * the shortened number. The fold of a damaged cell (`foldOrderNo`) is among those of its original. `'unshortened'`
 * leaves out the many folds of shortened numbers.
 */
export function foldsOf(orderNo: string, which: 'all' | 'unshortened' = 'all'): ReadonlySet<string> {
  const own = foldOrderNo(orderNo)
  const folds = new Set([own])
  // A code such as 261107E3 is a number to a spreadsheet, and 2.6E+08 is what it makes of one.
  const power = scientific.test(plainText(orderNo)) ? null : /^(\d+)e(\d{1,2})$/.exec(own)
  if (power && own.length <= powerMax) {
    const whole = `${power[1]}${'0'.repeat(Number(power[2]))}`
    return new Set([own, ...foldsOf(whole, which)])
  }
  if (!/^\d+$/.test(own) || (which === 'unshortened' && own.length <= spreadsheetDigits)) return folds
  const exponent = own.length - 1
  for (
    let kept = which === 'all' ? 1 : spreadsheetDigits;
    kept <= Math.min(floatDigits, own.length);
    kept++
  ) {
    for (const {digits, carried} of cuts(own, kept)) {
      if (kept >= spreadsheetDigits) folds.add(digits.padEnd(own.length + carried, '0'))
      if (which === 'all') folds.add(scientificFold(digits, exponent + carried))
    }
  }
  // A program with 64-bit floats writes all digits of the float, or the shortest form that identifies it.
  if (own.length > spreadsheetDigits) {
    folds.add(BigInt(Number(own)).toString())
    folds.add(foldOrderNo(String(Number(own))))
    if (which === 'all') folds.add(foldOrderNo(Number(own).toExponential()))
  }
  return folds
}

/** The parts of a cell that are examined: an order number has at most 32 characters. */
const partsMax = 24

/** The words of a text that may be parts of an order number. */
export function partsOf(text: string, most = partsMax): string[] {
  const parts = text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return parts.slice(0, most).map((part) => foldOrderNo(part).replace(/(?<!\d)0+(?=\d)/g, ''))
}

/** Letters and digits only: `D-5`, `D 5`, `D05` and `#D-5` are equal. */
export function bareOrderNo(text: string): string {
  return partsOf(text).join('')
}

/** Numbers that a cell may name beside other words: `H-1/H-2`, `manual H-1`. */
export function namedIn(text: string): ReadonlySet<string> {
  const parts = partsOf(text)
  const bare = parts.flatMap((_, from) =>
    parts.slice(from).map((_, more) => parts.slice(from, from + more + 1).join('')),
  )
  return new Set(bare)
}

/** Whether both may be one order whose number was damaged, in either direction. */
export function mayBeSameOrderNo(one: string, other: string): boolean {
  return foldsOf(one).has(foldOrderNo(other)) || foldsOf(other).has(foldOrderNo(one))
}

/** What a spreadsheet seems to have done to all numbers, as a sentence; null if nothing shows. */
export function corruptionOfNumbers(orderNos: readonly string[]): string | null {
  const shortened = orderNos.filter((orderNo) => scientific.test(orderNo.toLowerCase()))
  if (shortened.length > 0) {
    return `${shortened.length} of the numbers read as if a spreadsheet had shortened them, as ${shortened[0]}`
  }
  const long = orderNos.filter((orderNo) => /^\d+$/.test(orderNo) && orderNo.length > spreadsheetDigits)
  const zeros = long.reduce((sum, orderNo) => sum + orderNo.length - spreadsheetDigits, 0)
  // By chance, three zeros occur once in a thousand.
  if (zeros < 3 || long.some((orderNo) => /[1-9]/.test(orderNo.slice(spreadsheetDigits)))) return null
  return `all numbers of more than ${spreadsheetDigits} digits end in zeros, as ${long[0]}: a spreadsheet keeps ${spreadsheetDigits} digits and makes zeros of the rest`
}

/** The first digits of a number, truncated and rounded; rounding up can add a digit. */
function cuts(digits: string, kept: number): {readonly digits: string; readonly carried: 0 | 1}[] {
  const cut = digits.slice(0, kept)
  const isUp = Number(digits[kept] ?? '0') >= 5
  if (!isUp) return [{digits: cut, carried: 0}]
  const rounded = (BigInt(cut) + 1n).toString()
  return [
    {digits: cut, carried: 0},
    {digits: rounded, carried: rounded.length > cut.length ? 1 : 0},
  ]
}

/** One spelling for a shortened number: `1.50e3` is `1.5e3`. */
function scientificFold(digits: string, exponent: number): string {
  return `${digits.replace(/0+$/, '') || '0'}e${exponent}`
}

/** Every script of Unicode has its decimal digits in a block of ten. */
function asciiDigit(character: string): string {
  let zero = character.codePointAt(0) ?? 0
  const value = zero
  while (value - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String(value - zero)
}
