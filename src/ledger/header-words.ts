import {isBdt} from '../core/currency.ts'
import {orderStates} from '../core/order.ts'
import {foldWord} from '../core/order-no-fold.ts'
import {type LedgerColumn, type LedgerMapping, ledgerColumns} from '../core/profile.ts'
import {readLedgerAmount} from './amount.ts'
import type {Header, HeaderRule} from './header.ts'
import {quoteCell} from './quotation.ts'
import {isClockAlone, isDateAlone, readWritten} from './written-time.ts'

export function ledgerHeader(mapping: LedgerMapping): HeaderRule<LedgerColumn> {
  return {
    columns: ledgerColumns,
    required: ['order_no'],
    mapped: mapping.columns,
    imported: ledgerColumns.filter((column) => isImported(column, mapping)),
    means: meansColumn(mapping),
    missingHint: (column, nearest) =>
      `Give the header of the order number, for example --column ${column}=${quoteCell(nearest ?? 'Order ID')}. If the header is another line: --header-row N.`,
  }
}

function isStated(column: LedgerColumn, mapping: LedgerMapping): boolean {
  return mapping.columns[column] !== undefined && !isImported(column, mapping)
}

/** Columns that an import mapped were chosen by hisab; others by a person. */
function isImported(column: LedgerColumn, {columns, import: saved}: LedgerMapping): boolean {
  return saved?.columns[column] !== undefined && saved.columns[column] === columns[column]
}

/**
 * Headers as people write them, in English and Bangla, without case, dots, brackets, currency and plural. Each means
 * one column only: `Paid Amount` may be the order's amount or the sum received, so it is left out.
 */
const usual: Readonly<Partial<Record<LedgerColumn, readonly RegExp[]>>> = {
  order_no: [
    /^(?:(?:merchant |our |customer )?order(?: (?:no|number|num|id|ref|reference|code))?|order no|(?:merchant |out )order no|অর্ডার(?: (?:নম্বর|নাম্বার|নং|আইডি))?|অর্ডারের (?:নম্বর|নং))$/,
  ],
  status: [/^(?:(?:order |payment |booking )?(?:status|state)|অবস্থা|স্ট্যাটাস|স্থিতি)$/],
  amount: [/^(?:(?:order |deposit |payout |total )?(?:amount|amt)|টাকা|টাকার পরিমাণ|পরিমাণ|অ্যামাউন্ট)$/],
  currency: [/^(?:(?:order |payment |transaction )?(?:currency|ccy|curr)(?: code)?|মুদ্রা)$/],
  // The surest first: beside `Player ID` a `Player Name` is only a name.
  player_ref: [
    /^(?:player (?:ref|reference|id|no)|প্লেয়ার আইডি)$/,
    /^(?:(?:user|customer|client|member) (?:id|ref|reference|no)|গ্রাহক আইডি)$/,
    /^(?:(?:player |member |customer )?user ?name|(?:player |user )?uid|login id)$/,
    /^(?:player|member|client|customer|প্লেয়ার|গ্রাহক)$/,
    /^player name$/,
  ],
  platform_order_no: [/^(?:platform order (?:no|number|id)|প্ল্যাটফর্ম অর্ডার (?:নম্বর|নং|আইডি))$/],
  created_at: [
    /^(?:(?:order |created |creation |transaction |trans |txn |trx )?(?:date|time|date time|datetime|timestamp)|(?:created|ordered)(?: (?:at|on))?|date and time|তারিখ(?: ও সময়)?|সময়|অর্ডারের (?:তারিখ|সময়))$/,
  ],
}

/** How surely a header written by people means this column, 0 the surest; null if it does not, or the first cells below it contradict that. */
function meansColumn(mapping: LedgerMapping): NonNullable<HeaderRule<LedgerColumn>['means']> {
  const states = new Set(orderStates.flatMap((state) => mapping.status[state].map(foldWord)))
  const fits: Readonly<Partial<Record<LedgerColumn, (cell: string) => boolean>>> = {
    status: (cell) => states.has(foldWord(cell)),
    amount: (cell) => readLedgerAmount(cell).ok,
    created_at: (cell) => readWritten(cell) !== null,
  }
  return (column, header, below) => {
    const rank = rankOf(column, header)
    if (rank === null) return null
    const cells = below.map((cell) => cell.trim()).filter((cell) => cell !== '')
    // `State` may also be a part of a country.
    const fit = column === 'status' && plainHeader(header) !== 'state' ? undefined : fits[column]
    return fit === undefined || cells.length === 0 || cells.some(fit) ? rank : null
  }
}

function rankOf(column: LedgerColumn, header: string): number | null {
  const rank = usual[column]?.findIndex((pattern) => pattern.test(plainHeader(header))) ?? -1
  return rank < 0 ? null : rank
}

/** `Amount (BDT)` and `AMOUNT, Tk.` are `amount`; `Order No.` is `order no`. */
function plainHeader(header: string): string {
  const words = wordsOf(header).filter((word) => word !== '')
  const bare = words.filter((word) => !isBdt(word))
  return (bare.length > 0 ? bare : words.map(() => 'amount').slice(0, 1)).join(' ').normalize('NFKC')
}

/** Headers that seem to mean a column, in English and Bangla. */
const words: readonly (readonly [column: LedgerColumn, what: string, pattern: RegExp])[] = [
  ['status', 'a status', /^(?:.*status|state|result|outcome|অবস্থা|স্ট্যাটাস|স্থিতি)$/],
  ['amount', 'an amount', /^(?:.*amount|amt|value|sum|total|price|taka|tk|bdt|৳|টাকা|পরিমাণ|মূল্য|অঙ্ক|অ্যামাউন্ট)$/],
  ['currency', 'a currency', /^(?:.*currency|ccy|curr|মুদ্রা)$/],
  ['created_at', 'a date', /^(?:.*date|.*time|.*timestamp|created|updated|paid|day|তারিখ|সময়|দিন)$/],
]

/** Headers of columns with yes or no; `Approved By` is not one. */
const isDone = /^(?:is )?(?:credited|booked|paid|posted|approved|confirmed|settled|completed)$/
const isOfBooking =
  /^(?:(?:booked|credited|posted|settled|completed)(?: (?:at|on|date|time|date time|amount|amt|bdt|tk|taka))+|(?:credit|cr)(?: (?:amount|amt|bdt|tk|taka))*)$/
const isStep = /^(?:is )?(?:stage|progress|flag)$/

/**
 * A sentence for each header that looks like a status, an amount or a date if no such column is read, or like a second
 * status. A renamed header must not switch a check off without notice (docs/verdicts.md#the-window).
 */
export function unreadHeaders(header: Header, mapping: LedgerMapping): string[] {
  const others = otherStatuses(header, mapping)
  const looks = [...words, ['player_ref', 'the player'] as const]
  return looks.flatMap(([column, what]) => {
    const isRead = header.at[column] !== undefined
    const places =
      column === 'player_ref'
        ? likePlayer(header, mapping)
        : isRead && column === 'status'
          ? others
          : likeColumn(column, header, mapping)
    const like = places.map((at) => quoteCell(header.cells[at] ?? ''))
    const [first] = like
    if (first === undefined) return []
    const taken = isRead ? `, while ${quoteCell(header.found[column] ?? '')} is` : ''
    return [
      `${like.join(', ')} ${like.length > 1 ? 'look' : 'looks'} like ${what} and ${like.length > 1 ? 'are' : 'is'} not read${taken}: --column ${column}=${first} reads it as ${column}`,
    ]
  })
}

/** The places of headers that look like this column, if it is not read. */
export function likeColumn(column: LedgerColumn, header: Header, mapping: LedgerMapping): number[] {
  return header.at[column] === undefined ? unreadLike(header, mapping, (cell) => looksLike(column, cell)) : []
}

/** Several headers that mean the player equally: without one of them nothing holds an order for what its player got. */
function likePlayer(header: Header, mapping: LedgerMapping): number[] {
  if (header.at.player_ref !== undefined) return []
  return unreadLike(header, mapping, (cell) => rankOf('player_ref', cell) !== null)
}

/**
 * The place of the time of the day, if `created_at` has dates alone and one other column has the time: `Date` and `Time`. With a
 * column that a person chose for `created_at` only a time of its own name is read.
 */
export function clockBeside(
  header: Header,
  mapping: LedgerMapping,
  below: readonly (readonly string[])[],
): number | null {
  const {created_at: dateAt} = header.at
  if (dateAt === undefined) return null
  const isEvery = (place: number, isIt: (cell: string) => boolean) => {
    const cells = below.map((row) => row[place] ?? '').filter((cell) => cell.trim() !== '')
    return cells.length > 0 && cells.every(isIt)
  }
  // `Booking Time` is that of `Booking Date`, also where a person chose that.
  const stem = stemOf(header.cells[dateAt] ?? '')
  const isTime = (cell: string) =>
    (stem !== '' && stemOf(cell) === stem) ||
    (!isStated('created_at', mapping) && rankOf('created_at', cell) !== null)
  const [place, another] = unreadLike(header, mapping, isTime).filter((at) => isEvery(at, isClockAlone))
  return place === undefined || another !== undefined || !isEvery(dateAt, isDateAlone) ? null : place
}

function stemOf(header: string): string {
  return plainHeader(header).replace(/ ?(?:date|time|তারিখ|সময়)$/, '')
}

/** Words of headers that say when a row was booked, where `created_at` is the time of its order, the surest first. */
const bookedAt = [
  /^(?:credited|credit|booked|booking|posted|added|ক্রেডিট(?:ের)?|বুকিং(?:ের|য়ের)?)$/,
  /^(?:completed|completion|approved|processed|settled|confirmed|finished|closed|done|action|সম্পন্ন|অনুমোদ.*)$/,
  /^(?:updated?|modified|changed|edited|আপডেট|হালনাগাদ)$/,
]
/** `Paid At` says when the player paid, `Settlement Date` when the service pays the merchant; the others are of no order. */
const isOfOther =
  /^(?:paid|payment|created?|requested|ordered|settlement|value|due|expir.*|valid|by|id|no|number|ref|reference|kyc|player|customer|client|user|member|profile|login)$/

export function bookedPlaces(header: Header, mapping: LedgerMapping): number[] {
  return bookedAt.flatMap((word) =>
    unreadLike(header, mapping, (cell) => {
      const all = wordsOf(cell)
      return all.some((one) => word.test(one)) && !all.some((one) => isOfOther.test(one))
    }),
  )
}

const isTime = /^(?:at|on|date|time|ts|timestamp|সময়|তারিখ)$/

/** The places of other unread headers of times, whose cells show what they are: `Success Time`, `Posting Date`, `জমার সময়`. */
export function timePlaces(header: Header, mapping: LedgerMapping): number[] {
  return unreadLike(header, mapping, (cell) => {
    const all = wordsOf(cell).filter((one) => one !== '')
    return isTime.test(all.at(-1) ?? '') && !all.some((one) => isOfOther.test(one))
  })
}

/** The places of unread headers that say when or how much was booked. */
export function tellsOfBooking(header: Header, mapping: LedgerMapping): number[] {
  return unreadLike(header, mapping, (cell) =>
    isOfBooking.test(
      wordsOf(cell)
        .filter((word) => word !== '')
        .join(' '),
    ),
  )
}

/** The places of headers that look like a second status, unless a person chose the status column. */
export function otherStatuses(header: Header, mapping: LedgerMapping): number[] {
  if (header.at.status === undefined || isStated('status', mapping)) return []
  return unreadLike(
    header,
    mapping,
    (cell) => looksLike('status', cell) && !isStep.test(cell.trim().toLowerCase()),
  )
}

function unreadLike(header: Header, mapping: LedgerMapping, isLike: (cell: string) => boolean): number[] {
  return unreadPlaces(header, mapping).filter((at) => isLike(header.cells[at] ?? ''))
}

/** A status of the player, not of the order: `KYC Status`. */
const isOfPlayer = /^(?:kyc|player|customer|client|user|member|profile)(?: [^ ]+)? (?:status|state)$/

/** The places of unread columns that may say something about their orders. */
export function unreadPlaces({cells, at}: Header, {ignoredColumns}: LedgerMapping): number[] {
  const read = new Set(Object.values(at))
  const isLeft = (header: string) =>
    ignoredColumns.includes(header.trim()) || isOfPlayer.test(wordsOf(header).join(' ').trim())
  return cells.flatMap((header, place) => (read.has(place) || isLeft(header) ? [] : place))
}

function looksLike(column: LedgerColumn, header: string): boolean {
  return column === 'status' ? looksLikeStatus(header) : speaksOf(column, header)
}

export function looksLikeStatus(header: string): boolean {
  const plain = wordsOf(header)
    .filter((word) => word !== '')
    .join(' ')
  return isDone.test(plain) || isStep.test(plain) || speaksOf('status', header)
}

export function speaksOf(column: LedgerColumn, header: string): boolean {
  return words.some(
    ([name, , pattern]) => name === column && wordsOf(header).some((word) => pattern.test(word)),
  )
}

function wordsOf(header: string): string[] {
  return header
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}\p{Sc}]+/u)
}
