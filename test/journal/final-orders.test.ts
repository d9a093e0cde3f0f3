import {afterEach, beforeEach, expect, onTestFinished, test} from 'vitest'

import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {order} from '../core/reconcile/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {fillTemporaryFolder} from './full-temporary-folder.ts'
import {live} from './sample.ts'

let dir = ''
let journal: Journal

beforeEach(async () => {
  dir = tempDir()
  journal = openJournal(dir, live)
  for (const id of ['run-1', 'run-2']) {
    await journal.startRun({id, command: 'reconcile', startedAtMs: 1, options: '{}', reportDir: null})
  }
})
afterEach(() => journal.close())

const recordFinal = (runId: string, amount: bigint, orderNo = 'D-1') =>
  journal.recordFinalOrders(runId, 2, [{ledgerAmount: amount, order: order({orderNo, amount})}], [])
const standing = async (orderNos: readonly string[]) =>
  (await journal.findFinalOrders('deposit', orderNos)).filter(({isTakenBack}) => !isTakenBack)
const found = async () =>
  (await standing(['D-1', 'D-2'])).map((one) => [one.orderNo, one.serviceAmount, one.runId])

test('a full temporary folder is named, and loses nothing that was written down', async () => {
  await recordFinal('run-1', 100n)
  const makeRoom = fillTemporaryFolder()
  onTestFinished(makeRoom)
  await expect(journal.sortFinalOrders()).rejects.toThrow(
    expect.objectContaining({
      code: 'storage_failed',
      message: expect.stringMatching(
        /^the temporary folder \(TMPDIR\), where final orders of .*\.db are sorted: disk full\.$/,
      ),
    }),
  )
  makeRoom()
  await journal.close()
  journal = openJournal(dir, live)
  expect(await found()).toEqual([['D-1', 100n, 'run-1']])
})

test('what was put in place once is not sorted again', async () => {
  await recordFinal('run-1', 100n)
  await journal.sortFinalOrders()
  await journal.close()
  journal = openJournal(dir, live)
  onTestFinished(fillTemporaryFolder())
  await journal.sortFinalOrders()
})

test('of one order the newest word stands, whether it was looked for between or not', async () => {
  await recordFinal('run-1', 100n)
  await recordFinal('run-2', 200n)
  expect(await found()).toEqual([['D-1', 200n, 'run-2']])
  await recordFinal('run-2', 300n)
  expect(await found()).toEqual([['D-1', 300n, 'run-2']])
})

test('an order that is not settled any more is taken back, and may be settled again', async () => {
  await recordFinal('run-1', 100n)
  await recordFinal('run-1', 100n, 'D-2')
  await journal.recordFinalOrders('run-2', 3, [], [{kind: 'deposit', orderNo: 'D-1', paid: null}])
  expect(await found()).toEqual([['D-2', 100n, 'run-1']])
  await recordFinal('run-2', 400n)
  expect(await found()).toEqual([
    ['D-1', 400n, 'run-2'],
    ['D-2', 100n, 'run-1'],
  ])
})

test('that an order was found booked is known for good, though a killed run alone wrote it down', async () => {
  await recordFinal('run-1', 100n)
  await journal.close()
  journal = openJournal(dir, live)
  await journal.recordFinalOrders('run-2', 3, [], [{kind: 'deposit', orderNo: 'D-1', paid: null}])
  const known = {runId: 'run-1', serviceAmount: 100n, isTakenBack: true}
  expect(await journal.findFinalOrders('deposit', ['D-1'])).toMatchObject([known])
})

test('what a killed run wrote down is found by the next one that opens the journal', async () => {
  await recordFinal('run-1', 100n)
  await journal.close()
  journal = openJournal(dir, live)
  expect(await found()).toEqual([['D-1', 100n, 'run-1']])
})

test('of more orders than are put in place at once, each has its newest word', async () => {
  const numbers = Array.from({length: 50_002}, (_, index) => `D-${String(index).padStart(5, '0')}`)
  const orders = numbers.map((orderNo) => ({ledgerAmount: 1n, order: order({orderNo, amount: 1n})}))
  const changed = orders.slice(-2).map(({order}) => ({ledgerAmount: 2n, order: {...order, amount: 2n}}))
  await journal.recordFinalOrders('run-1', 2, orders, [])
  await journal.recordFinalOrders('run-2', 3, changed, [{kind: 'deposit', orderNo: 'D-00001', paid: null}])
  const final = await standing(numbers)
  expect(final).toHaveLength(50_001)
  expect(final.filter(({orderNo}) => orderNo === 'D-00001')).toEqual([])
  expect(final.filter(({runId}) => runId === 'run-2').map((one) => [one.orderNo, one.serviceAmount])).toEqual(
    [
      ['D-50000', 2n],
      ['D-50001', 2n],
    ],
  )
})

test('what is written down together keeps its own kind, status and word', async () => {
  const orders = [
    order({orderNo: 'D-1', status: 'completed', rawStatus: 'Paid'}),
    order({orderNo: 'D-1', kind: 'payout', status: 'completed', rawStatus: 'Paid'}),
    order({orderNo: 'D-2', status: 'failed', rawStatus: 'expired'}),
    order({orderNo: 'D-3', status: 'completed', rawStatus: 'Paid'}),
  ]
  await journal.recordFinalOrders(
    'run-1',
    2,
    orders.map((one) => ({ledgerAmount: null, order: one})),
    [],
  )
  const numbers = ['D-1', 'D-2', 'D-3']
  const read = [
    ...(await journal.findFinalOrders('deposit', numbers)),
    ...(await journal.findFinalOrders('payout', numbers)),
  ]
  expect(read.map((one) => [one.kind, one.orderNo, one.status, one.rawStatus, one.ledgerAmount])).toEqual([
    ['deposit', 'D-1', 'completed', 'Paid', null],
    ['deposit', 'D-2', 'failed', 'expired', null],
    ['deposit', 'D-3', 'completed', 'Paid', null],
    ['payout', 'D-1', 'completed', 'Paid', null],
  ])
})
