import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {readOrder} from '../../src/api/wire.ts'
import {type Dialect, defaultDialect} from '../../src/core/dialect.ts'
import {orderKinds, orderStates} from '../../src/core/order.ts'
import {classifyOrder} from '../../src/core/reconcile/classify.ts'
import {casesOf, check, seed} from './cases.ts'
import {hostileText} from './hostile-text.ts'

const cases = casesOf()
const known = ['completed', 'processing', 'pending', 'failed', 'PAID', 'সম্পন্ন', 'settled']

/** A known word, or one that is like it: in another case, with something invisible, longer, shorter, in another form. */
const word = fc.oneof(
  fc.constantFrom(...known),
  fc
    .tuple(
      fc.constantFrom(...known),
      fc.constantFrom('', ' ', '\u200b', '\n', 's', '\u0000', '.', '\ufeff'),
      fc.nat(5),
    )
    .map(([text, piece, how]) => {
      const forms = [
        text + piece,
        piece + text,
        text.toUpperCase(),
        text.slice(0, -1) + piece,
        text.normalize('NFD') + piece,
        `${text.slice(0, 3)}${piece}${text.slice(3)}`,
      ]
      return forms[how] ?? text
    }),
  hostileText,
  fc.constantFrom('__proto__', 'toString', 'constructor', 'hasOwnProperty', 'length', '0'),
)

/** Profiles with words of their own: no word stands under two states, and payouts mean something else by each. */
const dialect: fc.Arbitrary<Dialect> = fc.shuffledSubarray(known, {minLength: 3}).map((words) => ({
  ...defaultDialect,
  status: {
    deposit: {completed: words.slice(0, 1), open: words.slice(1, 2), failed: words.slice(2)},
    payout: {completed: words.slice(2), open: words.slice(0, 1), failed: words.slice(1, 2)},
  },
}))

describe(`any word for a status, ${cases} cases each, seed ${seed}`, () => {
  test('is a state only where the profile has that very word, and else says neither paid nor failed', () => {
    const property = fc.property(
      dialect,
      word,
      fc.constantFrom(...orderStates),
      fc.constantFrom(...orderKinds),
      (profile, rawStatus, booked, kind) => {
        fc.pre(rawStatus !== '')
        const data = {
          merchantId: 'm',
          orderNo: 'D-1',
          platformOrderNo: 'PL-1',
          status: rawStatus,
          amount: '5.00',
        }
        const answer = readOrder({code: '0', data}, {merchantId: 'm', orderNo: 'D-1'}, kind, profile)
        if (!answer.found) throw new Error('the order is there')
        const {order} = answer
        const [state = 'unknown_status'] = orderStates.filter((one) =>
          profile.status[kind][one].some((its) => its === rawStatus),
        )
        expect([order.status, order.rawStatus]).toEqual([state, rawStatus])
        if (state !== 'unknown_status') return
        const side = {is: 'found', order} as const
        for (const ledger of [{status: booked, amount: 500n}, null]) {
          expect(classifyOrder(ledger, side)).toEqual({verdict: 'unknown_status', cause: null})
        }
      },
    )
    check(property, cases)
  })
})
