import {foldWord, plainText} from '../core/order-no-fold.ts'
import {maskPhones} from '../core/personal.ts'
import {escapeInvisible} from '../core/text.ts'
import {hasBookingWord, wordSet} from './booking-words.ts'
import {isGivingWord, ofAll, ofMany, ofUnbooked} from './given-to-many.ts'
import type {LedgerFile} from './ledger.ts'

/** What programs and clerks write below a table. Other rules read the words of bookings. */
const usual = wordSet(
  `total totals subtotal sub grand sum count counts rows row record records entry entries item items line lines deposit deposits payout payouts
  order orders transaction transactions txn trx payment payments amount amounts amt value fee fees charge charges net gross average avg min max
  opening closing balance balances carried brought forward b f c d cf bf bdt tk taka usd currency completed success successful failed pending
  open unpaid cancelled status filter method channel type provider bkash nagad rocket upay bank cash wallet page pages of from to till until
  date dates day days time times period week month year shift t z am pm utc gmt bst asia dhaka zone timezone morning evening night end report
  reports statement file files list sheet ledger export exported generated printed created downloaded run selected affected returned set sec ms
  seconds in by at on for and or with the a an is are was were be been it this that these all each any only must should will can not no nil none
  yet once as if when please pls note notes version v continued system auto automatic automatically computer webhook webhooks callback callbacks
  resend resent sent arrive arrives arrived received receive sms hand shop staff gateway api bot missing down up ok
  prepared checked verified approved signature
  january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
  saturday sunday monday tuesday wednesday thursday friday sat sun mon tue wed thu fri
  ta ti er e ke te theke rate words more showing show eof seal signatory ref reference hour hours peak unique vat tax
  applicable exchange commission settlement service included including excluded before after accounts department finance authorised authorized
  মোট সর্বমোট যোগফল টাকা তারিখ পৃষ্ঠা সারি সময় সময় শেষ রিপোর্ট প্রতিবেদন হিসাব অর্ডার ডিপোজিট ফাইল করতে টি টা`.replace(
    /\s+/g,
    ' ',
  ),
)
/** A label, and behind it whoever made or checked the file, and where. */
const signed =
  /^(?:(?:not )?(?:prepared|checked|verified|approved|authori[sz]ed|printed|generated|exported|created|compiled|reported|signed|submitted|reviewed|downloaded|powered|credited|booked|posted|entered|done)(?: (?:by|at|on|from|using|with))|signature|cashier|accountant|manager|operator|shop|branch|company|merchant|address|tel(?:ephone)?|hotline|help ?line|e-?mail|web(?:site)?|www|fax|source|database|query|প্রস্তুতকারী|স্বাক্ষর)(?![\p{L}\p{M}])/iu
const ofProgram =
  /(?<!\p{L})(?:(?:computer|system|auto(?:matically)?)[ -]generated|no signature|all rights reserved|©|confidential|rows? (?:affected|in set|selected|returned)|end of (?:report|file|list|statement)|https?:|www\.)/iu
/** The same, but only where no word tells of a booking. */
const ofOffice =
  /^ref(?:erence)? ?[:#]? ?\S+$|^(?:for any quer(?:y|ies)|disclaimer|in words|shift in-?charge)(?!\p{L})|^thank(?:s| you)[.!]?$|(?<!\p{L})(?:v\d+\.\d|ltd(?!\p{L})|limited(?!\p{L}))|^(?:unique|total|active) (?:players?|users?) ?[:=]? ?\p{N}+$/u

/** Said of what is not booked, is still to be done, or is done by itself. */
const notDone =
  /(?<![\p{L}\p{M}])(?:not?|never|nil|none|without|un\p{L}+|please|pls|must|should|will|once|when|if|yet|auto|automatic\p{L}*|nai|na|ni|hob[eo]|korte|file|total|সর্বমোট|মোট|না|নাই|হয়নি|করতে|হবে)(?![\p{L}\p{M}])|(?<!\p{N})[0০](?:[.][0০]+)?(?!\p{N})|=/u
const dates = /\p{N}+(?:[-/.:]\p{N}+)+/gu
/** `Credited 40, failed 3` */
const counts = /^(?:[\p{L}\p{M}]+(?: ?[:-])? ?\p{N}[\p{N},.]*[;|]? ?)+$/u

/** Whether a text tells who made or checked a file, and where. */
export function isSigned(text: string): boolean {
  return signed.test(plainText(text).trim())
}

/**
 * Whether a text below a table is what stands below usual tables. Words of a booking that no other rule could read (`Pending paid`,
 * `coins given`) are not: only of a sum, of what is not done, or with a count.
 */
export function isUsualFooter(text: string): boolean {
  const plain = plainText(text).trim()
  const words = plain.match(/[\p{L}\p{M}]+/gu) ?? []
  if (signed.test(plain) || ofProgram.test(plain)) return words.length <= wordsMax
  const isOfOpen = (word: string) => ofAll.has(word) || ofUnbooked.has(word) || ofMany(word)
  const isOfBooking = (word: string) => isGivingWord(word) || hasBookingWord(word)
  const tells = words.some((word) => !usual.has(word) && isOfBooking(word))
  if (!tells && ofOffice.test(plain)) return words.length <= wordsMax
  if (!words.every((word) => usual.has(word) || isOfOpen(word) || isOfBooking(word))) return false
  if (!tells || notDone.test(plain) || counts.test(plain)) return true
  return /\p{N}/u.test(plain.replace(dates, ' ')) && !words.some(isOfOpen)
}

const wordsMax = 12

interface Footer {
  readonly text: string
  readonly line: number
}

/** The lines below the last row that are neither rows nor usual footers: nobody knows whether they tell of a booking. */
export class UnreadFooters {
  private lines: Footer[] = []
  private rows = 0
  /** Lines of totals, which check the file. */
  private sums: ReadonlySet<number> = new Set()
  private numberAt = -1
  private amountAt = -1

  takeHeader(header: readonly string[], {columns, totals}: Pick<LedgerFile, 'columns' | 'totals'>): void {
    this.sums = new Set(totals.flatMap(({line, amount}) => (amount === null ? [] : line)))
    const placeOf = (name?: string) => header.findIndex((cell) => cell.trim() === name?.trim())
    ;[this.numberAt, this.amountAt] = [placeOf(columns.order_no), placeOf(columns.amount)]
  }

  /** A row: what stands above it is a heading. */
  takeRow(): void {
    this.rows += 1
    if (this.lines.length > 0) this.lines = []
  }

  /** A line that is no row of a known order. */
  take(cells: readonly string[], line: number): void {
    const filled = cells.map((cell) => cell.trim()).filter(Boolean)
    if (filled.length === 0 || this.lines.length >= linesMax || this.sums.has(line)) return
    if (this.isLikeRow(cells, filled.length)) return
    this.lines.push({text: filled.join(', '), line})
  }

  /** Another rule holds what such a row may be. */
  private isLikeRow(cells: readonly string[], filled: number): boolean {
    const [number = '', amount = ''] = [cells[this.numberAt]?.trim(), cells[this.amountAt]?.trim()]
    return (
      (filled > 1 && /\p{N}/u.test(amount) && !/\p{L}{4}/u.test(amount)) ||
      /^\S*\p{L}\S*\p{N}{3}\S*$/u.test(number)
    )
  }

  /** `isRead`: whether another rule reads a text. */
  *all(isRead: (text: string) => boolean): Generator<Footer & {readonly is: 'read' | 'usual' | 'unread'}> {
    for (const one of this.lines) {
      const isFigure = !/\p{L}/u.test(one.text)
      const isCount = isFigure && (!/\p{N}{3}/u.test(one.text) || one.text === String(this.rows))
      const isUsual = isCount || (!isFigure && isUsualFooter(one.text))
      yield {...one, is: isRead(one.text) ? 'read' : isUsual ? 'usual' : 'unread'}
    }
  }
}

const linesMax = 1_000

/** Whether a text is one of those that tell of no booking, as a person stated; one that a report cut off stands for its beginning. */
export function saidByPerson(ignoredTexts: readonly string[]): (text: string) => boolean {
  const whole = new Set(ignoredTexts.map(formOfText))
  const beginnings = ignoredTexts.flatMap((text) => {
    const [, beginning] = cutOff.exec(text.trim()) ?? []
    return beginning === undefined ? [] : formOfText(beginning)
  })
  return (text) => {
    if (ignoredTexts.length === 0) return false
    const form = formOfText(text)
    return whole.has(form) || beginnings.some((beginning) => form.startsWith(beginning))
  }
}

/** As `quoteCell` cuts a text: any other sign of an omission is the writer's own. */
const cutOff = /^(.{20,})\u2026 \(\d+ characters\)$/u

/** Days, times and sums of a text are others another day. A count or a number may be of orders, and so may a sum beside words of bookings. */
function formOfText(text: string): string {
  const plain = foldWord(escapeInvisible(maskPhones(text))).replace(daysAndTimes, '#')
  const words = plain.match(/[\p{L}\p{M}]+/gu) ?? []
  const tells = words.some((word) => isGivingWord(word) || hasBookingWord(word))
  return tells ? plain : plain.replace(sums, '#')
}

const daysAndTimes = /\p{N}+(?:[-/:]\p{N}+)+/gu
const sums = /\p{N}+(?:[.,]\p{N}+)+/gu
