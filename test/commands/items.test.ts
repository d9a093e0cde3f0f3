import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import ItemsAssign from '../../src/commands/items/assign.ts'
import ItemsClose from '../../src/commands/items/close.ts'
import ItemsExport from '../../src/commands/items/export.ts'
import ItemsList from '../../src/commands/items/list.ts'
import ItemsNote from '../../src/commands/items/note.ts'
import ItemsShow from '../../src/commands/items/show.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import SandboxChaos from '../../src/commands/sandbox/chaos.ts'
import {tempDir} from '../temp-dir.ts'
import {shellWithSandbox} from './run-command.ts'

const header = 'order_no,status,amount,created_at\n'
const booked = (orderNo: string, day = '20', amount = '500.00') =>
  `${orderNo},completed,${amount},2026-11-${day}\n`

interface Item {
  readonly orderNo: string
}

/** Booked orders that the service does not know. */
async function withItems(...rows: readonly string[]) {
  const {shell} = await shellWithSandbox()
  const path = join(tempDir(), 'ledger.csv')
  const reconcile = async (ledger: readonly string[], ...more: string[]) => {
    writeFileSync(path, header + ledger.join(''))
    return await shell.run(Reconcile, path, '--json', ...more)
  }
  await reconcile(rows)
  const list = async (...more: string[]) =>
    ((await shell.run(ItemsList, '--json', ...more)).json() as {items: Item[]}).items
  return {shell, reconcile, list}
}

test('the register has every open item, with the age and the date of its order', async () => {
  const {shell, list} = await withItems(booked('D-1', '01'), booked('D-2'))
  const items = await list()
  expect(items).toMatchObject([
    {
      ...{orderNo: 'D-1', kind: 'deposit', verdict: 'missing_at_provider', cause: 'booked', state: 'open'},
      ...{amountAtRisk: '500.00', owner: null, note: null, next: 'Ask the service about this order.'},
      orderedAt: expect.stringMatching(/^2026-11-01T00:00:00/),
    },
    {orderNo: 'D-2'},
  ])
  const shown = await shell.run(ItemsList)
  expect(shown.stdout).toMatch(/D-1 .*not at the service +500\.00/)
  expect(shown.stdout).toContain('2 deposits open, BDT 1,000.00 at risk')
  const exported = await shell.run(ItemsExport)
  expect(ItemsExport.flags.state.summary).toMatch(/Default: every state, closed ones included/)
  expect(exported.stdout.split('\n')[0]).toMatch(/^order_no,kind,state,verdict,amount_at_risk,age_days,owner/)
})

test('owner, note and closing are kept with who did it', async () => {
  const {shell, list} = await withItems(booked('D-1'), booked('D-2'))
  await shell.run(ItemsAssign, 'D-1', 'D-2', '--to', 'rahima', '--by', 'ops')
  await shell.run(ItemsNote, 'D-1', '--text', 'asked the service', '--by', 'rahima')
  expect(await list('--owner', 'rahima')).toMatchObject([
    {orderNo: 'D-1', note: 'asked the service'},
    {orderNo: 'D-2', note: null},
  ])
  const closed = await shell.run(ItemsClose, 'D-1', '--reason', 'refund agreed', '--by', 'rahima', '--json')
  expect(closed.json()).toMatchObject({closed: 1, items: [{state: 'closed', closedBy: 'person', next: null}]})
  expect((await list()).map(({orderNo}) => orderNo)).toEqual(['D-2'])
  expect((await shell.run(ItemsShow, 'D-1', '--json')).json().events).toMatchObject([
    {what: 'assigned', text: 'rahima', by: 'ops'},
    {what: 'noted', text: 'asked the service', by: 'rahima'},
    {what: 'closed', text: 'refund agreed', by: 'rahima'},
  ])
})

test('what a person closed is no break while it says the same, and back with other news', async () => {
  const rows = [booked('D-1'), booked('D-2')]
  const {shell, reconcile, list} = await withItems(...rows)
  await shell.run(ItemsClose, 'D-1', 'D-2', '--reason', 'test orders', '--by', 'rahima')
  const again = await reconcile(rows)
  const {findings} = again.json() as {findings: readonly object[]}
  expect([again.status, findings]).toMatchObject([0, [{action: 'none', ignored: {until: null}}, {}]])
  expect([await list(), (await list('--state', 'closed')).length]).toEqual([[], 2])
  const other = await reconcile([booked('D-1', '20', '900.00'), booked('D-2')])
  expect([other.status, other.stdout]).toEqual([
    7,
    expect.stringMatching(/The closing of .* no longer applies/),
  ])
  expect((await list()).map(({orderNo}) => orderNo)).toEqual(['D-1'])
})

test('many are closed by a filter, with --yes or after a question', async () => {
  const {shell, list} = await withItems(booked('D-1', '01'), booked('D-2', '01'), booked('D-3', '21'))
  const filter = ['--verdict', 'missing_at_provider', '--reason', 'agreed with the service']
  const asked = await shell.run(ItemsClose, ...filter)
  expect([asked.status, (await list()).length]).toEqual([2, 3])
  expect((await shell.run(ItemsClose, '--reason', 'all')).status).toBe(2)
  const none = await shell.run(ItemsClose, 'D-404', '--reason', 'no such item')
  expect(none.stderr).toContain('D-404 has no such item')
  await shell.run(ItemsClose, ...filter, '--yes')
  expect(await list()).toEqual([])
})

test('many are assigned and noted by a filter, with --yes or after a question', async () => {
  const {shell, list} = await withItems(booked('D-1', '01'), booked('D-2', '01'), booked('D-3'))
  await shell.run(ItemsAssign, 'D-3', '--to', 'karim')
  const unowned = ['--owner', '', '--to', 'rahima']
  expect((await shell.run(ItemsAssign, ...unowned)).status).toBe(2)
  expect((await shell.run(ItemsAssign, '--to', 'rahima')).stderr).toContain('No items were chosen')
  expect(await list('--owner', 'rahima')).toEqual([])
  await shell.run(ItemsAssign, ...unowned, '--yes')
  await shell.run(ItemsNote, '--owner', 'rahima', '--text', 'asked', '--yes')
  expect(await list()).toMatchObject([
    {orderNo: 'D-1', owner: 'rahima', note: 'asked'},
    {orderNo: 'D-2', owner: 'rahima', note: 'asked'},
    {orderNo: 'D-3', owner: 'karim', note: null},
  ])
})

test('what a dry run or a refused file saw is no item', async () => {
  const {reconcile, list} = await withItems(booked('D-1'))
  await reconcile([booked('D-1'), booked('D-8')], '--dry-run')
  expect((await reconcile([booked('D-9'), header])).status).toBe(2)
  expect((await list()).map(({orderNo}) => orderNo)).toEqual(['D-1'])
})

test('an item whose order got no answer keeps its result and amount, and says that the last run did not check it', async () => {
  const rows = [booked('D-1'), booked('D-2')]
  const {shell, reconcile, list} = await withItems(...rows)
  const before = await list()
  await shell.run(SandboxChaos, 'deposit-query.html')
  expect((await reconcile(rows)).status).toBe(8)
  const next = 'Not checked in the last run. Ask the service about this order.'
  expect(await list()).toEqual(before.map((item) => ({...item, next})))
  expect((await shell.run(ItemsList)).stdout).toContain('2 deposits open, BDT 1,000.00 at risk')
  expect((await shell.run(ItemsShow, 'D-1', '--json')).json().items).toMatchObject([{next}])
  await shell.run(SandboxChaos, '--off')
  await reconcile(rows)
  expect(await list()).toMatchObject(
    before.map(({orderNo}) => ({orderNo, next: 'Ask the service about this order.'})),
  )
})
