import {plainHeader} from './booking-words.ts'
import {isNo} from './cell-keys.ts'

/*
 * What an order has from its beginning: its owner, channel and time. `Agent`, `Reference` and `TrxID` are left out,
 * because they may belong to whoever booked it.
 */
const who =
  '(?:player|customer|client|user|member|account|acc|ac|a c|acct|payer|payee|beneficiary|recipient|receiver|holder)'
const attribute =
  '(?:id|no|num|number|uid|uuid|name|phone|phones|mobile|tel|telephone|cell|msisdn|whatsapp|contact|email|e mail|mail|address|city|district|country|language|nid)'
const more = `(?:${attribute}|code|title|type|level|tier|group|ref|reference)`
const channel =
  '(?:(?:(?:payment|bank) )?(?:channel|method|mode|gateway|provider|operator|wallet|mfs|bank)|shop|store|outlet|site|website|brand|branch|merchant|partner|affiliate|campaign|source|device|browser|platform|app|product|game|currency)'
const alone =
  '(?:id|uid|uuid|sl|sr|serial|row|line|index|no|date|time|date time|datetime|timestamp|day|month|year|(?:created|ordered|requested|placed)(?: (?:at|on|date|time|by))?|(?:creation|order|request) (?:date|time)|birthday|gender|ip|coupon|(?:bonus|promo|coupon|referral) code)'
const bangla =
  '(?:(?:গ্রাহক|প্লেয়ার|খেলোয়াড়|ব্যবহারকারী)(?:ের|র)? ?(?:নাম|আইডি|নম্বর|ফোন|মোবাইল)?|নাম|ফোন|মোবাইল|ফোন নম্বর|মোবাইল নম্বর|ইমেইল|ঠিকানা|চ্যানেল|মাধ্যম|ব্যাংক|ওয়ালেট|দোকান|শাখা|ক্রমিক|ক্রমিক নং|তারিখ|সময়)'
const prefix =
  '(?:full|first|middle|last|family|nick|user|wallet|bank|mobile|phone|cell|contact|email|serial|sl|row|line)'
const plain = new RegExp(
  `^(?:${who}(?: (?:${prefix} )?${more})?|(?:${prefix} )?${attribute}|(?:${who} )?${channel}(?: (?:${attribute}|code|type|branch))?|${alone}|${bangla.normalize('NFKC')})$`,
  'u',
)

/** What a player is or has, whoever books: `Username`, `VIP Level`, `Tags`, `First Deposit`. Bonus and balance come with a booking. */
const ofOwner = new RegExp(
  `^(?:${who} )?(?:user ?name|user ?id|player ?id|member ?id|login(?: id| name)?|nick ?name|level|vip(?: (?:level|tier|group|status|player))?|tier|rank|segment|tags?|risk(?: (?:level|score|rating|group|category))?|kyc(?: (?:level|status|tier))?|first(?: time)? deposit|ftd|is ftd|new (?:player|user|customer)|referr(?:er|al|ed by)|invited by|upline|domain|os|user agent|region|language|age(?: group)?|(?:deposit|login) count|(?:registered|registration|joined|last login|last seen)(?: (?:at|on|date|time))?|স্তর|লেভেল|ঝুঁকি)$`.normalize(
    'NFKC',
  ),
  'u',
)

/** Whether a cell says that nothing was given or taken besides the amount: a database writes that when it makes the row. */
export function isNoExtra({header, text}: {readonly header: string; readonly text: string}): boolean {
  return isNo(text) && ofExtra.test(headerWords(header))
}
const ofExtra =
  /^(?:bonus(?:es)?|fees?|charges?|discount|commission|cash ?back|rebate|turnover|vat|tax|tips?)(?: amount| bdt)?$/

/** Whether a column tells of the player only, so that no value of it may be of a booking. */
export function isOfOwner(header: string): boolean {
  return ofOwner.test(headerWords(header))
}

/** Below such a header stands what people choose or write, in any form. */
const freeText = /(?<!\p{L})(?:name|username|nickname|login|mail|address|ip|device|browser)$|নাম|ঠিকানা|ইমেইল/u
/** Below such a header stands a number that somebody gave, mostly in one form. */
const ofNumbers = /(?<!\p{L})(?:id|uid|no|num|number|code|ref|reference)$|আইডি|নম্বর|ক্রমিক/u

/** Whether a column with this header never says whether its orders were booked or paid. */
export function isPlainColumn(header: string): boolean {
  return plain.test(headerWords(header))
}

export function isFreeText(header: string): boolean {
  return freeText.test(headerWords(header))
}

export function isOfNumbers(header: string): boolean {
  return ofNumbers.test(headerWords(header))
}

/** The words of a header in small letters, with a blank between two. */
export function headerWords(header: string): string {
  const words = plainHeader(header)
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
  return words.filter((word) => word !== '').join(' ')
}
