/*
 * Numbers beside words of a booking that are no order's: how many were booked, how much it was together, and when. Read of a
 * plain text (`plainText`).
 */
const counted =
  'orders?|deposits|payments|credits|transactions|t(?:rans|xn|rx)s|rows|entries|bookings|adjustments|requests|players?|users?|customers?|members?|clients?|people|persons?|callbacks|webhooks|items|cases|ones|nos|pcs|pending|failed|missing|missed|stuck|অর্ডার|ডিপোজিট|প্লেয়ার|প্লেয়ার|পেমেন্ট'
const classifier = 'টি|টা|টার|জন|জনের|জনকে|খানা|ti|ta|tar|jon|joner|jonke|khana'
const month = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const clock = String.raw`\d{1,2}(?:[:.]\d{2})?`
const upTo = String.raw`\s*(?:-{1,2}|to|till|until|theke|থেকে|হতে)\s*`
const notBehind = String.raw`(?<![\p{L}\p{N}#/-])(?<!(?:order|deposit|number|no|nr|id)[ .:#]{1,2})`
const behind = String.raw`(?![\p{L}\p{M}\p{N}])`

const patterns = [
  String.raw`${notBehind}\d{1,4} ?(?:${classifier})${behind}`,
  String.raw`${notBehind}\d{1,4} (?:(?!and |or |by )\p{L}+ ){0,2}(?:${counted})${behind}`,
  String.raw`(?<!\p{L})(?:total|sum|count|qty|quantity|amount|amt|worth|mot|মোট)\.?\s*[:=]?\s*\d[\d,.]*`,
  String.raw`(?<!\d)${clock}(?: ?[ap]\.?m\.?)?${upTo}${clock} ?[ap]\.?m(?!\p{L})`,
  String.raw`(?<!\d)${clock} ?[ap]\.?m(?!\p{L})`,
  String.raw`(?<!\p{N})\d{1,4} ?(?:h|hrs?|hours?|mins?|minutes?|days?|oclock|bajer?|ghonta|tarikh|ঘণ্টা|মিনিট|দিন|তারিখ|%)${behind}`,
  String.raw`(?<!\p{L})(?:hour|day|week|page|shift|ticket|incident|case)[ #:.-]{0,2}\d+(?!\d)`,
  String.raw`(?<!\d)\d{1,2}(?:st|nd|rd|th)(?: of)?(?:[ -]?(?:${month})\p{L}*)?(?!\p{L})`,
  String.raw`(?<!\d)\d{1,2}[ -]?(?:${month})\p{L}*|(?<!\p{L})(?:${month})\p{L}* \d{1,2}(?!\d)`,
  String.raw`(?<![\d/-])(?:0?[1-9]|[12]\d|3[01])[/-](?:0?[1-9]|1[0-2])(?![\d/-])`,
].map((pattern) => new RegExp(pattern, 'gu'))

/** Fills with a character that does not count as a sign between numbers. */
export function blank(found: string): string {
  return '¦'.repeat(found.length)
}

/** The text with its counts, sums and moments filled with a sign that counts for nothing. */
export function withoutCounts(plain: string): string {
  return patterns.reduce((text, pattern) => text.replace(pattern, blank), plain)
}
