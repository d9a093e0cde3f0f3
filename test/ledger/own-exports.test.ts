import {expect, test} from 'vitest'
import {findMentions} from '../../src/ledger/mentions.ts'
import {ownExports} from '../../src/ledger/own-exports.ts'
import {itemColumns} from '../../src/report/items-list.ts'
import {sheetOf, xlsx} from '../../src/report/xlsx.ts'
import {describeColumns} from '../snapshot/columns.ts'
import {defaultOptions, failureOf, read, readWhole, writeLedger} from './scratch-ledger.ts'

test('they are known by the columns that hisab writes', () => {
  const written = describeColumns()
  expect(ownExports.map(({columns}) => columns.join(','))).toEqual([
    written['webhooks list'],
    written['findings.csv'],
    itemColumns.map(({name}) => name).join(','),
  ])
})

test.each(ownExports.map(({is, columns}) => [is, columns] as const))(
  'a %s is no ledger',
  async (is, columns) => {
    expect((await failureOf(read(`\ufeff${columns.join(',')}\r\n`))).message).toContain(
      `${is} that hisab wrote`,
    )
  },
)

const lost = Array.from({length: 12}, (_, nth) => ({
  orderNo: `DEP000${nth + 10}`,
  platformOrderNo: `6f1c-${nth}`,
}))
const cellOf: Readonly<Record<string, (of: (typeof lost)[number]) => string>> = {
  merchant_order_id: ({orderNo}) => orderNo,
  order_no: ({orderNo}) => orderNo,
  order_id: ({platformOrderNo}) => platformOrderNo,
  status: () => 'failed',
  ...{verdict: () => 'missing_completion', action: () => 'resend', severity: () => 'high'},
  ...{kind: () => 'deposit', state: () => 'open', owner: () => 'Karim'},
  explanation: () => 'Paid by the player, but not booked by hand.',
}

/** How many orders are held by a workbook whose second sheet is this list. */
async function heldBy(
  columns: readonly string[],
  change: (column: string, of: (typeof lost)[number]) => string | undefined = () => undefined,
  {name = 'failed webhooks', ignoredSheets = [] as string[]} = {},
): Promise<string[]> {
  const text = (title: string, value: (of: (typeof lost)[number]) => string) =>
    ({title, kind: 'text', width: 9, value}) as const
  const list = columns.map((column) => text(column, (of) => change(column, of) ?? cellOf[column]?.(of) ?? ''))
  const ledger = sheetOf('Orders', [text('order_no', ({orderNo}) => orderNo.replace('DEP', 'X'))], lost)
  const bytes = Buffer.concat([...xlsx([ledger, sheetOf(name, list, lost)])])
  const {files} = await readWhole([writeLedger(bytes, 'own.xlsx')], {...defaultOptions, sheet: 'Orders'})
  const {places: found} = await findMentions(files, lost, {
    ...{
      unknown: [],
      unreadable: [],
      linesOf: () => [],
      isBooked: (status) => status === 'completed',
      ignoredSheets,
    },
  })
  expect([0, lost.length]).toContain(found.size)
  return [...found.values()]
}

test.each(ownExports.map(({is, columns, notes}) => [is, columns, notes] as const))(
  'a sheet that is a %s holds nothing, unless somebody wrote in it',
  async (_, columns, notes) => {
    expect(await heldBy(columns)).toEqual([])
    expect(await heldBy(columns.slice(0, -1))).toEqual([])
    expect(await heldBy([...columns, 'Done'])).not.toEqual([])
    expect(await heldBy(columns, undefined, {name: 'booked by hand'})).not.toEqual([])
    const state = ['status', 'state', 'verdict'].find((column) => columns.includes(column))
    const edited = (column: string) => (column === state ? 'booked' : undefined)
    expect(await heldBy(columns, edited)).not.toEqual([])
    for (const note of notes)
      expect(await heldBy(columns, (column) => (column === note ? 'given' : undefined))).not.toEqual([])
  },
)

test('any other list holds its orders; its sheet and the flag that leaves it out are named', async () => {
  const [first] = await heldBy(['merchant_order_id'])
  expect(first).toContain('the sheet "failed webhooks"')
  expect(first).toContain('--ignore-sheet="failed webhooks" leaves it out')
  expect(await heldBy(['merchant_order_id'], undefined, {ignoredSheets: ['Failed  Webhooks ']})).toEqual([])
  expect(await heldBy(['merchant_order_id'], undefined, {ignoredSheets: ['failed']})).not.toEqual([])
})

test.each([
  ['Manual credits', 'pl-7', '570.00', true],
  ['booked by hand', 'Rahim', '570', true],
  ['Adjustments', 'pl-7', '570.00', true],
  ['Hand credit', 'pl-7', '570.00', true],
  ['Hate deya', 'pl-7', '570.00', true],
  ['Cash in hand', 'pl-7', '570.00', false],
  ['Bonus', 'pl-7', '570.00', false],
  ['Bonus', 'pl-7 booked by hand', '570.00', true],
])('a sheet "%s" with %s and %s: holds every order: %s', async (name, who, amount, holds) => {
  const columns = ['Player', 'Amount']
  const held = await heldBy(columns, (column) => (column === 'Player' ? who : amount), {name})
  expect(held.length > 0).toBe(holds)
  if (holds) expect(held[0]).toContain(`--ignore-sheet="${name}"`)
})
