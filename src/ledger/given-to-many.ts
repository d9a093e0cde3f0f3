import {plainText} from '../core/order-no-fold.ts'
import {wordSet} from './booking-words.ts'

export const ofAll = wordSet(
  'all everything every each whole both entire everyone these those them they above below সব সকল সবগুলো সবগুলি সমস্ত গুলো গুলি যাবতীয় shob sob shobi sobi shobgulo sobgulo sokol gulo guli',
)
export const ofUnbooked = wordSet(
  'pending open outage outages downtime missing missed lost failed remaining rest others stuck unbooked undelivered unsent backlog leftover leftovers baki আউটেজ আউটেজের পেন্ডিং বাকি আটকে আটকানো ব্যর্থ',
)

/** Whole words, however they are spelt: nobody agrees on how to write Bangla in Latin letters. */
const spelt = (...forms: string[]) => new RegExp(`^(?:${forms.join('|').normalize('NFKC')})$`, 'u')
const past = '(?:s|c|ch|chh)(?:i|e|en|ilam|ilo)'

const persons = spelt(
  's?h?obai\\p{L}*|sh?obar|[jz]ader|[jz]ara|tader\\p{L}*|tara|oder\\p{L}*|everyone|everybody',
  '(?:player|user|customer|member|client|jon|lok|pl[ae]ya?r)(?:s|der|ra|er|ke|re|ke|joner)?|baki(?:der|ra)\\p{L}*',
  'সবাই[\\p{L}\\p{M}]*|সবার|যাদের|যারা|তাদের[\\p{L}\\p{M}]*|তারা|ওদের|জন[\\p{L}\\p{M}]*|প্লেয়ার[\\p{L}\\p{M}]*',
)
const things = spelt(
  'sh?[ou]b(?:i|ta|tai|kisu|kichu)?|sh?okol\\p{L}*|\\p{L}*gul[aoi]n?\\p{L}*|baki\\p{L}*|[jz](?:ot[ao]|eta|egul|oto)\\p{L}*|prott?h?ek\\p{L}*|miss',
  'সব[\\p{L}\\p{M}]*|সকল[\\p{L}\\p{M}]*|[\\p{L}\\p{M}]*গুল[াোি][\\p{L}\\p{M}]*|বাকি[\\p{L}\\p{M}]*|মিসিং|মিস',
)
const money = spelt('balan[cs]es?|taka|tk|coins?|chips?|points?|wallets?|ব্যাল[\\p{M}]*ন্স|টাকা|কয়েন')
const action = spelt(
  'add?|joma|jama|jog|yog|credit|recharge|top|topup|load|push|post|adjust|entry|book|clear|fix|approved?|settle|update|solve|manual|manually|hat[eh]|haate|hathe',
  'এড|এ্যাড|অ্যাড|এড্ড|যোগ|জমা|ক্রেডিট|রিচার্জ|আপডেট|পোস্ট|ক্লিয়ার|হাতে|ম্যানুয়াল',
)
const gave = spelt(
  `d(?:i|iy|iye|ie)(?:la?m|(?:s|c|ch|chh)(?:i|en|ilam|ilo)|(?:s|ch|chh)e)`,
  'দি(?:লাম|ছি|সি|ছে|য়েছি|য়েছে|য়েছেন|য়েছিলাম)',
)
const did = spelt(`ko?r(?:la?m|e?${past})`, 'কর(?:লাম|ছি|সি|ছে|েছি|েছে|েছেন)')
const doing = spelt('ko?r[ae]|koira|koriya|করা|করে|কইরা')
const giving = spelt('d(?:ew|ey|eo|aw|e)a|দেওয়া|দেয়া')
const ended = spelt(
  'h(?:oi|oy|oye|oe|ye|aye)?(?:s|c|ch|chh)(?:e|ilo)|hoilo|holo|hoy[ea]|sh?esh?|done|completed?|finish(?:ed)?',
  'হয়েছে|হইছে|হইসে|হয়েছিল|হয়ে|হলো|শেষ',
)
const got = spelt('p(?:ai|ay|eye|e)(?:s|ch|chh)(?:e|en)|peye|পেয়েছে|পাইছে|পাইসে|পেয়ে')
/** Behind a verb: not, must be, or whether it was. */
const denial = spelt(
  'n(?:a|ai|ei|i|ay)|kina|naki|ki|hob[eo]|hoy|hoi|hoyni|hoini|hoynai|kor\\p{L}*|না|নাই|নি|নেই|কিনা|নাকি|হবে|হয়|হয়নি',
)
/** `BO theke add korsi`: where staff book what the webhook did not, so it need not be said of which orders. */
const fromStaff =
  /(?<!\p{L})(?:b\.? ?o\.?|back[ -]?office|back[ -]?end|crm|cms|panel|admin|dashboard) (?:theke|thake|thike|diye|e)(?!\p{L})/u
const counted = /(?<!\p{N})\p{N}{1,3} ?(?:ta|ti|t?i?khana|টা|টি)(?![\p{L}\p{M}])/u
/** What people give, send or add to that is no money. */
const papers = spelt(
  'lists?|reports?|hish?ab|hisheb|sheets?|excel|files?|ledger|khata|note?s?|status|data|record|software|ss|screen|screenshots?|links?|info|msg|messages?|sms|mail|call|bole|jana\\p{L}*|janiye|likh?e|check|reminder|তালিকা|লিস্ট|হিসাব|রিপোর্ট|ফাইল|শিট|খাতা|মেসেজ|কল|জানিয়ে|লিখে|বলে|চেক',
  'bet[ao]n|salary|commission|bonus|expenses?|cancel\\p{L}*|reject\\p{L}*|hold|forward|বেতন|কমিশন|বোনাস|বাতিল',
)
/** Money that goes out of the till, not to players. */
const elsewhere =
  /(?<!\p{L})(?:bank|cash|office|company|boss|sir|malik|agent)\p{L}*(?: (?:e|te|a|ke|re|er))?(?!\p{L})/u

/**
 * Whether a sentence, mostly of Bangla in Latin letters, says that money was given to many, or that what was open was added:
 * `pending gula add korsi`, `jader deposit ase nai tader balance dilam`. The verb must be in the past and not denied.
 */
export function saysGivenToMany(text: string): boolean {
  return saysGiven(text, false)
}

/** The same of a sentence that is about no row: it need not say of which orders (`net chilo na, recharge kore disi`). */
export function saysGivenOutside(text: string): boolean {
  return saysGiven(text, true)
}

function saysGiven(text: string, isOfAny: boolean): boolean {
  if (text.trim().endsWith('?')) return false
  return plainText(text)
    .replace(/(?<!\p{L})b\. ?o\./gu, 'bo')
    .split(/[;!\n|।]|\.(?=\s|$)/u)
    .some((part) => isGiven(part.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [], part, isOfAny))
}

function isGiven(words: readonly string[], text: string, isOfAny: boolean): boolean {
  const isByStaff = fromStaff.test(text)
  const isOpen =
    isOfAny ||
    isByStaff ||
    counted.test(text) ||
    words.some((word) => ofAll.has(word) || ofUnbooked.has(word) || things.test(word))
  const isOfPersons = words.some((word) => persons.test(word))
  if (!(isOpen || isOfPersons)) return false
  const isOfPapers = words.some((word) => papers.test(word)) || elsewhere.test(text)
  return words.some((word, at) => {
    const next = words[at + 1] ?? ''
    if (denial.test(next)) return false
    if (word === 'got' && isOfPersons) return words.slice(at + 1, at + 4).some((one) => money.test(one))
    if (got.test(word)) return isOfPersons && (word !== 'peye' || /^g[eo]/u.test(next))
    const [before = '', first = ''] = [words[at - 1], words[at - 2]]
    const isMoney = [before, first, words[at - 3] ?? ''].some((one) => money.test(one))
    if (isOfPapers && !(isMoney && !elsewhere.test(text))) return false
    if (word === 'gave') return true
    if (isByStaff && at === words.length - 1 && action.test(word)) return true
    if (gave.test(word)) return doing.test(before) ? action.test(first) || money.test(first) : true
    if (did.test(word))
      return things.test(before) || action.test(before) || (doing.test(before) && action.test(first))
    if (!ended.test(word)) return false
    return giving.test(before) || action.test(doing.test(before) ? first : before)
  })
}

/** Whether a word speaks of more than one, by itself. */
export function ofMany(word: string): boolean {
  return ofAll.has(word) || things.test(word) || /^(?:jon\p{L}*|\p{L}{3,}der)$/u.test(word)
}

/** Whether a word is part of saying that money was given, and names nobody. */
export function isGivingWord(word: string): boolean {
  return (
    [money, action, gave, did, doing, giving, ended, got, denial].some((words) => words.test(word)) ||
    word === 'gave'
  )
}
