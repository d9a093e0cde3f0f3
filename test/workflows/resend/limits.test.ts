import {expect, test} from 'vitest'

import {overrideWordsOf, refuseTooMany} from '../../../src/workflows/resend/limits.ts'
import {leftOf, type ResendWork} from '../../../src/workflows/resend/run.ts'

test.each<[planned: number, made: number, max: number, message: string | null]>([
  [3, 0, 3, null],
  [0, 9, 3, null],
  [2, 1, 3, null],
  [4, 0, 3, '4 resends are planned, but --max-resends allows 3. None was sent.'],
  [
    3,
    1,
    3,
    '3 resends are planned, 1 were made by this run before, but --max-resends allows 3. None was sent now.',
  ],
])('%d planned and %d made, of %d that are allowed', (planned, made, max, message) => {
  const refuse = () => refuseTooMany(planned, made, max)
  if (message === null) return expect(refuse).not.toThrow()
  expect(refuse).toThrow(
    expect.objectContaining({
      ...{code: 'too_many_resends', message},
      hint: `Check the plan with --dry-run. Then allow them with --max-resends ${planned + made}.`,
    }),
  )
})

test('each override is recorded by its word', () => {
  const none = {includeDelivered: false, ignoreCooldown: false, retryUnknown: false}
  const all = {includeDelivered: true, ignoreCooldown: true, retryUnknown: true, includeMissing: true}
  expect([none, {...none, includeMissing: false}, all].map(overrideWordsOf)).toEqual([
    [],
    [],
    ['include-delivered', 'ignore-cooldown', 'retry-unknown', 'include-missing'],
  ])
  expect(overrideWordsOf({...none, ignoreCooldown: true})).toEqual(['ignore-cooldown'])
})

test('of a plan that is made again, nothing is sent that was not agreed to, and what fell out says why', () => {
  const line = (id: string, isPlanned: boolean, more: object = {}) => ({
    ...{id, orderId: id, merchantOrderId: id, event: 'order.completed', isPlanned},
    outcome: {state: isPlanned ? 'planned' : 'skipped', why: null},
    ...more,
  })
  const work = (lines: readonly object[], because: readonly string[], jobs: readonly string[]) =>
    ({lines, incompleteBecause: because, jobs, made: 1}) as unknown as ResendWork
  const [delivered, cooling] = ['It was delivered meanwhile.', 'It cools down.'].map((why) => ({
    outcome: {state: 'skipped', why},
  }))
  const before = [line('a', true), line('b', true), line('c', true), line('d', false), line('e', true)]
  const again = [
    line('a', true),
    line('b', false, delivered),
    line('c', false, {...cooling, isOpen: true}),
    line('d', true),
    line('f', true),
  ]
  expect(leftOf(work(before, ['one'], ['a', 'b', 'c', 'e']), work(again, ['two'], ['a']))).toEqual({
    ...{incompleteBecause: ['one', 'two'], jobs: ['a'], made: 1},
    lines: [
      line('a', true),
      line('b', true, {...delivered, isOpen: false}),
      line('c', true, {...cooling, isOpen: true}),
      line('d', false),
      line('e', true),
    ],
  })
})
