import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test, vi} from 'vitest'

import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {json, merchantId, serve} from '../api/fixture.ts'
import {payout as lost} from '../journal/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, payout as payoutTo} from './bookkeeper.ts'
import {shellAt} from './run-command.ts'

const flags = {
  '--amount': '500',
  '--bank-type': 'BKASH',
  '--user-name': 'Rahim Uddin',
  '--account': '01812345678',
}
const payout = (orderNo: string, changes: Partial<typeof flags> = {}) => [
  ...['--order-no', orderNo],
  ...Object.entries({...flags, ...changes}).flat(),
  ...['--yes', '--json'],
]

/** A service that takes every payout and shows it as it was asked for; `creates` are the numbers it was sent. */
async function service(limits = '') {
  const amounts = new Map<string, unknown>()
  const {origin, seen} = await serve((response, call, nth) => {
    const {outOrderNo, amount} = JSON.parse(call.body)
    if (call.path.endsWith('/create')) amounts.set(outOrderNo, amount)
    if (!amounts.has(outOrderNo)) return json({code: 'ORDER_NOT_FOUND'}, 404)(response, call, nth)
    const data = {merchantId, orderNo: outOrderNo, platformOrderNo: `PL-${outOrderNo}`, status: 'processing'}
    json({code: 0, data: {...data, amount: amounts.get(outOrderNo)}})(response, call, nth)
  })
  const config = join(tempDir(), 'config.toml')
  const state = (limits: string) => stateLimits(config, limits)
  state(limits)
  const shell = shellAt(origin, {HISAB_CONFIG: config})
  const creates = () =>
    seen.filter(({path}) => path.endsWith('/create')).map(({body}) => JSON.parse(body).outOrderNo)
  return {shell, creates, state}
}

/** The profile `environment` with limits of its own; its addresses stay those of the environment. */
function stateLimits(path: string, limits: string): void {
  writeFileSync(path, `[profiles.environment.payouts]\n${limits}\n`, {mode: 0o600})
}

test('another number to the same account with the same amount needs a word of its own besides --yes', async () => {
  const {shell, creates} = await service()
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
  const again = await shell.run(PayoutCreate, ...payout('P-2'))
  expect(again.json()).toMatchObject({
    error: {
      code: 'payout_repeated',
      exitCode: 2,
      message: expect.stringMatching(
        /^P-2 pays the same amount .* already sent as P-1 at [-\d]+ [:\d]+ \(accepted\)/,
      ),
      hint: expect.stringContaining('--allow-repeat'),
    },
  })
  expect(creates()).toEqual(['P-1'])
  expect((await shell.run(PayoutCreate, ...payout('P-2'), '--allow-repeat')).status).toBe(0)
  expect(creates()).toEqual(['P-1', 'P-2'])
})

test.each([
  ['another amount', {'--amount': '530'}],
  ['another account of another name', {'--account': '01812345679', '--user-name': 'Karim Mia'}],
])('%s is no repetition', async (_what, changes) => {
  const {shell} = await service()
  await shell.run(PayoutCreate, ...payout('P-1'))
  expect((await shell.run(PayoutCreate, ...payout('P-2', changes))).status).toBe(0)
})

test('the very same payout again is no repetition of itself', async () => {
  const {shell} = await service('daily_ceiling = "500.00"\nmax_amount = 500')
  await shell.run(PayoutCreate, ...payout('P-1'))
  const again = await shell.run(PayoutCreate, ...payout('P-1'))
  expect(again.json()).toMatchObject({existing: true, confirmed: true})
  expect(again.stderr).toMatch(/OLD ORDER: P-1 was sent before/)
  expect(again.status).toBe(0)
})

test.each([
  ['the flag', '', ['--max-amount', '499.99']],
  ['the profile', 'max_amount = "499.99"', []],
  ['the profile, which the flag cannot raise', 'max_amount = "499.99"', ['--max-amount', '1000']],
])('a payout above the limit of %s is refused', async (_whose, limits, more) => {
  const {shell, creates} = await service(limits)
  const ran = await shell.run(PayoutCreate, ...payout('P-1'), ...more)
  expect(ran.json()).toMatchObject({
    error: {
      code: 'payout_over_limit',
      exitCode: 2,
      message: expect.stringContaining('limit for one payout is BDT 499.99'),
    },
  })
  expect(creates()).toEqual([])
})

test('the payouts of one day stay under the ceiling, doubtful ones included', async () => {
  const {shell, creates} = await service('daily_ceiling = "1000"')
  await shell.run(PayoutCreate, ...payout('P-1'))
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  await journal.claimNumber({
    ...lost,
    orderNo: 'P-lost',
    amount: 40_000n,
    maskedAccount: '017****0000',
    intentAtMs: Date.now(),
  })
  await journal.close()
  const over = await shell.run(PayoutCreate, ...payout('P-2', {'--amount': '100.01'}))
  expect(over.json()).toMatchObject({
    error: {code: 'payout_over_limit', message: expect.stringContaining('of today are BDT 900.00')},
  })
  expect((await shell.run(PayoutCreate, ...payout('P-3', {'--amount': '100'}))).status).toBe(0)
  expect(creates()).toEqual(['P-1', 'P-3'])
})

test('a ceiling holds for settings without one, also when all that it was stated for was refused by it', async () => {
  const file = join(tempDir(), 'payouts.csv')
  writeFileSync(file, 'out_order_no,amount,bank_type,user_name,account\nF-1,1200,BKASH,Rahim,01812345670\n')
  const big = payout('P-1', {'--amount': '1200'})
  for (const refused of [big, ['--from', file, '--yes', '--json']]) {
    const {shell, creates, state} = await service('daily_ceiling = "1000"')
    expect((await shell.run(PayoutCreate, ...refused)).json()).toMatchObject({
      error: {code: 'payout_over_limit'},
    })
    state('')
    expect((await shell.run(PayoutCreate, ...big)).json()).toMatchObject({error: {code: 'payout_over_limit'}})
    expect(creates()).toEqual([])
    state('daily_ceiling = "1200"')
    expect((await shell.run(PayoutCreate, ...big)).status).toBe(0)
  }
})

test('a dry run of a file states nothing', async () => {
  const file = join(tempDir(), 'payouts.csv')
  writeFileSync(file, 'out_order_no,amount,bank_type,user_name,account\nF-1,900,BKASH,Rahim,01812345670\n')
  const {shell, state} = await service('daily_ceiling = "1000"')
  expect((await shell.run(PayoutCreate, '--from', file, '--dry-run')).status).toBe(0)
  state('')
  expect((await shell.run(PayoutCreate, ...payout('P-1', {'--amount': '1200'}))).status).toBe(0)
})

test.each([
  ['max_amount = 0.5', 'must be an amount in quotes'],
  ['max_amount = "5,000"', 'has separators'],
  ['daily_ceiling = "0"', 'not more than zero'],
  ['max_ammount = "5"', 'did you mean "max_amount"?'],
])('the limit %s is refused with its reason', async (limits, reason) => {
  const {shell, creates} = await service(limits)
  const ran = await shell.run(PayoutCreate, ...payout('P-1'))
  expect(ran.json()).toMatchObject({
    error: {code: 'config_invalid', message: expect.stringContaining(reason)},
  })
  expect(creates()).toEqual([])
})

describe('a payout that failed is replaced by one under a new number', () => {
  /** P-1 is accepted and then fails; `shown` is what each further query of it adds to what the service shows. */
  async function failing(...shown: readonly Record<string, unknown>[]) {
    const played = await bookkeeper()
    const {service, books, shell} = played
    expect((await shell.run(PayoutCreate, ...payoutTo('P-1'))).status).toBe(0)
    const left = [...shown]
    service.query = (...all) => {
      const {outOrderNo} = JSON.parse(all[1].body) as {outOrderNo: string}
      const more = outOrderNo === 'P-1' ? (left.length > 1 ? left.shift() : left[0]) : {}
      json({code: 0, data: {merchantId, ...books.get(outOrderNo), ...more}})(...all)
    }
    return played
  }

  test('without --allow-repeat, with a note', async () => {
    const {shell, creates} = await failing({status: 'failed'})
    const ran = await shell.run(PayoutCreate, ...payoutTo('P-2'))
    expect([ran.status, creates()]).toEqual([0, 2])
    expect(ran.stderr).toContain('note: the payout P-1 has failed at the service, so P-2 is no repetition')
    // The replacement was paid.
    const third = await shell.run(PayoutCreate, ...payoutTo('P-3'))
    expect(third.json()).toMatchObject({error: {message: expect.stringContaining('already sent as P-2')}})
    expect(creates()).toBe(2)
  })

  test.each<[what: string, ...shown: Record<string, unknown>[]]>([
    ['completed just before the send', {status: 'failed'}, {status: 'completed'}],
    ['still open', {status: 'processing'}],
    ['with a word that the profile does not know', {status: 'FAILED'}],
    ['with another amount', {status: 'failed', amount: '900.00'}],
    ['for another account', {status: 'failed', account: '01912345678'}],
    ['under another platformOrderNo', {status: 'failed', platformOrderNo: 'PL-9'}],
  ])('but not one that is shown %s', async (_what, ...shown) => {
    const {shell, creates} = await failing(...shown)
    const ran = await shell.run(PayoutCreate, ...payoutTo('P-2'))
    expect(ran.json()).toMatchObject({error: {code: 'payout_repeated'}})
    expect([ran.status, creates()]).toEqual([2, 1])
  })

  test('nor one that a query cannot show', async () => {
    const {service, shell, creates} = await failing({status: 'failed'})
    service.query = json({code: 'BUSY'}, 503)
    expect((await shell.run(PayoutCreate, ...payoutTo('P-2'))).status).toBe(2)
    expect(creates()).toBe(1)
  })

  test('nor one that is not found, which is in doubt from then on', async () => {
    const {service, shell, creates} = await failing({status: 'failed'})
    const doubts = async () => (await shell.run(PayoutList, '--in-doubt', '--json')).json()
    expect(await doubts()).toMatchObject({orders: []})
    service.query = json({code: 'ORDER_NOT_FOUND'}, 404)
    expect((await shell.run(PayoutCreate, ...payoutTo('P-2'))).status).toBe(2)
    expect(creates()).toBe(1)
    expect(await doubts()).toMatchObject({orders: [{orderNo: 'P-1'}]})
  })

  test('in doubt it holds until a query has ended that', async () => {
    const {service, shell, books, creates} = await bookkeeper()
    service.answer = json({code: 'BUSY'}, 409)
    service.query = json({code: 'BUSY'}, 503)
    expect((await shell.run(PayoutCreate, ...payoutTo('P-1'))).status).toBe(6)
    Object.assign(service, {answer: null, query: null})
    Object.assign(books.get('P-1') ?? {}, {status: 'failed'})
    expect((await shell.run(PayoutCreate, ...payoutTo('P-2'))).status).toBe(2)
    await shell.run(PayoutQuery, 'P-1')
    expect((await shell.run(PayoutCreate, ...payoutTo('P-2'))).status).toBe(0)
    expect(creates()).toBe(2)
  })

  test('by a file, whose row is queried again before it is sent', async () => {
    const path = join(tempDir(), 'payouts.csv')
    writeFileSync(
      path,
      'out_order_no,amount,bank_type,user_name,account\nP-2,1000.00,BKASH,Rahim Uddin,01812345678\n',
    )
    const pay = ['--from', path, '--yes', '--json']
    const meanwhile = await failing({status: 'failed'}, {status: 'completed'})
    const held = await meanwhile.shell.run(PayoutCreate, ...pay)
    expect(meanwhile.creates()).toBe(1)
    expect(held.status).toBe(2)
    const played = await failing({status: 'failed'})
    expect((await played.shell.run(PayoutCreate, ...pay)).status).toBe(0)
    expect(played.creates()).toBe(2)
  })
})

describe('a payout that was refused because it may be one that was made', () => {
  const other = '01912345678'
  const file = (rows: readonly string[]) => {
    const path = join(tempDir(), 'payouts.csv')
    writeFileSync(path, `out_order_no,amount,bank_type,user_name,account\n${rows.join('\n')}\n`)
    return ['--from', path, '--return-url', 'https://merchant.example/webhook', '--yes', '--json']
  }
  const row = (...[number, amount = '1000', account = '01812345678']: Parameters<typeof payoutTo>) =>
    `${number},${amount},BKASH,Rahim Uddin,${account}`

  type Asked = Parameters<typeof payoutTo>
  test.each<[what: string, first: Asked, then: Asked]>([
    ['with another account', ['W-501', '1000', other], ['W-777', '1000', other]],
    ['less a fee', ['W-501', '990'], ['W-777', '990']],
    [
      'with another account, then with a third one',
      ['W-501', '1000', other],
      ['W-777', '1000', '01712345678'],
    ],
    ['with a slip in its amount, then with its own', ['W-501', '100', other], ['W-777', '1000', other]],
    ['as a repetition, then less a fee', ['W-777'], ['W-778', '990']],
    ['as a repetition, then with another account', ['W-777'], ['W-778', '1000', other]],
  ])('is that one under another number too: %s', async (_what, first, then) => {
    for (const [status, isFile] of ['processing', 'completed'].flatMap((one) => [
      [one, false] as const,
      [one, true] as const,
    ])) {
      const {books, shell} = await bookkeeper()
      const pay = (...asked: Parameters<typeof payoutTo>) =>
        shell.run(PayoutCreate, ...(isFile ? file([row(...asked)]) : payoutTo(...asked)))
      expect((await pay('W-501')).status).toBe(0)
      Object.assign(books.get('W-501') ?? {}, {status})
      const refused = await pay(...first)
      expect(refused.status).toBe(2)
      if (first[0] === 'W-501')
        expect(refused.stdout).toContain(
          'For a different payout, use a new number. This one under a new number would be a second payout.',
        )
      const again = await pay(...then)
      expect(again.json()).toMatchObject({
        error: {
          code: 'payout_repeated',
          message: expect.stringMatching(
            new RegExp(
              `${then[0]} (?:may pay|pays) W-501 again.*, as the payout that was refused as ${first[0]} at .*: already sent as W-501 `,
            ),
          ),
        },
      })
      expect([...books.keys()]).toEqual(['W-501'])
      const word = isFile
        ? file([row(...then)]).concat('--intended', then[0])
        : [...payoutTo(...then), '--allow-repeat']
      expect((await shell.run(PayoutCreate, ...word)).status).toBe(0)
    }
  })

  test('also where a limit refused it first', async () => {
    const {shell} = await bookkeeper()
    expect((await shell.run(PayoutCreate, ...payoutTo('W-501'))).status).toBe(0)
    const over = await shell.run(PayoutCreate, ...payoutTo('W-501R', '1000', other), '--max-amount', '900')
    expect(over.json()).toMatchObject({error: {code: 'payout_over_limit'}})
    const again = await shell.run(PayoutCreate, ...payoutTo('X-9', '1000', other))
    expect(again.stdout).toContain('as the payout that was refused as W-501R')
  })

  test('is no other player’s, whose row had that account by mistake', async () => {
    const {shell} = await bookkeeper()
    expect((await shell.run(PayoutCreate, ...payoutTo('W-501'))).status).toBe(0)
    const mistake = await shell.run(PayoutCreate, ...payoutTo('W-502', '1000', undefined, 'Karim'))
    const corrected = await shell.run(PayoutCreate, ...payoutTo('W-502', '1000', other, 'Karim'))
    expect([mistake.status, corrected.status]).toEqual([2, 0])
  })

  test('is another one after a day, unless the first is open; and is none where the first failed or was another player’s', async () => {
    for (const [status, name, isHeld] of [
      ['completed', 'Rahim Uddin', false],
      ['processing', 'Rahim Uddin', true],
      ['failed', 'Rahim Uddin', false],
      ['processing', 'Karim', false],
    ] as const) {
      const {books, shell} = await bookkeeper('', true)
      await shell.run(PayoutCreate, ...payoutTo('W-501'))
      Object.assign(books.get('W-501') ?? {}, {status})
      const refused = await shell.run(PayoutCreate, ...payoutTo('W-501', '1000', other, name))
      expect(refused.status).toBe(2)
      vi.useFakeTimers({toFake: ['Date'], now: Date.now() + 25 * 3_600_000})
      onTestFinished(() => void vi.useRealTimers())
      const again = await shell.run(PayoutCreate, ...payoutTo('W-777', '1000', other, name))
      expect([status, name, again.status]).toEqual([status, name, isHeld ? 2 : 0])
      vi.useRealTimers()
    }
  })
})

describe('what an account was paid days ago', () => {
  const own = '01812345678'
  const other = '01912345678'
  type Step = readonly [number: string, amount: string, account: string, status: string, hours?: number]
  const failed: Step = ['W-501', '1000', own, 'failed']
  const unreadable = {
    'no answer': json({}, 503),
    'not found': json({code: 'ORDER_NOT_FOUND'}, 404),
    'a word that it does not know': null,
  }

  type Then = readonly [number: string, amount: string, account?: string, hours?: number]
  test.each<[what: string, steps: readonly Step[], then: Then, named: string | null]>([
    ['open', [['W-501', '1000', own, 'processing']], ['W-777', '1000'], 'W-501'],
    ['open, and now less a fee', [['W-501', '1000', own, 'processing']], ['W-777', '990'], 'W-501'],
    ['completed', [['W-501', '1000', own, 'completed']], ['W-777', '1000'], null],
    ['completed, and now less a fee', [['W-501', '1000', own, 'completed']], ['W-777', '990'], null],
    ['failed, and never paid anew', [failed], ['W-777', '1000'], null],
    [
      'open, before one that failed',
      [
        ['W-501', '1000', own, 'processing'],
        ['W-601', '1000', own, 'failed'],
      ],
      ['W-777', '1000'],
      'W-501',
    ],
    [
      'open, before one of nearly the amount that was completed',
      [
        ['W-501', '1000', own, 'processing'],
        ['W-502', '980', own, 'completed'],
      ],
      ['W-777', '1000'],
      'W-501',
    ],
    [
      'failed, paid anew less a fee',
      [failed, ['W-501R', '990', own, 'completed']],
      ['W-502', '1000'],
      'W-501R',
    ],
    [
      'failed, paid anew with a word for it, less a tenth',
      [failed, ['W-501R', '900', own, 'completed']],
      ['X-9', '1000'],
      'W-501R',
    ],
    ['the same, elsewhere', [failed, ['W-501R', '990', other, 'completed']], ['X-9', '1000'], 'W-501R'],
    [
      'failed, paid anew, now less a fee',
      [failed, ['W-501R', '1000', other, 'completed']],
      ['X-9', '990'],
      'W-501R',
    ],
    ['failed, and its replacement too', [failed, ['W-501R', '990', other, 'failed']], ['X-9', '1000'], null],
    ...[1, 30, 168].flatMap((hours): [string, Step[], Then, string | null][] => {
      const anew: Step = ['W-601', '1000', own, 'completed', hours]
      const lessFee: Step = ['W-601', '990', own, 'completed', hours]
      const elsewhere: Step = ['W-601', '1000', other, 'completed', hours]
      const next: Step = ['W-701', '1000', own, 'completed', 30]
      const after = `failed, paid anew ${hours} hours later`
      return [
        [after, [failed, anew], ['X-9', '1000'], 'W-601'],
        [`${after}, now less`, [failed, anew], ['X-9', '990'], null],
        [`${after}, now more`, [failed, anew], ['X-9', '1030'], null],
        [`${after}, now less a fee, the same day`, [failed, anew], ['X-9', '990', own, 2], 'W-601'],
        [`${after}, less a fee`, [failed, lessFee], ['X-9', '990'], 'W-601'],
        [`${after}, less a fee, now whole`, [failed, lessFee], ['X-9', '1000'], 'W-601'],
        [`${after}, less a fee, now more`, [failed, lessFee], ['X-9', '1030'], null],
        [`${after}, elsewhere`, [failed, elsewhere], ['X-9', '1000'], 'W-601'],
        [`${after}, elsewhere, and there again`, [failed, elsewhere], ['X-9', '1000', other], null],
        [`${after}, and once more since`, [failed, anew, next], ['X-9', '1000'], null],
        [
          `${after}, and the next one failed`,
          [failed, anew, [...next.slice(0, 3), 'failed', 30] as never],
          ['X-9', '1000'],
          null,
        ],
      ]
    }),
  ])('%s', async (_what, steps, [number, amount, to, later = 30], named) => {
    const {books, shell, service} = await bookkeeper('', true)
    onTestFinished(() => void vi.useRealTimers())
    let now = Date.now()
    for (const [orderNo, sum, account, status, hours = 0] of steps) {
      now += hours * 3_600_000
      vi.useFakeTimers({toFake: ['Date'], now})
      now += 3_600_000
      const pay = payoutTo(orderNo, sum, account)
      expect((await shell.run(PayoutCreate, ...pay, '--allow-repeat')).status).toBe(0)
      Object.assign(books.get(orderNo) ?? {}, {status})
    }
    vi.useFakeTimers({toFake: ['Date'], now: now + later * 3_600_000})
    const again = await shell.run(PayoutCreate, ...payoutTo(number, amount, to))
    expect([again.status, again.stdout]).toEqual(
      named === null ? [0, expect.anything()] : [2, expect.stringContaining(`already sent as ${named} `)],
    )
    expect(service.answer).toBeNull()
  })

  test.each(Object.entries(unreadable))(
    'that the service does not show (%s) may be open',
    async (what, answer) => {
      for (const isReplaced of [false, true]) {
        const {books, shell, service} = await bookkeeper('', true)
        onTestFinished(() => void vi.useRealTimers())
        await shell.run(PayoutCreate, ...payoutTo('W-501'))
        if (isReplaced) {
          Object.assign(books.get('W-501') ?? {}, {status: 'failed'})
          expect((await shell.run(PayoutCreate, ...payoutTo('W-501R', '1000', other))).status).toBe(0)
        }
        Object.assign(books.get('W-501') ?? {}, {status: 'REFUNDED'})
        service.query = (response, call, nth) => {
          const orderNo = JSON.parse(call.body).outOrderNo
          const order = {status: 'processing', ...books.get(orderNo), merchantId}
          ;(orderNo === 'W-501' && answer ? answer : json({code: 0, data: order}))(response, call, nth)
        }
        vi.useFakeTimers({toFake: ['Date'], now: Date.now() + 30 * 3_600_000})
        const again = await shell.run(PayoutCreate, ...payoutTo('X-9'))
        vi.useRealTimers()
        const named = isReplaced
          ? 'the failed payout W-501 again (BDT 1,000.00 to the same account): already sent as W-501R '
          : 'already sent as W-501 '
        expect([what, again.status, again.stdout]).toEqual([what, 2, expect.stringContaining(named)])
        expect(books.has('X-9')).toBe(false)
      }
    },
  )
})
