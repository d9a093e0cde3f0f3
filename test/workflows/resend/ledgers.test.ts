import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import type {OverrideWord} from '../../../src/journal/rows.ts'
import {runResends} from '../../../src/workflows/resend/resend.ts'
import {jobOf} from '../../../src/workflows/resend/run.ts'
import {ScenarioBench} from '../scenario-run.ts'

const ledger = (row: string) => `order_no,status,amount,created_at\n${row},2026-11-20T09:00:00Z\n`

/** The order's webhook failed for good; `webhooks resend` reads no ledger, and runs of reconcile read some before. */
async function resent(
  order: object,
  says: string | undefined,
  rows: readonly string[],
  overrides: readonly OverrideWord[] = [],
) {
  const bench = new ScenarioBench({
    path: 'ledgers of earlier runs',
    sections: new Map([
      ['ledger.csv', ledger('D-9,failed,1.00')],
      ['service.json', JSON.stringify([{orderNo: 'HAND', ...order}])],
      ['deliveries.json', JSON.stringify([{orderNo: 'HAND', createdAt: '2026-11-20T09:00:00Z', says}])],
      ['options.json', JSON.stringify({yes: false})],
    ]),
  })
  for (const [n, row] of rows.entries()) {
    bench.rewrite(ledger(row))
    await bench.run(`run-${n}`)
  }
  const {client, clock, journal} = bench
  const [record] = client.records.values()
  if (!record) throw new Error('there is no record')
  const startedAtMs = clock.ms
  await journal.startRun({id: 'resend', command: 'resend', startedAtMs, options: '{}', reportDir: null})
  const {outcomes} = await runResends([jobOf({delivery: record, cause: 'delivery_exhausted'})], {
    ...{client, journal, runId: 'resend', ratePerSecond: 5, overrides, dialect: defaultDialect},
    ...{now: clock.now, monotonic: clock.monotonic, sleep: clock.sleep, waitMs: 0},
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  const [outcome] = outcomes.values()
  return {why: outcome?.why ?? null, sent: client.log.filter((call) => call.startsWith('resend ')).length}
}

test.each<[what: string, row: string, overrides: OverrideWord[], why: string | null]>([
  ['a row that nothing explains, of its amount', 'MANUAL-9,completed,500.00', [], 'may be this order'],
  ['the same, sent on a word', 'MANUAL-9,completed,500.00', ['include-delivered'], null],
  ['a row of another amount', 'MANUAL-9,completed,80.00', [], 'held it back'],
  ['a row that is not booked', 'MANUAL-9,pending,500.00', [], 'held it back'],
  [
    'a row without a number',
    ',completed,500.00',
    [],
    'line 2 (no number) cannot be read and may be this order',
  ],
  ['a status that nobody knows', 'MANUAL-9,approved,500.00', [], 'cannot be read and may be this order'],
  ['a status that nobody knows, of its own row', 'HAND,approved,500.00', [], 'may say that it is booked'],
  ['the same, sent on a word', 'HAND,approved,500.00', ['include-delivered'], null],
])('a ledger of an earlier run may have it booked: %s', async (_what, row, overrides, why) => {
  const {sent, ...held} = await resent({}, undefined, ['HAND,pending,500.00', row], overrides)
  expect([sent, held.why]).toEqual(why === null ? [1, null] : [0, expect.stringContaining(why)])
})

test.each([
  ['50000.00', 0, 'your ledger has BDT 500.00'],
  ['500.00', 1, null],
])('the webhook says %s, the service nothing: sent %i', async (says, sent, why) => {
  const held = await resent({amount: null}, says, ['HAND,pending,500.00'])
  expect(held).toEqual({sent, why: why === null ? null : expect.stringContaining(why)})
})
