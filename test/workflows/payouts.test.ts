import {describe, expect, test} from 'vitest'
import {preparePayout} from '../../src/api/body.ts'
import type {CreatedPayout, OrderAnswer, PreparedRequest} from '../../src/api/client.ts'
import {Failure} from '../../src/core/failure.ts'
import type {ServiceOrder} from '../../src/core/order.ts'
import {openJournal} from '../../src/journal/journal.ts'
import type {PayoutProblem, PayoutRow} from '../../src/ledger/read-payouts.ts'
import {payoutsCsv} from '../../src/report/payouts-csv.ts'
import type {PayoutLine} from '../../src/report/payouts-report.ts'
import {payoutsReport, payoutsStatus} from '../../src/report/payouts-report.ts'
import {payoutsText} from '../../src/report/payouts-text.ts'
import {plain} from '../../src/report/table.ts'
import {createPayout as createOnePayout} from '../../src/workflows/orders/create.ts'
import {sentIn} from '../../src/workflows/orders/paid-anew.ts'
import {payPlanned} from '../../src/workflows/payouts/pay.ts'
import {planPayouts} from '../../src/workflows/payouts/plan.ts'
import {payoutTerms} from '../../src/workflows/payouts/terms.ts'
import {credentials, merchantId, profileAt} from '../api/fixture.ts'
import {order} from '../core/reconcile/sample.ts'
import {duplicatesIn, payout as lost} from '../journal/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {FakeClock, failure} from './fake-client.ts'

const profile = profileAt('https://apply.example')

function rowsOf(count: number): PayoutRow[] {
  return Array.from({length: count}, (_, index) => ({
    line: index + 2,
    outOrderNo: `P-${index + 1}`,
    amount: BigInt(10_000 + index),
    bankType: 'BKASH',
    userName: 'Rahim',
    account: `017111122${String(index).padStart(2, '0')}`,
  }))
}

/** A file of payouts, a journal, and a service in memory that keeps every body it was sent. */
function bench(rows: readonly PayoutRow[], limits: Partial<typeof profile.payouts> = {}) {
  const clock = new FakeClock()
  const steady = {ms: 0}
  const stop = new AbortController()
  const journal = openJournal(tempDir(), {environment: 'sandbox', merchantId})
  const payouts = new Map<string, string>()
  const sent: string[] = []
  const saved: (readonly PayoutLine[])[] = []
  const over: boolean[] = []
  const service = {
    /** Runs before a create takes effect; what it throws is what the create rejects with. */
    before: (_orderNo: string): void => undefined,
    /** The same after it took effect. */
    after: (_orderNo: string): void => undefined,
    /** Runs before a query is answered; what it throws is what the query rejects with. */
    onQuery: (_orderNo: string): void => undefined,
    onSave: (): void => undefined,
    shownAmount: (amount: bigint) => amount,
    status: 'open' as ServiceOrder['status'],
  }
  const client = {
    clockSkewMs: null,
    createDeposit: () => Promise.reject(new Error('no deposits here')),
    createPayout: async (request: unknown): Promise<CreatedPayout> => {
      const {orderNo, bodyText} = request as PreparedRequest<'payout'>
      clock.ms += 1_000
      steady.ms += 1_000
      service.before(orderNo)
      sent.push(orderNo)
      if (payouts.has(orderNo) && payouts.get(orderNo) !== bodyText)
        throw new Error(`${orderNo}: another body`)
      payouts.set(orderNo, bodyText)
      service.after(orderNo)
      return {merchantId, orderNo, platformOrderNo: `PL-${orderNo}`, rawStatus: 'processing', raw: {}}
    },
    queryOrder: async (_kind: string, orderNo: string): Promise<OrderAnswer> => {
      service.onQuery(orderNo)
      const body = payouts.get(orderNo)
      if (body === undefined) return {found: false}
      const amount = BigInt((JSON.parse(body) as {amount: string}).amount.replace('.', ''))
      const shown = order({
        ...{kind: 'payout', orderNo, platformOrderNo: `PL-${orderNo}`},
        ...{status: service.status, rawStatus: service.status === 'open' ? 'processing' : service.status},
        amount: service.shownAmount(amount),
      })
      return {found: true, order: shown, raw: {}}
    },
  }
  const own = {...profile, payouts: {...profile.payouts, ...limits}}
  const whyCredited = async () => null
  const termsAt = async (nowMs: number) => payoutTerms(own, null, nowMs)
  const plan = async (returnUrl = 'https://shop.example/hook', problems: readonly PayoutProblem[] = []) =>
    planPayouts({path: 'payouts.csv', sha256: 'x', rows, problems, notes: []}, await termsAt(clock.ms), {
      ...{
        client,
        journal,
        whyCredited,
        sentAs: sentIn(journal),
        asked: new Set<string>(),
        returnUrl,
        listedBefore: new Set(saved.at(-1)?.map(({orderNo}) => orderNo)),
      },
      prepare: (request) => preparePayout(own, credentials, 'https://apply.example/x', request),
    })
  const pay = async (returnUrl?: string) =>
    payPlanned(await plan(returnUrl), {
      ...{
        client,
        journal,
        whyCredited,
        sentAs: sentIn(journal),
        asked: new Set<string>(),
        termsAt,
        profileName: 'test',
        now: clock.now,
        concurrency: 4,
        signal: stop.signal,
      },
      monotonic: () => steady.ms,
      onProgress: () => undefined,
      onSave: (lines, isOver) => {
        service.onSave()
        saved.push([...lines])
        over.push(isOver)
      },
    })
  return {clock, steady, stop, journal, service, sent, saved, over, plan, pay, payouts}
}

/** What another process pays meanwhile. */
const elsewhere = {...lost, orderNo: 'P-elsewhere'}

const states = (lines: readonly PayoutLine[]) => lines.map(({state}) => state).join(' ')

/** The answer to a create is lost, and a query after it gets none. */
function losesAnswerOf({service}: ReturnType<typeof bench>, lostNo: string): void {
  service.after = (orderNo) => {
    if (orderNo !== lostNo) return
    service.onQuery = (asked) => {
      if (asked !== lostNo) return
      service.onQuery = () => undefined
      throw failure('service_busy', 'The service is busy')
    }
    throw failure('outcome_unknown', 'The answer was lost')
  }
}

describe('the plan', () => {
  test('is over the day’s ceiling as a whole, or not at all', async () => {
    const {plan} = bench(rowsOf(3), {dailyCeiling: 30_002n})
    await expect(plan()).rejects.toThrow(expect.objectContaining({code: 'payout_over_limit'}))
    expect((await bench(rowsOf(3), {dailyCeiling: 30_003n}).plan()).payouts).toHaveLength(3)
  })

  test.each<[what: string, files: readonly (readonly [orderNo: string, amount: bigint])[], repeats: string]>([
    ['another amount, the doubt not in the file', [['P-9', 10_900n]], 'P-9 of P-1'],
    [
      'another amount, the doubt is sent again by the file',
      [
        ['P-1', 10_000n],
        ['P-9', 10_900n],
      ],
      '',
    ],
    [
      'the same amount, the doubt is sent again by the file',
      [
        ['P-1', 10_000n],
        ['P-9', 10_000n],
      ],
      'P-9 of P-1',
    ],
  ])('a payout beside one in doubt to the same account: %s', async (_what, file, repeats) => {
    const rows = rowsOf(1)
    const one = bench(rows)
    losesAnswerOf(one, 'P-1')
    expect(states((await one.pay()).lines)).toBe('unknown')
    const [first] = rows
    if (!first) throw new Error('no row')
    rows.splice(0, 1, ...file.map(([outOrderNo, amount], n) => ({...first, outOrderNo, amount, line: n + 2})))
    const {payouts} = await one.plan()
    const found = payouts.flatMap(({prepared, duplicates}) =>
      duplicates.map(({orderNo}) => `${prepared.orderNo} of ${orderNo}`),
    )
    expect(found.join()).toBe(repeats)
  })

  test.each([
    ['re-saved', 'P-1', 10_001n, 'Rahim', 'P-2'],
    ['re-saved, the name in capitals', 'P-1', 10_001n, 'RAHIM', 'P-2'],
    ['re-saved, the name in full', 'P-1', 10_001n, 'Md. Rahim Uddin', 'P-2'],
    ['re-saved, for another player', 'P-1', 10_001n, 'Karim', ''],
    ['re-saved, less a fee', 'P-1', 9_901n, 'Rahim', 'P-2'],
    ['re-saved, another amount', 'P-1', 20_009n, 'Rahim', ''],
    ['of other numbers', 'Q-1', 10_001n, 'Rahim', 'P-2'],
  ])('P-2 in doubt, and P-9 in its place in a file %s', async (_what, first, amount, userName, repeats) => {
    const rows = rowsOf(2)
    const one = bench(rows)
    losesAnswerOf(one, 'P-2')
    expect(states((await one.pay()).lines)).toBe('accepted unknown')
    const corrected = {outOrderNo: 'P-9', amount, userName, account: '01899999999'}
    const [kept, dropped] = rowsOf(2) as [PayoutRow, PayoutRow]
    rows.splice(
      0,
      2,
      {...kept, outOrderNo: first, ...(first === 'P-1' ? {} : {account: '01811111111', userName: 'Salma'})},
      {...dropped, ...corrected},
    )
    const {payouts} = await one.plan()
    expect(payouts.map(({duplicates}) => duplicates.map(({orderNo}) => orderNo).join())).toEqual([
      '',
      repeats,
    ])
  })

  test.each(['P-1-2', 'P-1R'])(
    '%s repeats the open P-1, unless both were in the file at first',
    async (outOrderNo) => {
      const rows = rowsOf(1)
      const {pay, plan, saved} = bench(rows)
      const marked = {...rowsOf(2)[1], outOrderNo, amount: rows[0]?.amount} as PayoutRow
      await pay()
      const repeats = async () =>
        (await plan()).payouts.flatMap(({duplicates}) => duplicates.map(({orderNo}) => orderNo))
      rows.push(marked)
      expect(await repeats()).toEqual(['P-1'])
      saved.push([...(saved.at(-1) ?? []), {...saved[0]?.[0], orderNo: outOrderNo} as PayoutLine])
      expect(await repeats()).toEqual([])
      rows.shift()
      expect(await repeats()).toEqual(['P-1'])
    },
  )

  test.each<
    [
      first: string,
      status: 'open' | 'completed',
      change: Partial<PayoutRow>,
      repeats: string[],
      hours?: number,
    ]
  >([
    ['W-501-1', 'open', {outOrderNo: 'W-501-2'}, ['W-501-1']],
    ['W-501-1', 'completed', {outOrderNo: 'W-501-2'}, ['W-501-1'], 26],
    ['W-501A', 'completed', {outOrderNo: 'W-501B'}, ['W-501A']],
    ['W-501-1', 'completed', {outOrderNo: 'W-501-2', userName: 'Karim'}, []],
    ['W-501-1', 'open', {outOrderNo: 'W-501-2', amount: 20_000n}, []],
    ['W-501-1', 'completed', {outOrderNo: 'W-501-12'}, []],
    ['W-501-1', 'completed', {outOrderNo: 'W-502-1'}, []],
    // While it is open, any number may be it with a corrected account.
    ['W-501-1', 'open', {outOrderNo: 'W-502-1'}, ['W-501-1']],
    // To one account it is the next week's.
    ['NOV-7-1', 'completed', {outOrderNo: 'NOV-7-2', account: rowsOf(1)[0]?.account ?? ''}, [], 168],
    ['NOV-7-1', 'open', {outOrderNo: 'NOV-7-2', account: rowsOf(1)[0]?.account ?? ''}, ['NOV-7-1'], 168],
    ['W-501', 'open', {outOrderNo: 'W-777', account: rowsOf(1)[0]?.account ?? ''}, ['W-501'], 27],
    ['W-501', 'completed', {outOrderNo: 'W-777', account: rowsOf(1)[0]?.account ?? ''}, [], 27],
  ])(
    'with %s %s, another try needs a word, and what is none does not',
    async (first, status, change, repeats, hours = 0) => {
      const rows = rowsOf(1).map((row) => ({...row, outOrderNo: first}))
      const {plan, pay, service, clock} = bench(rows)
      service.status = status
      await pay()
      clock.ms += hours * 3_600_000
      rows.splice(0, 1, ...rows.map((row) => ({...row, account: '01822222222', ...change})))
      const {payouts} = await plan()
      expect(payouts.flatMap(({duplicates}) => duplicates.map(({orderNo}) => orderNo))).toEqual(repeats)
    },
  )

  test.each<
    [
      status: 'open' | 'completed' | 'failed',
      of: readonly number[],
      change: Partial<PayoutRow>,
      repeats: string[],
    ]
  >([
    ['open', [0, 2], {}, ['P-2']],
    ['completed', [0, 2], {}, ['P-2']],
    ['completed', [0], {}, ['P-3', 'P-2']],
    ['failed', [0, 2], {}, []],
    ['completed', [], {}, []],
    ['completed', [0, 1, 2], {}, []],
    ['completed', [0, 2], {userName: 'Karim'}, []],
    ['completed', [0, 2], {amount: 20_000n}, []],
  ])(
    'the rows of a file that are %s, saved again as %j, and P-9 to another account',
    async (status, of, change, repeats) => {
      const rows = rowsOf(3)
      const {plan, pay, service} = bench(rows)
      service.status = status
      await pay()
      const [, second] = rows
      const kept = of.map((at) => rows[at] as PayoutRow)
      const corrected = {...second, outOrderNo: 'P-9', account: '01822222222', ...change} as PayoutRow
      rows.splice(0, 3, ...kept, corrected)
      const {payouts} = await plan()
      expect(payouts.flatMap(({duplicates}) => duplicates.map(({orderNo}) => orderNo))).toEqual(repeats)
    },
  )

  test('a name of many people makes no number of a series another try', async () => {
    const rows = rowsOf(7).map((row, at) => ({...row, outOrderNo: `S-501-${at}`, amount: 50_000n}))
    const {plan, pay} = bench(rows)
    await pay()
    rows.splice(0, 7, {...rows[0], outOrderNo: 'S-501-7', account: '01822222222'} as PayoutRow)
    expect((await plan()).payouts.flatMap(({duplicates}) => duplicates)).toEqual([])
  })

  test.each([
    ['completed', 'E101-W2'],
    ['completed', 'E101-2'],
    ['completed', 'e0101'],
    ['open', 'E101-W2'],
  ] as const)('E101, %s, is not paid again to its account as %s a day later', async (status, outOrderNo) => {
    const rows = rowsOf(1).map((row) => ({...row, outOrderNo: 'E101'}))
    const {plan, pay, service, clock} = bench(rows)
    service.status = status
    await pay()
    clock.ms += 25 * 3_600_000
    rows.splice(0, 1, ...rows.map((row) => ({...row, outOrderNo})))
    const {payouts} = await plan()
    expect(payouts.flatMap(({duplicates}) => duplicates.map(({orderNo}) => orderNo))).toEqual(['E101'])
  })

  test('names the first line that pays the same account the same amount', async () => {
    const [first] = rowsOf(1)
    if (!first) throw new Error('no row')
    const rows = [first, {...first, amount: 20_000n}, first, first].map((row, n) => ({
      ...{...row, outOrderNo: `P-${n + 1}`, line: n + 2},
    }))
    const {payouts} = await bench(rows).plan()
    expect(payouts.map(({sameAsLine}) => sameAsLine)).toEqual([null, null, 2, 2])
  })

  test('names every payout above the limit of one by its line', async () => {
    const {plan} = bench(rowsOf(4), {amountMax: 10_001n})
    await expect(plan()).rejects.toThrow(/2 of 4 rows cannot be paid.*line 4: .*is BDT 100\.01.*line 5/s)
  })

  test('names bad rows by their lines, whatever is wrong with them: the first thousand, and how many more', async () => {
    const {plan} = bench(rowsOf(4), {amountMax: 10_002n})
    const unread = (lines: readonly number[]) => lines.map((line) => ({line, detail: 'is not read.'}))
    await expect(plan(undefined, unread([9, 3, 3]))).rejects.toThrow(
      /3 of 5 rows cannot be paid.*\n {2}line 3: is not read.\n {2}line 3: is not read.\n {2}line 5: .*\n {2}line 9: is not read.$/s,
    )
    const lines = Array.from({length: 1_000}, (_, index) => 1_010 - index)
    await expect(plan(undefined, unread(lines.slice(0, 999)))).rejects.toThrow(/line 1010: is not read.$/)
    await expect(plan(undefined, unread(lines))).rejects.toThrow(/line 1009: is not read.\n and 1 more$/)
  })

  test.each([
    ['0007', '7', true],
    ['P-7a', 'P-7A', true],
    ['P-7', 'P-8', false],
    ['3-11', '3-Nov', false],
  ])('%s and %s in one file are one number: %s', async (one, other, isOne) => {
    const rows = rowsOf(2).map((row, index) => ({...row, outOrderNo: index === 0 ? one : other}))
    if (isOne) await expect(bench(rows).plan()).rejects.toThrow(/line 3: .*may be the number .* of line 2/)
    else expect((await bench(rows).plan()).payouts).toHaveLength(2)
  })

  test.each([
    ['3-11', '3-Nov', true],
    ['2026-11-03', '03/11/2026', true],
    ['P_1', 'P-1', true],
    ['P-1', '\u0420-1', true],
    ['1:30', '01:30:00', true],
    ['1/2', '0.5', true],
    ['2026112200000013', '2026112200000010', true],
    ['2026112200000013', '2.02611E+15', true],
    ['A-1', 'B-1', false],
    ['1/2', '2/4', false],
    ['12.1', '12.10', false],
  ])('%s and %s in one file, the same payee and amount, are one number: %s', async (one, other, isOne) => {
    const [row] = rowsOf(1)
    const rows = [one, other].map((outOrderNo, index) => ({...row, line: index + 2, outOrderNo}) as PayoutRow)
    if (isOne) await expect(bench(rows).plan()).rejects.toThrow(/line 3: .*may be the number .* of line 2/)
    else expect((await bench(rows).plan()).payouts).toHaveLength(2)
  })

  test('numbers that only a spreadsheet confuses are two where they pay two people, or two amounts', async () => {
    const [row] = rowsOf(1)
    for (const other of [{account: '01899999999'}, {amount: 77_700n}]) {
      const rows = ['3-11', '3-Nov', '2026112200000013', '2.02611E+15'].map(
        (outOrderNo, n) => ({...row, line: n + 2, outOrderNo, ...(n % 2 ? other : {})}) as PayoutRow,
      )
      expect((await bench(rows).plan()).payouts).toHaveLength(4)
    }
  })

  test.each<[string, (n: number) => string]>([
    ['1, 2', (n) => `${n}`],
    ['P-0001', (n) => `P-${String(n).padStart(4, '0')}`],
    ['A1, B1', (n) => `${String.fromCharCode(65 + (n % 26))}${Math.floor(n / 26)}`],
    ['1-1, 2-1', (n) => `${1 + (n % 31)}-${1 + Math.floor(n / 31)}`],
    ['1.1, 2.1', (n) => `${1 + (n % 31)}.${1 + Math.floor(n / 31)}`],
    ['1/1, 2/1', (n) => `${1 + (n % 31)}/${1 + Math.floor(n / 31)}`],
    ['2026-11-01-001', (n) => `2026-11-01-${String(n).padStart(3, '0')}`],
    ['2026-11-001', (n) => `2026-11-${String(n).padStart(3, '0')}`],
    ['46000, 46001', (n) => `${46_000 + n}`],
    ['MAR1, MAR2', (n) => `${['JAN', 'FEB', 'MAR'][n % 3]}${Math.floor(n / 3)}`],
    ['16 digits', (n) => String(2_026_112_200_000_000n + BigInt(n))],
    ['17 digits', (n) => String(20_261_122_083_000_000n + BigInt(n))],
    ['20 digits', (n) => String(20_261_122_083_000_000_000n + BigInt(n))],
  ])('300 running numbers (%s) to one payee are 300 numbers', async (_what, numberOf) => {
    const [row] = rowsOf(1)
    const rows = Array.from(
      {length: 300},
      (_, index) => ({...row, line: index + 2, outOrderNo: numberOf(index)}) as PayoutRow,
    )
    expect((await bench(rows).plan()).payouts).toHaveLength(300)
  })

  test.each<[what: string, orderNo: (n: number) => string, warnings: RegExp[]]>([
    ['as they were made', (n) => `P-${n}`, []],
    ['rounded to 15 digits', (n) => `${202_611_220_000_000n + BigInt(n)}000`, [/spreadsheet/]],
  ])('warns of what a spreadsheet did to the numbers: %s', async (_what, orderNo, warnings) => {
    const rows = rowsOf(30).map((row, n) => ({...row, outOrderNo: orderNo(n)}))
    const plan = await bench(rows).plan()
    expect(plan.warnings).toEqual(warnings.map((one) => expect.stringMatching(one)))
  })

  test('counts what is left of a doubtful payout once', async () => {
    const one = bench(rowsOf(2), {dailyCeiling: 20_001n})
    losesAnswerOf(one, 'P-2')
    expect(states((await one.pay()).lines)).toBe('accepted unknown')
    expect((await one.plan()).payouts.map(({step}) => step)).toEqual(['ask', 'ask_first'])
  })
})

describe('paying', () => {
  test('a payout is in the journal before it leaves (P3)', async () => {
    const {service, pay, journal} = bench(rowsOf(2))
    const known: unknown[] = []
    service.before = async (orderNo) => void known.push((await journal.findRequest('payout', orderNo))?.state)
    await pay()
    expect(known).toEqual(['intent', 'intent'])
  })

  test('a disk that fills up stops the next payout, and takes nothing back', async () => {
    const {service, pay, sent, steady} = bench(rowsOf(3))
    service.after = () => {
      steady.ms += 10_000
      service.onSave = () => {
        throw failure('storage_failed', 'Could not write payouts.result.csv (ENOSPC)')
      }
    }
    const paid = await pay()
    expect(states(paid.lines)).toBe('accepted not_sent not_sent')
    expect(paid.stop?.failure.code).toBe('storage_failed')
    expect(payoutsStatus(paid)).toBe(8)
    expect(sent).toEqual(['P-1'])
  })

  test('a new return address is no other request, and what is in doubt goes out in its first bytes (P1)', async () => {
    const {service, pay, sent, payouts} = bench(rowsOf(2))
    service.before = (orderNo) => {
      if (orderNo === 'P-2') throw failure('outcome_unknown', 'The answer was lost')
    }
    expect(states((await pay()).lines)).toBe('accepted unknown')
    service.before = () => undefined
    expect(states((await pay('https://shop.example/moved')).lines)).toBe('accepted accepted')
    expect(sent).toEqual(['P-1', 'P-2'])
    expect(payouts.get('P-2')).toContain('"https://shop.example/hook"')
  })

  test('a row that was held back before it left is asked for first, as a new one is (P2)', async () => {
    const {service, pay, sent, payouts, clock} = bench(rowsOf(2))
    service.before = (orderNo) => {
      if (orderNo === 'P-2') throw failure('service_busy', 'Held back (Retry-After)')
    }
    expect(states((await pay()).lines)).toBe('accepted not_sent')
    // The number is an older payout of somebody else's, which the service had not shown before.
    payouts.set('P-2', '{"amount":"77.00"}')
    service.before = () => undefined
    clock.ms += 60_000
    const {lines} = await pay()
    expect(states(lines)).toBe('accepted contradicted')
    expect(lines[1]?.why).toContain('already knows the payout number P-2 (processing, BDT 77.00)')
    expect(sent).toEqual(['P-1'])
  })

  test.each<
    [
      what: string,
      one: ServiceOrder['status'],
      later: ServiceOrder['status'],
      repeats: string[],
      ends: string,
      queries: number,
    ]
  >([
    ['failed', 'failed', 'failed', [], 'accepted', 2],
    ['failed in the plan and is paid when it is sent', 'failed', 'completed', [], 'not_sent', 2],
    ['is under way, and the file was agreed to', 'open', 'open', ['P-1'], 'accepted', 2],
    ['was paid, and the file was agreed to', 'completed', 'completed', ['P-1'], 'accepted', 2],
  ])('a new number in place of a payout that %s', async (_what, one, later, repeats, ends, queries) => {
    const rows = rowsOf(1)
    const {service, plan, pay, sent} = bench(rows)
    await pay()
    rows.splice(0, 1, ...rowsOf(1).map((row) => ({...row, outOrderNo: 'P-9'})))
    service.status = one
    const [planned] = (await plan()).payouts
    expect(planned?.duplicates.map(({orderNo}) => orderNo)).toEqual(repeats)
    let asked = 0
    service.onQuery = (orderNo) => {
      if (orderNo !== 'P-1') return
      asked += 1
      service.status = asked === 1 ? one : later
    }
    const {lines, stop} = await pay()
    expect([states(lines), asked]).toEqual([ends, queries])
    expect(stop?.failure.code).toBe(ends === 'accepted' ? undefined : 'payout_repeated')
    expect(sent).toEqual(ends === 'accepted' ? ['P-1', 'P-9'] : ['P-1'])
  })

  test('no result can be written: nothing is sent', async () => {
    const {service, pay, sent} = bench(rowsOf(3))
    service.onSave = () => {
      throw failure('storage_failed', 'Could not write payouts.result.csv (EACCES)')
    }
    await expect(pay()).rejects.toMatchObject({code: 'storage_failed'})
    expect(sent).toEqual([])
  })

  test('a twin that another process paid meanwhile stops it at that row', async () => {
    const {service, pay, journal, plan, clock, sent} = bench(rowsOf(3))
    const [, second] = (await plan()).payouts
    service.after = async (orderNo) => {
      if (orderNo !== 'P-1' || !second) return
      await journal.claimNumber({...elsewhere, ...second.claim, intentAtMs: clock.ms})
    }
    const paid = await pay()
    expect(states(paid.lines)).toBe('accepted not_sent not_sent')
    expect(paid.stop).toMatchObject({line: 3, failure: {code: 'payout_repeated'}})
    // 2 says that nothing was sent.
    expect(payoutsStatus(paid)).toBe(8)
    expect(sent).toEqual(['P-1'])
  })

  test('a file whose numbers were all sent before says so, of each row and in its sums', async () => {
    const {pay, sent, payouts, clock, service} = bench(rowsOf(2))
    const first = await pay()
    clock.ms += 24 * 3_600_000
    const again = await pay()
    const reports = [first, again].map((paid) =>
      payoutsReport({
        ...paid,
        file: {path: 'f', sha256: 'x'},
        warnings: [],
        besideInDoubt: [],
        dryRun: false,
        resultPath: null,
      }),
    )
    expect(reports.map(({sentBefore}) => sentBefore)).toEqual([
      {payouts: 0, amount: '0.00'},
      {payouts: 2, amount: '200.01'},
    ])
    const [, report] = reports
    expect(report?.payouts).toMatchObject(
      Array(2).fill({
        state: 'accepted',
        sentBeforeAt: expect.any(String),
        why: expect.stringMatching(/sent before, at .* not sent now/),
      }),
    )
    expect(report && payoutsText(report, 'live', plain)).toMatch(/Nothing was sent now: 2 payouts/)
    expect(payoutsCsv(again.lines)).toContain('not sent now')
    expect([sent.length, payouts.size]).toEqual([2, 2])
    service.onQuery = () => {
      throw failure('service_busy', 'The service is busy')
    }
    const unasked = await pay()
    expect(unasked.lines.map(({sentBeforeAtMs}) => sentBeforeAtMs)).toEqual(
      again.lines.map(({sentBeforeAtMs}) => sentBeforeAtMs),
    )
  })

  test.each(['Asia/Tokyo', 'America/New_York'])(
    'the day of the ceiling is one for a profile with %s, too',
    (timeZone) => {
      const other = {...profile, ledger: {...profile.ledger, timeZone}}
      for (let hour = 0; hour < 24; hour += 1) {
        const at = Date.UTC(2026, 10, 22, hour)
        expect(payoutTerms(other, null, at).dayStartMs).toBe(payoutTerms(profile, null, at).dayStartMs)
      }
    },
  )

  test('a day that ends while it pays counts anew from midnight', async () => {
    const {service, pay, clock, journal} = bench(rowsOf(2), {dailyCeiling: 20_001n})
    service.after = async (orderNo) => {
      if (orderNo !== 'P-1') return
      await journal.claimNumber({...elsewhere, amount: 5_000n, intentAtMs: clock.ms})
      clock.ms += 24 * 3_600_000
    }
    expect(states((await pay()).lines)).toBe('accepted accepted')
  })

  test.each([
    ['service_unreachable', 5],
    ['service_busy', 8],
  ] as const)('%s five times in a row stops it with %i, and nothing was paid', async (code, status) => {
    const {service, pay, sent} = bench(rowsOf(7))
    const tried: string[] = []
    service.before = (orderNo) => {
      tried.push(orderNo)
      throw failure(code, 'The service is away')
    }
    const paid = await pay()
    expect(tried).toHaveLength(5)
    expect(states(paid.lines)).toBe(Array(7).fill('not_sent').join(' '))
    expect(payoutsStatus(paid)).toBe(status)
    expect(sent).toEqual([])
  })

  test('five in a row that the service shows otherwise stop it: each is in doubt, and none is sent again', async () => {
    const {service, pay, sent, journal} = bench(rowsOf(7))
    service.shownAmount = (amount) => amount - 100n
    const paid = await pay()
    expect(sent).toHaveLength(5)
    expect(states(paid.lines)).toBe('accepted accepted accepted accepted accepted not_sent not_sent')
    expect(paid.stop?.failure.message).toMatch(/5 payouts in a row/)
    expect(await journal.requestsInDoubt()).toHaveLength(5)
    expect(payoutsStatus(paid)).toBe(8)
    expect(sent).toHaveLength(5)
  })

  test.each([
    ['Ctrl-C', undefined, 'interrupted'],
    ['the end of the night', failure('incomplete', 'The night is over'), 'incomplete'],
  ])(
    '%s between two payouts stops it at the next row, and nothing is taken back',
    async (_what, reason, code) => {
      const {service, pay, sent, stop} = bench(rowsOf(3))
      service.after = (orderNo) => {
        if (orderNo === 'P-2') stop.abort(reason)
      }
      const paid = await pay()
      expect(states(paid.lines)).toBe('accepted accepted not_sent')
      expect(paid.stop).toMatchObject({line: 4, orderNo: 'P-3', failure: {code}})
      expect(sent).toEqual(['P-1', 'P-2'])
    },
  )

  test('after the last payout it stops as well, of no row', async () => {
    const {service, pay, stop} = bench(rowsOf(1))
    service.after = () => stop.abort()
    expect((await pay()).stop).toMatchObject({line: null, orderNo: null, failure: {code: 'interrupted'}})
  })

  test('credentials that are rejected while earlier payouts are asked for stop it before it sends', async () => {
    const {service, pay, sent, journal} = bench(rowsOf(3))
    service.before = (orderNo) => {
      if (orderNo !== 'P-1') throw failure('service_refused', 'No')
    }
    expect(states((await pay()).lines)).toBe('accepted refused refused')
    service.before = () => undefined
    service.onQuery = () => {
      throw failure('credentials_rejected', 'HTTP 401')
    }
    const again = await pay()
    expect(states(again.lines)).toBe('accepted not_sent not_sent')
    expect(again.lines[0]?.why).toBe('it could not be queried: HTTP 401')
    expect(again.stop).toMatchObject({line: null, orderNo: null, failure: {code: 'credentials_rejected'}})
    expect(sent).toEqual(['P-1'])
    expect(await journal.findRequest('payout', 'P-1')).toMatchObject({
      ...{state: 'accepted', confirmation: 'confirmed'},
    })
  })

  test('a payout that was accepted and could not be recorded stops it there, and says so', async () => {
    const {service, pay, sent, journal} = bench(rowsOf(2))
    const record = journal.recordRequestOutcome.bind(journal)
    service.after = () => {
      journal.recordRequestOutcome = async () => {
        throw failure('storage_failed', 'The disk is full')
      }
    }
    const paid = await pay()
    journal.recordRequestOutcome = record
    expect(states(paid.lines)).toBe('accepted not_sent')
    expect(paid.lines[0]?.why).toContain('The disk is full')
    expect(paid.stop).toMatchObject({
      ...{line: 2, orderNo: 'P-1'},
      failure: {
        code: 'storage_failed',
        message: expect.stringContaining(
          'P-1 was accepted, but the journal does not have that: The disk is full',
        ),
      },
    })
    expect(sent).toEqual(['P-1'])
  })

  test.each([
    ['no limit', null, null, null],
    ['the profile’s', null, 300n, 300n],
    ['the flag’s', 200n, null, 200n],
    ['a flag below the profile’s', 200n, 300n, 200n],
    ['a flag above the profile’s', 400n, 300n, 300n],
  ])('of the limits of one payout the lower holds: %s', (_what, flag, own, holds) => {
    const limited = {...profile, payouts: {...profile.payouts, amountMax: own}}
    expect(payoutTerms(limited, flag, 0).amountMax).toBe(holds)
  })

  test('rejected credentials stop it at the first row', async () => {
    const {service, pay} = bench(rowsOf(3))
    service.before = () => {
      throw new Failure('credentials_rejected', 'HTTP 401.', 'Check them.')
    }
    const paid = await pay()
    expect(paid.stop).toMatchObject({line: 2})
    expect(payoutsStatus(paid)).toBe(3)
  })

  test.each(['credentials_rejected', 'payout_repeated'] as const)(
    'a payout in doubt stays in doubt where sending it again ends with %s (P6)',
    async (code) => {
      const one = bench(rowsOf(2))
      const {service, pay, payouts} = one
      losesAnswerOf(one, 'P-1')
      expect(states((await pay()).lines)).toBe('unknown accepted')
      service.after = () => undefined
      // A query that does not find it yet proves nothing of what is still on its way.
      payouts.delete('P-1')
      service.before = () => {
        throw failure(code, 'Not this time')
      }
      expect(states((await pay()).lines)).toBe('unknown accepted')
    },
  )

  test('two processes send one number at once: what one is refused says nothing of the other (P6)', async () => {
    const {plan, journal, clock} = bench(rowsOf(1))
    const [payout] = (await plan()).payouts
    if (!payout) throw new Error('no payout')
    const guard = {
      dailyCeiling: null,
      dayStartMs: 0,
      duplicatesSinceMs: 0,
      duplicatesAllowed: new Set<string>(),
    }
    const create = (createPayout: () => Promise<CreatedPayout>) =>
      createOnePayout(payout.prepared, payout.claim, async () => guard, {
        ...{journal, profileName: 'test', now: clock.now},
        client: {
          createPayout,
          clockSkewMs: null,
          createDeposit: () => Promise.reject(),
          queryOrder: async () => ({found: false}),
        },
      })
    const turnedAway = Promise.withResolvers<CreatedPayout>()
    const lostOnTheWay = Promise.withResolvers<CreatedPayout>()
    const first = create(() => turnedAway.promise)
    const second = create(() => lostOnTheWay.promise)
    turnedAway.reject(failure('service_unreachable', 'Refused'))
    await expect(first).rejects.toMatchObject({code: 'service_unreachable'})
    lostOnTheWay.reject(failure('outcome_unknown', 'The answer was lost'))
    await expect(second).rejects.toMatchObject({code: 'outcome_unknown'})
    const duplicates = await duplicatesIn(journal, {orderNo: 'P-again', ...payout.claim}, 0)
    expect(duplicates.map(({orderNo, state}) => `${orderNo} ${state}`)).toEqual(['P-1 unknown'])

    const third = await create(async () => ({
      ...{merchantId, orderNo: 'P-1', platformOrderNo: 'PL-1', rawStatus: 'processing', raw: {}},
    }))
    expect(third.unrecorded).toBeNull()
  })

  test('they are saved every five seconds, also where the clock is set back meanwhile (P17)', async () => {
    const {saved, over, pay, service, clock} = bench(rowsOf(12))
    service.before = (orderNo) => {
      if (orderNo === 'P-2') clock.ms -= 3_600_000
    }
    await pay()
    expect(saved.map((lines) => lines.filter(({state}) => state === 'accepted').length)).toEqual([
      0, 5, 10, 12,
    ])
    expect(over).toEqual([false, false, false, true])
  })

  test('the rows are saved before the first is sent and at the end', async () => {
    const {saved, pay} = bench(rowsOf(2))
    await pay()
    expect(saved.map(states)).toEqual(['not_sent not_sent', 'accepted accepted'])
  })

  test('killed at any payout, before or after it took effect, the same command ends the same', async () => {
    for (let at = 1; at <= 5; at += 1) {
      for (const moment of ['before', 'after'] as const) {
        const one = bench(rowsOf(5))
        // The intent is in the journal and nothing else of this payout is, as after a SIGKILL.
        one.service[moment] = (orderNo) => {
          if (orderNo === `P-${at}`) throw new Error('killed')
        }
        await expect(one.pay()).rejects.toThrow('killed')
        one.service[moment] = () => undefined
        const paid = await one.pay()
        expect(states(paid.lines)).toBe(Array(5).fill('accepted').join(' '))
        expect(payoutsStatus(paid)).toBe(0)
        // What took effect before the kill was found by a query, and not sent again.
        expect(one.sent).toEqual(['P-1', 'P-2', 'P-3', 'P-4', 'P-5'])
      }
    }
  })
})
