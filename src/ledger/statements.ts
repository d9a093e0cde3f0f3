import {clausesOf, doneWords, handWords, saysBooked, saysOwnBooked, wordSet} from './booking-words.ts'

/** What a sentence that stands by itself says of bookings: of all orders, or of all that were open, or not of which. */
export interface Statement {
  readonly isOfAll: boolean
}

const all = wordSet(
  'all everything every each whole both entire everyone these those them they above below সব সকল সবগুলো সবগুলি সমস্ত গুলো গুলি যাবতীয় shob sob shobi sobi shobgulo sobgulo sokol gulo guli',
)
const unbooked = wordSet(
  'pending open outage outages downtime missing missed lost failed remaining rest others stuck unbooked undelivered unsent backlog leftover leftovers baki আউটেজ আউটেজের পেন্ডিং বাকি আটকে আটকানো ব্যর্থ',
)
/** Behind any word of booking. */
const pastBangla = wordSet(
  'হয়েছে হয়েছিল করেছি করা করেছে করেছেন hoyeche hoyse hoise hoyechilo korechi korsi korse korche korechen kora',
)
const past = wordSet('was were been got').union(pastBangla)
/** Words of booking that are none where nobody says of what. */
const doneOfAll = wordSet('done clear cleared closed fixed ডান জমা')
const booking = wordSet('booking bookings entry entries credits adjustments')
/** What runs by itself does so, too. */
const ofReports = wordSet('processed recorded entered handled resolved')

const byHand = /(?<!\p{L})(?:by[ -]?hand|manually|mnl|haate)(?!\p{L})|হাতে|ম্যানুয়ালি/u
const byItself = /(?<!\p{L})by (?:the )?(?:auto|system|webhook|callback|gateway|api|bot)/u
const request =
  /(?<!\p{L})(?:please|pls|plz|kindly|not|dont|never|must|should|will|to) (?:\p{L}+ )?(?:book|credit|post|add|enter|settle|adjust|give|do)(?!\p{L})|^(?:book|credit|post|add|enter|settle|adjust|give) |(?<!\p{L})(?:if|once|when|unless)(?!\p{L})/u
/** Of the file, not of an order. */
const ofFile = /(?<!\p{L})(?:export|file|print|creat|prepar|compil|typed|written|generat|report|list)/u
const ofTitles = /^(?:(?:deposit|payment|transaction|payout|credit|amount)s?|and|or)$/
const nouns = /^(?:(?:order|row|item|entrie|entry)s?|and|or)$/

const colours =
  /(?<!\p{L})(?:green|red|yellow|blue|orange|pink|gr[ae]y|purple|brown|colou?r(?:s|ed)?|highlight(?:s|ed)?|সবুজ|লাল|হলুদ|নীল|কমলা|রঙ|রং)(?![\p{L}\p{M}])/iu

/** Whether a text tells what the colour of rows means for their booking: hisab reads no colours. */
export function isLegend(text: string): boolean {
  return colours.test(text) && (saysBooked(text) || saysOwnBooked(text, true) !== null)
}

/**
 * Whether a sentence says that orders were booked, apart from their rows. A usual title (`Paid orders only`, `Deposits
 * credited`, `Manual deposits`) does not: it has no word of a hand's work, of what was open, or of the past.
 */
export function statesBooking(text: string): Statement | null {
  if (isLegend(text)) return {isOfAll: true}
  let [hand, done, isStated, isOfAll] = [false, false, false, false]
  for (const {words, ...clause} of clausesOf(text.replace(/:(?!\s*\d)|\s[-–—]+\s/gu, ' viz '))) {
    const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word))
    const isOfOrders = has(all) || has(unbooked)
    isOfAll ||= isOfOrders
    const plain = words.join(' ')
    if (request.test(plain) || byItself.test(plain)) continue
    const isDone = clause.done || (clause.soft && !clause.isDenied && (has(doneOfAll) || has(pastBangla)))
    hand ||= clause.hand
    done ||= clause.done
    const isByHand =
      (byHand.test(plain) && !ofFile.test(plain)) || (isOfOrders && handWords.has(words.at(-1) ?? ''))
    if (clause.hand && (isDone || clause.soft || has(booking) || isByHand)) isStated = true
    else if (isDone) isStated ||= has(past) || isOfWhatWasOpen(words)
  }
  return isStated || (hand && done) ? {isOfAll} : null
}

/** `all pending credited`, no title such as `all credited deposits`, `pending and booked orders` or `booked 40 pending 3`. */
function isOfWhatWasOpen(words: readonly string[]): boolean {
  const isCount = (at: number) => /^\p{N}/u.test(words[at + 1] ?? '')
  const isOpen = words.some((word) => unbooked.has(word))
  const isCounted = words.some((word, at) => unbooked.has(word) && isCount(at))
  if (!isOpen && !words.some((word) => all.has(word))) return false
  return words.some((word, at) => {
    const isDone = (doneWords.has(word) && (isOpen || !ofReports.has(word))) || doneOfAll.has(word)
    const [before = '', next = ''] = [words[at - 1], words[at + 1]]
    const isTitle = ofTitles.test(next) || nouns.test(next) || /^(?:and|or)$/.test(before)
    const isTitleOfAll = !isOpen && ofTitles.test(before) && next !== 'by'
    return isDone && !isTitle && !isTitleOfAll && !(isCounted && isCount(at))
  })
}
