import type {OrderKind} from '../../core/order.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RememberedRow} from '../../journal/memory-rows.ts'
import {saysNotBooked} from '../../ledger/booking-words.ts'
import {saysMoneyBack} from '../../ledger/money-back.ts'
import {leavingOut, quoteCell} from '../../ledger/quotation.ts'

/** Words beside a denial that take it back, or deny only a part: `player got it, not booked in the panel`. */
const notPlain =
  /\?|(?<!\p{L})(?:but|by|twice|sure|maybe|perhaps|says?|said|g[ai]ve[ns]?|got|took|ha[ds]|have|cash|coins|money|paid)(?!\p{L})/iu
const plainWordsMax = 6

/**
 * Whether a person's note holds the resend: a note is rare, and one that does not plainly deny the booking may tell of it in any
 * words.
 */
export function holdsResend(note: string): boolean {
  const isPlain = !notPlain.test(note) && (note.match(/[\p{L}\p{M}]+/gu) ?? []).length <= plainWordsMax
  return !isPlain || !saysNotBooked(note) || saysMoneyBack(note, true) !== null
}

/** The note on the order that holds its resend, as `describeNote` says it; asked again just before the send. */
export async function noteOn(
  journal: Pick<Journal, 'itemEvents'>,
  kinds: readonly OrderKind[],
  orderNo: string,
): Promise<string | null> {
  for (const kind of kinds) {
    const last = (await journal.itemEvents(kind, orderNo)).findLast(({what}) => what === 'noted')
    if (last && holdsResend(last.text)) return describeNote(last, orderNo)
  }
  return null
}

/** The note that holds it, and how a person takes it back. */
export function describeNote(
  {by, text}: {readonly by: string; readonly text: string},
  orderNo: string,
): string {
  return `${escapeInvisible(by, 120)} noted ${quoteCell(text)}. If it is not booked, note that: hisab items note ${quoteForShell(escapeInvisible(orderNo))} --text "not booked".`
}

/** The words in another run's ledger, in brackets with a blank before them; empty where only their digest was kept. */
export function saidIn({note, orderNo: text}: RememberedRow): string {
  return note === 'sentence' || note === 'file name' || note === 'numbers' ? ` (${quoteCell(text)})` : ''
}

/** The flag that leaves such words out, as a sentence with a blank before it; empty if there is none. */
export function wayOutOf({note, orderNo: text}: RememberedRow): string {
  return note === 'sentence' || note === 'file name' ? ` ${leavingOut(text)}.` : ''
}
