import {existsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {payoutQuestion, payoutText} from '../../src/report/payout-text.ts'
import {plain} from '../../src/report/table.ts'
import {type Answering, good, json, merchantId, payout, profileAt, serve, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {type Shell, shellAt, shellWithSandbox} from './run-command.ts'

const asked = {
  '--order-no': 'P-1',
  '--amount': '500',
  '--bank-type': 'BKASH',
  '--user-name': 'Rahim Uddin',
  '--account': '01812345678',
}
const argv = (changes: Partial<typeof asked> = {}) => Object.entries({...asked, ...changes}).flat()
const shown = {merchantId, orderNo: 'P-1', platformOrderNo: 'PL-2', status: 'processing', amount: '500.00'}

const mine = {...shown, account: '01812345678'}

const absent = json({code: 'ORDER_NOT_FOUND'}, 404)
/** Of an address that never knew an order: no answer, and it may be sent (A5). */
const unproven = json({message: 'no Route matched'}, 404)

/** A service that answers creates and queries as told; before the first create it answers queries with `before`. */
function service(create: Answering, query: Answering = json({code: 0, data: shown}), before = absent) {
  let isKnown = false
  return serve((response, seen, nth) => {
    isKnown ||= isCreate(seen)
    const answer = isCreate(seen) ? create : isKnown ? query : before
    answer(response, seen, nth)
  })
}

const isCreate = ({path}: Parameters<Answering>[1]) => path.endsWith('/create')
const reset: Answering = (response) => response.socket?.destroy()

async function journalOf({dataDir}: Shell) {
  return await openJournal(dataDir, {environment: 'sandbox', merchantId}).findRequest('payout', 'P-1')
}

test('a payout is claimed, sent, queried and confirmed', async () => {
  const {shell, sandbox} = await shellWithSandbox()
  const before = sandbox.control.balance()
  const {status, ...ran} = await shell.run(
    PayoutCreate,
    ...argv({'--amount': '1250.5'}),
    ...['--return-url', 'http://127.0.0.1:9/hook', '--yes', '--json'],
  )
  expect(ran.stderr).toBe('')
  expect(ran.json()).toEqual({
    merchantId: '5a9db0c5-0000-4000-8000-000000000001',
    orderNo: 'P-1',
    platformOrderNo: expect.any(String),
    status: 'processing',
    confirmed: true,
  })
  expect(status).toBe(0)
  expect(before - sandbox.control.balance()).toBe(125_050n)
})

test('without a terminal it pays nobody unless --yes', async () => {
  const {origin, seen} = await service(json(good.payoutCreate))
  const {status, ...ran} = await shellAt(origin).run(PayoutCreate, ...argv(), '--json')
  expect(ran.json()).toMatchObject({
    error: {code: 'confirmation_needed', hint: expect.stringContaining('--yes')},
  })
  expect({status, calls: seen.length}).toEqual({status: 2, calls: 0})
})

test('the question names amount in digits and words, masked account, name, channel, profile and host', () => {
  const shown = {request: {...payout, amount: 12_045_050n}, earlier: null, duplicates: []}
  expect(payoutText(shown, profileAt('https://apply.example'), plain)).toBe(
    `Payout P-1
  amount   BDT 1,20,450.50  one lakh twenty thousand four hundred fifty taka and fifty paisa
  account  018****5678  Rahim Uddin
  channel  BKASH
  profile  test, at apply.example`,
  )
  expect(payoutQuestion(shown)).toBe('Pay BDT 1,20,450.50 to 018****5678 now?')
})

test('a repetition is part of the question', () => {
  const duplicate = {orderNo: 'P-0', claimedAtMs: Date.UTC(2026, 10, 20, 8, 5), state: 'unknown'} as const
  const shown = {request: payout, earlier: null, duplicates: [duplicate]}
  expect(payoutText(shown, profileAt('https://apply.example'), plain)).toContain(
    'WARNING  the same amount to the same account again: perhaps already sent as P-0 at 2026-11-20 14:05 (in doubt)',
  )
  expect(payoutQuestion(shown)).toBe('Pay BDT 500.00 to 018****5678 AGAIN, under another number?')
})

test('--dry-run shows the exact body without its signature, sends nothing and remembers nothing', async () => {
  const {origin, seen} = await service(json(good.payoutCreate))
  const shell = shellAt(origin)
  const {status, ...ran} = await shell.run(PayoutCreate, ...argv(), '--dry-run', '--json')
  expect(ran.json()).toEqual({
    dryRun: true,
    method: 'POST',
    url: `${origin}/pay/v1/apply/create`,
    body: `{"merchantId":"${merchantId}","outOrderNo":"P-1","amount":"500.00","bankType":"BKASH","userName":"Rahim Uddin","account":"01812345678","returnUrl":"https://shop.example/hook","signature":"***"}`,
  })
  expect({status, calls: seen.length, journal: existsSync(join(shell.dataDir, 'journal'))}).toEqual({
    status: 0,
    calls: 0,
    journal: false,
  })
})

test.each([
  ['another account', {'--account': '01912345678'}, 2],
  ['another amount', {'--amount': '600'}, 2],
  ['the same payout', {}, 0],
  ['another address for its webhook', {'--return-url': 'https://shop.example/other'}, 0],
])('--dry-run of a number that was sent, with %s', async (_what, changed: object, expected) => {
  const {origin, seen} = await service(json(good.payoutCreate))
  const shell = shellAt(origin)
  await shell.run(PayoutCreate, ...argv(), '--yes')
  const calls = seen.length
  const {status, stdout, stderr} = await shell.run(PayoutCreate, ...argv(changed), '--dry-run')
  expect({status, calls: seen.length}).toEqual({status: expected, calls})
  if (expected === 2)
    expect(stderr).toContain(
      'P-1 was already sent with other values and accepted. For a different payout, use a new number.',
    )
  else expect(stdout).toContain('"returnUrl":"https://shop.example/hook"')
})

test.each([
  ['0', 'not more than zero'],
  ['0.00', 'not more than zero'],
  ['১২৫০', 'Bengali digits'],
  ['1,250', 'separators'],
  ['1.255', 'more than two decimals'],
  ['1.2E+3', 'exponent'],
  ['+5', 'plus sign'],
  ['0500', 'begins with a zero'],
  ['', 'not an amount'],
])('the amount %j is refused with its reason', async (amount, reason) => {
  const {origin, seen} = await service(json(good.payoutCreate))
  const {status, stderr} = await shellAt(origin).run(PayoutCreate, ...argv({'--amount': amount}), '--yes')
  expect(stderr).toContain(reason)
  expect({status, calls: seen.length}).toEqual({status: 2, calls: 0})
})

test.each<[fault: string, create: Answering, status: number, code: string, state: string]>([
  ['the connection breaks', reset, 6, 'outcome_unknown', 'unknown'],
  ['HTTP 503', text('busy', 503), 6, 'outcome_unknown', 'unknown'],
  [
    'another merchant is echoed',
    json({code: 0, data: {...good.payoutCreate.data, merchantId: 'another'}}),
    6,
    'outcome_unknown',
    'unknown',
  ],
  ['HTTP 401', json({code: 1, message: 'bad signature'}, 401), 3, 'credentials_rejected', 'unknown'],
  [
    'the balance is too low',
    json({code: 'INSUFFICIENT_BALANCE', message: 'no funds'}, 400),
    4,
    'service_refused',
    'refused',
  ],
])('%s', async (_fault, create, status, code, state) => {
  const {origin, seen} = await service(create, absent)
  const shell = shellAt(origin)
  const ran = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toMatchObject({error: {code, exitCode: status}})
  expect(ran.status).toBe(status)
  expect((await journalOf(shell))?.state).toBe(state)
  expect(new Set(seen.filter(isCreate).map(({body}) => body)).size).toBe(1)
})

test('INSUFFICIENT_BALANCE keeps the word of the service', async () => {
  const {shell} = await shellWithSandbox({payoutBalance: 49_999n})
  const ran = await shell.run(
    PayoutCreate,
    ...argv(),
    '--return-url',
    'http://127.0.0.1:9/h',
    '--yes',
    '--json',
  )
  expect(ran.json()).toMatchObject({error: {serviceCode: 'INSUFFICIENT_BALANCE', exitCode: 4}})
})

test('nobody listens: nothing was sent, and it says so', async () => {
  const shell = shellAt('http://127.0.0.1:9')
  const ran = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toMatchObject({error: {code: 'service_unreachable', exitCode: 5}})
  expect(await journalOf(shell)).toBeNull()
})

test('after a lost answer the same command sends the same bytes, and no refusal takes the doubt back', async () => {
  let create: Answering = reset
  let query = absent
  const {origin, seen} = await service(
    (...all) => create(...all),
    (...all) => query(...all),
  )
  const shell = shellAt(origin)
  const lost = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(lost.json()).toMatchObject({
    error: {hint: expect.stringContaining('`hisab payout query P-1 --profile environment`')},
  })

  create = json({code: 'INSUFFICIENT_BALANCE'}, 400)
  const refused = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(refused.json()).toMatchObject({
    error: {code: 'outcome_unknown', serviceCode: 'INSUFFICIENT_BALANCE', exitCode: 6},
  })
  expect((await journalOf(shell))?.state).toBe('unknown')

  create = json(good.payoutCreate)
  query = json({code: 0, data: shown})
  const accepted = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(accepted.json()).toMatchObject({platformOrderNo: 'PL-2', confirmed: true, existing: true})
  expect(accepted.status).toBe(0)
  expect(await journalOf(shell)).toMatchObject({state: 'accepted', platformOrderNo: 'PL-2', claims: 3})
  expect(new Set(seen.filter(isCreate).map(({body}) => body)).size).toBe(1)
})

test('after a refusal the same command is a new try, not an existing payout', async () => {
  let create: Answering = json({code: 'INSUFFICIENT_BALANCE'}, 400)
  let query = absent
  const {origin} = await service(
    (...all) => create(...all),
    (...all) => query(...all),
  )
  const shell = shellAt(origin)
  await shell.run(PayoutCreate, ...argv(), '--yes')
  create = json(good.payoutCreate)
  query = json({code: 0, data: shown})
  const ran = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toEqual({...good.payoutCreate.data, confirmed: true})
  expect((await journalOf(shell))?.state).toBe('accepted')
})

test.each([
  ['--amount', '501'],
  ['--account', '01912345678'],
  ['--user-name', 'Karim'],
  ['--bank-type', 'NAGAD'],
] as const)('a number that was used with another %s is refused before any call', async (flag, value) => {
  const {origin, seen} = await service(json(good.payoutCreate))
  const shell = shellAt(origin)
  await shell.run(PayoutCreate, ...argv(), '--yes')
  const calls = seen.length
  const ran = await shell.run(PayoutCreate, ...argv({[flag]: value}), '--yes', '--json')
  expect(ran.json()).toMatchObject({error: {code: 'number_reused', exitCode: 2}})
  expect(seen.length).toBe(calls)
})

test.each<[what: string, fields: Record<string, unknown>]>([
  ['more money', {amount: '700.00'}],
  ['less money', {amount: '300.00'}],
  ['another account', {account: '01812345679'}],
  ['another account, masked', {account: '018****5679'}],
  ['another channel', {bankType: 'NAGAD'}],
  ['another name', {userName: 'Karim'}],
])(
  'a number that was free, or may have been, and is now one of %s is in doubt until a person’s word',
  async (_what, fields) => {
    const query = json({code: 0, data: {...shown, ...fields}})
    for (const before of [absent, unproven]) {
      const {origin} = await service(json(good.payoutCreate), query, before)
      const shell = shellAt(origin)
      for (const _try of [1, 2]) {
        const ran = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
        expect(ran.json()).toMatchObject({confirmed: false, why: expect.not.stringContaining('not made')})
        expect(ran.status).toBe(7)
      }
      for (const amount of [{}, {'--amount': '490.00'}]) {
        const replaced = argv({'--order-no': 'P-2', ...amount})
        const refused = await shell.run(PayoutCreate, ...replaced, '--yes', '--json')
        expect(refused.json()).toMatchObject({
          error: {
            code: 'payout_repeated',
            hint: expect.stringContaining('hisab payout resolve P-1'),
            exitCode: 2,
          },
        })
      }
      const word = ['--not-paid', '--reason', 'the desk looked it up', '--json']
      expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
      const freed = await shell.run(PayoutCreate, ...argv({'--order-no': 'P-2'}), '--yes', '--json')
      expect(freed.json()).not.toMatchObject({error: {code: 'payout_repeated'}})
    }
  },
)

test.each<[what: string, fields: Record<string, unknown>]>([
  ['the account as 880…', {account: '8801812345678'}],
  ['the account as +880 …', {account: '+880 1812-345678'}],
  ['the account without its zero', {account: 1_812_345_678}],
  ['the account as 880…, masked', {account: '88018****5678'}],
  ['the account masked', {account: '018****5678'}],
  ['the name in capitals', {userName: 'RAHIM  UDDIN'}],
  ['the channel in its own case', {bankType: 'bKash'}],
  ['another return address', {returnUrl: 'https://elsewhere.example/'}],
  ['nothing but number, id, status and amount', {}],
])('a payout that was made is confirmed in any form that means the same: %s', async (_what, fields) => {
  const {origin} = await service(json(good.payoutCreate), json({code: 0, data: {...shown, ...fields}}))
  const shell = shellAt(origin)
  const ran = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toMatchObject({confirmed: true})
  expect(ran.status).toBe(0)
})

test.each<[what: string, fields: Record<string, unknown>, kept: string | undefined]>([
  [
    'equal in everything',
    {account: '01812345678', bankType: 'BKASH', userName: 'Rahim Uddin'},
    'contradicted',
  ],
  ['of another account', {account: '01812345679'}, undefined],
  ['completed', {status: 'completed'}, 'contradicted'],
])(
  'a number the service knows and this journal does not is refused before it is sent: %s',
  async (_what, fields, kept) => {
    const known = json({code: 0, data: {...shown, ...fields}})
    const {origin, seen} = await service(json(good.payoutCreate), known, known)
    const shell = shellAt(origin)
    const ran = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
    expect(ran.json()).toMatchObject({error: {code: 'number_reused', exitCode: 2}})
    expect(seen.filter(isCreate)).toEqual([])
    expect((await journalOf(shell))?.confirmation).toBe(kept)
  },
)

test('a new payout that is completed at once is confirmed: the number was free before', async () => {
  const {origin} = await service(
    json(good.payoutCreate),
    json({code: 0, data: {...shown, status: 'completed'}}),
  )
  const ran = await shellAt(origin).run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toMatchObject({confirmed: true})
  expect(ran.status).toBe(0)
})

test('a payout that looked like an older one does not become confirmed by a second try', async () => {
  const {origin} = await service(
    json(good.payoutCreate),
    json({code: 0, data: {...shown, status: 'completed'}}),
    unproven,
  )
  const shell = shellAt(origin)
  const tries = [1, 2, 3].map(() => () => shell.run(PayoutCreate, ...argv(), '--yes', '--json'))
  for (const run of tries) {
    const ran = await run()
    expect(ran.json()).toMatchObject({confirmed: false, why: expect.stringContaining('already completed')})
    expect(ran.status).toBe(7)
  }
  // Whether it was made is open, so a replacement needs a person's word.
  const replaced = await shell.run(PayoutCreate, ...argv({'--order-no': 'P-2'}), '--yes', '--json')
  expect(replaced.json()).toMatchObject({error: {code: 'payout_repeated'}})
})

test('a file whose row in doubt was renumbered pays nothing until the doubt is ended', async () => {
  const {origin, seen} = await service(reset, unproven)
  const shell = shellAt(origin)
  const path = join(tempDir(), 'payouts.csv')
  const from = async (row: string) => {
    writeFileSync(path, `out_order_no,amount,bank_type,user_name,account\n${row}\n`)
    const flags = ['--from', path, '--return-url', 'https://shop.example/hook', '--yes', '--json']
    return await shell.run(PayoutCreate, ...flags)
  }
  await from('P-1,500.00,BKASH,Rahim,01812345678')
  const made = seen.filter(isCreate).length
  expect(made).toBeGreaterThan(0)
  const renumbered = await from('P-2,490.00,BKASH,Rahim,01912345678')
  expect(renumbered.json()).toMatchObject({
    error: {code: 'payout_repeated', message: expect.stringContaining('P-1'), exitCode: 2},
  })
  expect(renumbered.stderr).toMatch(/note: the payout P-1, BDT 500.00 to 018\*+5678, is in doubt/)
  expect(seen.filter(isCreate)).toHaveLength(made)
  const word = ['--not-paid', '--reason', 'the desk looked it up', '--json']
  expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(8)
  await from('P-2,490.00,BKASH,Rahim,01912345678')
  expect(seen.filter(isCreate).length).toBeGreaterThan(made)
})

test('a number that was refused is free for another payout, which asks for it first', async () => {
  let before = absent
  const refusal = json({code: 'INSUFFICIENT_BALANCE'}, 400)
  const {origin, seen} = await service(refusal, (...all) => before(...all))
  const shell = shellAt(origin)
  await shell.run(PayoutCreate, ...argv(), '--yes')
  const other = await shell.run(PayoutCreate, ...argv({'--amount': '300'}), '--yes', '--json')
  expect(other.json()).toMatchObject({error: {code: 'service_refused'}})
  expect(await journalOf(shell)).toMatchObject({state: 'refused', amount: 30_000n})
  before = json({code: 0, data: {...shown, amount: '200.00'}})
  const taken = await shell.run(PayoutCreate, ...argv({'--amount': '200'}), '--yes', '--json')
  expect(taken.json()).toMatchObject({error: {code: 'number_reused'}})
  expect(seen.filter(isCreate)).toHaveLength(2)
})

test.each<[what: string, query: Answering, status: number, why: string]>([
  ['the query finds nothing', json({code: 'ORDER_NOT_FOUND'}, 404), 8, 'does not find'],
  ['the query gets no answer', text('busy', 503), 8, 'could not be queried'],
  ['no amount is shown', json({code: 0, data: {...mine, amount: undefined}}), 8, 'does not show its amount'],
  ['the status is a new word', json({code: 0, data: {...mine, status: 'queued'}}), 8, '"queued"'],
  ['nothing shows whose it is', json({code: 0, data: shown}), 8, 'distinguishes it from an older payout'],
  ['it is completed already', json({code: 0, data: {...shown, status: 'completed'}}), 7, 'already completed'],
  [
    'the id is another',
    json({code: 0, data: {...shown, platformOrderNo: 'PL-1'}}),
    7,
    'another platformOrderNo',
  ],
])('accepted, unconfirmed: %s', async (_what, query, status, why) => {
  const {origin} = await service(json(good.payoutCreate), query, unproven)
  const ran = await shellAt(origin).run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toMatchObject({
    platformOrderNo: 'PL-2',
    confirmed: false,
    why: expect.stringContaining(why),
  })
  expect(ran.stderr).toContain('accepted, unconfirmed')
  expect(ran.status).toBe(status)
})

test.each<[create: string, query: string | null, status: string, confirmed: boolean, exit: number]>([
  ['failed', 'completed', 'completed', true, 0],
  ['failed', 'processing', 'processing', true, 0],
  ['completed', 'processing', 'processing', true, 0],
  ['completed', 'failed', 'failed', true, 7],
  ['weird', 'processing', 'processing', true, 0],
  ['processing', 'weird', 'weird', false, 8],
  ['completed', null, 'completed', false, 8],
])('a create that says %s, and a query that says %s', async (create, query, status, confirmed, exit) => {
  const answer = (word: string) => json({code: 0, data: {...mine, status: word}})
  const {origin} = await service(answer(create), query === null ? text('busy', 503) : answer(query))
  const ran = await shellAt(origin).run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(ran.json()).toMatchObject({status, confirmed})
  expect(ran.status).toBe(exit)
})

test('a payout that was accepted and has failed since is not told as a success', async () => {
  let query = json({code: 0, data: shown})
  const {origin} = await service(json({code: 0, data: shown}), (...call) => query(...call))
  const shell = shellAt(origin)
  expect((await shell.run(PayoutCreate, ...argv(), '--yes')).status).toBe(0)
  // The answer to the create is the first one for ever, "processing" (service §4.3).
  query = json({code: 0, data: {...shown, status: 'failed'}})
  const {status, stderr, ...ran} = await shell.run(PayoutCreate, ...argv(), '--yes', '--json')
  expect(stderr).toContain('its status at the service is now "failed"')
  expect(ran.json()).toMatchObject({status: 'failed', existing: true})
  expect(status).toBe(7)
})

test.each(['-', '/dev/stdin', '/dev/fd/0'])('payouts are not read from %s', async (path) => {
  const ran = await shellAt('http://127.0.0.1:9').run(PayoutCreate, '--from', path, '--yes', '--json')
  expect([ran.status, ran.json()]).toMatchObject([2, {error: {code: 'usage'}}])
})
