import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import {hourMs, order} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

/** A ledger of credits: no status column. */
const credits = 'order_no,amount,created_at\n'
const credit = (orderNo: string, amount = '500.00') => `${orderNo},${amount},2026-11-20T09:00:00Z\n`
/** A ledger of orders: it has a status column. */
const orders = 'order_no,status,amount,created_at\n'

/**
 * A service that knows these deposits, all paid and their webhooks failed for good, and a merchant's server that takes
 * any webhook. Resends are approved.
 */
function merchant(ledger: string, known: readonly (string | object)[], options: object = {}): ScenarioBench {
  const asked = known.map((one) => (typeof one === 'string' ? {orderNo: one} : one))
  return new ScenarioBench({
    path: 'missing orders',
    sections: new Map([
      ['ledger.csv', ledger],
      ['service.json', JSON.stringify(asked)],
      [
        'deliveries.json',
        JSON.stringify(
          asked.map(({orderNo}: {orderNo?: string}) => ({orderNo, createdAt: '2026-11-20T09:00:00Z'})),
        ),
      ],
      ['options.json', JSON.stringify({yes: true, ...options})],
    ]),
  })
}

/** What the merchant's server got, by the service's own log. */
const deliveriesTo = ({client}: ScenarioBench): number =>
  client.log.filter((call) => call.startsWith('resend ')).length
const about = (
  report: {findings: readonly {orderNo: string | null; line: number | null}[]},
  orderNo: string,
) => report.findings.find((one) => one.orderNo === orderNo && one.line === null)

describe('an order that a row of the ledger may be under a damaged number is never resent', () => {
  test.each<[what: string, atService: string, inLedger: string]>([
    ['lost zeros', '0001001', '1001'],
    ['zeros too many', '1001', '0001001'],
    ['15 digits kept', '123456789012345678', '123456789012345000'],
    ['15 digits kept, rounded up', '123456789012345678', '123456789012346000'],
    ['kept as a float', '12345678901234567890', '12345678901234567000'],
    ['shortened', '1234567890123456', '1.23457E+15'],
    ['shortened, written out in the cell', '1234567890123456', '1.234567890123456E+15'],
    ['Bengali digits', 'D-1008', 'D-১০০৮'],
    ['a blank in front', 'D-1008', ' D-1008'],
    ['a no-break space', 'D-1008', 'D-\u00a01008'],
    ['a zero-width space', 'D-1008', 'D-\u200b1008'],
    ['other case', 'D-1008', 'd-1008'],
    ['decomposed letters', 'D-\u00e91', 'D-e\u03011'],
    ['an apostrophe', '0001001', "'0001001"],
    ['a dash of another kind', 'D-1008', 'D\u20131008'],
    ['the service has the damaged one', '123456789012345000', '123456789012345678'],
  ])('%s', async (_what, atService, inLedger) => {
    const bench = merchant(credits + credit('D-1') + credit(inLedger), ['D-1', atService])
    const {report, status} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(0)
    const finding = about(report, atService)
    expect(finding).toMatchObject({verdict: 'missing_in_ledger', action: 'review'})
    expect(finding).toMatchObject({explanation: expect.stringContaining('line 3 ("')})
    // The money is in the ledger once, and at risk once at the most.
    expect(['0.00', '500.00']).toContain(report.atRisk.total)
    expect(status).toBe(7)
  })

  test('a row of another kind and number, or of a number and an amount far from it, holds nothing back', async () => {
    const ledger = `order_no,kind,amount,created_at\n${[
      'D-1,deposit,500.00,2026-11-20T09:00:00Z',
      'X-1008,payout,500.00,2026-11-20T09:00:00Z',
      ' D-1009,deposit,80.00,2026-11-20T09:00:00Z',
    ].join('\n')}\n`
    const bench = merchant(ledger, ['D-1', 'D-1008'])
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(1)
  })

  test.each<[what: string, row: string, sent: number]>([
    ['a filler for a number, the same amount', '########,500.00,2026-11-20T09:00:00Z\n', 0],
    ['a filler, no amount', '########,,2026-11-20T09:00:00Z\n', 0],
    ['a formula, the same amount', '=A7,500.00,2026-11-20T09:00:00Z\n', 0],
    ['a blank number, the same amount', ',500.00,2026-11-20T09:00:00Z\n', 0],
    ['a blank number, an amount nobody can read', ',5-,2026-11-20T09:00:00Z\n', 0],
    ['a field too many, the number blank', ',500.00,2026-11-20T09:00:00Z,x\n', 0],
    ['a last row cut off inside its number', 'D-1', 0],
    ['another amount', '########,80.00,2026-11-20T09:00:00Z\n', 1],
    ['a blank number, another amount', ',80.00,2026-11-20T09:00:00Z\n', 1],
    ['a blank number and no amount', ',,2026-11-20T09:00:00Z\n', 1],
    ['a last row cut off inside another number, before its amount', 'D-2', 0],
  ])('a row with no number left: %s', async (_what, row, sent) => {
    const bench = merchant(credits + credit('D-7') + row, ['D-7', 'D-1008'])
    const {report} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
    const held = {action: 'review', explanation: expect.stringContaining('line 3 (')}
    expect(about(report, 'D-1008')).toMatchObject(sent ? {resend: {state: 'delivered'}} : held)
  })

  test.each<[what: string, atService: string, row: string, sent: number]>([
    ['a formula', '0001009', '"=""0001009""",500.00,2026-11-20T09:00:00Z\n', 0],
    ['a date', 'MAR5', credit('5-Mar'), 0],
    ['shortened from letters', '12E3', credit('1.20E+04'), 0],
    ['rounded as a float', '72345678901234567', credit('72345678901234568'), 0],
    ['the last character cut off', 'D-10089', credit('D-1008'), 0],
    ['a prefix lost', 'DEP-1008', credit('1008'), 0],
    ['mojibake', 'D-\u00e91', credit('D-\u00c3\u00a91'), 0],
    ['a remark behind it', 'D-1044', credit('D-1044 (manual)'), 0],
    ['no amount', 'D-1008', credit('X-7', ''), 0],
    ['an amount nobody can read', 'D-1008', credit('X-7', '5-'), 0],
    ['a comma for a point, the number damaged', 'D-1008', credit('D-10O8', '"500,00"'), 0],
    ['digits that the amount cannot have', 'D-1008', credit('X-7', '1.234'), 1],
    ['too many decimals', 'D-1008', credit('X-7', '500.004'), 0],
    ['a date', 'D-1008', credit('X-7', '5-Mar'), 0],
    ['its own cells swapped', 'D-1008', '500.00,D-1008,2026-11-20T09:00:00Z\n', 0],
    ['columns of another file', 'D-1008', '2026-11-20T09:00:00Z,D-1008,500.00\n', 0],
    ['a number and an amount nobody can read', 'D-1008', credit(' X-7', '5-'), 0],
    ['another amount', 'D-1008', credit('X-7', '80.00'), 1],
    ['a number nobody can read, another amount', 'D-1008', credit(' X-7', '80.00'), 1],
  ])('a row that nothing explains, of its amount, whatever the number: %s', async (_what, no, row, sent) => {
    const bench = merchant(credits + credit('D-7') + row, ['D-7', no])
    const {report} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
    const held = {action: 'review', explanation: expect.stringContaining('line 3 (')}
    expect(about(report, no)).toMatchObject(sent ? {resend: {state: 'delivered'}} : held)
  })

  /** D-1008 and D-1009 are missing, of BDT 500.00 each. */
  test.each<[what: string, row: string, sent: number]>([
    ['both numbers', credit('D-1008/D-1009', '1000.00'), 0],
    ['both numbers, less a fee', credit('D-1008 & D-1009', '980.00'), 0],
    ['neither number, and what they cost together', credit('OUTAGE', '1000.00'), 0],
    ['one number and a word', credit('manual D-1008', '490.00'), 1],
    ['one number and a sign', credit('#D-1008', '490.00'), 1],
    ['one number as a program writes numbers', credit('D-1008.0', '490.00'), 1],
    ['one number without its signs', credit('D1008', '490.00'), 1],
    ['one number with a digit added', credit('D-10081', '490.00'), 1],
    ['another number', credit('D-20817', '490.00'), 2],
    ['what neither costs', credit('OUTAGE', '1200.00'), 2],
  ])('one row for several orders, or a number and other text: %s', async (_what, row, sent) => {
    const bench = merchant(credits + credit('D-7') + row, ['D-7', 'D-1008', 'D-1009'])
    const {report} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
    const held = {action: 'review', explanation: expect.stringMatching(/line 3 (?:\(|of )/)}
    expect(about(report, 'D-1008')).toMatchObject(sent === 2 ? {resend: {state: 'delivered'}} : held)
  })

  test.each([
    ['none', 0, 0],
    ['fewer than half', 1, 0],
    ['half', 2, 1],
  ])(
    'a ledger of other orders proves no absence: of four rows the service knows %s',
    async (_what, known, sent) => {
      const rows = ['D-1', 'D-2', 'X-3', 'X-4'].map((no) => credit(no, '80.00')).join('')
      const paid = ['D-1', 'D-2'].slice(0, known).map((orderNo) => ({orderNo, amount: '80.00'}))
      const bench = merchant(credits + rows, ['D-1008', ...paid])
      const {report} = await bench.run('run-1')
      expect(deliveriesTo(bench)).toBe(sent)
      const whole = expect.stringMatching(
        /^The service knows \d of the 4 deposits .* merchant, environment and kind/,
      )
      expect(report.notes.slice(1)).toEqual(sent ? [] : [whole])
    },
  )

  test.each([
    ['paid', 'completed', 1],
    ['failed', 'failed', 0],
    ['not yet paid', 'processing', 0],
  ])('a row whose amount nobody can read, and whose own order is %s', async (_what, status, sent) => {
    const ledger = credits + credit('D-7') + credit('D-8', '5-')
    const bench = merchant(ledger, ['D-7', {orderNo: 'D-8', status}, 'D-1008'])
    const {report} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
    expect(about(report, 'D-8')).toBeUndefined()
    // Where no order is missing, it is not asked for.
    const agreed = merchant(ledger, ['D-7', {orderNo: 'D-8', status}])
    await agreed.run('run-1')
    expect(agreed.client.log).not.toContain('query deposit D-8')
  })

  test('more rows than can be asked for, whose amounts nobody can read, hold back any order', async () => {
    const many = Array.from({length: 501}, (_, index) => credit(`M-${index}`, '5-'))
    const numbers = many.map((_, index) => `M-${index}`)
    const bench = merchant(credits + credit('D-7') + many.join(''), ['D-7', 'D-1008'])
    for (const orderNo of numbers) bench.client.orders.set(`deposit\0${orderNo}`, paidAs(orderNo))
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(0)
    expect(bench.client.log.filter((call) => call.startsWith('query deposit M-'))).toEqual([])
  })

  test.each([
    ['of its own order’s amount is that order’s', '500.00', 1],
    ['of another amount may be any', '80.00', 0],
  ])('in a list of orders a row whose order failed, and that is %s', async (_what, amount, sent) => {
    const rows = ['D-1', 'P-7'].map((no) => `${no},paid,500.00,2026-11-20T09:00:00Z\n`).join('')
    const bench = merchant(orders + rows, ['D-1', {orderNo: 'P-7', status: 'failed', amount}, 'P-8'])
    await bench.run('run-1', {}, {overrides: {...noWords, includeMissing: true}})
    expect(deliveriesTo(bench)).toBe(sent)
  })

  const kinds = 'order_no,kind,amount,created_at\n'
  const row = (orderNo: string, kind: string, amount = '500.00') =>
    `${orderNo},${kind},${amount},2026-11-20T09:00:00Z\n`
  test.each<[what: string, row: string, known: object[], sent: number]>([
    ['the other kind', row('D-1008', 'payout', '80.00'), [], 0],
    ['the other kind, the number damaged', row('d-1008', 'payout', '80.00'), [], 0],
    [
      'the other kind, and a payout has it',
      row('D-1008', 'payout', '80.00'),
      [{kind: 'payout', amount: '80.00'}],
      1,
    ],
  ])('a row of its number under %s', async (_what, mistyped, known, sent) => {
    const orders = ['D-1', 'D-1008', ...known.map((one) => ({orderNo: 'D-1008', ...one}))]
    const bench = merchant(kinds + row('D-1', 'deposit') + mistyped, orders)
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
  })

  /** P-7 and P-8 are of one player: P-8 was booked under the number of P-7. */
  test.each<[what: string, p7: object, rows: string, sent: number]>([
    ['failed', {status: 'failed'}, credit('P-7', '750.00'), 0],
    ['not paid yet', {status: 'processing'}, credit('P-7', '750.00'), 0],
    ['in a word nobody knows', {status: 'SETTLED'}, credit('P-7', '750.00'), 0],
    ['paid with another amount', {}, credit('P-7', '750.00'), 0],
    ['booked twice', {}, credit('P-7') + credit('P-7', '750.00'), 0],
    ['booked twice, in another order', {}, credit('P-7', '750.00') + credit('P-7'), 0],
    ['failed, of the same amount', {status: 'failed', amount: '750.00'}, credit('P-7', '750.00'), 0],
    ['booked twice, of the same amount', {amount: '750.00'}, credit('P-7', '750.00').repeat(2), 0],
    ['failed, and the row is of quite another amount', {status: 'failed'}, credit('P-7', '80.00'), 1],
    ['paid, and stands there once', {}, credit('P-7'), 1],
  ])(
    'a credit without its own payment may be the order of its amount: its own is %s',
    async (_what, p7, rows, sent) => {
      const bench = merchant(credits + credit('D-7') + rows, [
        'D-7',
        {orderNo: 'P-7', ...p7},
        {orderNo: 'P-8', amount: '750.00'},
      ])
      const {report, status} = await bench.run('run-1')
      expect(deliveriesTo(bench)).toBe(sent)
      if (sent === 0) expect([about(report, 'P-8')?.line, status]).toEqual([null, 7])
    },
  )

  test('an order of unknown amount may be any row with no number left', async () => {
    const bench = merchant(`${credits}${credit('D-7')}####,80.00,2026-11-20T09:00:00Z\n`, [
      'D-7',
      {orderNo: 'D-1008', amount: null},
    ])
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(0)
  })

  test('a readable last row whose number was cut off', async () => {
    const ledger =
      'amount,created_at,order_no\n500.00,2026-11-20T09:00:00Z,D-7\n80.00,2026-11-20T09:00:00Z,D-10'
    const bench = merchant(ledger, ['D-7', 'D-1008'])
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(0)
    const whole = merchant(`${ledger}\n`, ['D-7', 'D-1008'])
    await whole.run('run-1')
    expect(deliveriesTo(whole)).toBe(1)
  })

  test.each([
    ['agrees', '500.00', 1, 0],
    ['is more than its rows: some are missing', '1000.00', 0, 8],
    ['is less', '400.00', 1, 8],
  ])('the total of the file %s', async (_what, total, sent, status) => {
    const bench = merchant(`${credits}${credit('D-7')}Total,${total},\n`, ['D-7', 'D-1008'])
    const end = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
    expect(end.report.findings.map(({orderNo}) => orderNo)).not.toContain('Total')
    expect(end.report).toMatchObject({
      complete: status === 0,
      counts: {rows: 1, unreadable_row: 0, missing_at_provider: 0},
      ledger: [
        {totalRows: [{line: 3, label: 'Total', amount: total, sumOfRows: '500.00', agrees: status === 0}]},
      ],
    })
    expect(end.status).toBe(status)
    const queries = bench.client.log.filter((call) => call.startsWith('query'))
    expect(queries.filter((call) => call.includes('Total'))).toEqual([])
  })

  /** LOST-9 is paid: BDT 1,000.00. */
  test.each<[what: string, rows: string, named: number, sent: number]>([
    ['in the middle, a sum', `${credit('D-1')}${credit('D-2')},1000.00,\n${credit('D-3', '300.00')}`, 1, 0],
    ['at the end, a sum', `${credit('D-1')}${credit('D-2')},1000.00,\n`, 0, 0],
    [
      'at the end, a word, no sum',
      `${credit('D-1')}${credit('D-2')}${credit('D-3', '300.00')}Total,1000.00,\n`,
      0,
      0,
    ],
    ['at the end, a word, a sum', `${credit('D-1')}${credit('D-2')}Total,1000.00,\n`, 0, 1],
    ['of another amount', `${credit('D-1')}${credit('D-3', '300.00')},800.00,\n`, 0, 1],
  ])('a row read as a total may be an order of its amount: %s', async (_what, rows, named, sent) => {
    const known = ['D-1', 'D-2', {orderNo: 'D-3', amount: '300.00'}, {orderNo: 'LOST-9', amount: '1000.00'}]
    const bench = merchant(
      credits + rows,
      known.filter(
        (one) =>
          JSON.stringify(one).includes('LOST') || rows.includes(typeof one === 'string' ? one : one.orderNo),
      ),
    )
    const {report, status} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(sent)
    expect(report.counts.unreadable_row).toBe(named)
    if (sent === 0) expect([7, 8]).toContain(status)
  })

  test('two rows that became one number may be the order, too', async () => {
    const bench = merchant(credits + credit('1001') + credit('1001'), ['1001', '0001001'])
    const {report} = await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(0)
    expect(about(report, '0001001')).toMatchObject({action: 'review'})
  })

  test('a row whose own order is of another amount may be the order, too', async () => {
    const bench = merchant(credits + credit('1001'), [{orderNo: '1001', amount: '80.00'}, '0001001'])
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(0)
  })

  test('a row that its own order explains holds nothing back', async () => {
    const bench = merchant(credits + credit('1001'), ['1001', '0001001'])
    await bench.run('run-1')
    expect(deliveriesTo(bench)).toBe(1)
  })

  test('a row that failed under a damaged number is named with the paid order it may be', async () => {
    const bench = merchant(
      `${orders}D-1,paid,500.00,2026-11-20T09:00:00Z\nd-1008,failed,500.00,2026-11-20T09:00:00Z\n`,
      ['D-1', 'D-1008'],
    )
    bench.holds = 'credits'
    const {report, status} = await bench.run('run-1')
    expect(about(report, 'D-1008')).toMatchObject({
      action: 'review',
      explanation: expect.stringContaining('line 3 ("d-1008")'),
    })
    expect([deliveriesTo(bench), status]).toEqual([0, 7])
  })

  test('with --include-missing neither', async () => {
    const bench = merchant(credits + credit('D-1') + credit('1001'), ['D-1', '0001001'])
    await bench.run('run-1', {}, {overrides: {...noWords, includeMissing: true}})
    expect(deliveriesTo(bench)).toBe(0)
  })
})

const paidAs = (orderNo: string) => order({orderNo, platformOrderNo: `platform-${orderNo}`})
const noWords = {includeDelivered: false, ignoreCooldown: false, retryUnknown: false}

test.each([
  ['all of three days ago', '2026-11-17T10:00:00Z', 0],
  ['one of a mistyped year', '2062-11-17T10:00:00Z', 8],
  ['one of tomorrow', '2026-11-21T10:00:00Z', 8],
])('an order of today is not missing in a ledger of three days ago: rows %s', async (_what, when, status) => {
  const rows = `D-1,500.00,2026-11-17T09:00:00Z\nD-2,500.00,${when}\n`
  const bench = merchant(credits + rows, ['D-1', 'D-2', 'TODAY-1'])
  const {report, ...end} = await bench.run('run-1')
  expect(deliveriesTo(bench)).toBe(0)
  expect(about(report, 'TODAY-1')).toBeUndefined()
  expect([report.counts.matched, end.status]).toEqual([2, status])
  expect(report.incompleteBecause.join()).toContain(status === 0 ? '' : 'line 3')
})

describe('what the ledger holds', () => {
  const listed = `${orders}D-1,paid,500.00,2026-11-20T09:00:00Z\n`

  test.each<
    [what: string, ledger: string, holds: 'credits' | 'orders' | null, includeMissing: boolean, sent: number]
  >([
    ['a ledger of credits', credits + credit('D-1'), null, false, 1],
    ['a file with a status column lists orders', listed, null, false, 0],
    ['a person said to send it all the same', listed, null, true, 1],
    ['the profile says that it holds credits', listed, 'credits', false, 1],
    ['the profile says that it holds orders', credits + credit('D-1'), 'orders', false, 0],
  ])('%s: %s', async (_what, ledger, holds, includeMissing, sent) => {
    const bench = merchant(ledger, ['D-1', 'D-2'])
    bench.holds = holds
    const {report, status} = await bench.run('run-1', {}, {overrides: {...noWords, includeMissing}})
    expect(deliveriesTo(bench)).toBe(sent)
    expect(about(report, 'D-2')).toMatchObject(sent ? {resend: {state: 'delivered'}} : {action: 'review'})
    expect(status).toBe(sent ? 0 : 7)
    const words = (await bench.journal.resendsOfRun('run-1')).map(({overrides}) => overrides)
    expect(words).toEqual(sent ? [includeMissing ? ['include-missing'] : []] : [])
  })
})

describe('an order of an earlier ledger', () => {
  const noAnswer = (bench: ScenarioBench): void => {
    bench.client.orders.set('deposit\0D-2', failure('service_busy', 'HTTP 503'))
  }
  const unpaid = (bench: ScenarioBench): void => {
    bench.client.orders.set('deposit\0D-7', {...paidAs('D-7'), status: 'failed', rawStatus: 'failed'})
  }
  const stopped = (bench: ScenarioBench): void => {
    bench.client.before = (call) => {
      if (call === 'query deposit D-0') bench.stop.abort()
    }
  }
  const nextDay = (bench: ScenarioBench, rows: string): void => {
    writeFileSync(join(bench.dir, 'ledger.csv'), credits + rows)
    bench.clock.ms += 24 * hourMs
  }
  /** Created 23:58, booked by hand, its webhook failed for good; its record is in the next day's window. */
  const straddling = () =>
    merchant(credits + credit('D-1') + credit('D-2'), ['D-1', 'D-2', 'D-3'], {yes: true})
  const withoutThird = (bench: ScenarioBench) => {
    for (const [id, {merchantOrderId}] of bench.client.records) {
      if (merchantOrderId === 'D-3') bench.client.records.delete(id)
    }
  }

  test.each([false, true])('is booked, and no break: with --skip-final %s', async (skipFinal) => {
    const bench = straddling()
    withoutThird(bench)
    await bench.run('day-1', {}, {skipFinal})
    nextDay(bench, credit('D-3'))
    const {report, status} = await bench.run('day-2', {}, {skipFinal})
    expect(deliveriesTo(bench)).toBe(0)
    expect(report.findings.filter(({verdict}) => verdict !== 'matched')).toEqual([])
    expect(report.missingInLedger).toMatchObject({bookedEarlier: [{runId: 'day-1', orders: 2}]})
    expect(report.tieOut).toMatchObject({difference: '0.00', unexplained: '0.00'})
    expect(status).toBe(0)
  })

  test('whose amount the service has changed since is a person’s to look at, by the run that matched it', async () => {
    const bench = straddling()
    withoutThird(bench)
    await bench.run('day-1')
    const known = bench.client.orders.get('deposit\0D-2')
    if (known && 'amount' in known) bench.client.orders.set('deposit\0D-2', {...known, amount: 600_00n})
    nextDay(bench, credit('D-3'))
    const {report, status} = await bench.run('day-2')
    expect(deliveriesTo(bench)).toBe(0)
    expect(about(report, 'D-2')).toMatchObject({
      action: 'review',
      ...{verdict: 'amount_mismatch', explanation: expect.stringContaining('Run day-1 found it completed')},
    })
    expect(status).toBe(7)
  })

  test('that stood there with another amount is not resent', async () => {
    const bench = merchant(credits + credit('D-2', '700.00'), ['D-2', 'D-3'])
    withoutThird(bench)
    await bench.run('day-1')
    nextDay(bench, credit('D-3'))
    const {report} = await bench.run('day-2')
    expect(deliveriesTo(bench)).toBe(0)
    expect(about(report, 'D-2')).toMatchObject({
      action: 'review',
      explanation: expect.stringContaining('Run day-1 found a row'),
    })
  })

  test('that only a dry run matched is booked; its word stands in for no question', async () => {
    const bench = straddling()
    withoutThird(bench)
    await bench.run('day-1', {dryRun: true})
    const again = await bench.run('day-1-again', {}, {skipFinal: true})
    expect(again.report.final.taken).toBe(0)
    bench.rewrite(credits + credit('D-1') + credit('D-2'))
    await bench.run('dry-again', {dryRun: true})
    const third = await bench.run('day-1-third', {}, {skipFinal: true})
    expect(third.report.final.fromRuns.map(({runId}) => runId)).toEqual(['day-1-again'])
  })

  /** The order's record is made on the next day only; it is paid, and its webhook failed for good. */
  async function nextDayOf(bench: ScenarioBench, first: () => Promise<unknown>, ledger: string) {
    const known = bench.client.orders.get('deposit\0D-2')
    bench.client.records.clear()
    await first()
    Object.assign(bench, {stop: new AbortController()})
    bench.client.before = () => {}
    if (known) bench.client.orders.set('deposit\0D-2', known)
    bench.addRecord({orderNo: 'D-2', createdAt: '2026-11-21T09:00:00Z'})
    bench.rewrite(credits + ledger)
    bench.clock.ms += 24 * hourMs
    return await bench.run('day-2')
  }
  const today = 'D-3,500.00,2026-11-21T09:00:00Z\n'

  test.each<
    [what: string, row: string, change: ((bench: ScenarioBench) => void) | null, dryRun: boolean, end: number]
  >([
    ['the service gave no answer', credit('D-2'), noAnswer, false, 0],
    ['a dry run matched it', credit('D-2'), null, true, 0],
    ['a dry run, and no answer', credit('D-2'), noAnswer, true, 7],
    ['a damaged number', credit('d-2'), null, false, 7],
    ['a number that cannot be one', credit(' D-2'), null, false, 7],
    ['a dry run of a damaged number', credit('d-2'), null, true, 7],
    ['a field too many', credit('D-2').replace('\n', ',x\n'), null, false, 7],
    ['an amount nobody can read', credit('X-9', '5-'), null, false, 7],
    ['under the number of an order that is not paid', credit('D-7'), unpaid, false, 7],
    ['another number, of its amount', credit('X-9'), null, false, 7],
    ['no number, of its amount', credit('####'), null, false, 7],
    ['read as a total', `${credit('D-7', '250.00')}${credit('D-8', '250.00')},500.00,\n`, null, false, 7],
    ['stopped before it was asked for', credit('D-2'), stopped, false, 7],
  ])('whose row came to no conclusion is not resent: %s', async (_what, row, change, dryRun, end) => {
    const bench = merchant(credits + credit('D-0') + row, ['D-0', 'D-2', 'D-3'])
    const first = () => {
      change?.(bench)
      return bench.run('day-1', {dryRun})
    }
    const {report, status} = await nextDayOf(bench, first, today)
    expect(deliveriesTo(bench)).toBe(0)
    expect(status).toBe(end)
    const held = {
      action: 'review',
      explanation: expect.stringMatching(/[Rr]un day-1|no ledger of that time was read/),
    }
    if (end === 7) expect(about(report, 'D-2')).toMatchObject(held)
    else expect(about(report, 'D-2')).toBeUndefined()
  })

  test('that was read as the other kind is not resent', async () => {
    const bench = merchant(credits + credit('D-0') + credit('D-2'), ['D-0', 'D-2', 'D-3'])
    const asPayouts = async () => {
      Object.assign(bench.options, {kind: 'payout'})
      await bench.run('day-1')
      Object.assign(bench.options, {kind: null})
    }
    const {status} = await nextDayOf(bench, asPayouts, today)
    expect([deliveriesTo(bench), status]).toEqual([0, 7])
    bench.rewrite(credits + credit('D-0') + credit('D-2'))
    expect((await bench.run('day-1 again')).status).toBe(0)
  })

  test.each([
    ['no created_at column', 'order_no,amount\nD-0,500.00\nX-9,500.00\n', 5, 0],
    ['no created_at column, given late', 'order_no,amount\nD-0,500.00\nX-9,500.00\n', 22, 0],
    ['blank times', 'order_no,amount,created_at\nD-0,500.00,\nX-9,500.00,\n', 5, 0],
    ['no times, and no row that nothing explains', 'order_no,amount\nD-0,500.00\n', 5, 1],
  ])(
    'a row of an earlier run holds back like one of the same file: %s',
    async (_what, first, hours, sent) => {
      const bench = merchant(first, ['D-0', 'D-2', 'D-3'])
      const dayLater = () => {
        bench.clock.ms += hours * hourMs
        return bench.run('day-1')
      }
      await nextDayOf(bench, dayLater, today)
      expect(deliveriesTo(bench)).toBe(sent)
    },
  )

  test.each([
    ['of another amount and number', credits + credit('X-9', '80.00'), today],
    ['of its amount, two days before', credits.concat('X-9,500.00,2026-11-19T09:00:00Z\n'), today],
    ['of its amount, in the time of this ledger, too', credits + credit('X-9'), credit('D-0') + today],
    ['of a number the service has, too', credits + credit('d-2'), today],
  ])('a row of an earlier ledger holds nothing back: %s', async (what, earlier, ledger) => {
    const bench = merchant(
      earlier,
      ['D-0', 'D-2', 'D-3', 'd-2'].slice(0, what.startsWith('of a number') ? 4 : 3),
    )
    bench.holds = 'credits'
    const days = async () => {
      await bench.run('day-1')
      if (!what.includes('two days before')) return
      bench.rewrite(credits + credit('D-0'))
      await bench.run('day-between')
    }
    await nextDayOf(bench, days, ledger)
    expect(deliveriesTo(bench)).toBe(1)
  })

  test('that another service matched is held back, and not called booked', async () => {
    const bench = straddling()
    withoutThird(bench)
    await bench.run('day-1')
    nextDay(bench, credit('D-3'))
    bench.baseUrl = 'https://another.example/v1'
    const {status} = await bench.run('day-2')
    expect(deliveriesTo(bench)).toBe(0)
    expect(status).toBe(7)
  })
})

describe('a kind that no row of the ledger has', () => {
  const withKinds = `order_no,kind,amount,created_at\n${['09:00', '11:30']
    .map((time, at) => `D-${at},deposit,500.00,2026-11-20T${time}:00Z\n`)
    .join('')}`
  const lostPayout = (ledger: string): ScenarioBench => {
    const bench = merchant(ledger, ['D-0', 'D-1'])
    bench.client.orders.set('payout\0P-1', {...paidAs('P-1'), kind: 'payout'})
    bench.addRecord({orderNo: 'P-1', orderId: 'platform-P-1', createdAt: '2026-11-20T10:00:00Z'})
    return bench
  }

  test('is looked for where the ledger states kinds, and not resent', async () => {
    const bench = lostPayout(withKinds)
    const {report, status} = await bench.run('run-1')
    expect(about(report, 'P-1')).toMatchObject({
      ...{kind: 'payout', verdict: 'missing_in_ledger', action: 'review'},
      explanation: expect.stringContaining('no row of a payout'),
    })
    expect([deliveriesTo(bench), status, report.tieOut.unexplained]).toEqual([0, 7, '0.00'])
  })

  test.each([
    ['its webhook was taken', withKinds, 'success'],
    ['the ledger states no kind', withKinds.replaceAll(/,(kind|deposit)/g, ''), 'failed'],
  ] as const)('is none of this ledger’s: %s', async (_what, ledger, status) => {
    const bench = lostPayout(ledger)
    for (const [id, record] of bench.client.records)
      if (record.merchantOrderId === 'P-1') bench.client.records.set(id, {...record, status})
    expect((await bench.run('run-1')).status).toBe(0)
  })
})

test('a day in which nothing was booked is a ledger, where its time is stated, and what is lost there a person’s', async () => {
  const bench = merchant(credits, ['D-1', 'D-2'])
  const [since, until] = ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'].map((time) => Date.parse(time))
  const day = {sinceMs: since ?? 0, untilMs: until ?? 0}
  await expect(bench.run('run-0')).rejects.toThrow('the file has a header and no row')
  const {report, status} = await bench.run('run-1', {}, day)
  expect(report.findings).toMatchObject([{action: 'review'}, {action: 'review'}])
  expect([deliveriesTo(bench), status]).toEqual([0, 7])
})
