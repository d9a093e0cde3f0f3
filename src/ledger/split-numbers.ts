import {plainText} from '../core/order-no-fold.ts'

/** A sign between two digits: `7713412 068`, `DEP77-0012`. Kept cheap: it is asked of every cell. */
const split = /\d[ \u00a0./_-]{1,2}\d/
const signs = /[ \u00a0./_-]{1,2}/
const runs = /[a-z]*\d+(?:[ \u00a0./_-]{1,2}\d+)+/g
/** Two numbers with fewer digits together may be neighbours by chance. */
const lengthMin = 7
const piecesMax = 5

export function mayBeSplit(text: string): boolean {
  return split.test(text) && !/^\d+\.\d{1,2}$/.test(text)
}

/** Every number that stands in a text with signs within its digits, without them; its second half may begin with zeros. */
export function splitNumbersIn(text: string): string[] {
  const plain = plainText(text)
  if (!mayBeSplit(plain)) return []
  const found: string[] = []
  for (const [run] of plain.matchAll(runs)) {
    const pieces = run.split(signs)
    for (const [from] of pieces.entries())
      for (let to = from + 2; to <= Math.min(pieces.length, from + piecesMax); to += 1) {
        const number = pieces.slice(from, to).join('')
        if (number.length >= lengthMin) found.push(number)
      }
  }
  return found
}
