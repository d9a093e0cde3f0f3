import {orderStates} from '../core/order.ts'
import type {LedgerMapping} from '../core/profile.ts'
import type {LedgerEntry} from '../core/reconcile/entry.ts'
import {corruptFile} from './corrupt-file.ts'
import type {Header} from './header.ts'
import {otherStatuses} from './header-words.ts'
import {quoteCell} from './quotation.ts'

/** What people write of rows, beside the words of the profile. */
const booked = ['yes', 'true', '1', 'done', 'booked', 'posted']
const unbooked = [
  ...['unpaid', 'unsettled', 'unbooked', 'not paid', 'not booked'],
  ...['no', 'false', '0', 'due', 'waiting'],
]

/** Whether a word says that its row is booked; null for a word that says neither. */
export function bookingReader(mapping: LedgerMapping): (word: string) => boolean | null {
  const meanings = new Map<string, boolean>([
    ...booked.map((word) => [word, true] as const),
    ...unbooked.map((word) => [word, false] as const),
    ...orderStates.flatMap((state) =>
      mapping.status[state].map((word) => [word.toLowerCase(), state === 'completed'] as const),
    ),
  ])
  return (word) => meanings.get(word.trim().toLowerCase()) ?? null
}

/** Whether a word is a state in which nothing is booked yet, and no plain yes or no. */
export function isOpenWord(word: string | null, {status}: LedgerMapping): boolean {
  const plain = word?.trim().toLowerCase()
  const open = [...status.open, ...status.failed, 'not booked', 'unbooked', 'not credited', 'awaiting']
  return open.some((each) => each.toLowerCase() === plain)
}

/** Refuses a file in which another column contradicts the one that is read as status: a person must say which counts. */
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

/** Words by which people write that they booked something themselves, or that somebody did. */
const byHand = /(?<!\p{L})(?:by hand|hand|manual|manually|handbooked)(?!\p{L})|হাতে|ম্যানুয়াল|ম্যানুয়াল/iu
const bookingWords =
  /(?<!\p{L})(?:book|booked|booking|credit|credited|credits|paid|posted|done|given|added|adjusted|adjustment|settled|entered|fixed|corrected|topped)(?!\p{L})|বুক|জমা|পরিশোধ|দেওয়া|দেওয়া/iu

export function saysByHand(text: string): boolean {
  return byHand.test(text)
}

export function saysBooked(text: string): boolean {
  return byHand.test(text) || bookingWords.test(text)
}

/** Of what is still to be done, or was not. */
const notYet =
  /(?<!\p{L})(?:not|never|no|isnt|wasnt|un|yet|to be|will|would|if|when|pending|awaiting|waiting|please|pls|need|needs|must|should|fail|failed)(?!\p{L})|n't|n’t|না|নি(?!\p{L})|বাকি/iu

/** Whether a remark in the row of an order says that it was booked. */
export function saysOwnBooked(text: string): boolean {
  return bookingWords.test(text) && !notYet.test(text)
}
