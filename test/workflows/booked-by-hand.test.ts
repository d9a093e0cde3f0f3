import {describe, expect, test} from 'vitest'
import {findMentions} from '../../src/ledger/mentions.ts'
import {read, writeLedger} from '../ledger/scratch-ledger.ts'
import {ScenarioBench} from './scenario-run.ts'

/*
 * Somebody booked a lost order by hand and wrote so somewhere in the ledger, not as its row. The books of the merchant
 * know: a resend would credit it twice. LOST is paid and its webhook failed for good; D-1 and D-2 are booked as usual.
 */
const beginMs = Date.parse('2026-11-09T00:00:00+06:00')
const hourMs = 3_600_000

function bench(name: string) {
  const sections = new Map([
    ['ledger.csv', 'order_no,amount,created_at\n'],
    ['options.json', JSON.stringify({yes: true})],
  ])
  const one = new ScenarioBench({path: name, sections})
  const sent: string[] = []
  for (const [nth, orderNo] of ['D-1', 'D-2', 'LOST-7', 'FREE-8'].entries()) {
    const order = {
      kind: 'deposit',
      orderNo,
      platformOrderNo: `6f1c-${nth}-platform`,
      amount: 50_000n,
    } as const
    one.client.orders.set(`deposit\0${orderNo}`, {...order, rawStatus: 'completed', status: 'completed'})
    const at = new Date(beginMs + (10 + nth) * hourMs).toISOString()
    one.addRecord(
      nth < 2
        ? {orderNo, createdAt: at, status: 'success', attempts: 1, sentAt: at, nextRetryAt: null}
        : {orderNo, createdAt: at, status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null},
    )
  }
  one.client.before = (call) => {
    const record = call.startsWith('resend ') ? one.client.records.get(call.slice(7)) : undefined
    if (record) sent.push(record.merchantOrderId)
  }
  one.clock.ms = beginMs + 30 * hourMs
  return {one, sent}
}

const at = (hour: number) => new Date(beginMs + hour * hourMs).toISOString()
const credits = `order_no,amount,created_at\nD-1,500.00,${at(9)}\nD-2,500.00,${at(20)}\n`
const orders = `order_no,amount,status,created_at\nD-1,500.00,completed,${at(9)}\nLOST-7,500.00,pending,${at(12)}\nFREE-8,500.00,pending,${at(13)}\nD-2,500.00,completed,${at(20)}\n`

const places: readonly [where: string, of: (ledger: string) => string][] = [
  ['words below the rows', (ledger) => `${ledger}manual LOST-7\n`],
  ['words with others', (ledger) => `${ledger}"booked by hand: A-1, LOST-7 (Karim)"\n`],
  ['the number of the platform', (ledger) => `${ledger}manual 6f1c-2-platform\n`],
  ['a column without a header', (ledger) => beside(ledger, '', 'LOST-7')],
  ['a column that is not read', (ledger) => beside(ledger, 'remarks', 'see lost 7')],
  [
    'a row under a number that is none',
    (ledger) => `${ledger}"LOST-7, cash",500.00,${ledger === orders ? 'completed,' : ''}${at(20)}\n`,
  ],
]

function beside(ledger: string, header: string, text: string): string {
  const lines = ledger.trimEnd().split('\n')
  return `${lines.map((line, nth) => `${line},${nth === 0 ? header : nth === 1 ? text : ''}`).join('\n')}\n`
}

describe.each([
  ['credits', credits],
  ['orders', orders],
])('a ledger of %s', (kind, ledger) => {
  test.each(places)('%s hold the order back', async (where, of) => {
    const {one, sent} = bench(`hand-${kind}-${where.replaceAll(' ', '-')}`)
    one.rewrite(of(ledger))
    const {report, status} = await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent).not.toContain('LOST-7')
    expect(report.findings.find(({orderNo}) => orderNo === 'LOST-7')).toMatchObject({action: 'review'})
    expect(status).toBe(7)
  })

  test('without a word of it the order is resent', async () => {
    const {one, sent} = bench(`hand-${kind}-none`)
    one.rewrite(beside(ledger, 'remarks', 'LOST-70, A-LOST, 7'))
    await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent.toSorted()).toEqual(['FREE-8', 'LOST-7'])
  })
})

test('a file that changed since it was read is refused', async () => {
  const {files} = await read(orders)
  writeLedger(`${orders}manual LOST-7\n`)
  const named = [{orderNo: 'LOST-7', platformOrderNo: ''}]
  const found = findMentions(files, named, {unknown: [], unreadable: []})
  await expect(found).rejects.toMatchObject({code: 'ledger_damaged'})
})
