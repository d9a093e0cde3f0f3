import {orderNoLengthMax} from '../core/order.ts'
import {quoteCell} from './quotation.ts'

const digit = '[0-9০-৯]'

/** Checked in this order. An order number is never repaired, only refused with the reason (P13). */
const faults: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\ufffd/, 'holds the mark of a character that was lost when the file was converted'],
  [/\p{Cc}/u, 'holds a control character or a line break'],
  [/[\u202a-\u202e\u2066-\u2069]/, 'holds a character that turns the writing direction'],
  [/^[\p{Z}\p{Cf}]|[\p{Z}\p{Cf}]$/u, 'starts or ends with a blank or an invisible character'],
  [/[\u00a0\u2007\u202f]/, 'holds a non-breaking space'],
  [
    new RegExp(`^[+-]?${digit}(?:[.,]${digit}+)?E[+-]${digit}+$`, 'i'),
    'is a long number that a spreadsheet shortened, and its digits are lost. Export that column as text',
  ],
  [/^=/, 'is a formula instead of its value'],
  [/^#(?:REF!|N\/A|NAME\?|VALUE!|NUM!|NULL!|DIV\/0!|#+)$/, 'is an error or a filler of a spreadsheet'],
]

/** The usual form, which needs no further checks. */
const usual = new RegExp(`^(?!-?[0-9][Ee]-)[0-9A-Za-z_-]{1,${orderNoLengthMax}}$`)

/** Why `text` cannot be an order number, as one sentence; null if it can. */
export function orderNoFault(text: string): string | null {
  if (usual.test(text)) return null
  const fault = faults.find(([pattern]) => pattern.test(text))?.[1]
  if (fault !== undefined) return `order_no ${quoteCell(text)} ${fault}.`
  if (text.length <= orderNoLengthMax) return null
  const characters = [...text].length
  return characters > orderNoLengthMax
    ? `order_no ${quoteCell(text)} has ${characters} characters. The limit is ${orderNoLengthMax}.`
    : null
}
