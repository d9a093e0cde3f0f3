import {plainText} from '../core/order-no-fold.ts'
import {saysGiving, saysNotBooked, saysOwnBooked} from './booking-words.ts'
import {trouble} from './statements.ts'

/** More than one order or player. */
const many = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])(?:${[
    'all|every(?:one|body|thing)?|rest|others|ones|these|those|remaining|backlog|players|customers|users|members|clients',
    '(?:[3-9]|[1-9]\\p{N}{1,2}) ?(?:t[ai]|jon\\p{L}*|khana|(?:\\p{L}+ )?(?:orders?|deposits?|টা|টি|জন\\p{M}*))|next \\p{N}+',
    's[h]?[ou]b(?:ai\\p{L}*|ar|i|gul\\p{L}*)?|\\p{L}*gul[aoi]n?|[tj]ader|[jt]ara|(?:custom\\p{L}*|player|user|member|client|baki|jon) ?der',
    'সব\\p{L}*|সবাই\\p{M}*|[\\p{L}\\p{M}]*গুল[াোি]|[\\p{L}\\p{M}]*দের',
  ].join('|')})(?![\\p{L}\\p{M}\\p{N}])`,
  'iu',
)
const orders = /(?<!\p{L})(?:orders|deposits|payments)(?!\p{L})/iu
/** From one time to another. */
const period =
  /\p{N}{1,2}(?:[:.]\p{N}{2})? ?(?:[ap]\.?m\.?)? ?(?:-|–|to|till|theke|থেকে) ?\p{N}{1,2}(?:[:.]\p{N}{2}| ?[ap]\.?m)/iu
/** What else people do with what is open: beside words of many nobody can list them all. */
const did =
  /(?<![\p{L}\p{M}])(?:(?:load|recharg|push|updat|solv|sort|refill|clear|compensat|handl|manag)\p{L}*|served|sent|processed|topp?(?:ed|ing)? ?up|tul[ei]|dhuk\p{L}*|pathai\p{L}*|mar[ae]|disi|d[ei]l\p{L}*|diy\p{L}*)(?![\p{L}\p{M}])/iu
/** What is done to players and papers, and is no booking. */
const papers =
  /(?<![\p{L}\p{M}])(?:kyc|nid|docs?|documents?|papers?|list|report|hish?ab|sheets?|sms|msg|messages?|calls?|called|screen ?shots?|ss|info|details|bonus\p{L}*|checked|verified|thik)(?![\p{L}\p{M}])/iu

/**
 * Whether a remark beside a row speaks of more orders than that row's, as of work that somebody did: `total 6 jon ke dise`, `all
 * pending of 28 Nov done`, `outage players sorted`.
 */
export function speaksOfMany(text: string): boolean {
  const plain = plainText(text)
  if (
    /^all \p{L}+\W*$/u.test(plain) ||
    text.trim().endsWith('?') ||
    papers.test(plain) ||
    saysNotBooked(text)
  )
    return false
  if (!(saysGiving(text) || did.test(plain) || saysOwnBooked(text, true) !== null)) return false
  return many.test(plain) || period.test(plain) || (trouble.test(text) && orders.test(plain))
}
