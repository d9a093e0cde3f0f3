import {type Paisa, parsePaisa} from '../core/money.ts'
import {plainText} from '../core/order-no-fold.ts'

/** The amounts in a text, without dates, times and numbers in words: `500`, `BDT 1,250.50`, `500tk`, `1.5k`, `2 hajar`. */
export function amountsIn(text: string): Paisa[] {
  const plain = plainText(text)
    .replace(/\d+(?:[-/.:]\d+){2,}|\d+[:/]\d+/g, ' ')
    .replace(thousands, (_, number: string) => ` ${Number(number) * 1_000} `)
    .replace(/(?<=\d)(?:tk|taka|bdt|টাকা)|(?:tk|taka|bdt)\.?(?=\d)/g, ' ')
  return [...plain.matchAll(/(?<![\p{L}\p{N}.-])\d[\d,]*(?:\.\d{1,2})?(?![\p{L}\d]|[.,-]\d)/gu)].flatMap(
    ([number]) => parsePaisa(number.replaceAll(',', '')) ?? [],
  )
}

const thousands = /(?<![\p{L}\p{N}.,-])(\d{1,3}(?:\.\d{1,2})?)\s?(?:k|hajar|hazar|হাজার)(?![\p{L}\p{M}\d])/gu
