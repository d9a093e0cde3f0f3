import {gaveWords, saysOwnBooked} from './booking-words.ts'
import {saysMoneyBack} from './money-back.ts'
import {flagFor, quoteCell} from './quotation.ts'

/** What people write on a row that must not be paid. A list, because names have no form that such a word would break. */
const stops = [
  `(?:do ?not|don['’]?t|not(?: to)?|never|no) ?(?:pay(?:out)?|send|transfer|give)|already \\p{L}+|(?:given|gave|handed) already`,
  `excluded?|removed?|bounced|frozen|deceased|pd|sent|paid|hold|held|cancel|cancell?ed|void|skip|stop|ignore|wait|later|tomorrow|pending`,
  `failed|rejected|refused|refund|refunded|return(?:ed)?|wrong|banned|blocked|suspended|disputed?|dup|duplicate|done`,
  `batil|bondh?o|bhul|vul|sthogit|thame?[no]|ekhon na|lagbe na|hobe na|(?:patha\\p{L}*|dibe\\p{L}*|deben|dio|dien) na`,
  `dibo|pathabo|pathai(?:s|ch)i|di(?:ye)?(?:s|ch)en?|nise|niyeche|pa[iy]se|peye(?:s|ch)[ei]n?|(?:peye|niye|diye) ge\\p{L}*`,
  `(?:dewa|deya|deoa|porishodh|pathano) (?:ho[iy]\\p{L}*|sh?esh)|bad (?:den|diben|dao|din|koro|koren)`,
  `বন্ধ|বাদ|ভুল|স্থগিত|(?:দি|দে|পাঠা)বো|পেয়ে(?:ছেন?|ছি| গেছে)|(?:পাঠানো|দেওয়া|দেয়া) (?:হয়েছে|শেষ)|লাগবে না|এখন না`,
  ...gaveWords,
]
/** In addresses these mean other things. */
const nameStops = 'pore|block|double|পরে'

const words = wordsOf(stops, '|^x+$|বাতিল|ফেরত|পরিশোধ|(?:পাঠা|দি|দে)[\\p{L}\\p{M}]* না(?![\\p{L}\\p{M}])')
const wordsInNames = wordsOf([nameStops])

function wordsOf(alternatives: readonly string[], others = ''): RegExp {
  const word = `(?<![\\p{L}\\p{M}\\p{N}])(?:${alternatives.join('|')})(?![@\\p{L}\\p{M}\\p{N}'’])`
  return new RegExp(`${word}${others}`.normalize('NFKC'), 'iu')
}

function stopWordIn(text: string, listed = words): string | undefined {
  return listed.exec(text.normalize('NFKC').replace(/[\s_\p{Pd}.]+/gu, ' '))?.[0]
}

/** The part of a text that says that its row must not be paid, or was paid; null if there is none. */
export function markIn(text: string): string | null {
  const isSaid = saysOwnBooked(text, false) === 'by hand' || saysMoneyBack(text, false) !== null
  return stopWordIn(text) ?? (isSaid ? text : null)
}

const numberSigns = /[^\p{L}\p{M}\p{N}\p{Pd}_./:]+|[\p{Pd}_./:]{2,}|^[\p{Pd}_./:]|[\p{Pd}_./:]$/gu
const nameSigns = /^[^\p{L}]+|(?<=\s)\p{Pd}+(?=\s)|[\p{Ps}#*!?]|\p{S}|\/\//gu
const noName = /^(?:(\p{L})\1+|n\/?a|tbd|test|nil|null|none|\P{L}+)$/iu

/**
 * Rows that somebody may have marked, in the number or the name, as not to be paid. A file's numbers have one form or a
 * few, so a number is marked if it has the form of others with something added, or signs between letters and digits
 * that others lack. `ignored`: marks that a person stated to be none.
 */
export function markedRows(
  rows: readonly {readonly line: number; readonly outOrderNo: string; readonly userName: string}[],
  ignored: readonly string[],
): {readonly line: number; readonly detail: string}[] {
  const numberMarks = marksOfNumbers(rows.map(({outOrderNo}) => outOrderNo))
  const nameMarks = marksOfNames(rows.map(({userName}) => userName))
  const isNone = new Set(ignored.map((mark) => formOf(mark).join('')))
  return rows.flatMap(({line, outOrderNo, userName}) => {
    const marked = (column: string, text: string, found: readonly string[]) => {
      const marks = [...new Set(found)].filter((mark) => !isNone.has(formOf(mark).join('')))
      if (marks.length === 0) return []
      const flags = marks.map((mark) => flagFor('--ignore-mark', mark)).join(' ')
      const has = isWithoutDigit(text, column) ? 'no digit but 0' : marks.map(quoteCell).join(' and ')
      const detail = `${column} ${quoteCell(text)} has ${has}. Somebody may have marked the row. Remove it if it must not be paid, or add ${flags}.`
      return [{line, detail}]
    }
    return [
      ...marked('out_order_no', outOrderNo, numberMarks(outOrderNo)),
      ...marked('user_name', userName, nameMarks(userName)),
    ]
  })
}

function marksOfNumbers(all: readonly string[]): (number: string) => string[] {
  const numbers = all.filter((number) => !isWithoutDigit(number))
  const byForm = Map.groupBy(numbers, (number) => formOf(number).join(''))
  const lengthsOf = (those: readonly string[]) => those.map(({length}) => length)
  const least = (lengths: readonly number[]) => lengths.reduce((one, other) => Math.min(one, other), 99)
  /** The length of the shortest number of each form. */
  const forms = new Map([...byForm].map(([form, those]) => [form, least(lengthsOf(those))]))
  const shortest = least([...forms.values()])
  // Random numbers have about as many forms as there are numbers, and one may contain another by chance.
  const most = [...byForm.values()].reduce((max, {length}) => Math.max(max, length), 0)
  const areAlike = byForm.size * 2 <= numbers.length || most * 5 >= numbers.length
  const frames = new Set(
    numbers.map((number) => number.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{N}+/gu, '0')),
  )
  // One of several codes of one length may have letters alone.
  const areRandom = numbers.length >= 5 && byForm.size * 2 > numbers.length
  const prefix = prefixOf(numbers)
  const areCodes =
    areRandom &&
    all.every(
      (number) =>
        number.length === numbers[0]?.length &&
        number.startsWith(prefix) &&
        isCode.test(number.slice(prefix.length)),
    )
  return (number) => {
    if (areCodes && stopWordIn(number) === undefined) return []
    if (isWithoutDigit(number)) return [number]
    const added = areAlike && number.length > shortest ? addedTo(number, forms) : []
    if (added.length > 0) return added
    const signs = number.match(numberSigns) ?? []
    const isUsual = frames.size === 1 && !/['"`’]/.test(number)
    const word = stopWordIn(number)
    return [...(isUsual ? [] : signs), ...(word === undefined ? [] : [word])]
  }
}

const isCode = /^[\p{L}\p{N}_-]{6,}$/u

/** What all begin with, up to a sign: `PO-` of `PO-7AF3KD`. */
function prefixOf([first = '', ...others]: readonly string[]): string {
  let common = first
  for (const other of others) while (!other.startsWith(common)) common = common.slice(0, -1)
  return /^.*[^\p{L}\p{N}]/u.exec(common)?.[0] ?? ''
}

/** `P-0` may be the first of a series; `P-00` is a placeholder for a number, and `VOID` a word. */
function isWithoutDigit(text: string, column = 'out_order_no'): boolean {
  const digits = text.replace(/\P{Nd}/gu, '')
  return column === 'out_order_no' && /^[0০]*$/.test(digits) && (digits.length !== 1 || digits === text)
}

/** The text before and after the longest part of a number that could be another number of the file. */
function addedTo(number: string, forms: ReadonlyMap<string, number>): string[] {
  const parts = number.match(/\p{Nd}+|\P{Nd}/gu) ?? []
  const form = formOf(number)
  for (let size = form.length - 1; size > 0; size -= 1)
    for (let from = 0; from + size <= form.length; from += 1) {
      const shortest = forms.get(form.slice(from, from + size).join(''))
      if (shortest === undefined || parts.slice(from, from + size).join('').length < shortest) continue
      return [parts.slice(0, from), parts.slice(from + size)].map((part) => part.join('')).filter(Boolean)
    }
  return []
}

/** `P-1008` and `P-9` have the form `P-0`. */
function formOf(text: string): string[] {
  return (text.match(/\p{Nd}+|\P{Nd}/gu) ?? []).map((part) => (/\p{Nd}/u.test(part) ? '0' : part))
}

function marksOfNames(names: readonly string[]): (name: string) => string[] {
  const isUsual = (sign: string) => names.length > 1 && names.every((name) => name.includes(sign))
  return (name) => {
    if (noName.test(name.trim())) return [name]
    const signs = (name.match(nameSigns) ?? []).filter((sign) => !isUsual(sign))
    const word = markIn(name) ?? stopWordIn(name, wordsInNames)
    return [...signs, ...(word === undefined ? [] : [word])]
  }
}
