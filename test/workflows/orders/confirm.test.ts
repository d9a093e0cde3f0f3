import {describe, expect, test} from 'vitest'

import type {OrderAnswer} from '../../../src/api/client.ts'
import {Failure, type FailureCode} from '../../../src/core/failure.ts'
import {compareOrder, type EarlierLook, lookOf} from '../../../src/workflows/orders/confirm.ts'
import {
  isAskedAfter,
  isFound,
  isLeftInDoubt,
  isOutranked,
  isUnreachable,
  leavesDoubt,
  outcomeUnknown,
} from '../../../src/workflows/orders/create-doubt.ts'
import {order} from '../../core/reconcile/sample.ts'
import {failure} from '../fake-client.ts'

const shown = order({
  kind: 'payout',
  orderNo: 'P-1',
  platformOrderNo: 'PL-1',
  status: 'open',
  rawStatus: 'open',
})
const found = (change: Partial<typeof shown> = {}): OrderAnswer => ({
  found: true,
  order: {...shown, ...change},
  raw: {},
})
const absent: OrderAnswer = {found: false}

interface Case {
  readonly kind?: 'deposit'
  readonly answer?: OrderAnswer | Failure
  readonly platformOrderNo?: string | null
  readonly amount?: bigint | null
  readonly absentBefore?: boolean
  readonly differs?: string
  readonly identifies?: boolean
  readonly earlier?: Partial<NonNullable<EarlierLook>>
  readonly mayHaveEnded?: boolean
  /** The number that has this platform order number already. */
  readonly owner?: readonly [platformOrderNo: string, orderNo: string]
}

/** A payout of BDT 500.00 that the service accepted as PL-1, under a number that was free. */
const compare = (one: Case) =>
  compareOrder(
    one.answer ?? found(),
    {
      ...{
        kind: 'payout',
        orderNo: 'P-1',
        platformOrderNo: 'PL-1',
        amount: 50_000n,
        absentBefore: true,
        ...one,
      },
      readEcho: () => ({differs: one.differs ?? null, identifies: one.identifies ?? true}),
      journal: {
        numberWithPlatformOrder: async (_kind, _orderNo, no) => (no === one.owner?.[0] ? one.owner[1] : null),
      },
    },
    one.earlier ? {platformOrderNo: null, confirmation: null, confirmationWhy: null, ...one.earlier} : null,
    one.mayHaveEnded ?? false,
  )

const free = 'the number was free before, so it may be this payout in another form'
const taken = 'the number may belong to an older payout'
const ended = (status: string) =>
  `it is already ${status}, which a new payout cannot be: ${taken.replace(' payout', ' one')}`
const nothing = 'the service shows nothing that distinguishes it from an older payout under this number'
const ofBoth =
  'the service gave it the platformOrderNo of the payout P-0, so that there may be one order for both'

test.each<[what: string, one: Case, because: string, why?: string]>([
  ['as it was sent', {}, 'confirmed'],
  [
    'no answer',
    {answer: failure('service_busy', 'HTTP 503')},
    'unanswered',
    'the payout could not be queried: HTTP 503.',
  ],
  ['not found', {answer: absent}, 'unanswered', 'a query does not find the payout yet'],
  [
    'another amount, a free number',
    {answer: found({amount: 60_000n})},
    'contradicted',
    `it is BDT 600.00 at the service, but BDT 500.00 was sent; ${free}`,
  ],
  [
    'another amount, a number that was taken',
    {answer: found({amount: 60_000n}), absentBefore: false},
    'contradicted',
    `it is BDT 600.00 at the service, but BDT 500.00 was sent; ${taken}`,
  ],
  ['a deposit’s amount is the player’s', {amount: null, answer: found({amount: 60_000n})}, 'confirmed'],
  [
    'another account',
    {differs: 'account'},
    'contradicted',
    `the service shows another account than was sent; ${free}`,
  ],
  [
    'another platform number',
    {answer: found({platformOrderNo: 'PL-2'})},
    'contradicted',
    'a query shows another platformOrderNo under this number',
  ],
  [
    'a deposit that was free, completed at once, and shows no player',
    {kind: 'deposit', amount: null, answer: found({status: 'completed'}), identifies: false},
    'contradicted',
    ended('completed').replace('payout', 'deposit'),
  ],
  [
    'a deposit that was free, completed at once, and shows its player',
    {kind: 'deposit', amount: null, answer: found({status: 'completed'})},
    'confirmed',
  ],
  [
    'a deposit that was free, completed since an earlier try',
    {kind: 'deposit', amount: null, answer: found({status: 'completed'}), identifies: false, earlier: {}},
    'confirmed',
  ],
  [
    'a test deposit that was free, completed at once',
    {
      kind: 'deposit',
      amount: null,
      answer: found({status: 'completed'}),
      identifies: false,
      mayHaveEnded: true,
    },
    'confirmed',
  ],
  ['no number in the answer to the create', {platformOrderNo: null}, 'confirmed'],
  ['the same one as an earlier try', {earlier: {platformOrderNo: 'PL-1'}}, 'confirmed'],
  [
    'another one than an earlier try',
    {earlier: {platformOrderNo: 'PL-0'}},
    'contradicted',
    'an earlier try got another platformOrderNo',
  ],
  [
    'another one is shown than an earlier try got',
    {platformOrderNo: null, earlier: {platformOrderNo: 'PL-0'}},
    'contradicted',
    'an earlier try got another platformOrderNo',
  ],
  ['the number in the answer is another order’s', {owner: ['PL-1', 'P-0']}, 'contradicted', ofBoth],
  [
    'the number that is shown is another order’s',
    {platformOrderNo: null, owner: ['PL-1', 'P-0']},
    'contradicted',
    ofBoth,
  ],
  [
    'a number that names no order is nobody’s',
    {platformOrderNo: '0', answer: found({platformOrderNo: '0'}), owner: ['0', 'P-0']},
    'confirmed',
  ],
  ['completed, the number was free', {answer: found({status: 'completed'})}, 'confirmed'],
  [
    'completed, the number was taken',
    {answer: found({status: 'completed'}), absentBefore: false},
    'contradicted',
    ended('completed'),
  ],
  [
    'failed, the number was taken',
    {answer: found({status: 'failed'}), absentBefore: false},
    'contradicted',
    ended('failed'),
  ],
  [
    'completed later',
    {answer: found({status: 'completed'}), absentBefore: false, mayHaveEnded: true},
    'confirmed',
  ],
  [
    'completed, and confirmed before',
    {answer: found({status: 'completed'}), absentBefore: false, earlier: {confirmation: 'confirmed'}},
    'confirmed',
  ],
  ['open, the number was taken, it says for whom', {absentBefore: false}, 'confirmed'],
  [
    'open, the number was taken, it says nothing',
    {absentBefore: false, identifies: false},
    'unanswered',
    nothing,
  ],
  [
    'the same, and no create was answered',
    {absentBefore: false, identifies: false, platformOrderNo: null},
    'contradicted',
    nothing,
  ],
  [
    'the same, but for an earlier try',
    {absentBefore: false, identifies: false, platformOrderNo: null, earlier: {platformOrderNo: 'PL-1'}},
    'unanswered',
    nothing,
  ],
  ['it says nothing, the number was free', {identifies: false}, 'confirmed'],
  [
    'a status that nobody knows',
    {answer: found({status: 'unknown_status', rawStatus: 'odd'}), absentBefore: false},
    'unanswered',
    'its status at the service is "odd", which the profile does not know',
  ],
  [
    'no amount, the number was free',
    {answer: found({amount: null})},
    'not_shown',
    'the service does not show its amount',
  ],
  [
    'no amount, the number was taken',
    {answer: found({amount: null}), absentBefore: false},
    'unanswered',
    'the service does not show its amount',
  ],
  [
    'a contradiction stays',
    {earlier: {confirmation: 'contradicted', confirmationWhy: 'it was less'}},
    'contradicted',
    'it was less',
  ],
  [
    'one without words stays, too',
    {earlier: {confirmation: 'contradicted'}},
    'contradicted',
    'an earlier query contradicted it',
  ],
])('an order is held against what was sent: %s', async (_what, one, because, why) => {
  const confirmation = await compare(one)
  expect(confirmation).toEqual(because === 'confirmed' ? {confirmed: true} : {confirmed: false, because, why})
  expect(lookOf(confirmation, one.answer ?? found())).toEqual({
    ...{confirmation: because, why: why ?? null},
    isFound: one.answer instanceof Failure ? null : (one.answer ?? found()).found,
  })
})

describe('the end of a create', () => {
  const codes = [
    ...[
      'credentials_rejected',
      'credentials_missing',
      'service_refused',
      'service_unreachable',
      'service_busy',
    ],
    ...['answer_untrusted', 'outcome_unknown', 'interrupted', 'terminated', 'storage_failed'],
  ] as readonly FailureCode[]
  test('what a query after it can tell, and what it leaves open', () => {
    const rejected = failure('credentials_rejected', 'no')
    const table = codes.map((code) => {
      const one = failure(code, 'no')
      const says = {
        ...{'asked, number taken': isAskedAfter(one, false), 'asked, number free': isAskedAfter(one, true)},
        ...{
          'doubt, not found': leavesDoubt(one, absent),
          'doubt, query rejected': leavesDoubt(one, rejected),
        },
        ...{'doubt, no answer': leavesDoubt(one, failure('service_busy', 'no'))},
        ...{'no call fares better': isUnreachable(one), 'takes no earlier doubt back': isOutranked(one)},
      }
      return `${code}: ${Object.entries(says)
        .flatMap(([what, holds]) => (holds ? [what] : []))
        .join('; ')}`
    })
    expect(table).toMatchInlineSnapshot(`
      [
        "credentials_rejected: asked, number taken; asked, number free; doubt, not found; doubt, no answer; no call fares better",
        "credentials_missing: no call fares better",
        "service_refused: asked, number free; takes no earlier doubt back",
        "service_unreachable: no call fares better; takes no earlier doubt back",
        "service_busy: asked, number taken; asked, number free; takes no earlier doubt back",
        "answer_untrusted: asked, number taken; asked, number free; takes no earlier doubt back",
        "outcome_unknown: asked, number taken; asked, number free; doubt, not found; doubt, query rejected; doubt, no answer",
        "interrupted: no call fares better",
        "terminated: no call fares better",
        "storage_failed: asked, number taken; asked, number free; takes no earlier doubt back",
      ]
    `)
    expect([found(), absent, rejected].map(isFound)).toEqual([true, false, false])
  })

  test('a create that is in doubt says what was tried and what a query found', () => {
    const prepared = {kind: 'payout', orderNo: 'P-1'} as never
    const lost = new Failure('outcome_unknown', 'The connection broke.', 'Look.', 'CODE-1')
    const rejected = failure('credentials_rejected', 'The key was rejected')
    const earlier = (state: 'unknown' | 'accepted') => ({state, intentAtMs: Date.UTC(2026, 10, 20)}) as never
    const table = [
      outcomeUnknown(lost, null, absent, prepared, 'live'),
      outcomeUnknown(lost, null, lost, prepared, 'live'),
      outcomeUnknown(lost, earlier('unknown'), failure('service_busy', 'HTTP 503'), prepared, 'live'),
      outcomeUnknown(rejected, null, absent, prepared, 'live'),
      outcomeUnknown(lost, earlier('accepted'), absent, prepared, 'live'),
      outcomeUnknown(null, earlier('accepted'), absent, prepared, 'live'),
      outcomeUnknown(null, earlier('accepted'), failure('service_busy', 'HTTP 503'), prepared, 'live'),
    ]
    expect(
      table.map((one) => [one.code, one.message, one.hint, one.serviceCode, isLeftInDoubt(one)].join(' | ')),
    ).toMatchInlineSnapshot(`
      [
        "outcome_unknown | The connection broke. A query after it does not find the payout yet, which proves nothing. | It may have been made. Query it first: \`hisab payout query P-1 --profile live\`. It is safe to send it again with the same number, but not with a new one. If the service never shows it, ask the service, then record the outcome: \`hisab payout resolve P-1 --reason TEXT --profile live --paid\`, or … --not-paid. | CODE-1 | true",
        "outcome_unknown | The connection broke. | It may have been made. Query it first: \`hisab payout query P-1 --profile live\`. It is safe to send it again with the same number, but not with a new one. If the service never shows it, ask the service, then record the outcome: \`hisab payout resolve P-1 --reason TEXT --profile live --paid\`, or … --not-paid. | CODE-1 | true",
        "outcome_unknown | The connection broke. The same request was sent before, at 2026-11-20T00:00:00+00:00, and may have been carried out. A query after it got no answer: HTTP 503. | It may have been made. Query it first: \`hisab payout query P-1 --profile live\`. It is safe to send it again with the same number, but not with a new one. If the service never shows it, ask the service, then record the outcome: \`hisab payout resolve P-1 --reason TEXT --profile live --paid\`, or … --not-paid. | CODE-1 | true",
        "credentials_rejected | The key was rejected. A query after it does not find the payout yet, which proves nothing. | It may have been made. Query it first: \`hisab payout query P-1 --profile live\`. It is safe to send it again with the same number, but not with a new one. If the service never shows it, ask the service, then record the outcome: \`hisab payout resolve P-1 --reason TEXT --profile live --paid\`, or … --not-paid. |  | true",
        "incomplete | The connection broke. The payout P-1 is accepted in this journal, by an earlier answer or a person's word. A query after it does not find the payout yet, which proves nothing. | See it with \`hisab payout query P-1 --profile live\`. | CODE-1 | false",
        "incomplete | The payout P-1 is accepted in this journal, by an earlier answer or a person's word, and nothing was sent. A query does not find the payout yet, which proves nothing. | See it with \`hisab payout query P-1 --profile live\`. |  | false",
        "incomplete | The payout P-1 is accepted in this journal, by an earlier answer or a person's word, and nothing was sent. A query got no answer: HTTP 503. | See it with \`hisab payout query P-1 --profile live\`. |  | false",
      ]
    `)
  })
})
