import {walletNumber} from '../../order.ts'

/** One way a program, a spreadsheet or a person writes a number anew; null where the text is not that kind. */
export interface NumberSpelling {
  readonly detail: string
  readonly spell: (text: string) => string | null
}

const decimal = /^(-?)(\d{1,30})(?:\.(\d{1,10}))?$/

interface Decimal {
  readonly sign: string
  readonly whole: string
  readonly fraction: string
}

/** Digits only, exact at any length: these are spellings, not amounts to reckon with. */
function readDecimal(text: string): Decimal | null {
  const match = decimal.exec(text)
  if (match) {
    const [, sign = '', whole = '', fraction = ''] = match
    return {sign, whole: whole.replace(/^0+(?=\d)/, ''), fraction: fraction.replace(/0+$/, '')}
  }
  if (!/^-?\d+(?:\.\d+)?[eE][+-]?\d{1,2}$/.test(text)) return null
  const plain = Number(text).toString()
  return plain.includes('e') ? null : readDecimal(plain)
}

const spellDecimal = (spell: (number: Decimal) => string | null) => (text: string) => {
  const number = readDecimal(text)
  return number === null ? null : spell(number)
}

const withFraction = ({sign, whole}: Decimal, fraction: string) =>
  `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`

/** Java's and C#'s scientific notation, which they use from ten million on. */
function scientific({sign, whole, fraction}: Decimal, exponentMark: string): string | null {
  if (whole.length < 2) return null
  const digits = `${whole.slice(1)}${fraction}`.replace(/0+$/, '') || '0'
  return `${sign}${whole[0]}.${digits}${exponentMark}${whole.length - 1}`
}

function grouped(whole: string, pattern: RegExp): string {
  return whole.replace(pattern, ',')
}

const thousands = /(?<=\d)(?=(?:\d{3})+$)/g
const lakhs = /(?<=\d)(?=(?:\d\d)*\d{3}$)/g

export const numberSpellings: readonly NumberSpelling[] = [
  {detail: 'without trailing zeros', spell: spellDecimal((n) => withFraction(n, n.fraction))},
  {detail: 'with two decimals', spell: spellDecimal((n) => withFraction(n, n.fraction.padEnd(2, '0')))},
  {detail: 'with one decimal', spell: spellDecimal((n) => withFraction(n, n.fraction || '0'))},
  {detail: 'without its decimals', spell: spellDecimal((n) => withFraction(n, ''))},
  {
    detail: 'in paisa',
    spell: spellDecimal((n) =>
      n.fraction.length > 2 ? null : `${n.sign}${n.whole === '0' ? '' : n.whole}${n.fraction.padEnd(2, '0')}`,
    ),
  },
  {
    detail: 'with thousands commas and two decimals',
    spell: spellDecimal((n) =>
      withFraction({...n, whole: grouped(n.whole, thousands)}, n.fraction.padEnd(2, '0')),
    ),
  },
  {
    detail: 'with thousands commas',
    spell: spellDecimal((n) => withFraction({...n, whole: grouped(n.whole, thousands)}, n.fraction)),
  },
  {
    detail: 'with lakh commas and two decimals',
    spell: spellDecimal((n) =>
      withFraction({...n, whole: grouped(n.whole, lakhs)}, n.fraction.padEnd(2, '0')),
    ),
  },
  {detail: 'as 1.0E7', spell: spellDecimal((n) => scientific(n, 'E'))},
  {detail: 'as 1.0E+7', spell: spellDecimal((n) => scientific(n, 'E+'))},
  {detail: 'as 1.0e+7', spell: spellDecimal((n) => scientific(n, 'e+'))},
  {
    detail: 'rounded by a floating-point number',
    spell: (text) => (/^-?\d[\d.]{15,}$/.test(text) ? String(Number(text)) : null),
  },
  {
    detail: 'without leading zeros, as a spreadsheet does',
    spell: (text) => (/^0\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : null),
  },
  {detail: 'with +880', spell: (text) => (walletNumber.test(text) ? `+88${text}` : null)},
  {detail: 'with 880', spell: (text) => (walletNumber.test(text) ? `88${text}` : null)},
  {
    detail: 'without +880',
    spell: (text) => (/^\+?8801\d{9}$/.test(text) ? text.replace(/^\+?88/, '') : null),
  },
]
