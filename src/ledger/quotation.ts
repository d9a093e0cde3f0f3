import {maskPhones} from '../core/personal.ts'
import {escapeInvisible} from '../core/text.ts'

const lengthMax = 40

/** Text of the merchant's file as an error may show it: in quotes, cut to 40 characters, phones masked (P20, P24). */
export function quoteCell(text: string): string {
  return `"${escapeInvisible(maskPhones(text), lengthMax)}"`
}
