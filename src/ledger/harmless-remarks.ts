import {hasBookingWord, wordSet, wordsOf} from './booking-words.ts'

/** What people note of a player or of a talk with him: none of it says that an order was booked, or that it must not be. */
const harmless = new Set(
  `a an the of and no with from for by on via at to in is was has had his her player customer user member new old regular vip gold silver
  bonus promo code offer eid puja campaign cashback claim claimed request requested first second third nd st rd th deposit dep
  kyc pending verified agent counter live chat msg sms message whatsapp wa telegram imo messenger fb facebook
  phone mobile number off call called busy knock kall e te ta er bolse bole change changed wait waiting follow up level referral refer`.split(
    /\s+/,
  ),
)

/** Whether a remark has nothing but such words, numbers and the name behind `agent`. */
export function isHarmlessRemark(text: string): boolean {
  const bare = text
    .replace(/(?<!\p{L})agent[\s:-]+\p{L}+/giu, 'agent')
    .replace(
      /(?<!\p{L})(?:msg|message|sms|call|knock|reply)\s+(?:dise|disi|diyeche|korse|koreche)(?!\p{L})/giu,
      'msg',
    )
  const words = wordsOf(bare).split(' ')
  return words.every((word) => harmless.has(word)) && words.some((word) => word !== '')
}

/** Words of a note that may say that a booking was wrong, was taken back, or is still to be made. */
const doubts = wordSet(
  'nei nil none zero fail failure cancel cancelled canceled delete deleted removed wrong mistake error issue problem dup duplicate double twice again undo minus debit debited deduct deducted withdraw withdrawal reject rejected decline declined complaint claim open unpaid later check recheck verify review test invalid expired timeout missing lost other another swapped transfer moved void money tk taka bdt cash batil vul bhul dobar kete kata নেই ভুল বাতিল সমস্যা ডাবল দুবার কাটা কেটে ফেল টাকা',
)

/** A few words, without numbers, that doubt nothing and are not of bookings. */
export function isHarmlessNote(text: string): boolean {
  const words = wordsOf(text).split(' ')
  if (!/^[\p{L}\p{M}\s.,&'()/-]+$/u.test(text) || hasBookingWord(text)) return false
  return words.length <= 4 && !words.some((word) => doubts.has(word))
}
