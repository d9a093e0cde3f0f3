import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {beforeEach, describe, expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import DepositList from '../../src/commands/deposit/list.ts'
import DepositResolve from '../../src/commands/deposit/resolve.ts'
import Doctor from '../../src/commands/doctor.ts'
import Find from '../../src/commands/find.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import {json, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, deposit, payout, stateOf} from './bookkeeper.ts'

type Played = Awaited<ReturnType<typeof bookkeeper>>

const word = ['--reason', 'the service desk looked it up', '--by', 'rahima']

/** P-1 and D-1 were sent and answered with nothing; the books have them where `carriesOut`. P-2 is accepted. */
async function withDoubts(carriesOut: boolean): Promise<Played> {
  const played = await bookkeeper()
  const {service, shell} = played
  expect((await shell.run(PayoutCreate, ...payout('P-2', '70.00'))).status).toBe(0)
  Object.assign(service, {carriesOut, answer: json({code: 'BUSY'}, 409), query: text('busy', 503)})
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
  expect((await shell.run(DepositCreate, ...deposit('D-1'))).status).toBe(6)
  Object.assign(service, {carriesOut: true, answer: null, query: null})
  return played
}

describe('the lists', () => {
  let played: Played
  beforeEach(async () => {
    played = await withDoubts(true)
  })

  const doubt = {
    ...{kind: 'payout', orderNo: 'P-1', state: 'unknown', amount: '1000.00'},
    ...{bankType: 'BKASH', account: '018****5678', why: expect.stringContaining('the service said BUSY')},
    next: 'hisab payout query P-1 --profile environment',
  }

  test('of doubts name each, how much it is and what may end it', async () => {
    const {shell} = played
    const payouts = await shell.run(PayoutList, '--in-doubt', '--json')
    expect([payouts.status, payouts.json()]).toMatchObject([
      0,
      {orders: [doubt, {kind: 'deposit', orderNo: 'D-1'}]},
    ])
    const deposits = await shell.run(DepositList, '--in-doubt', '--json')
    expect(deposits.json()).toMatchObject({orders: [{kind: 'deposit', orderNo: 'D-1', amount: null}]})
    const table = await shell.run(PayoutList, '--in-doubt')
    expect(table.stdout).toMatch(/^KIND .*\npayout +P-1 +1,000\.00 /)
    expect(table.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Next: hisab payout query P-1 --profile environment',
    )
    const csv = (await shell.run(PayoutList, '--in-doubt', '--format', 'csv')).stdout.split('\n')
    expect(csv[0]).toBe(
      'kind,orderNo,recordId,amount,account,bankType,state,sentAt,ageSeconds,why,sentBy,next',
    )
    expect(csv[1]).toMatch(/^payout,P-1,,1000\.00,018\*\*\*\*5678,BKASH,unknown,/)
    const ndjson = await shell.run(PayoutList, '--in-doubt', '--format', 'ndjson')
    expect(JSON.parse(ndjson.stdout.split('\n')[0] ?? '')).toMatchObject(doubt)
  })

  test('of all are newest first, and take a limit', async () => {
    const {shell} = played
    const all = (await shell.run(PayoutList, '--json')).json()
    const accepted = {
      orderNo: 'P-2',
      inDoubt: false,
      state: 'accepted',
      confirmation: 'confirmed',
    }
    const open = {orderNo: 'P-1', inDoubt: true, state: 'unknown', amount: '1000.00', account: '018****5678'}
    expect(all).toMatchObject({orders: [open, {...accepted, platformOrderNo: 'PL-P-2'}]})
    expect((await shell.run(PayoutList, '--limit', '1', '--json')).json()).toMatchObject({orders: [open]})
    expect((await shell.run(DepositList, '--json')).json()).toMatchObject({orders: [{orderNo: 'D-1'}]})
  })

  test('doctor counts them, and a query that finds one ends it', async () => {
    const {shell} = played
    const journal = async () => {
      const {checks} = (await shell.run(Doctor, '--json')).json() as {
        checks: {name: string; status: string; why: string; next: string}[]
      }
      return checks.find(({name}) => name === 'journal')
    }
    expect(await journal()).toMatchObject({
      ...{status: 'warning', why: expect.stringContaining('1 payout and 1 deposit whose outcome')},
      next: expect.stringContaining('hisab payout list --in-doubt'),
    })
    expect((await shell.run(PayoutQuery, 'P-1')).stderr).toContain('was in doubt. The service accepted it')
    expect((await shell.run(PayoutList, '--in-doubt', '--json')).json()).toMatchObject({
      orders: [{kind: 'deposit'}],
    })
    expect((await journal())?.why).toContain('1 deposit whose outcome')
  })

  test('reconcile reports them until they are ended, in whatever form it is read', async () => {
    const {shell} = played
    const ledger = join(tempDir(), 'ledger.csv')
    writeFileSync(ledger, 'order_no,status,amount,created_at\nP-2,open,70.00,2026-11-20\n')
    const dir = join(tempDir(), 'report')
    const argv = [ledger, '--kind', 'payout', '--no-deliveries', '--report', dir]
    const ran = await shell.run(Reconcile, ...argv, '--json')
    expect(ran.json().inDoubt).toMatchObject([doubt, {kind: 'deposit', orderNo: 'D-1'}])
    expect(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')).inDoubt).toHaveLength(2)
    const html = readFileSync(join(dir, 'report.html'), 'utf8')
    expect(html).toMatch(/In doubt: .*payout P-1, BDT 1,000\.00, sent .*hisab payout query P-1/s)
    const shown = (await shell.run(Reconcile, ...argv)).stdout.replaceAll(/\s+/g, ' ')
    expect(shown).toContain('the outcome of 1 deposit and 1 payout is unknown, BDT 1,000.00 of payouts.')
    expect(shown).toContain('List them: hisab payout list --in-doubt --profile environment')
  })
})

describe('a doubt that a merge of journals did not keep', () => {
  /** P-1 of 1,000.00 is in doubt, and a merge kept another P-1, of 990.00 to somebody else, that was accepted. */
  async function merged(carriesOut: boolean): Promise<Played> {
    const played = await withDoubts(carriesOut)
    const folder = join(played.shell.dataDir, 'journal')
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.db'))
    const sql = new DatabaseSync(join(folder, file))
    sql.exec(`INSERT INTO requests_dropped SELECT * FROM requests WHERE order_no = 'P-1';
      UPDATE requests SET amount_paisa = 99000, masked_account = '019****0000', body_digest = 'other',
        intent_digest = 'other', payee_fingerprint = NULL, state = 'accepted', confirmation = 'confirmed' WHERE order_no = 'P-1'`)
    sql.close()
    return played
  }
  const doubts = async ({shell}: Played) =>
    (
      (await shell.run(PayoutList, '--in-doubt', '--json')).json().orders as {
        kind: string
        why: string
        next: string
      }[]
    ).filter(({kind}) => kind === 'payout')

  test('is listed and named, and holds every payout to its account, of any amount', async () => {
    const played = await merged(true)
    const {shell, paid} = played
    expect(await doubts(played)).toMatchObject([
      {
        orderNo: 'P-1',
        amount: '1000.00',
        why: expect.stringContaining('a merge of journals kept another payout'),
      },
    ])
    const ran = await shell.run(PayoutCreate, ...payout('P-9', '480'))
    expect([ran.status, ran.json()]).toMatchObject([2, {error: {code: 'payout_repeated'}}])
    expect(paid()).toBe(107_000n)
    expect((await shell.run(PayoutQuery, 'P-9')).status).toBe(7)
    expect(await doubts(played)).toHaveLength(1)
  })

  test('is ended by a query that finds it: worse news for whoever kept the other', async () => {
    const played = await merged(true)
    const ran = await played.shell.run(PayoutQuery, 'P-1')
    expect([ran.status, ran.stderr]).toEqual([
      7,
      expect.stringContaining(
        'P-1 of BDT 1,000.00, which a merge of journals did not keep, is the one that the service has',
      ),
    ])
    expect(await doubts(played)).toMatchObject([{amount: '990.00', state: 'accepted'}])
  })

  test('is ended by a person, who says which of the two is meant', async () => {
    const played = await merged(false)
    const {shell} = played
    expect((await shell.run(PayoutQuery, 'P-1')).stderr).toMatch(
      /P-1, BDT 1,000.00 .*--dropped 1 .* --paid`, or … --not-paid/,
    )
    // The kept one was lost by that query.
    expect((await shell.run(PayoutResolve, 'P-1', '--not-paid', ...word)).stderr).toContain('--dropped 1')
    expect(await doubts(played)).toMatchObject([{amount: '1000.00'}])
    expect((await shell.run(PayoutResolve, 'P-1', '--dropped', '7', '--not-paid', ...word)).status).toBe(7)
    expect((await shell.run(PayoutResolve, 'P-1', '--dropped', '1', '--not-paid', ...word)).status).toBe(0)
    expect(await doubts(played)).toEqual([])
    expect((await shell.run(PayoutCreate, ...payout('P-9', '480'))).status).toBe(0)
    expect((await shell.run(PayoutResolve, 'P-1', '--dropped', '1', '--paid', ...word)).status).toBe(0)
  })
})

interface Resolving {
  readonly name: string
  readonly made: boolean
  readonly says: '--paid' | '--not-paid'
  readonly queries?: 'busy'
  readonly status: number
  readonly state: 'accepted' | 'refused' | 'unknown'
  /** What a payout of the same money under the next number ends with. */
  readonly next: number
}

describe('payout resolve', () => {
  test.each<Resolving>([
    {name: 'paid', made: true, says: '--paid', status: 0, state: 'accepted', next: 2},
    {name: 'not paid', made: false, says: '--not-paid', status: 0, state: 'refused', next: 0},
    {
      name: 'not paid, though the books have it',
      made: true,
      says: '--not-paid',
      status: 7,
      state: 'accepted',
      next: 2,
    },
    {
      ...{name: 'not paid, and the service is busy', made: false, says: '--not-paid', queries: 'busy'},
      ...{status: 8, state: 'refused', next: 0},
    },
  ])('$name', async ({made, says, queries, status, state, next}) => {
    const {service, shell, paid, books} = await withDoubts(made)
    if (queries) service.query = text('busy', 503)
    const ran = await shell.run(PayoutResolve, 'P-1', says, ...word, '--json')
    expect([ran.status, await stateOf(shell, 'P-1')]).toEqual([status, state])
    if (status === 7) expect(ran.json()).toMatchObject({error: {code: 'order_exists'}})
    else {
      const resolved = says === '--paid' ? 'paid' : 'not_paid'
      expect(ran.json()).toMatchObject({kind: 'payout', orderNo: 'P-1', resolved, by: 'rahima'})
    }
    if (queries) {
      expect(ran.stderr).toContain('could not be asked')
      expect(ran.stderr).toContain('`hisab payout query P-1 --profile environment`')
    } else if (!made) expect(ran.stderr).toContain('does not prove that it was not made')
    service.query = null
    expect((await shell.run(PayoutList, '--in-doubt', '--json')).json()).toMatchObject({
      orders: [{kind: 'deposit'}],
    })
    expect((await shell.run(PayoutCreate, ...payout('P-9'))).status).toBe(next)
    expect(paid() - 7_000n).toBe(100_000n)
    expect(books.has('P-1')).toBe(made)
  })

  test.each([
    ['a number never sent', ['P-404', '--paid', ...word], 7],
    ['one that is not in doubt', ['P-2', '--paid', ...word], 2],
    ['no reason', ['P-1', '--paid'], 2],
    ['a blank reason', ['P-1', '--paid', '--reason', '  '], 2],
    ['neither word', ['P-1', ...word], 2],
    ['both words', ['P-1', '--paid', '--not-paid', ...word], 2],
  ])('is turned down for %s', async (_name, argv, status) => {
    const {shell} = await withDoubts(true)
    const ran = await shell.run(PayoutResolve, ...argv, '--json')
    expect([ran.status, await stateOf(shell, 'P-1')]).toEqual([status, 'unknown'])
  })

  test('worse news than a person had is told, and ends with 7', async () => {
    const {shell, service, books} = await withDoubts(true)
    // The service does not show it yet.
    const [made] = [books.get('P-1')]
    books.delete('P-1')
    expect((await shell.run(PayoutResolve, 'P-1', '--not-paid', ...word)).status).toBe(0)
    if (made) books.set('P-1', made)
    service.query = null
    const ran = await shell.run(PayoutQuery, 'P-1')
    expect(ran.status).toBe(7)
    expect(ran.stderr).toContain('counted as not made, and the service has it')
    expect(await stateOf(shell, 'P-1')).toBe('accepted')
  })

  test('recorded as not paid by mistake: each screen says so, and that the service paid it', async () => {
    const {shell, service, books} = await bookkeeper()
    // Nothing answers a query, so an order that is shown later may be an older one.
    const busy = text('busy', 503)
    Object.assign(service, {answer: json({code: 'BUSY'}, 409), before: busy, query: busy})
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
    expect((await shell.run(PayoutResolve, 'P-1', '--not-paid', ...word)).status).toBe(8)
    Object.assign(service, {answer: null, before: null, query: null})
    Object.assign(books.get('P-1') ?? {}, {status: 'completed'})
    const {stdout} = await shell.run(PayoutList)
    expect(stdout).toContain('recorded as not paid')
    expect(stdout).not.toContain('refused')
    const record = 'hisab payout resolve P-1 --paid --reason TEXT --profile environment'
    const paid = `The payout P-1 is recorded as not paid, but the service paid it. Do not pay it again. If it is this one, record it as paid:`
    const asked = await shell.run(PayoutQuery, 'P-1', '--json')
    expect([asked.status, asked.stderr]).toEqual([7, expect.stringContaining(`warning: ${paid} ${record}`)])
    const found = (await shell.run(Find, 'P-1')).stdout
    expect(found).toContain(`Payout: WARNING: ${paid}\n    ${record}`)
    expect(found).toContain('BDT 1,000.00 to 018****5678, recorded as not paid')
    const again = await shell.run(PayoutResolve, 'P-1', '--not-paid', ...word)
    expect(again.stderr).toContain('is not in doubt: it is recorded as not paid')
    expect((await shell.run(PayoutResolve, 'P-1', '--paid', ...word)).status).toBe(0)
    expect((await shell.run(PayoutQuery, 'P-1')).stderr).not.toContain('recorded as not paid')
    expect(await stateOf(shell, 'P-1')).toBe('accepted')
  })

  test.each([
    {name: 'ends when the command is run again, as it says', before: '--not-paid', first: 7},
    {name: 'though recorded as paid: that is taken back', before: '--paid', first: 0},
  ])('shown with another amount: $name', async ({before, first}) => {
    const {shell, service, books} = await withDoubts(true)
    if (before === '--not-paid') service.query = null
    Object.assign(books.get('P-1') ?? {}, {amount: '999.00'})
    const said = await shell.run(PayoutResolve, 'P-1', before, ...word)
    service.query = null
    const again = await shell.run(PayoutResolve, 'P-1', '--not-paid', ...word)
    expect([said.status, again.status, await stateOf(shell, 'P-1')]).toEqual([first, 0, 'refused'])
    expect(said.stderr + again.stderr).toContain('999.00')
  })

  test('the note before another payout names what ends the doubt, of each kind', async () => {
    const {shell, service, books} = await withDoubts(true)
    const note = async () => (await shell.run(PayoutCreate, ...payout('P-7', '5', '01912345699'))).stderr
    expect(await note()).toContain('End the doubt: hisab payout query P-1 --profile environment')
    service.query = null
    Object.assign(books.get('P-1') ?? {}, {amount: '999.00'})
    expect((await shell.run(PayoutQuery, 'P-1')).status).toBe(7)
    expect(await note()).toContain(
      'End the doubt: hisab payout resolve P-1 --reason TEXT --profile environment --paid, or … --not-paid',
    )
  })

  test('a deposit has words of its own', async () => {
    const {shell} = await withDoubts(false)
    const ran = await shell.run(DepositResolve, 'D-1', '--not-made', ...word)
    expect([ran.status, ran.stdout]).toEqual([0, 'The deposit D-1 is resolved: not made, by rahima.\n'])
    expect((await shell.run(DepositList, '--in-doubt', '--json')).json()).toEqual({orders: []})
  })
})

/** A gateway in front of the service that has no such route says so in JSON, for an order that is paid (A5). */
describe('a JSON 404 of a gateway', () => {
  const noRoute = json({message: 'no Route matched with those values'}, 404)
  const ledger = (rows: string) => {
    const path = join(tempDir(), 'ledger.csv')
    writeFileSync(path, `order_no,status,amount,created_at\n${rows}`)
    return path
  }
  const reconcile = (path: string) => [path, '--kind', 'payout', '--no-deliveries', '--json']

  test('is no proof that an order failed in the ledger does not exist', async () => {
    const {service, shell, books} = await bookkeeper()
    books.set('P-1', {status: 'completed', amount: '500.00', orderNo: 'P-1', platformOrderNo: 'PL-P-1'})
    service.before = noRoute
    const ran = await shell.run(Reconcile, ...reconcile(ledger('P-1,failed,500.00,2026-11-20\n')))
    expect(ran.status).toBe(8)
    expect(ran.json().counts).toMatchObject({matched: 0, query_failed: 1})
  })

  test('is an answer once the address knew an order, unless it speaks of a route', async () => {
    const {service, shell, books} = await bookkeeper()
    const notFound = json({message: 'Not Found'}, 404)
    books.set('P-2', {status: 'completed', amount: '70.00', orderNo: 'P-2', platformOrderNo: 'PL-P-2'})
    const truth = json({
      code: 0,
      data: {merchantId: '11111111-2222-4333-8444-555555555555', ...books.get('P-2')},
    })
    service.before = (...all) => (all[1].body.includes('P-2') ? truth : notFound)(...all)
    // P-1 is asked for before P-2 was found, and once more after it.
    const both = ledger('P-1,failed,500.00,2026-11-20\nP-2,completed,70.00,2026-11-20\n')
    const ran = await shell.run(Reconcile, ...reconcile(both), '--concurrency', '1')
    expect([ran.status, ran.json().counts]).toMatchObject([0, {matched: 2}])
    // Without an order that is found after it, it may be a gateway's.
    const later = await shell.run(Reconcile, ...reconcile(ledger('P-1,failed,500.00,2026-11-20\n')))
    expect([later.status, later.json().counts]).toMatchObject([8, {matched: 0, query_failed: 1}])
    service.before = json({message: 'Order not found', path: '/v1/apply/query'}, 404)
    const own = await shell.run(Reconcile, ...reconcile(ledger('P-1,failed,500.00,2026-11-20\n')))
    expect([own.status, own.json().counts]).toMatchObject([0, {matched: 1}])
    service.before = noRoute
    const last = await shell.run(Reconcile, ...reconcile(ledger('P-1,failed,500.00,2026-11-20\n')))
    expect([last.status, last.json().counts]).toMatchObject([8, {matched: 0, query_failed: 1}])
  })
})
