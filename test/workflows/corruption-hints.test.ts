import {expect, test} from 'vitest'

import type {Corruption} from '../../src/core/reconcile/entry.ts'
import type {Finding} from '../../src/core/reconcile/finding.ts'
import {CorruptionHints} from '../../src/workflows/reconcile/corruption-hints.ts'

interface Case {
  readonly finding?: Partial<Finding>
  /** Missing orders that the row may be. */
  readonly like?: readonly string[]
  readonly numbers?: readonly string[]
  /** The last line, of a file that ends in the middle of it. */
  readonly cutAt?: number
}

const said = 'The service knows no such order.'
const shortened = {what: 'shortened', repair: null, isCertain: false} as const
test.each<[what: string, one: Case, hint: Partial<Corruption> | null, adds?: RegExp]>([
  ['nothing is known', {}, null],
  [
    'one missing order is like it',
    {finding: {orderNo: '2.02611E+15'}, like: ['2026112200000013']},
    {what: 'shortened', repair: '2026112200000013', isCertain: true},
    /^A spreadsheet shortened it\. The service has 2026112200000013, which is in no row/,
  ],
  ['two missing orders are like it', {finding: {orderNo: '2.02611E+15'}, like: ['1', '2']}, shortened],
  [
    'its cell shows what damaged it',
    {finding: {corruption: {...shortened, what: 'non_breaking_space'}}, like: ['D-7']},
    {what: 'non_breaking_space', repair: 'D-7'},
    /^It has a non-breaking space\./,
  ],
  ['it has no row', {finding: {verdict: 'missing_in_ledger'}, like: ['D-7']}, null],
  ['it has no file', {finding: {file: null}, like: ['D-7']}, null],
  ['it has no line', {finding: {line: null}, like: ['D-7']}, null],
  [
    'it is shorter than the others',
    {finding: {orderNo: '7'}, numbers: ['107', '207']},
    {what: 'leading_zeros_lost', repair: '007', isCertain: false},
    /^Other numbers in the ledger are longer\./,
  ],
  ['the others have zeros', {finding: {orderNo: '7'}, numbers: ['107', '007']}, null],
  [
    'it was found, with another amount',
    {finding: {orderNo: '7', verdict: 'amount_mismatch'}, numbers: ['107']},
    null,
  ],
  ['it is matched', {finding: {orderNo: '7', verdict: 'matched'}, numbers: ['107'], cutAt: 2}, null],
  [
    'it is the last line, and not whole',
    {cutAt: 2},
    {what: 'cut_off', repair: null, isCertain: false},
    /^It is the last line and does not end with a newline\./,
  ],
  [
    'the amount of the last line is not whole',
    {finding: {verdict: 'amount_mismatch'}, cutAt: 2},
    {what: 'cut_off', repair: null, isCertain: false},
    /^It is the last line/,
  ],
  ['the last line is another', {cutAt: 3}, null],
  ['its number cannot be read', {finding: {orderNo: null}, cutAt: 2}, null],
])(
  'what a spreadsheet may have done to a row: %s',
  (_what, {finding, like = [], numbers = [], cutAt}, hint, adds) => {
    const before = {
      ...{verdict: 'missing_at_provider', orderNo: 'D 7', file: 0, line: 2, explanation: said},
      ...finding,
    } as Finding
    const hints = new CorruptionHints({
      files: [{...(cutAt === undefined ? {} : {endsMidLine: true as const}), lastLine: cutAt ?? 2}],
      numbers: () => numbers.map((orderNo) => ({orderNo})),
      missingLike: () => like,
    })
    const after = hints.addTo(before)
    if (hint === null) {
      expect(after).toBe(before)
      return
    }
    expect(after.corruption).toMatchObject(hint)
    const [first, rest] = [after.explanation.slice(0, said.length), after.explanation.slice(said.length)]
    expect([first, rest]).toEqual([
      said,
      adds ? expect.stringMatching(new RegExp(` ${adds.source.slice(1)}`)) : '',
    ])
  },
)
