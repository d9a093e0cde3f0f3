import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test, vi} from 'vitest'

import Find from '../../src/commands/find.ts'
import ItemsClose from '../../src/commands/items/close.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import {json, merchantId} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, payout} from './bookkeeper.ts'

/*
 * hisab saw that P-101 failed, and the service completes it after all. Whoever pays it anew pays it twice, and whoever paid it
 * anew already has to be told.
 */
type Payment = readonly [orderNo: string, amount: string, account?: string | undefined]
const [right, corrected] = ['01812345678', '01812345687']
const hour = 3_600_000

async function shop() {
  const {service, shell, books, paid, asked} = await bookkeeper('', true)
  onTestFinished(() => void vi.useRealTimers())
  const later = (hours: number) => vi.useFakeTimers({toFake: ['Date'], now: Date.now() + hours * hour})
  const pay = ([orderNo, amount, account]: Payment, ...flags: string[]) =>
    shell.run(PayoutCreate, ...payout(orderNo, amount, account), ...flags)
  const set = (status: string, ...numbers: string[]) => {
    for (const number of numbers) Object.assign(books.get(number) ?? {}, {status})
  }
  const failed = async (...payments: Payment[]) => {
    for (const payment of payments) expect((await pay(payment)).status).toBe(0)
    later(24)
    const numbers = payments.map(([orderNo]) => orderNo)
    set('failed', ...numbers)
    expect((await shell.run(PayoutQuery, ...numbers)).status).toBe(0)
    later(2)
  }
  const reconcile = async (...payments: Payment[]) => {
    const path = join(tempDir(), 'ledger.csv')
    const rows = payments.map(
      ([number, amount]) => `${number},completed,${amount},${new Date().toISOString()}`,
    )
    writeFileSync(path, `order_no,status,amount,created_at\n${rows.join('\n')}\n`)
    return await shell.run(Reconcile, path, '--kind', 'payout', '--no-deliveries', '--json')
  }
  /** Not made, as an answer to its create or a person says; what it would be in the books. */
  const refused = async (by: 'an answer' | 'a person', payment: Payment) => {
    const [orderNo] = payment
    service.carriesOut = false
    const lost: typeof service.answer = (response) => response.destroy()
    service.answer = by === 'an answer' ? json({code: 'INSUFFICIENT_BALANCE'}, 422) : lost
    expect((await pay(payment)).status).toBe(by === 'an answer' ? 4 : 6)
    later(1)
    if (by === 'a person') await shell.run(PayoutResolve, orderNo, '--not-paid', '--reason', 'asked')
    Object.assign(service, {carriesOut: true, answer: null})
    later(1)
    const [, amount, account = right] = payment
    const order = {orderNo, platformOrderNo: `PL-${orderNo}`, userName: 'Rahim Uddin', bankType: 'BKASH'}
    return {...order, amount: `${amount}.00`, account, status: 'completed'}
  }
  return {service, shell, books, paid, asked, later, pay, set, failed, refused, reconcile}
}

test.each<[what: string, again: Payment, now: string, word: string]>([
  ['to its account', ['P-150', '5000'], 'completed', 'is completed now'],
  ['to another account of the name', ['P-150', '5000', corrected], 'completed', 'is completed now'],
  ['under its number with a mark', ['P-101R', '5000', corrected], 'completed', 'is completed now'],
  ['less a fee', ['P-150', '4900'], 'completed', 'is completed now'],
  ['in parts', ['P-150', '2000'], 'completed', 'is completed now'],
  ['together with another', ['P-150', '8000'], 'completed', 'is completed now'],
  ['while it is open again', ['P-150', '5000'], 'processing', 'is open now'],
  ['under a word that nobody knows', ['P-150', '5000'], 'held', 'is not known to have failed now'],
])('a payout that was seen failed and is none any more is not paid anew %s', async (...given) => {
  const [_what, again, now, word] = given
  const {shell, paid, later, pay, set, failed} = await shop()
  await failed(['P-101', '5000'], ['P-117', '3000'])
  later(20)
  set(now, 'P-101')
  for (const hours of [0, 4, 30]) {
    later(hours)
    const held = await pay(again)
    expect(held).toMatchObject({
      status: 2,
      stdout: expect.stringMatching(`P-101.* again: it was seen failed at .*, and ${word}\\.`),
    })
    expect(paid()).toBe(800_000n)
  }
  expect((await pay(again, '--allow-repeat')).status).toBe(0)
  // Whoever gave the word knew it, and the next week's is ordinary.
  set('completed', again[0])
  expect((await shell.run(PayoutQuery, again[0])).status).toBe(0)
  later(24 * 7)
  expect((await pay(['P-190', again[1], again[2]])).stderr).not.toContain('was seen failed')
})

test('so is one whose replacement failed too, in a file as well', async () => {
  const {shell, paid, later, pay, set, failed} = await shop()
  await failed(['P-101', '5000'])
  expect((await pay(['P-157', '5000'])).status).toBe(0)
  set('failed', 'P-157')
  expect((await shell.run(PayoutQuery, 'P-157')).status).toBe(0)
  set('completed', 'P-101')
  later(48)
  const path = join(tempDir(), 'payouts.csv')
  writeFileSync(
    path,
    `out_order_no,amount,bank_type,user_name,account\nP-180,5000,BKASH,Rahim Uddin,${corrected}\n`,
  )
  const argv = ['--from', path, '--return-url', 'http://127.0.0.1:4020/webhook', '--yes']
  expect(await shell.run(PayoutCreate, ...argv)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('P-180 may pay P-101 again: it was seen failed at'),
  })
  expect(paid()).toBe(1_000_000n)
  expect((await shell.run(PayoutCreate, ...argv, '--intended', 'P-180')).status).toBe(0)
})

test.each<[what: string, next: Payment, hours: number]>([
  ['more than it', ['P-190', '9000'], 24],
  ['less than it, after more than a week', ['P-190', '1000'], 24 * 9],
  ['to another account of another name', ['P-190', '5000', '01999999999'], 1],
])('a payout %s is ordinary', async (_what, [orderNo, amount, account], hours) => {
  const {shell, later, set, failed} = await shop()
  await failed(['P-101', '5000'])
  set('completed', 'P-101')
  later(hours)
  const name = account ? 'Karim Mia' : undefined
  expect((await shell.run(PayoutCreate, ...payout(orderNo, amount, account, name))).status).toBe(0)
})

test.each<{failed: Payment[]; anew: Payment[]; named: string}>([
  {
    failed: [['P-101', '2000']],
    anew: [
      ['P-157', '1200'],
      ['P-158', '800'],
    ],
    named: 'P-101 had failed, and P-157 and P-158 were sent in its place, BDT 2,000.00',
  },
  {
    failed: [['P-101', '2000']],
    anew: [
      ['P-101-A', '1200', corrected],
      ['P-101-B', '800', corrected],
    ],
    named: 'P-101 had failed, and P-101-A was sent in its place, BDT 1,200.00',
  },
  {
    failed: [
      ['P-101', '2500'],
      ['P-117', '3000'],
    ],
    anew: [['P-173', '5500']],
    named: 'P-101 had failed, and P-173 was sent in its place, BDT 5,500.00',
  },
  {
    failed: [['P-101', '2000']],
    anew: [['P-157', '2000', corrected]],
    named: 'P-101 had failed, and P-157 was sent in its place, BDT 2,000.00',
  },
])('$failed was paid anew as $anew, and completes after all: both are named', async (given) => {
  const {failed, anew, named} = given
  const {shell, later, pay, set, failed: fail, reconcile} = await shop()
  await fail(...failed)
  const numbers = anew.map(([orderNo]) => orderNo)
  for (const payment of anew) expect((await pay(payment)).status).toBe(0)
  set('completed', ...numbers)
  later(24)
  expect((await shell.run(PayoutQuery, 'P-101', ...numbers)).status).toBe(0)
  expect((await reconcile(...anew)).status).toBe(0)
  later(24)
  set('completed', 'P-101')
  for (const number of ['P-101', numbers[0] ?? ''])
    expect(await shell.run(PayoutQuery, number)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining(named),
    })
  expect((await shell.run(PayoutQuery, 'P-101', '--json')).json()).toMatchObject({
    orders: [{orderNo: 'P-101', paidTwice: expect.stringContaining(named)}],
  })
  expect((await shell.run(Find, 'P-101', '--json')).stdout).toContain(named)
  const booked = [...failed.filter(([orderNo]) => orderNo === 'P-101'), ...anew]
  const run = await reconcile(...booked)
  expect([run.status, run.json()]).toMatchObject([
    7,
    {findings: [{orderNo: 'P-101', cause: 'paid_after_all', explanation: expect.stringContaining(named)}]},
  ])
  const open = named.slice(0, named.indexOf(' in its place'))
  expect((await shell.run(PayoutList, '--in-doubt')).stderr).toContain(open)
  await shell.run(ItemsClose, 'P-101', '--reason', 'taken back')
  expect((await shell.run(PayoutQuery, 'P-101')).status).toBe(0)
  expect((await reconcile(...booked)).status).toBe(0)
})

test('one that stays failed is no finding, whatever was paid since', async () => {
  const {shell, later, pay, set, failed, reconcile} = await shop()
  await failed(['P-101', '2000'])
  const others: Payment[] = [
    ['P-157', '2000', right],
    ['P-158', '1200', right],
  ]
  for (const payment of others) expect((await pay(payment)).status).toBe(0)
  set('completed', 'P-157', 'P-158')
  later(24 * 7)
  expect((await pay(['P-190', '700'])).status).toBe(0)
  set('completed', 'P-190')
  expect((await shell.run(PayoutQuery, 'P-101', 'P-157', 'P-158', 'P-190')).status).toBe(0)
  expect((await shell.run(PayoutQuery, 'P-101', 'P-157', '--json')).json()).toMatchObject({
    orders: [{paidTwice: null}, {paidTwice: null}],
  })
  expect((await reconcile(...others, ['P-190', '700'])).status).toBe(0)
})

test.each<
  [what: string, failed: Payment[], anew: Payment[], before: Payment[], again: Payment, hours: number]
>([
  [
    'whole, then in parts',
    [['P-101', '5000']],
    [['P-157', '5000']],
    [['P-180', '3000']],
    ['P-181', '2000'],
    50,
  ],
  [
    'whole, then in parts to the first account',
    [['P-101', '5000']],
    [['P-157', '5000', corrected]],
    [['P-180', '3000']],
    ['P-181', '2000'],
    72,
  ],
  [
    'in parts, then in others',
    [['P-101', '5000']],
    [
      ['P-157', '2600'],
      ['P-158', '2400'],
    ],
    [['P-180', '3000']],
    ['P-181', '2000'],
    50,
  ],
  [
    'whole, then a part under its number',
    [['P-101', '5000']],
    [['P-157', '5000']],
    [],
    ['P-101-2', '3000'],
    24 * 20,
  ],
  ['whole, then less as a retry', [['P-101', '5000']], [['P-157', '5000']], [], ['P-101R', '3000'], 24 * 20],
  [
    'with another, less a fee',
    [
      ['P-101', '2500'],
      ['P-117', '3000'],
    ],
    [['P-173', '5400']],
    [],
    ['P-181', '3000'],
    50,
  ],
  [
    'whole, then to another account of the name',
    [['P-101', '1500']],
    [['P-140', '1500']],
    [],
    ['P-157', '1500', corrected],
    1,
  ],
])('one that was paid anew %s is not paid again', async (_what, failed, anew, before, again, hours) => {
  const {later, pay, set, failed: fail} = await shop()
  await fail(...failed)
  for (const payment of anew) {
    expect((await pay(payment)).status).toBe(0)
    set('completed', payment[0])
  }
  later(hours)
  for (const payment of before) expect((await pay(payment)).status).toBe(0)
  later(1)
  expect(await pay(again)).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('the failed payout P-1'),
  })
  expect((await pay(again, '--allow-repeat')).status).toBe(0)
})

test('nor by two rows of one file', async () => {
  const {shell, later, pay, set, failed} = await shop()
  await failed(['P-101', '2000'])
  expect((await pay(['P-157', '2000'])).status).toBe(0)
  set('completed', 'P-157')
  later(3)
  const path = join(tempDir(), 'payouts.csv')
  const row = (number: string, amount: string) => `${number},${amount},BKASH,Rahim Uddin,${right}\n`
  const file = (...rows: string[]) =>
    writeFileSync(path, `out_order_no,amount,bank_type,user_name,account\n${rows.join('')}`)
  const argv = ['--from', path, '--return-url', 'http://127.0.0.1:4020/webhook', '--yes']
  file(row('P-180', '1300'), row('P-181', '700'))
  expect(await shell.run(PayoutCreate, ...argv)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('P-181 may pay P-157 again'),
  })
  file(row('P-180', '1300'), row('P-181', '400'))
  expect((await shell.run(PayoutCreate, ...argv)).status).toBe(0)
})

test.each<[what: string, anew: Payment[], before: Payment[], next: Payment, hours: number]>([
  ['a smaller one', [['P-157', '5000']], [], ['P-180', '3000'], 5],
  ['two that make less', [['P-157', '5000']], [['P-180', '3000']], ['P-181', '1000'], 50],
  [
    'two that make it after more than a week',
    [['P-157', '5000']],
    [['P-180', '3000']],
    ['P-181', '2000'],
    24 * 9,
  ],
  ['the second of its parts', [['P-101-1', '3000']], [], ['P-101-2', '2000'], 1],
  [
    'a namesake beside a smaller one',
    [['P-157', '5000']],
    [['P-180', '3000', corrected]],
    ['P-181', '2000'],
    50,
  ],
  ['a namesake of a day later', [['P-157', '5000']], [], ['P-180', '5000', corrected], 30],
])('%s is ordinary after one was paid anew', async (_what, anew, before, next, hours) => {
  const {later, pay, set, failed} = await shop()
  await failed(['P-101', '5000'])
  for (const payment of anew) {
    expect((await pay(payment)).status).toBe(0)
    set('completed', payment[0])
  }
  later(hours)
  for (const payment of [...before, next]) {
    expect([payment, (await pay(payment)).status]).toEqual([payment, 0])
    set('completed', payment[0])
    later(1)
  }
})

const anews: Payment[][] = [
  [['P-202', '500']],
  [['P-202', '500', corrected]],
  [
    ['P-202', '300'],
    ['P-203', '200'],
  ],
]

test.each(
  (['an answer', 'a person'] as const).flatMap((by) =>
    anews.flatMap((anew) => (['query', 'reconcile'] as const).map((first) => ({by, anew, first}))),
  ),
)(
  'one that counts as not paid by $by, is paid anew as $anew and was made after all is named',
  async (given) => {
    const {by, anew, first} = given
    const {shell, books, later, pay, set, refused, reconcile} = await shop()
    const made = await refused(by, ['P-201', '500'])
    const numbers = anew.map(([orderNo]) => orderNo)
    for (const payment of anew) expect((await pay(payment)).status).toBe(0)
    later(1)
    set('completed', ...numbers)
    for (const number of numbers) expect((await shell.run(PayoutQuery, number)).status).toBe(0)
    expect((await reconcile(...anew)).status).toBe(0)
    later(1)
    books.set('P-201', made)
    const pair = `P-201 counted as not paid, and ${numbers.join(' and ')} ${numbers.length > 1 ? 'were' : 'was'} sent in its place, BDT 500.00`
    const booked: Payment[] = [['P-201', '500'], ...anew]
    const run = async () => {
      const {status, json} = await reconcile(...booked)
      const finding = {orderNo: 'P-201', cause: 'paid_after_all', explanation: expect.stringContaining(pair)}
      expect([status, json()]).toMatchObject([7, {findings: [finding]}])
    }
    if (first === 'reconcile') await run()
    for (const number of [...numbers, 'P-201', 'P-201', ...numbers])
      expect(await shell.run(PayoutQuery, number)).toMatchObject({
        status: 7,
        stderr: expect.stringContaining(pair),
      })
    for (const number of ['P-201', ...numbers])
      expect((await shell.run(Find, number, '--json')).stdout).toContain(pair)
    await run()
    expect((await shell.run(PayoutList, '--in-doubt')).stderr).toContain(
      pair.slice(0, pair.indexOf(' in its')),
    )
    later(24 * 9)
    const again = ['P-290', '500'] as const
    expect(await pay(again)).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('P-201 again: it counted as not paid at'),
    })
    await shell.run(ItemsClose, 'P-201', '--reason', 'taken back')
    expect((await reconcile(...booked)).status).toBe(0)
    expect((await pay(again)).status).toBe(0)
  },
)

test.each(
  (['an answer', 'a person', 'a query'] as const).flatMap((by) =>
    (
      [
        [[['P-131', '500']], ['P-190', '500']],
        [[['P-131', '500']], ['P-101-R2', '500']],
        [[['P-131', '500']], ['P-101 again', '500']],
        [[['P-131', '500']], ['P-190', '300']],
        [[['P-131', '200']], ['P-132', '300']],
        [[['P-101-1', '200']], ['P-101-2', '300']],
        [[], ['P-101-R', '470']],
        [[], ['P-190', '470']],
      ] as [Payment[], Payment][]
    ).map(([anew, again]) => ({by, anew, again})),
  ),
)(
  'one that counts as not paid by $by, was paid as $anew and completes unseen is not paid as $again',
  async ({by, anew, again}) => {
    const {books, paid, later, pay, set, failed, refused} = await shop()
    const first = ['P-101', '500'] as const
    if (by === 'a query') await failed(first)
    const made = by === 'a query' ? null : await refused(by, first)
    for (const payment of anew) expect((await pay(payment)).status).toBe(0)
    set('completed', ...anew.map(([orderNo]) => orderNo))
    if (made) books.set('P-101', made)
    else set('completed', 'P-101')
    const before = paid()
    for (const hours of [1, 48]) {
      later(hours)
      expect(await pay(again)).toMatchObject({
        status: 2,
        stdout: expect.stringMatching(
          /(?:may pay|pays) P-101.* again: it (counted as not paid|was seen failed) at/,
        ),
      })
    }
    expect(paid()).toBe(before)
    expect((await pay(again, '--allow-repeat')).status).toBe(0)
    // Whoever gave the word knew it.
    later(48)
    expect((await pay(['P-199', '333'])).status).toBe(0)
  },
)

test('of many that were refused each is looked at', async () => {
  const {books, later, pay, set, refused} = await shop()
  const made = await refused('an answer', ['P-101', '500'])
  for (const number of ['P-115', 'P-127', 'P-139', 'P-151']) await refused('an answer', [number, '500'])
  expect((await pay(['P-163', '500'])).status).toBe(0)
  set('completed', 'P-163')
  books.set('P-101', made)
  later(48)
  expect(await pay(['P-190', '500'])).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('P-190 may pay P-101 again: it counted as not paid at'),
  })
})

test.each([
  ['its own', true],
  ['another', true],
  ['another', false],
])(
  'a failed wage that was paid to %s account of the name holds next week only if nobody queried that: %s',
  async (which, isQueried) => {
    const {shell, later, pay, set, failed} = await shop()
    await failed(['W-101', '3000'])
    const anew: Payment = which === 'another' ? ['R-1', '3000', corrected] : ['R-1', '3000']
    expect((await pay(anew)).status).toBe(0)
    set('completed', 'R-1')
    if (isQueried) expect((await shell.run(PayoutQuery, 'R-1')).status).toBe(0)
    for (const [nth, status] of [isQueried ? 0 : 2, 0, 0].entries()) {
      later(24 * 7)
      expect([nth, (await pay([`W-${nth + 2}01`, '3000'])).status]).toEqual([nth, status])
      set('completed', `W-${nth + 2}01`)
    }
  },
)

test('a word that is taken back after another was paid in its place is one, too', async () => {
  const {shell, books, later, pay, set, refused} = await shop()
  const made = await refused('a person', ['P-201', '500'])
  expect((await pay(['P-202', '500'])).status).toBe(0)
  set('completed', 'P-202')
  later(1)
  expect((await shell.run(PayoutResolve, 'P-201', '--paid', '--reason', 'he has it')).status).toBe(0)
  for (const isShown of [false, true]) {
    if (isShown) books.set('P-201', made)
    expect(await shell.run(PayoutQuery, 'P-202')).toMatchObject({
      status: 7,
      stderr: expect.stringContaining('P-201 counted as not paid, and P-202 was sent in its place'),
    })
  }
})

test.each(['an answer', 'a person'] as const)(
  'one that counts as not paid by %s holds nothing',
  async (by) => {
    const {shell, books, later, pay, set, refused, reconcile} = await shop()
    const made = await refused(by, ['P-201', '500'])
    // The same again is the same payout, and the next week's is ordinary.
    expect((await pay(['P-201', '500'])).status).toBe(0)
    set('completed', 'P-201')
    later(24 * 7)
    const other = await refused(by, ['P-301', '700'])
    for (const payment of [
      ['P-302', '500'],
      ['P-303', '700'],
      ['P-304', '300'],
    ] as const) {
      expect([payment, (await pay(payment)).status]).toEqual([payment, 0])
      set('completed', payment[0])
    }
    // Another program's order has the number.
    books.set('P-301', {...other, amount: '40.00', account: '01999999999'})
    later(1)
    const numbers = ['P-201', 'P-302', 'P-303', 'P-304']
    expect(await shell.run(PayoutQuery, ...numbers)).toMatchObject({status: 0})
    expect(
      (await reconcile(['P-201', '500'], ['P-302', '500'], ['P-303', '700'], ['P-304', '300'])).status,
    ).toBe(0)
    expect(made.status).toBe('completed')
  },
)

const file = (...payments: Payment[]) => {
  const path = join(tempDir(), 'payouts.csv')
  const rows = payments.map(
    ([number, amount, account = right]) => `${number},${amount},BKASH,Rahim Uddin,${account}`,
  )
  writeFileSync(path, `out_order_no,amount,bank_type,user_name,account\n${rows.join('\n')}\n`)
  return [
    '--from',
    path,
    '--return-url',
    'http://127.0.0.1:4020/webhook',
    '--yes',
    '--ignore-mark',
    'P-101-1',
  ]
}

test.each<[failed: Payment[], anew: Payment[], days: number, isFile: boolean]>([
  [
    [['P-101', '500']],
    [
      ['P-101-1', '300'],
      ['P-101-2', '200'],
    ],
    0,
    false,
  ],
  [
    [['P-101', '500']],
    [
      ['P-101-1', '300'],
      ['P-101-2', '200'],
    ],
    9,
    false,
  ],
  [
    [['P-101', '500']],
    [
      ['P-101-A', '300', corrected],
      ['P-101-B', '200', corrected],
    ],
    2,
    false,
  ],
  [
    [['P-101', '500']],
    [
      ['P-131', '300'],
      ['P-132', '200'],
    ],
    0,
    false,
  ],
  [
    [['P-101', '500']],
    [
      ['P-131', '300', corrected],
      ['P-132', '200', corrected],
    ],
    0,
    false,
  ],
  [
    [['P-101', '500']],
    [
      ['P-131', '300'],
      ['P-132', '200'],
    ],
    0,
    true,
  ],
  [
    [
      ['P-101', '500'],
      ['P-117', '300'],
    ],
    [['P-150', '800']],
    0,
    false,
  ],
  [
    [
      ['P-101', '500'],
      ['P-117', '300'],
    ],
    [['P-150', '800']],
    2,
    false,
  ],
])('%j failed, which nobody saw, was paid as %j after %s days, and completes after all', async (...given) => {
  const [failed, anew, days, isFile] = given
  const {shell, later, pay, set} = await shop()
  for (const payment of failed) expect((await pay(payment)).status).toBe(0)
  later(1 + days * 24)
  set('failed', ...failed.map(([orderNo]) => orderNo))
  if (isFile) expect((await shell.run(PayoutCreate, ...file(...anew))).status).toBe(0)
  else for (const payment of anew) expect((await pay(payment)).status).toBe(0)
  const numbers = anew.map(([orderNo]) => orderNo)
  set('completed', ...numbers)
  later(1)
  for (const number of numbers) expect((await shell.run(PayoutQuery, number)).status).toBe(0)
  set('completed', 'P-101')
  for (const number of ['P-101', numbers[0] ?? ''])
    expect(await shell.run(PayoutQuery, number)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining('P-101 had failed, and'),
    })
})

test('payouts of other amounts are asked for once in a file, if it may pay them, and hold nothing', async () => {
  const {shell, asked, later, pay, set} = await shop()
  const earlier: Payment[] = [
    ['P-101', '500'],
    ['P-102', '70'],
    ['P-103', '900', corrected],
  ]
  for (const payment of earlier) expect((await pay(payment)).status).toBe(0)
  set('completed', ...earlier.map(([orderNo]) => orderNo))
  later(3)
  const before = earlier.map(([orderNo]) => asked(orderNo))
  const rows: Payment[] = [
    ['P-201', '200'],
    ['P-202', '310'],
    ['P-203', '650', corrected],
  ]
  expect((await shell.run(PayoutCreate, ...file(...rows))).status).toBe(0)
  expect(earlier.map(([orderNo], at) => asked(orderNo) - (before[at] ?? 0))).toEqual([1, 0, 1])
})

test.each<[by: 'an answer' | 'a query', anew: Payment, rest: Payment]>([
  ['a query', ['P-131', '200'], ['P-132', '300']],
  ['a query', ['P-131', '200', corrected], ['P-132', '300', corrected]],
  ['an answer', ['P-131', '200'], ['P-132', '300']],
  ['a query', ['P-131', '470'], ['P-132', '30']],
])(
  'by %s a payout failed, a part was paid as %j, and it completes before %j: the part is named',
  async (...given) => {
    const [by, anew, rest] = given
    const {service, shell, books, paid, later, pay, set, failed, refused, reconcile} = await shop()
    const first = ['P-101', '500'] as const
    if (by === 'a query') await failed(first)
    const made = by === 'a query' ? books.get('P-101') : await refused(by, first)
    const [number] = anew
    service.answer = (response, call, nth) => {
      books.set('P-101', {...made, status: 'completed'})
      json({code: 0, data: {...books.get(number), merchantId}})(response, call, nth)
    }
    const named = `P-101 ${by === 'a query' ? 'had failed' : 'counted as not paid'}, and ${number} was sent in its place, BDT ${anew[1]}.00`
    const ran = await shell.run(PayoutCreate, ...file(anew, rest), '--json')
    // Rows that are left outrank what was found.
    expect([ran.status, ran.stdout]).toEqual([8, expect.stringContaining(named)])
    expect(ran.stdout).toContain('P-132 may pay P-101')
    service.answer = null
    set('completed', number)
    later(24)
    for (const asked of ['P-101', number])
      expect(await shell.run(PayoutQuery, asked)).toMatchObject({
        status: 7,
        stderr: expect.stringContaining(named),
      })
    expect((await reconcile(first, anew)).json()).toMatchObject({
      findings: [{orderNo: 'P-101', cause: 'paid_after_all', explanation: expect.stringContaining(named)}],
    })
    expect(paid()).toBe(50_000n + BigInt(`${anew[1]}00`))
    await shell.run(ItemsClose, 'P-101', '--reason', 'taken back')
    expect((await shell.run(PayoutQuery, number)).status).toBe(0)
    // Long after it nobody means the failed one.
    later(24 * 9)
    expect((await pay(['P-190', '300'])).status).toBe(0)
    set('completed', 'P-190')
    expect((await shell.run(PayoutQuery, 'P-190')).status).toBe(0)
  },
)

const inItsPlace: Payment[][] = [
  [['P-202', '500', corrected]],
  [['P-202', '490']],
  [
    ['P-202', '300'],
    ['P-203', '200'],
  ],
  [
    ['P-101-1', '300', corrected],
    ['P-101-2', '260', corrected],
  ],
  [['P-101-1', '300']],
]

test.each(
  (['an answer', 'a person'] as const).flatMap((by) =>
    inItsPlace.flatMap((anew) => [1, 24 * 9].map((hours) => ({by, anew, hours}))),
  ),
)('by $by P-101 was not paid, $anew was, and P-101 comes again after $hours hours', async (given) => {
  const {by, anew, hours} = given
  const {shell, books, paid, later, pay, set, refused} = await shop()
  await refused(by, ['P-101', '500'])
  const numbers = anew.map(([orderNo]) => orderNo)
  for (const payment of anew) expect((await pay(payment)).status).toBe(0)
  set('completed', ...numbers)
  later(hours)
  const before = paid()
  const held = expect.stringMatching(
    `P-101 (?:may pay|pays) ${numbers[0]}.* again: P-101 counted as not paid at .*, and ${numbers[0]} was sent since`,
  )
  expect(await pay(['P-101', '500'])).toMatchObject({status: 2, stdout: held})
  expect((await shell.run(PayoutCreate, ...file(['P-101', '500']))).status).toBe(2)
  expect(paid()).toBe(before)
  expect((await pay(['P-101', '500'], '--allow-repeat')).status).toBe(0)
  expect(books.has('P-101')).toBe(true)
  // Whoever gave the word knew it.
  set('completed', 'P-101')
  later(1)
  expect(await shell.run(PayoutQuery, 'P-101', ...numbers)).toMatchObject({status: 0})
})

test.each<[what: string, others: Payment[], failed: string[]]>([
  ['nothing', [], []],
  [
    'less, and more',
    [
      ['P-202', '300'],
      ['P-203', '900'],
    ],
    [],
  ],
  ['what failed too', [['P-202', '500']], ['P-202']],
])('a number that was refused comes again without a word where %s was paid since', async (...given) => {
  const [_what, others, failed] = given
  const {shell, later, pay, set, refused} = await shop()
  await refused('an answer', ['P-101', '500'])
  for (const payment of others) expect((await pay(payment)).status).toBe(0)
  set('completed', ...others.map(([orderNo]) => orderNo))
  set('failed', ...failed)
  later(30)
  if (failed.length > 0) expect((await shell.run(PayoutQuery, ...failed)).status).toBe(0)
  expect((await pay(['P-101', '500'])).status).toBe(0)
})

test.each<[what: string, rest: Payment[] | null, held: string | null]>([
  [
    'under other numbers',
    [
      ['P-202', '700'],
      ['P-203', '900', corrected],
    ],
    'P-203 was sent since',
  ],
  [
    'in parts',
    [
      ['P-203', '520'],
      ['P-204', '380'],
    ],
    'P-203 with BDT 520.00',
  ],
  ['not at all', null, null],
  ['beside others', [['P-203', '400']], null],
])(
  'a file stopped, its rows that were not sent were paid %s, and it runs again',
  async (_what, rest, held) => {
    const {service, shell, books, paid, later, set} = await shop()
    const rows: Payment[] = [
      ['P-101', '500'],
      ['P-102', '700'],
      ['P-103', '900'],
    ]
    service.answer = (response, call, nth) => {
      const {outOrderNo} = JSON.parse(call.body)
      const isShort = outOrderNo !== 'P-101'
      if (isShort) books.delete(outOrderNo)
      const answer = json({code: 0, data: {...books.get('P-101'), merchantId}})
      ;(isShort ? json({code: 'INSUFFICIENT_BALANCE'}, 422) : answer)(response, call, nth)
    }
    expect((await shell.run(PayoutCreate, ...file(...rows))).status).toBe(4)
    service.answer = null
    set('completed', 'P-101')
    later(12)
    if (rest) expect((await shell.run(PayoutCreate, ...file(...rest))).status).toBe(0)
    set('completed', ...(rest ?? []).map(([orderNo]) => orderNo))
    later(30)
    const before = paid()
    const again = await shell.run(PayoutCreate, ...file(...rows))
    if (held === null) expect(again).toMatchObject({status: 0})
    else {
      expect(again).toMatchObject({status: 2, stderr: expect.stringMatching('P-10[23] may pay')})
      expect(paid()).toBe(before)
    }
  },
)

/** Its answer was lost, and the service has no such payout. */
const besideDoubt: [anew: Payment[], isResolved: boolean, isHeld: boolean][] = [
  [[['K-1', '500']], false, true],
  [[['K-1', '500', corrected]], false, true],
  [
    [
      ['K-1', '200', corrected],
      ['K-2', '300', corrected],
    ],
    false,
    true,
  ],
  [[['K-1', '500']], true, true],
  [[], false, false],
  [[], true, false],
  [[['K-1', '300']], false, false],
]

test.each(
  besideDoubt.flatMap(([anew, isResolved, isHeld]) =>
    ['once', 'in a file'].map((how) => ({anew, isResolved, isHeld, how})),
  ),
)('P-101 in doubt comes again ($how) after $anew, resolved: $isResolved', async (given) => {
  const {anew, isResolved, isHeld, how} = given
  const {service, shell, books, paid, later, pay, set} = await shop()
  const own: Payment = ['P-101', '500']
  const again = (...flags: string[]) =>
    how === 'once' ? pay(own, ...flags) : shell.run(PayoutCreate, ...file(own), ...flags)
  const lose = () =>
    Object.assign(service, {carriesOut: false, answer: (response: {destroy(): void}) => response.destroy()})
  const heal = () => Object.assign(service, {carriesOut: true, answer: null})
  lose()
  expect((await again()).status).toBe(6)
  heal()
  for (const payment of anew) {
    later(4)
    expect((await pay(payment, '--allow-repeat')).status).toBe(0)
  }
  set('completed', ...anew.map(([orderNo]) => orderNo))
  later(30)
  if (isResolved)
    expect((await shell.run(PayoutResolve, 'P-101', '--not-paid', '--reason', 'asked')).status).toBe(0)
  const before = paid()
  const {status, stdout, stderr} = await again()
  expect(status).toBe(isHeld ? 2 : 0)
  if (!isHeld) return
  expect(`${stdout}${stderr}`).toMatch(
    /P-101 may pay K-1.* again: P-101 (?:is|was) in doubt since .*, and K-1 was sent since/,
  )
  expect(paid()).toBe(before)
  // Its word given, it converges as any other does.
  lose()
  expect((await again('--allow-repeat')).status).toBe(6)
  heal()
  expect((await again()).status).toBe(0)
  expect(books.has('P-101')).toBe(true)
})

test('one in doubt that the service has meanwhile is not held by what was sent since', async () => {
  const {service, shell, books, paid, later, pay, set} = await shop()
  Object.assign(service, {carriesOut: false, answer: (response: {destroy(): void}) => response.destroy()})
  expect((await pay(['P-101', '500'])).status).toBe(6)
  Object.assign(service, {carriesOut: true, answer: null})
  later(4)
  expect((await pay(['K-1', '500'], '--allow-repeat')).status).toBe(0)
  // Its request arrived late.
  books.set('P-101', {...books.get('K-1'), orderNo: 'P-101', platformOrderNo: 'PL-P-101'})
  set('completed', 'P-101', 'K-1')
  later(30)
  expect((await pay(['P-101', '500'])).status).toBe(0)
  expect((await shell.run(PayoutCreate, ...file(['P-101', '500']))).status).toBe(0)
  expect(paid()).toBe(100_000n)
})

test('two in doubt that were paid as one are held, in their file and alone', async () => {
  const {service, shell, paid, later, pay, set} = await shop()
  const rows: Payment[] = [
    ['P-102', '500'],
    ['P-103', '700'],
  ]
  Object.assign(service, {carriesOut: false, answer: (response: {destroy(): void}) => response.destroy()})
  expect((await shell.run(PayoutCreate, ...file(...rows))).status).toBe(6)
  Object.assign(service, {carriesOut: true, answer: null})
  later(4)
  expect((await pay(['K-1', '1200'], '--allow-repeat')).status).toBe(0)
  set('completed', 'K-1')
  later(30)
  for (const again of [file(...rows), file(rows[0] ?? ['', '']), payout('P-103', '700')])
    expect((await shell.run(PayoutCreate, ...again)).status).toBe(2)
  expect(paid()).toBe(120_000n)
})

test.each<[what: string, joined: Payment, isShorter: boolean, held: boolean]>([
  ['two as one', ['P-203', '1600'], false, true],
  ['two as one, and the row that was sent is taken out', ['P-203', '1600'], true, true],
  ['three as one', ['P-203', '1900'], true, true],
  ['with something else', ['P-203', '1650'], true, false],
  ['to another account', ['P-203', '1600', corrected], true, false],
])('a file stopped at its first row, the others were paid %s', async (...given) => {
  const [_what, joined, isShorter, isHeld] = given
  const {service, shell, paid, later, set} = await shop()
  const first: Payment = ['P-101', '500', corrected]
  const rows: Payment[] = [
    ['P-102', '700'],
    ['P-103', '900'],
    ['P-104', '300'],
  ]
  const path = join(tempDir(), 'monday.csv')
  const run = (...payments: Payment[]) => {
    const lines = payments.map(
      ([number, amount, account = right]) => `${number},${amount},BKASH,Rahim Uddin,${account}`,
    )
    writeFileSync(path, `out_order_no,amount,bank_type,user_name,account\n${lines.join('\n')}\n`)
    return shell.run(PayoutCreate, '--from', path, '--yes')
  }
  Object.assign(service, {carriesOut: false, answer: json({code: 'INSUFFICIENT_BALANCE'}, 422)})
  expect((await run(first, ...rows)).status).toBe(4)
  Object.assign(service, {carriesOut: true, answer: null})
  later(20)
  expect((await shell.run(PayoutCreate, ...payout(...joined))).status).toBe(0)
  set('completed', 'P-203')
  later(30)
  const before = paid()
  const again = await run(...(isShorter ? rows : [first, ...rows]))
  expect(again.status).toBe(isHeld ? 2 : 0)
  if (!isHeld) return
  expect(again.stderr).toContain('P-203 was sent since')
  expect(paid()).toBe(before)
})

test.each<[by: 'an answer' | 'a person', first: Payment[], second: Payment, hours: number]>([
  ['an answer', [['P-202', '500']], ['P-303', '500'], 48],
  ['a person', [['P-202', '500']], ['P-303', '500'], 48],
  ['an answer', [['P-202', '500', corrected]], ['P-303', '500'], 3],
  ['a person', [['P-202', '500']], ['P-303', '500', corrected], 3],
  ['an answer', [['P-202', '500']], ['P-101-2', '300'], 24 * 9],
  ['a person', [['P-202', '500']], ['P-101R', '500', corrected], 24 * 9],
  [
    'an answer',
    [
      ['P-202', '300'],
      ['P-203', '200'],
    ],
    ['P-303', '500'],
    48,
  ],
  [
    'an answer',
    [
      ['P-202', '300'],
      ['P-203', '200'],
    ],
    ['P-303', '500', corrected],
    3,
  ],
  ['an answer', [['P-202', '455']], ['P-303', '500'], 3],
  ['a person', [['P-202', '455']], ['P-303', '500'], 24 * 6],
  ['an answer', [['P-101-1', '200']], ['P-303', '500'], 48],
  [
    'a person',
    [
      ['P-101-1', '200', corrected],
      ['P-101-2', '260', corrected],
    ],
    ['P-303', '500'],
    48,
  ],
])('by %s P-101 was not paid, %j was in its place, and %j is no second one', async (...given) => {
  const [by, first, second, hours] = given
  const {later, pay, set, refused} = await shop()
  await refused(by, ['P-101', '500'])
  for (const payment of first) expect((await pay(payment)).status).toBe(0)
  set('completed', ...first.map(([orderNo]) => orderNo))
  later(hours)
  const held = {status: 2, stdout: expect.stringContaining('payout P-101 again')}
  expect(await pay(second)).toMatchObject(held)
  expect((await pay(second, '--allow-repeat')).status).toBe(0)
})

test('accounts with the same visible digits are two, as far as their digests tell', async () => {
  const {shell, later, pay, set, failed, refused} = await shop()
  const [rokeya, rubel, selim] = ['01820055433', '01810055433', '01830055433']
  const named = ([orderNo, amount, account]: Payment, name: string) =>
    shell.run(PayoutCreate, ...payout(orderNo, amount, account, name))
  await failed(['P-101', '5000', rokeya])
  expect((await named(['P-102', '4500', rubel], 'Rubel')).status).toBe(0)
  expect((await named(['P-103', '500', selim], 'Selim')).status).toBe(0)
  set('completed', 'P-102', 'P-103')
  later(24)
  expect((await pay(['P-110', '5000', rokeya])).status).toBe(0)
  set('completed', 'P-110')
  // Nor in the place of one that was refused.
  await refused('an answer', ['P-120', '700', rokeya])
  expect((await named(['P-121', '500', rubel], 'Rubel')).status).toBe(0)
  expect((await named(['P-122', '200', selim], 'Selim')).status).toBe(0)
  set('completed', 'P-121', 'P-122')
  later(24)
  expect((await pay(['P-120', '700', rokeya])).status).toBe(0)
})

test('a number that was refused and paid otherwise is held to another account, too', async () => {
  const {later, pay, set, refused} = await shop()
  await refused('an answer', ['P-101', '500'])
  expect((await pay(['K-1', '500'])).status).toBe(0)
  set('completed', 'K-1')
  later(24)
  expect((await pay(['P-101', '500', corrected])).status).toBe(2)
})

test.each<[other: Payment, hours: number]>([
  [['P-202', '440'], 3],
  [['P-202', '455', corrected], 3],
  [['P-202', '455'], 24 * 9],
])('a failed one is paid anew whole after %j, %i hours later', async (other, hours) => {
  const {later, pay, set, failed} = await shop()
  await failed(['P-101', '500'])
  expect((await pay(other)).status).toBe(0)
  set('completed', 'P-202')
  later(hours)
  expect((await pay(['P-303', '500'])).status).toBe(0)
})

test('one that was paid anew in parts is not paid to another account of the name', async () => {
  const {later, pay, set, failed} = await shop()
  await failed(['P-101', '500'])
  for (const payment of [
    ['P-202', '300'],
    ['P-203', '200'],
  ] as const)
    expect((await pay(payment)).status).toBe(0)
  set('completed', 'P-202', 'P-203')
  later(2)
  const held = {status: 2, stdout: expect.stringContaining('the failed payout P-101 again')}
  expect(await pay(['P-303', '500', corrected])).toMatchObject(held)
  later(30)
  expect((await pay(['P-303', '500', corrected])).status).toBe(0)
})

test.each<[rows: Payment[], status: number]>([
  [
    [
      ['P-303', '500', corrected],
      ['P-301', '300'],
      ['P-302', '200'],
    ],
    2,
  ],
  [
    [
      ['P-301', '300'],
      ['P-302', '200'],
      ['P-303', '500', corrected],
    ],
    2,
  ],
  [
    [
      ['P-301', '300'],
      ['P-302', '100'],
      ['P-303', '500', corrected],
    ],
    0,
  ],
  [
    [
      ['P-301', '300'],
      ['P-302', '200'],
    ],
    0,
  ],
])('nor in one file, as %j', async (rows, status) => {
  const {shell, failed} = await shop()
  await failed(['P-101', '500'])
  expect((await shell.run(PayoutCreate, ...file(...rows))).status).toBe(status)
})

const split: [parts: Payment[], isFile: boolean][] = [
  [[['P-101-1', '300']], false],
  [[['P-101A', '450']], false],
  [
    [
      ['P-301', '300'],
      ['P-302', '200'],
    ],
    false,
  ],
  [
    [
      ['P-301', '300'],
      ['P-302', '200'],
    ],
    true,
  ],
  [
    [
      ['P-301', '250'],
      ['P-302', '150'],
      ['P-303', '100'],
    ],
    true,
  ],
]

test.each(
  split.flatMap(([parts, isFile]) =>
    [
      ['processing', 30],
      ['completed', 3],
    ].map(([status, hours]) => ({parts, isFile, status: String(status), hours: Number(hours)})),
  ),
)('P-101 is $status, and $parts after $hours hours pay it again', async ({parts, isFile, status, hours}) => {
  const {shell, paid, later, pay, set} = await shop()
  expect((await pay(['P-101', '500'])).status).toBe(0)
  set(status, 'P-101')
  later(hours)
  const first = isFile ? [] : parts.slice(0, -1)
  for (const payment of first) expect((await pay(payment)).status).toBe(0)
  const before = paid()
  const last = parts.at(-1) ?? ['', '']
  const held = isFile ? await shell.run(PayoutCreate, ...file(...parts)) : await pay(last)
  expect([held.status, `${held.stdout}${held.stderr}`]).toEqual([
    2,
    expect.stringMatching(
      `${last[0]} (?:pays P-101 again|may pay P-101 again \\(to the same account\\)): already sent as P-101 with BDT 500\\.00`,
    ),
  ])
  expect(paid()).toBe(before)
  const word = isFile
    ? await shell.run(PayoutCreate, ...file(...parts), '--intended', last[0])
    : await pay(last, '--allow-repeat')
  expect(word.status).toBe(0)
})

test('open ones are not paid again together', async () => {
  const {later, pay, set} = await shop()
  for (const payment of [
    ['P-101', '300'],
    ['P-102', '700'],
  ] as const)
    expect((await pay(payment)).status).toBe(0)
  later(5)
  expect(await pay(['P-150', '1000'])).toMatchObject({
    status: 2,
    stdout: expect.stringContaining(
      'P-150 may pay P-101 again (to the same account): already sent as P-101 with BDT 300.00',
    ),
  })
  set('completed', 'P-101', 'P-102')
  expect((await pay(['P-150', '1000'])).status).toBe(0)
})

test('the same amount to another account of the name waits for the end of the first, but for a file of both', async () => {
  const {shell, later, pay, set} = await shop()
  const both: Payment[] = [
    ['P-101', '500'],
    ['P-102', '500', corrected],
  ]
  expect((await shell.run(PayoutCreate, ...file(...both))).status).toBe(0)
  later(1)
  expect((await shell.run(PayoutCreate, ...file(...both, ['P-103', '700', corrected]))).status).toBe(0)
  const third: Payment = ['P-110', '500', '01812345696']
  expect(await pay(third)).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('P-110 may pay P-10'),
  })
  expect((await shell.run(PayoutCreate, ...file(third))).status).toBe(2)
  set('completed', 'P-101', 'P-102')
  expect((await pay(third)).status).toBe(0)
})

test('withdrawals of an account on several days, weekly and daily wages and files again need no word', async () => {
  const {shell, later, pay, set} = await shop()
  const amounts = ['500', '200', '310', '700', '150', '500', '500', '640']
  for (const [at, amount] of amounts.entries()) {
    const number = `W-${at * 7 + 1}`
    expect([amount, (await pay([number, amount])).status]).toEqual([amount, 0])
    set('completed', number)
    later(25)
  }
  for (const week of [1, 2, 3]) {
    const rows: Payment[] = [
      [`S-${week}01`, '900'],
      [`S-${week}02`, '800', corrected],
    ]
    for (const _again of [1, 2]) expect((await shell.run(PayoutCreate, ...file(...rows))).status).toBe(0)
    set('completed', ...rows.map(([orderNo]) => orderNo))
    later(24 * 7)
  }
})

test('one query of all judges when it has all answers', async () => {
  const {shell, later, pay, set, failed} = await shop()
  await failed(['P-101', '500'])
  for (const payment of [
    ['P-201', '300'],
    ['P-202', '200'],
  ] as const)
    expect((await pay(payment)).status).toBe(0)
  later(24)
  set('failed', 'P-202')
  set('completed', 'P-101', 'P-201')
  const said = expect.stringContaining('P-101 had failed, and P-201 was sent in its place')
  expect(await shell.run(PayoutQuery, 'P-101', 'P-201', 'P-202')).toMatchObject({status: 7, stderr: said})
})

test('who records one that failed or was refused as paid is told its true state', async () => {
  const {shell, failed, refused} = await shop()
  await failed(['P-101', '500'])
  await refused('an answer', ['P-102', '700'])
  const word = (number: string) => shell.run(PayoutResolve, number, '--paid', '--reason', 'paid by hand')
  for (const [number, says] of [
    ['P-101', 'The payout P-101 is not in doubt: it was accepted, and counted as failed first at'],
    ['P-102', 'The payout P-102 is not in doubt: the service refused it.'],
  ] as const)
    expect(await word(number)).toMatchObject({status: 2, stderr: expect.stringContaining(says)})
})

/** Parts on several days, as the balance comes in. The last payment of each is one too many. */
test.each<
  [
    what: string,
    first: 'refused' | 'failed' | 'open',
    rest: readonly (readonly [days: number, payment: Payment])[],
  ]
>([
  [
    'then the whole again',
    'refused',
    [
      [1, ['P-202', '300']],
      [2, ['P-203', '200']],
      [4, ['P-101', '500']],
    ],
  ],
  [
    'in five parts',
    'refused',
    [
      ...['110', '90', '120', '80', '100'].map(
        (part, nth) => [0.1, [`P-20${nth}`, part] as Payment] as const,
      ),
      [4, ['P-101', '500']],
    ],
  ],
  [
    'while it is open',
    'open',
    [
      [2, ['P-202', '200']],
      [2.2, ['P-203', '300']],
    ],
  ],
  [
    'then the whole under another number',
    'failed',
    [
      [1, ['P-202', '200']],
      [1.2, ['P-203', '150']],
      [1.2, ['P-204', '150']],
      [1.2, ['P-205', '500']],
    ],
  ],
  [
    'and in the same parts again',
    'failed',
    [
      [1, ['P-202', '300']],
      [1.5, ['P-203', '200']],
      [1.2, ['P-204', '300']],
      [1.2, ['P-205', '200']],
    ],
  ],
  [
    'after the whole',
    'failed',
    [
      [0.1, ['P-202', '500']],
      [2, ['P-203', '300']],
      [2, ['P-204', '200']],
    ],
  ],
  [
    'with the whole between them',
    'failed',
    [
      [0.1, ['P-202', '300']],
      [0.01, ['P-203', '500']],
      [0.01, ['P-204', '200']],
    ],
  ],
])('a payout is paid in parts over days, %s', async (_what, first, rest) => {
  const {shell, paid, later, pay, set, refused} = await shop()
  if (first === 'refused') await refused('an answer', ['P-101', '500'])
  else expect((await pay(['P-101', '500'])).status).toBe(0)
  if (first === 'failed') {
    set('failed', 'P-101')
    expect((await shell.run(PayoutQuery, 'P-101')).status).toBe(0)
  }
  for (const [nth, [days, payment]] of rest.entries()) {
    later(24 * days)
    const isLast = nth === rest.length - 1
    const before = paid()
    const {status} = await pay(payment)
    expect([payment[0], status]).toEqual([payment[0], isLast ? 2 : 0])
    if (isLast) expect(paid()).toBe(before)
    else set('completed', payment[0])
  }
})
