import {expect, test} from 'vitest'

import {requireClock} from '../../../src/journal/postgres/account.ts'
import {type Holder, heldBy, holderText} from '../../../src/journal/postgres/lease.ts'

const sinceMs = Date.parse('2026-11-20T02:14:00Z')
const holder: Holder = {by: 'karim@nightly-0', doing: 'hisab reconcile', sinceMs, forSeconds: 185, sent: []}
const resends = {kind: 'resend', count: 12, last: 'D-12', lastAtMs: sinceMs + 61_000, onItsWay: []} as const
const none = {count: 0, last: null, lastAtMs: null}

test('who is at work is told with what was sent, and what is being sent', () => {
  const table: readonly Holder['sent'][] = [
    [],
    [{...resends, count: 1}],
    [resends, {...resends, kind: 'payout', count: 1, last: 'P-1', onItsWay: ['P-2']}],
    [{kind: 'payout', ...none, onItsWay: ['P-1', 'P-2', 'P-3']}],
    [
      {kind: 'deposit', ...none, onItsWay: ['D-1', 'D-2']},
      {kind: 'payout', ...none, onItsWay: ['P-1', 'P-2', 'P-3']},
    ],
  ]
  expect(table.map((sent) => holderText({...holder, sent}, 'Asia/Dhaka'))).toMatchInlineSnapshot(`
    [
      "karim@nightly-0: hisab reconcile, since 2026-11-20 08:14 (3 min 5 s). It has sent nothing yet.",
      "karim@nightly-0: hisab reconcile, since 2026-11-20 08:14 (3 min 5 s). It has sent 1 webhook (the last of D-12 at 2026-11-20 08:15:01).",
      "karim@nightly-0: hisab reconcile, since 2026-11-20 08:14 (3 min 5 s). It has sent 12 webhooks (the last of D-12 at 2026-11-20 08:15:01), 1 payout (the last of P-1 at 2026-11-20 08:15:01). It is sending now: P-2.",
      "karim@nightly-0: hisab reconcile, since 2026-11-20 08:14 (3 min 5 s). It has sent nothing yet. It is sending now: P-1, P-2, P-3.",
      "karim@nightly-0: hisab reconcile, since 2026-11-20 08:14 (3 min 5 s). It has sent nothing yet. It is sending now: D-1, D-2, P-1 and 2 more.",
    ]
  `)
})

test.each([
  [120_000, null],
  [120_001, /^The clock of this machine is 2 minutes behind the shared journal’s/],
  [-120_000, null],
  [-180_000, /^The clock of this machine is 3 minutes ahead of the shared journal’s/],
])('a clock that is %d ms behind the database’s', (behindMs, refused) => {
  const require = () => requireClock({nowMs: sinceMs, behindMs})
  if (refused === null) expect(require).not.toThrow()
  else
    expect(require).toThrow(
      expect.objectContaining({code: 'config_invalid', message: expect.stringMatching(refused)}),
    )
})

test('a run that finds another at work is told whose it is', () => {
  const account = {merchantId: 'm-1', environment: 'live'}
  const told = [holder, null].map((who) => heldBy(account, who, 'Asia/Dhaka'))
  expect(told.map(({code, message}) => [code, message])).toMatchInlineSnapshot(`
    [
      [
        "locked",
        "karim@nightly-0 is at work for merchant m-1 (live): hisab reconcile, since 2026-11-20 08:14 (3 min 5 s). It has sent nothing yet. This command sent nothing.",
      ],
      [
        "locked",
        "Another hisab, which has just finished, is at work for merchant m-1 (live). This command sent nothing.",
      ],
    ]
  `)
})
