import {plainText} from '../core/order-no-fold.ts'
import {amountsIn} from './amounts-in-text.ts'
import {hasBookingWord, wordSet} from './booking-words.ts'
import {withoutCounts} from './counts.ts'
import {isGivingWord, ofAll, ofMany} from './given-to-many.ts'
import {bareOf, isPlayerKey} from './hand-lists.ts'

/** Words that name nobody, beside those of bookings. Any other word may be a second player's name. */
const small = wordSet(
  'ke k er re ta ti tar taka tk bdt amount total sum balance balanc wallet account id user player customer member number no nr mobile phone of to for from in into on at by via with the a an was were is been be his her he she him this that today yesterday aj aaj kal gotokal por pore theke bo b o crm cms panel admin backend backoffice back office end dashboard deposit payment money coin coins point points chips callback callbacks webhook webhooks ipn server issue problem down late ase ashe aseni asheni asenai missing missed lost stuck failed credit credited manual entry reason bkash nagad rocket upay কে এর টাকা ব্যালেন্স ব্যালান্স প্লেয়ার ডিপোজিট',
)
/** Behind the sentence: who wrote it. */
const byStaff =
  /(?:\s+[-–—~]\s*|\s*\(\s*(?:by )?|\s+by )\p{L}[\p{L}\p{M}.]*(?: (?!and |ar )\p{L}[\p{L}\p{M}.]*)?\s*\)?[\s.]*$/u
const moments = /\d+(?:[-/.:]\d+){2,}|\d+[:/]\d+(?: ?[ap]m)?/gu
const listSigns = /[&+…]|\.\.|\d\s*[,;/]\s*\d{2,}(?!\d*[.,]\d{2}(?!\d))/u
const wordsMax = 5

interface Word {
  readonly text: string
  readonly from: number
  readonly end: number
}

/** Whether a text has an amount and what nothing else explains: a player's name or number. */
export function mayNameOne(text: string): boolean {
  if (!/\p{N}/u.test(text)) return false
  const plain = withoutCounts(plainText(text)).replace(moments, ' ')
  const numbers = plain.match(/\p{N}{2,}/gu) ?? []
  return numbers.length > 1 || (numbers.length > 0 && wordsOf(plain).some(isUnexplained))
}

/**
 * The names of the only player whom a sentence can be about: it has an amount, and no word that may be another's name or speak of
 * more. Null if that cannot be told. `whose`: the players whom a name, without its signs, means.
 */
export function namesOfOne(
  text: string,
  whose: (name: string) => readonly string[],
): readonly string[] | null {
  const plain = plainText(text).replace(byStaff, ' ').replace(moments, ' ')
  const words = wordsOf(plain)
  const found: {readonly name: string; readonly players: readonly string[]}[] = []
  let rest = plain
  for (let at = 0; at < words.length; at += 1)
    for (let length = Math.min(wordsMax, words.length - at); length > 0; length -= 1) {
      const [first, last] = [words[at], words[at + length - 1]]
      const name = bareOf(
        words
          .slice(at, at + length)
          .map((word) => word.text)
          .join(''),
      )
      const players = isPlayerKey(name) ? whose(name) : []
      if (!first || !last || players.length === 0) continue
      found.push({name, players})
      rest = rest.slice(0, first.from) + ' '.repeat(last.end - first.from) + rest.slice(last.end)
      at += length - 1
      break
    }
  const players = new Set(found.flatMap((one) => one.players))
  if (players.size !== 1 || listSigns.test(rest) || amountsIn(rest).length !== 1) return null
  const numbers = rest.match(/\p{N}[\p{N},.]*/gu) ?? []
  if (numbers.length !== 1 || wordsOf(rest).some(isUnexplained)) return null
  return [...players, ...found.map(({name}) => name)]
}

function wordsOf(plain: string): Word[] {
  return [...plain.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({0: text, index}) => ({
    ...{text, from: index, end: index + text.length},
  }))
}

function isUnexplained({text}: Word): boolean {
  if (/^\p{N}+(?:tk|taka|k|bdt|টাকা)?$/u.test(text)) return /^\p{N}{10,}$/u.test(text)
  if (ofAll.has(text) || ofMany(text)) return true
  return !(small.has(text) || isGivingWord(text) || hasBookingWord(text))
}
