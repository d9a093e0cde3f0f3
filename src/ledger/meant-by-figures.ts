import {plainText} from '../core/order-no-fold.ts'
import {amountsIn} from './amounts-in-text.ts'
import type {NameIndex} from './name-index.ts'
import type {Payers} from './payer-lines.ts'

/** Below BDT 100 a number is rather a count. */
const amountMin = 100_00n
const dates = /\p{N}+(?:[-/.:]\p{N}+)+/gu
/** Four to six digits by themselves, which are no year and no part of an amount; three only where the text has nothing else. */
const ends = /(?<![\p{L}\p{N}.,])(?!(?:19|20)\p{N}\p{N}(?!\p{N}))\p{N}{4,6}(?![\p{L}\p{N}%]|[.,]\p{N})/gu

/**
 * The orders about to be resent that a text below the rows may mean, though it says nothing of bookings: it has the very amount of
 * one, the last digits of its number or of its player's telephone, or its player. `isSigned`: names in it are of those who made the file.
 */
export function* meantByFigures(
  text: string,
  {
    index,
    payers,
    hasAmounts,
    isSigned,
  }: {
    readonly index: NameIndex
    readonly payers: Payers
    readonly hasAmounts: boolean
    readonly isSigned: boolean
  },
): Generator<string> {
  if (hasAmounts)
    for (const amount of amountsIn(text)) if (amount >= amountMin) yield* payers.lostOfAmount(amount)
  const plain = plainText(text).replace(dates, ' ')
  const alone = /^[^\p{L}\p{N}]*(\p{N}{3})[^\p{L}\p{N}]*$/u.exec(plain)?.[1]
  for (const digits of alone === undefined ? (plain.match(ends) ?? []) : [alone]) {
    yield* index.ofEnd(digits)
    for (const {orderNo, isLost} of payers.ofTelephone('', digits)) if (isLost) yield orderNo
  }
  for (const [name, {orderNo, isLost}] of payers.namedIn(text))
    if (isLost && !(isSigned && !/\p{N}/u.test(name))) yield orderNo
}
