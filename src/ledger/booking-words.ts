import {orderStates} from '../core/order.ts'
import {foldWord, plainText} from '../core/order-no-fold.ts'
import type {LedgerMapping} from '../core/profile.ts'
import type {LedgerEntry} from '../core/reconcile/entry.ts'
import {corruptFile} from './corrupt-file.ts'
import type {Header} from './header.ts'
import {otherStatuses} from './header-words.ts'
import {quoteCell} from './quotation.ts'

/** What people write as a row's status, besides the words of the profile. */
const booked = ['yes', 'true', '1', 'done', 'booked', 'posted']
const unbooked = [
  ...['unpaid', 'unsettled', 'unbooked', 'not paid', 'not booked'],
  ...['no', 'false', '0', 'due', 'waiting'],
]

/** Whether a word says that its row is booked; null if it says neither. */
export function bookingReader(mapping: LedgerMapping): (word: string) => boolean | null {
  const meanings = new Map<string, boolean>([
    ...booked.map((word) => [word, true] as const),
    ...unbooked.map((word) => [word, false] as const),
    ...orderStates.flatMap((state) =>
      mapping.status[state].map((word) => [foldWord(word), state === 'completed'] as const),
    ),
  ])
  return (word) => meanings.get(foldWord(word)) ?? null
}

/** Whether a word names a state, booked or open; null for any other word, also a plain yes or no. */
export function stateReader({status}: LedgerMapping): (word: string) => 'booked' | 'open' | null {
  const [open, booked] = [
    [...status.open, ...status.failed, 'not booked', 'unbooked', 'not credited', 'awaiting'],
    [...status.completed, 'booked', 'posted', 'done'],
  ].map((words) => new Set(words?.map(foldWord)))
  return (word) => {
    const plain = foldWord(word)
    return open?.has(plain) ? 'open' : booked?.has(plain) ? 'booked' : null
  }
}

/** Refuses a file if another column contradicts the status column: a person must say which one counts. */
export function contradictionGuard(
  path: string,
  header: Header,
  mapping: LedgerMapping,
): (cells: readonly string[], line: number, entry: Pick<LedgerEntry, 'status'>) => void {
  const others = otherStatuses(header, mapping)
  const isBooked = bookingReader(mapping)
  const own = header.found.status ?? ''
  return (cells, line, {status}) => {
    for (const at of others) {
      const says = isBooked(cells[at] ?? '')
      if (says === null || says === (status === 'completed')) continue
      const one = `${quoteCell(own)} says ${quoteCell(cells[header.at.status ?? -1] ?? '')}`
      const other = `${quoteCell(header.cells[at] ?? '')} says ${quoteCell(cells[at] ?? '')}`
      throw corruptFile(
        path,
        `line ${line}: ${one} and ${other}`,
        `Choose the one that counts: --column status=${quoteCell(own)}. To choose it for good, run hisab config set ledger.columns.status ${quoteCell(own)}`,
      )
    }
  }
}

/** Words people use for a booking that they or others made. */
const byHand = /(?<!\p{L})(?:by hand|hand|manual|manually|handbooked)(?!\p{L})|হাতে|ম্যানুয়াল|ম্যানুয়াল/iu
const bookingWords =
  /(?<!\p{L})(?:book|booked|booking|credit|credited|credits|paid|posted|done|given|added|adjusted|adjustment|settled|entered|fixed|corrected|topped)(?!\p{L})|বুক|জমা|পরিশোধ|দেওয়া|দেওয়া/iu

/** Of giving, in words that are no row's status. What is given may be a message: `whatsapp e msg dise`. */
const giving =
  /(?<![\p{L}\p{M}])(?:gave|(?:by|with) hand|hat[eh]\p{L}*|(?<!(?:msg|message|massage|sms|call|knock|reply|ss|screen ?shot|slip|proof|info|number|photo|pic|nid|doc|docs) )d(?:iye|iya|isi|ise|isil|ichi|iche|ilam|ewa|eya|eoa|ea)\p{L}*|add|joma)(?![\p{L}\p{M}])|হাতে/iu

export function saysGiving(text: string): boolean {
  return giving.test(text)
}

/** Words in a row's own cells that say it is booked; romanised Bangla included. */
export const handWords = wordSet(
  'hand hands byhand handbooked manual manually manualy mannual manul mnl haate hathe hate হাতে ম্যানুয়াল ম্যানুয়ালি',
)
/** Of giving; nobody is called so. */
export const gaveWords = wordSet(
  'diyechi diyeche diyechen diechi diyesi disi dichi দিয়েছি দিয়েছে দিয়েছেন দিছি দিলাম',
)
export const doneWords = wordSet(
  `booked bookd credited posted settled given added adjusted recorded entered compensated topped recharged corrected handled solved resolved processed accounted dewa deya deoa jog যোগ বুক বুকড ক্রেডিট সমন্বয় পরিশোধ পরিশোধিত দেওয়া দেয়া সম্পন্ন কার্যকর ✓ ✔ ☑ ✅ ${[...gaveWords].join(' ')}`,
)
/** Words that people also use for other things. */
const softWords = wordSet(
  'done paid ok okay m jv voucher instead clear cleared closed complete completed finished success successful approved fixed book books booking ledger cashbook credit adjustment adj correction compensation recharge topup জমা পেইড ডান ঠিক',
)
const negations = wordSet(
  'not no never without un non yet nor cannot cant dont didnt isnt wasnt hasnt havent nothing pls please plz kindly need needs needed must should will shall can could if until unless before to না নাই নি',
)
/** May stand between a word of booking and its negation. */
const fillers = wordSet(
  'for the yet be been being is was has have fully still even by it this done করা হয় kora hoy করে kore',
)
const negationsAfter = wordSet(
  'নাই নি না নয় হয়নি হয়নাই হবে করতে করুন করেন দিতে nai ni na hoyni hoini haini hoynai korte hobe korun dite',
)
/** They negate `credit`, not `credited`. */
const openBeside = wordSet(
  'pending waiting wait await awaiting awaits awaited due required needed failed when why',
)

export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.normalize('NFKC').split(' '))
}

const isPlainAscii = /^[\x20-\x7e]*$/

/** The words between two punctuation marks, and what they say unless it is negated. */
interface Clause {
  readonly words: readonly string[]
  hand: boolean
  done: boolean
  soft: boolean
  isDenied: boolean
}

export function* clausesOf(text: string): Generator<Clause> {
  const plain = plainText(text.slice(0, cellMax))
  for (const part of plain.split(
    /[,;:!?()[\]{}/|\n।]|\s[-–—]+\s|\.(?!\p{L})|(?<!\p{L})(?:but|so|then|now)(?!\p{L})/u,
  )) {
    const words = part.match(/[\p{L}\p{M}]+|\p{N}+|[✓✔☑✅]/gu) ?? []
    const clause: Clause = {words, hand: false, done: false, soft: false, isDenied: false}
    for (const [at, word] of words.entries()) {
      if (!isOfBooking(word)) continue
      if (isNegated(words, at)) clause.isDenied = true
      else {
        clause.hand ||= handWords.has(word)
        clause.done ||= doneWords.has(word) || (clause.hand && softWords.has(word))
        clause.soft ||= softWords.has(word)
      }
    }
    yield clause
  }
}

/**
 * Whether a row's own cell says that the row is booked, or that somebody booked it by hand; `manual` tells of a hand's work
 * and not of what. Negations and requests do not count. `isSoft`: words with other meanings count, too.
 */
export function saysOwnBooked(text: string, isSoft: boolean): 'booked' | 'manual' | 'by hand' | null {
  if (isPlainAscii.test(text) && !/[A-Za-z]/.test(text)) return null
  let [hand, done, soft, isDenied] = [false, false, false, false]
  for (const clause of clausesOf(text)) {
    done ||= clause.done || (clause.soft && hand)
    hand ||= clause.hand
    soft ||= clause.soft
    isDenied ||= clause.isDenied
  }
  if (hand) return done ? 'by hand' : 'manual'
  return done || (soft && isSoft && !isDenied) ? 'booked' : null
}

/** Kept cheap: it is asked of every cell. */
const maySayNo = /\b(?:not|non|never|un\w*|without|nor|cannot|\w+n['’]?t|nai|ni|na)\b|[^\x00-\x7f]/i

/** Whether a text says that its order is not booked. */
export function saysNotBooked(text: string): boolean {
  if (!maySayNo.test(text)) return false
  return [...clausesOf(text)].some(({isDenied}) => isDenied) && saysOwnBooked(text, true) === null
}

const cellMax = 1000

function isOfBooking(word: string): boolean {
  return handWords.has(word) || doneWords.has(word) || softWords.has(word)
}

/** Whether a text has a word of bookings or of denials, whatever it says. */
export function hasBookingWord(text: string): boolean {
  const isIt = (word: string) =>
    [negations, negationsAfter, openBeside].some((words) => words.has(word)) || isOfBooking(word)
  return wordsOf(text).split(' ').some(isIt)
}

function isNegated(words: readonly string[], at: number): boolean {
  const isWithin = (place: number) => fillers.has(words[place] ?? '') || isOfBooking(words[place] ?? '')
  let [before, after] = [at - 1, at + 1]
  while (before >= 0 && isWithin(before)) before -= 1
  while (isWithin(after)) after += 1
  const [first, next] = [words[before] ?? '', words[after] ?? '']
  if (negations.has(first) || negationsAfter.has(next)) return true
  const isDone = words.slice(before + 1, after).some((word) => doneWords.has(word))
  return !isDone && (openBeside.has(first) || openBeside.has(next))
}

/** The words of a text without its numbers and codes, to compare texts. */
export function wordsOf(text: string): string {
  const short = text.slice(0, cellMax)
  // Most cells are ASCII: this way they take half the time.
  const words = isPlainAscii.test(short)
    ? (short.toLowerCase().match(/(?<![a-z\d])[a-z]+(?![a-z\d])/g) ?? [])
    : (short
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[\p{L}\p{M}]*\p{N}[\p{L}\p{M}\p{N}]*/gu, ' ')
        .match(/[\p{L}\p{M}]+|[✓✔☑✅]/gu) ?? [])
  return words.filter((word) => !/^[tz]$/.test(word)).join(' ')
}

const headerOfHand = /(?<!\p{L})(?:by ?hand|hand|manual|manually|mnl)(?!\p{L})|হাতে|ম্যানুয়াল/iu
const headerOfBooking =
  /(?<!\p{L})(?:booked|credited|posted|settled|adj|adjusted|adjustment|correction|corrected|processed|handled|done)(?!\p{L})|বুক|সমন্বয়/iu

export function headerSaysByHand(header: string): boolean {
  return headerOfHand.test(plainHeader(header))
}

/** Whether the cells below this header tell of a booking. */
export function headerSaysBooked(header: string): boolean {
  return headerSaysByHand(header) || headerOfBooking.test(plainHeader(header))
}

export function plainHeader(header: string): string {
  return header
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll('_', ' ')
}

/** Whether the name of a sheet is that of bookings by hand; `Cash in hand` is none. */
export function nameSaysByHand(name: string): boolean {
  if (/manual|by[ _-]?hand|adjust|হাতে|ম্যানুয়াল|সমন্বয়/iu.test(name)) return true
  const words = plainHeader(name).replace(/(?<!\p{L})(?:in|on)[ -]?hand(?!\p{L})/giu, ' ')
  return [...clausesOf(words)].some(({hand}) => hand)
}

/** Below a header of bookings. */
export function saysYes(text: string): boolean {
  return /^(?:y|yes|true|1|x|ok|done|given|credited|হ্যাঁ|হ্যা|[✓✔☑✅])$/iu.test(text.trim())
}

export function saysByHand(text: string): boolean {
  return byHand.test(text)
}

export function saysBooked(text: string): boolean {
  return byHand.test(text) || bookingWords.test(text)
}

/** Columns in which people write what they did. */
export function isNotesHeader(header: string): boolean {
  return notesHeader.test(header)
}
const notesHeader = /remark|note|comment|memo|manual|hand|narration|descri|particular|মন্তব্য|নোট|বিবরণ|হাতে/iu
