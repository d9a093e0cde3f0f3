import {wordsOf} from './booking-words.ts'

/** Whether a column says who the player is; a telephone is in the wallet's own statement as well. */
export function isPayerHeader(header: string): boolean {
  return payerHeader.test(wordsOf(header))
}

/** Whether a column has telephones, of the player or of his wallet. */
export function isTelephoneHeader(header: string): boolean {
  return telephoneHeader.test(header)
}
const telephoneHeader =
  /(?<!\p{L})(?:mobile|phone|telephone|tel|cell|msisdn|contact|whatsapp|wallet ?no|wallet ?number)(?!\p{L})|মোবাইল|ফোন/iu

/** One form of a Bangladeshi mobile number, as `01711000057`; null for anything else. */
export function telephoneOf(bare: string): string | null {
  const [, digits] = /^(?:(?:00)?88)?0?(1[3-9]\d{8})$/.exec(bare) ?? []
  return digits === undefined ? null : `0${digits}`
}

const payerHeader =
  /(?:^| )(?:player|user|username|login|customer|member|client|name|payer|খেলোয়াড়|খেলোয়াড়|নাম)(?= |$)/u
