import {clausesOf, plainHeader, wordSet, wordsOf} from './booking-words.ts'

/*
 * Words for an order whose money went back to the player, or is still to be given back, or that nobody may credit. Only
 * whole words count: `refundable` does not.
 */
const certain = wordSet(
  'refund refunds refunded refunding refnd rfnd reversed reversal chargeback chargebacks repaid repayment reimbursed reimbursement voided writeoff fraud fraudulent clawback ferot feroth ferat ferod pherot firot phirot firiye ফেরত ফেরৎ ফিরত ফিরিয়ে রিফান্ড রিফান্ডেড রিভার্স চার্জব্যাক প্রতারণা জালিয়াতি',
)
/** In columns without notes these mean other things. */
const soft = wordSet(
  'return returns returned returning reverse void hold block blocked blacklisted banned dispute disputed suspended suspicious scam sthogit স্থগিত',
)
/** Beside one of these, `returned` or `blocked` is about a program. */
const machines = wordSet(
  'webhook callback api server gateway endpoint http https url code response status timeout error null 401 403 404 429 502 503 504',
)
const money = wordSet('money amount tk bdt taka cash funds টাকা')
const phrases = [
  /(?<!\p{L})(?:charged?|pa(?:id|y)|sen[dt]|g[ai]ve|given|money|taka|tk|transferred|bkashed) (?:[\p{L}\p{N}]+ ){0,3}(?<!call )back(?! ?(?:office|end|up|date))(?!\p{L})/u,
  /(?<!\p{L})writ(?:e|ten|ing) off(?!\p{L})/u,
]
/** `do not credit`, but not `not credited` or `did not credit`: those are to be resent. */
const forbidden = [
  /(?<!\p{L})(?:(?:do|must|should|shall|may|to|please|pls|plz|kindly) (?:not|never)|dont|donot|never|mustnt|shouldnt|not to|no need to)(?: to)? (?:(?:re)?(?:credit|book|post|add|pay|process|settle|approve|resend|recharge)|be (?:re)?(?:credited|booked|posted|added|paid|processed|settled|approved|resent))(?!\p{L})/u,
  /(?<!\p{L})(?:credit|book|add|joma|jog|balance|taka|ক্রেডিট|বুক|জমা|যোগ|ব্যালেন্স|পরিশোধ|টাকা) (?:(?:kora|deya|dewa|deoa|করা|দেওয়া|দেয়া) )?(?:korben|korbe|korbo|korba|koro|korio|diben|deben|dibe|dio|hobe|jabe|করবেন|করবে|করো|কোরো|করিও|দেবেন|দিবেন|দেবে|দিবে|দিও|হবে|যাবে) (?:na|না)(?![\p{L}\p{M}])/u,
].map((pattern) => new RegExp(pattern.source.normalize('NFKC'), 'u'))

const denials = wordSet('no not non never without un nor didnt isnt wasnt hasnt havent dont না নাই')
const denialsAfter = wordSet(
  'n na nai ni hoyni hoini haini hoynai deyni dei dey না নাই নি নয় হয়নি হয়নাই দেয়নি দেইনি পায়নি released lifted removed rejected declined denied',
)
/** May stand between a word and its negation. */
const between = wordSet(
  'be been being is was has have the a any yet to of money taka টাকা kora hoy hoye deya dewa deoa diye dite hobe pay করা হয় দেওয়া দেয়া দিতে হবে',
)
/** `"refunded": false` */
const falsy = /["']?\s*[:=]\s*["']?(?:false|0+(?:\.0+)?|null|none|no|n|-)(?![\p{L}\p{N}])/giu

/** Kept cheap, because every cell is tested: ASCII text without one of these says none of it. */
const hints = new RegExp(
  [
    ...[...certain, ...soft].map((word) => word.slice(0, 4)),
    ...['back', 'off', 'not', 'never', 'need', "n't", 'dont', '(?:must|should)nt', 'na(?![a-z])'],
  ].join('|'),
  'i',
)

/** `isNotes`: the text is from a place where people write what they did. */
export function saysMoneyBack(text: string, isNotes: boolean): 'certain' | 'soft' | null {
  if (/^[\x20-\x7e]*$/.test(text) && !hints.test(text)) return null
  let isSoft = false
  for (const {words} of clausesOf(text.replace(falsy, ' nai, '))) {
    const plain = words.join(' ')
    if (forbidden.some((each) => each.test(plain))) return 'certain'
    const isDenied = words.some((word) => denials.has(word))
    if (!isDenied && phrases.some((each) => each.test(plain))) return 'certain'
    for (const [at, word] of words.entries()) {
      if (!(certain.has(word) || soft.has(word)) || isDeniedAt(words, at)) continue
      if (certain.has(word) || words.some((other) => money.has(other))) return 'certain'
      isSoft ||= !words.some((other) => machines.has(other))
    }
  }
  return isSoft && (isNotes || !wordsOf(text).includes(' ')) ? 'soft' : null
}

function isDeniedAt(words: readonly string[], at: number): boolean {
  let [before, after] = [at - 1, at + 1]
  while (between.has(words[before] ?? '')) before -= 1
  while (between.has(words[after] ?? '')) after += 1
  if (denials.has(words[before] ?? '') || denialsAfter.has(words[after] ?? '')) return true
  // `refund not possible` is negated, `refunded not credited` is not.
  return words[at + 1] === 'not' && !/(?:ed|id)$/.test(words[at] ?? '')
}

/** Headers about rules for every order, such as `Refund policy`, and not about this one. */
const ordinaryHeader =
  /(?<!\p{L})(?:url|link|polic\p{L}*|eligib\p{L}*|allow\p{L}*|can|may|deadline|until|window|days|scores?|rules?|check\p{L}*|limit)(?!\p{L})/iu

/** Whether the cells below this header tell of money that went back, or of orders that nobody may credit. */
export function headerSaysMoneyBack(header: string): boolean {
  const plain = plainHeader(header)
  return !ordinaryHeader.test(plain) && saysMoneyBack(plain, true) !== null
}

const nothing =
  /^(?:[\s\p{P}\p{S}]*|(?:tk|bdt|taka|[৳$])?[.\s]*[0০]+(?:[.,][0০]+)?\s*(?:tk|bdt|taka|টাকা|৳)?\s*(?:\/[-=])?|n|no|false|none|null|nil|n\/a|na|ok|okay|clear|cleared|clean|pass|passed|released|safe|low|normal|allowed|না|নাই|নেই|(?:not|no|un)(?!\p{L}).*)$/iu

/** Whether a cell below such a header means no. */
export function saysNoMoneyBack(text: string): boolean {
  return nothing.test(text.trim())
}
