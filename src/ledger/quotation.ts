import {maskPhone, visible} from '../core/text.ts'

const lengthMax = 40
const walletNumbers = /(?<![0-9০-৯])(?:\+?88|\+?৮৮)?[0০][1১][3-9৩-৯][0-9০-৯]{8}(?![0-9০-৯])/g

/** Text of the merchant's file as an error may show it: in quotes, cut to 40 characters, phones masked (P20, P24). */
export function quote(text: string): string {
  return `"${visible(text.replace(walletNumbers, maskPhone), lengthMax)}"`
}
