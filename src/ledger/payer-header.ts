import {wordsOf} from './booking-words.ts'

/** Whether a column says who the player is; a telephone is in the wallet's own statement as well. */
export function isPayerHeader(header: string): boolean {
  return payerHeader.test(wordsOf(header))
}
const payerHeader =
  /(?:^| )(?:player|user|username|login|customer|member|client|name|payer|খেলোয়াড়|খেলোয়াড়|নাম)(?= |$)/u
