import {plainText} from '../core/order-no-fold.ts'
import {clausesOf, doneWords, handWords, saysBooked, saysOwnBooked, wordSet} from './booking-words.ts'
import {ofAll as all, saysGivenToMany, ofUnbooked as unbooked} from './given-to-many.ts'

/** A sentence outside of rows about bookings. `isOfAll`: of all orders, or all open ones; else it does not say which. */
export interface Statement {
  readonly isOfAll: boolean
}

/** May follow any word of booking. */
const pastBangla = wordSet(
  'হয়েছে হয়েছিল করেছি করা করেছে করেছেন hoyeche hoyse hoise hoyechilo korechi korsi korse korche korechen kora',
)
const past = wordSet('was were been got').union(pastBangla)
/** These mean a booking only together with a word about the orders. */
const doneOfAll = wordSet('done clear cleared closed fixed ডান জমা')
const booking = wordSet('booking bookings entry entries credits adjustments')
/** Automatic processes are described by these words, too. */
const ofReports = wordSet('processed recorded entered handled resolved')

const byHand = /(?<!\p{L})(?:by[ -]?hand|manually|mnl|haate)(?!\p{L})|হাতে|ম্যানুয়ালি/u
const byItself = /(?<!\p{L})by (?:the )?(?:auto|system|webhook|callback|gateway|api|bot)/u
/** `credited by karim`; no title of a sum, as `credited by bKash`. */
const byName =
  /(?<!\p{L})(?:credited|given|adjusted|compensated|(?:credited|added|paid) to (?:the )?(?:players?|users?|wallets?|balances?)) by (?!(?:viz|auto|system|bkash|nagad|rocket|bank|channel|method|wallet|type|status|date|day|week|month|hour|amount|player|agent|order|and|or)(?!\p{L}))\p{L}/u
const request =
  /(?<!\p{L})(?:please|pls|plz|kindly|not|dont|never|must|should|will|to) (?:\p{L}+ )?(?:book|credit|post|add|enter|settle|adjust|give|do)(?!\p{L})|^(?:book|credit|post|add|enter|settle|adjust|give) |(?<!\p{L})(?:if|once|when|unless)(?!\p{L})/u
/** The sentence is about the file, not about an order. */
const ofFile = /(?<!\p{L})(?:export|file|print|creat|prepar|compil|typed|written|generat|report|list)/u
const ofTitles = /^(?:(?:deposit|payment|transaction|payout|credit|amount)s?|and|or)$/
const nouns = /^(?:(?:order|row|item|entrie|entry)s?|and|or)$/

const colours =
  /(?<!\p{L})(?:green|red|yellow|blue|orange|pink|gr[ae]y|purple|brown|colou?r(?:s|ed)?|highlight(?:s|ed)?|সবুজ|লাল|হলুদ|নীল|কমলা|রঙ|রং)(?![\p{L}\p{M}])/iu

/** Said of orders in any words: they were dealt with, or must not be resent. */
const dealtWith =
  /(?<!\p{L})(?:(?:do not|don['’]?t|must not|should not|not to|never|no need to|no need for an?) (?:be )?re-?sen[dt]|re-?send(?:ing)? (?:is )?(?:not|un)[ -]?(?:needed|required|necessary)|already (?:paid out|handled|sorted|given|got|credited|booked)|(?:everyone|everybody|all players) (?:got|has|have)|(?:paid(?: out)?|updated|adjusted|cleared|credited)(?: \p{L}+){0,3} (?:stuck|missing|lost) (?:players?|orders?|deposits?|ones))(?!\p{L})/iu

const whatWasOpen =
  '(?:pending|stuck|backlog|missed|missing|পেন্ডিং)(?:[ :]+(?:ones|orders?|deposits?|rows?|payments?|players?|er|gulo|গুলো|all|now|already|are|were|was|is))*'
const ended = '(?:clear(?:ed)?|fixed|approved|released|reconciled|pushed|ok|okay|compensated|ক্লিয়ার|ক্লিয়ার)'
/** Said of what was open, or of players and their balances, as of work that somebody did. */
const endedByHand = new RegExp(
  `(?<!\\p{L})(?:${[
    `${whatWasOpen}[ :]+${ended}(?= (?:by|manually|with|to|from|at|kora|করা|hoise)(?![\\p{L}\\p{M}])|[ .!✓]*$)`,
    `(?:fixed|cleared|approved|released|reconciled) (?:all |the )*(?:pending|stuck|backlog|missed|missing)`,
    '(?:players?|wallets?|balances?) (?:are |were |already |have |been |got )*(?:compensated|topped up|got (?:their|the) (?:money|balance|credit))',
    'added to (?:the |their )?(?:balances?|wallets?)',
    '(?:dewa|deya|diye deya|diye dewa) (?:hoise|hoyse|hoyeche|hoeche)',
    '(?:add|push|clear|fix) (?:kora|kore|kori) ?(?:hoise|hoyse|hoyeche|hoeche|disi|dichi|diyechi|dilam)',
    '(?:দেওয়া|দেওয়া|দেয়া|দেয়া) (?:হয়েছে|হয়েছে|হইছে)',
  ].join('|')})(?![\\p{L}\\p{M}])`,
  'iu',
)

const given =
  'done|cleared|credited|completed|solved|resolved|settled|given|added|adjusted|compensated|fixed|corrected|loaded|pushed|posted|recharged|topped up|paid|recharge'
const titles = '(?:orders?|deposits?|transactions?|payments?|payouts?|amounts?|credits?|entries|and|or)'
const places = '(?:b\\.? ?o\\.?|crm|cms|back[ -]?end|back[ -]?office|(?:admin[ -])?panel|dashboard)'
/** Where staff book what the webhook did not; no title, as `Credited deposits from admin panel`. */
const byStaff = new RegExp(
  `(?<!\\p{L})(?<!(?:not|never|be|will|to|if|when|once|auto) )(?:${given})(?: (?!${titles} )\\p{L}+){0,2} (?:(?:by|in|from|through|via|at|on) (?:the |our )?|[-–(/@] ?(?=b\\.? ?o|back|crm))(?:${places}|cs|ops|operations?|support|staff|admin\\p{L}*|db|database|devs?|developers?|team)(?!\\p{L})`,
  'iu',
)

const told =
  '(?:web ?hooks?|call ?backs?|ipns?|servers?|gateways?|apis?|systems?|sites?|websites?|networks?|databases?|db)'
const broken =
  '(?:down|dead|offline|fail\\p{L}*|issues?|problems?|errors?|stuck|lost|missed|missing|time ?outs?|timed out|late|delay\\p{L}*|hang\\p{L}*|hung|crash\\p{L}*|s[oh]*m[oa]s{1,2}h?a|jhamela|সমস্যা|ডাউন|বন্ধ|ফেইল|ফেল)'
/** Why webhooks were lost. */
export const trouble = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:outages?|down ?time|incident|আউটেজ\\p{L}*|ডাউনটাইম\\p{L}*|${told}(?: (?:is|was|were|had|has|an?|got|er|response|service))* ${broken}|(?:failed|missed|missing|lost|stuck|late|delayed) ${told})(?![\\p{L}\\p{M}])`,
  'iu',
)
/** The rest of the sentence tells of a booking: no title, no count of one. */
const gave = new RegExp(
  `(?<!\\p{L})(?<!(?:not|never|un|non|be|will|to|auto|and|or|=) ?)(?:${given})(?! (?:${titles}|automatically)(?!\\p{L}))(?! *[:=]? *\\p{N}+ *(?:[,;|.]|$))(?!\\p{L})`,
  'iu',
)

/** `No orders booked by hand`, `Manual credits: 0`, and nothing else. */
const ofNone =
  /^\W*(?:(?:0|no|nil|zero|none)(?: (?:of|the|orders?|deposits?|payments?|were|was|is|are|been|manual|manually))* (?:booked|credited|posted|given|added|adjusted|credits?|adjustments?|bookings?|entries)(?: by hand| manually)?|[^,;]*(?:hand|manual|manually|credits?|entries|adjustments?|bookings?|হাতে|জমা)\s*[:=-]*\s*(?:0+(?:\.0+)?|nil|none|zero|শূন্য))\W*$/u

/** Whether a text explains the colour of rows as their booking: hisab reads no colours. */
export function isLegend(text: string): boolean {
  return colours.test(text) && (saysBooked(text) || saysOwnBooked(text, true) !== null)
}

/**
 * Whether a sentence outside of rows says that orders were booked. Usual titles (`Paid orders only`, `Deposits
 * credited`, `Manual deposits`) do not: they have no word for work by hand, for open orders or for the past.
 */
export function statesBooking(text: string): Statement | null {
  if (isLegend(text) || dealtWith.test(text) || endedByHand.test(text.trim()) || saysGivenToMany(text))
    return {isOfAll: true}
  if (saysNone(plainText(text))) return null
  if (countByHand.test(text.trim())) return {isOfAll: false}
  let [hand, done, isStated, isOfAll] = [false, false, byStaff.test(text), false]
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
      ((byHand.test(plain) || has(pastBangla)) && !ofFile.test(plain)) ||
      (isOfOrders && handWords.has(words.at(-1) ?? ''))
    if (clause.hand && (isDone || clause.soft || has(booking) || isByHand)) isStated = true
    else if (isDone) isStated ||= has(past) || byName.test(plain) || isOfWhatWasOpen(words)
  }
  if (!isStated && trouble.test(text) && tellsOfGiving(text)) return {isOfAll: false}
  return isStated || (hand && done) ? {isOfAll} : null
}

/** `6 ta hate`, `Manual: 6`, and no more. */
const countByHand =
  /^\p{N}{1,3} ?(?:ta|ti|jon|orders?|deposits?|players?|টা|টি|জন) (?:hat[eh]\p{L}*|haate|by hand|manual(?:ly)?|হাতে)[.!]?$|^(?:hat[eh]\p{L}*|haate|by hand|manual(?:ly)?|হাতে)(?: *[:=] *| [-–] )[1-9]\p{N}{0,2}[.!]?$/iu

/** `All pending credited by hand, open orders: 0` says so of something else. */
function saysNone(plain: string): boolean {
  const words = plain.match(/[\p{L}\p{M}]+/gu) ?? []
  return ofNone.test(plain) && !words.some((word) => all.has(word) || unbooked.has(word))
}

/** Said of a trouble, as of what was done about it. */
function tellsOfGiving(text: string): boolean {
  const isRequest = [...clausesOf(text)].some(
    ({words, isDenied}) => isDenied || request.test(words.join(' ')) || byItself.test(words.join(' ')),
  )
  return !isRequest && gave.test(text)
}

/** `all pending credited`, but no title: `all credited deposits`, `pending and booked orders`, `booked 40 pending 3`. */
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
