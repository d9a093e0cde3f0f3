import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import DepositList from '../../src/commands/deposit/list.ts'
import DepositQuery from '../../src/commands/deposit/query.ts'
import DepositResolve from '../../src/commands/deposit/resolve.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import {type Answering, json, merchantId, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, deposit, payout} from './bookkeeper.ts'

type Played = Awaited<ReturnType<typeof bookkeeper>>

/** The books' own order, with some fields written otherwise. */
const showing =
  ({books}: Played, fields: Record<string, unknown>): Answering =>
  (...all) => {
    const {outOrderNo, orderNo = outOrderNo} = JSON.parse(all[1].body) as Record<string, string>
    json({code: 0, data: {merchantId, ...books.get(orderNo ?? ''), ...fields}})(...all)
  }

const word = ['--reason', 'the service desk looked it up']

const doubtsOf = async ({shell}: Played) => {
  const {orders} = (await shell.run(PayoutList, '--in-doubt', '--json')).json() as {
    orders: {orderNo: string}[]
  }
  return orders.map(({orderNo}) => orderNo)
}

/** Forms of a payout of BDT 1,000.00 to 01812345678 that hisab cannot take for the same. */
const forms: Record<string, Record<string, unknown>> = {
  'its fee taken off': {amount: '995.00'},
  'its amount in paisa': {amount: 100_000},
  'the name at the wallet': {userName: 'MD RAHIM UDDIN'},
  'the channel in words': {bankType: 'bKash Personal'},
  'another number of the payee': {account: '01912345678'},
}

describe.each(Object.entries(forms))('a payout that was made and is shown with %s', (_name, fields) => {
  test('is in doubt, counted by guard and ceiling, and never "not made"', async () => {
    const played = await bookkeeper('payouts = { daily_ceiling = "1500.00" }')
    const {service, shell, paid} = played
    service.query = showing(played, fields)
    const first = await shell.run(PayoutCreate, ...payout('P-1'))
    expect(first.json()).toMatchObject({confirmed: false})
    expect(`${first.stdout}${first.stderr}`).not.toContain('not made')
    expect(first.status).toBe(7)
    expect(await doubtsOf(played)).toEqual(['P-1'])
    const second = await shell.run(PayoutCreate, ...payout('P-2', '1000'))
    expect(second.status).toBe(2)
    const other = await shell.run(PayoutCreate, ...payout('P-3', '600'))
    expect(other.json()).toMatchObject({error: {code: 'payout_over_limit'}})
    expect(paid()).toBe(100_000n)
  })

  test('stays in doubt where the answer to its create was lost', async () => {
    const played = await bookkeeper()
    const {service, shell, paid} = played
    Object.assign(service, {answer: json({code: 'BUSY'}, 409), query: text('busy', 503)})
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
    Object.assign(service, {answer: null, query: showing(played, fields)})
    const queried = await shell.run(PayoutQuery, 'P-1', '--json')
    expect([queried.status, await doubtsOf(played)]).toEqual([7, ['P-1']])
    expect((await shell.run(PayoutCreate, ...payout('P-2'))).status).toBe(2)
    expect(paid()).toBe(100_000n)
  })
})

test('what a person said of it stays said, however it is shown', async () => {
  const played = await bookkeeper()
  const {service, shell, creates} = played
  service.query = showing(played, {amount: '995.00'})
  await shell.run(PayoutCreate, ...payout('P-1'))
  const word = ['--paid', '--reason', 'the desk shows it with its fee', '--json']
  expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
  const sent = creates()
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(7)
  expect([creates(), await doubtsOf(played)]).toEqual([sent, []])
})

test.each<[what: string, fields: Record<string, unknown>, reconciled: number]>([
  ['to another account', {account: '01912345678'}, 8],
  ['with another amount', {amount: '100.00'}, 7],
])(
  'a payout that a person said was paid, and is shown %s: told by every look (P19b)',
  async (_what, fields, reconciled) => {
    const played = await bookkeeper()
    const {service, shell} = played
    Object.assign(service, {answer: json({code: 'BUSY'}, 409), query: text('busy', 503)})
    await shell.run(PayoutCreate, ...payout('P-1'))
    const word = ['--paid', '--reason', 'the bank says so', '--json']
    expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
    service.query = showing(played, {status: 'completed', ...fields})
    const queried = await shell.run(PayoutQuery, 'P-1', '--json')
    expect([queried.status, await doubtsOf(played)]).toEqual([7, []])
    expect(queried.stderr).toMatch(/P-1 is recorded as made by a person, and shown otherwise: /)
    const ledger = join(tempDir(), 'ledger.csv')
    writeFileSync(ledger, 'order_no,status,amount,created_at\nP-1,completed,1000.00,2026-11-20\n')
    const ran = await shell.run(Reconcile, ledger, '--kind', 'payout', '--no-deliveries', '--json')
    expect(ran.status).toBe(reconciled)
  },
)

describe('a payout that the service and the ledger both have with another amount than was sent', () => {
  const ledgerOf = (line: string) => {
    const path = join(tempDir(), 'ledger.csv')
    writeFileSync(path, `order_no,status,amount,created_at\n${line}\n`)
    return path
  }
  const completed = 'P-1,completed,50.00,2026-11-20'
  async function sent500(shown: Record<string, unknown>) {
    const played = await bookkeeper()
    const {service, shell} = played
    Object.assign(service, {answer: json({code: 'BUSY'}, 409), query: text('busy', 503)})
    expect((await shell.run(PayoutCreate, ...payout('P-1', '500'))).status).toBe(6)
    service.query = showing(played, {amount: '50.00', ...shown})
    const reconcile = async (line: string, ...argv: string[]) => {
      const given = [ledgerOf(line), '--kind', 'payout', '--no-deliveries', '--all', '--json', ...argv]
      const ran = await shell.run(Reconcile, ...given)
      const findings = ran.json().findings as {orderNo: string; cause: string; amountAtRisk: string}[]
      return {status: ran.status, finding: findings.find(({orderNo}) => orderNo === 'P-1')}
    }
    return {...played, reconcile}
  }
  const otherAmount = {verdict: 'amount_mismatch', cause: 'sent_amount_differs', action: 'review'}

  test.each([
    ['completed', completed],
    ['open', 'P-1,open,50.00,2026-11-20'],
    ['completed, without an amount', 'P-1,completed,,2026-11-20'],
    ['completed, with the amount that was sent', 'P-1,completed,500.00,2026-11-20'],
  ])('is a break: %s', async (_what, line) => {
    const {reconcile} = await sent500({status: 'completed'})
    const {status, finding} = await reconcile(line)
    expect([status, finding]).toMatchObject([7, {...otherAmount, amountAtRisk: '450.00'}])
    expect(finding).toMatchObject({explanation: expect.stringContaining('hisab sent it with BDT 500.00.')})
    // It is no final order either.
    expect(await reconcile(line, '--skip-final')).toMatchObject({status: 7, finding: otherAmount})
  })

  test('is a break also where it was open, and a later ledger does not have it', async () => {
    const played = await sent500({})
    const {reconcile, service} = played
    expect(await reconcile('P-1,open,50.00,2026-11-20')).toMatchObject({status: 0})
    service.query = showing(played, {amount: '50.00', status: 'completed'})
    const later = await reconcile('P-9,failed,1.00,2026-11-21')
    expect(later).toMatchObject({status: 7, finding: otherAmount})
  })

  test('until a person has said that it was made', async () => {
    const {reconcile, shell} = await sent500({status: 'completed'})
    expect((await shell.run(PayoutQuery, 'P-1', '--json')).status).toBe(7)
    expect((await shell.run(PayoutResolve, 'P-1', '--paid', ...word)).status).toBe(0)
    expect(await reconcile(completed)).toMatchObject({status: 0, finding: {verdict: 'matched'}})
  })
})

test('a word that it was not paid is asked for twice where the service shows something under the number', async () => {
  const played = await bookkeeper()
  const {service, shell, paid} = played
  Object.assign(service, {answer: json({code: 'BUSY'}, 409), query: text('busy', 503)})
  await shell.run(PayoutCreate, ...payout('P-1'))
  Object.assign(service, {answer: null, query: showing(played, {amount: '995.00'})})
  const word = ['--not-paid', '--reason', 'nobody missed it', '--json']
  const first = await shell.run(PayoutResolve, 'P-1', ...word)
  expect(first.json()).toMatchObject({error: {code: 'order_exists', exitCode: 7}})
  expect(await doubtsOf(played)).toEqual(['P-1'])
  expect((await shell.run(PayoutCreate, ...payout('P-2'))).status).toBe(2)
  expect(paid()).toBe(100_000n)
  expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
})

test('a deposit that was made and is shown otherwise is a doubt and not denied', async () => {
  const played = await bookkeeper()
  played.service.query = showing(played, {playerRef: 'PLAYER/7'})
  const ran = await played.shell.run(DepositCreate, ...deposit('D-1'))
  expect(ran.json()).toMatchObject({confirmed: false, why: expect.not.stringContaining('not made')})
  expect(ran.status).toBe(7)
  const list = await played.shell.run(DepositList, '--in-doubt', '--json')
  expect(list.json()).toMatchObject({orders: [{orderNo: 'D-1'}]})
})

describe('a deposit whose create got no answer', () => {
  /** D-1 of player-7 at 01712345678 was made, and is shown with these fields. */
  async function lost(fields: Record<string, unknown>): Promise<Played> {
    const played = await bookkeeper()
    const {service, shell} = played
    Object.assign(service, {answer: text('busy', 503), query: text('busy', 503)})
    expect((await shell.run(DepositCreate, ...deposit('D-1'))).status).toBe(6)
    Object.assign(service, {answer: null, query: showing(played, fields)})
    return played
  }

  test.each<[field: string, fields: Record<string, unknown>]>([
    ['playerRef', {playerRef: 'player-9'}],
    ['playerRef', {playerRef: 'player-9', playerPhone: undefined}],
    ['playerPhone', {playerPhone: '01812345678', playerRef: undefined}],
    ['playerPhone', {playerPhone: '017****0000', playerRef: undefined}],
    ['playerPhone', {playerPhone: '01799995678', playerRef: undefined}],
  ])('stays in doubt where the service shows another %s: %j', async (field, fields) => {
    const played = await lost(fields)
    const {shell} = played
    const ran = await shell.run(DepositQuery, 'D-1', '--json')
    expect(ran.status).toBe(7)
    expect(ran.stderr).toContain(`D-1 is in doubt: the service shows another ${field} than was sent`)
    expect(ran.stderr).not.toMatch(/player-[79]|01[78]/)
    expect(await doubtsOf(played)).toEqual(['D-1'])
    const ledger = join(tempDir(), 'ledger.csv')
    writeFileSync(ledger, 'order_no,status,created_at\nD-1,open,2026-11-20\n')
    const reconcile = async () => {
      const argv = [ledger, '--kind', 'deposit', '--no-deliveries', '--json']
      const {status, stdout} = await shell.run(Reconcile, ...argv)
      return [status, stdout.includes(`the service shows another ${field} than this machine sent`)]
    }
    expect(await reconcile()).toEqual([8, true])
    expect((await shell.run(DepositResolve, 'D-1', '--made', ...word)).status).toBe(0)
    expect(await reconcile()).toEqual([0, false])
  })

  test.each<[what: string, fields: Record<string, unknown>]>([
    ['neither field', {playerRef: undefined, playerPhone: undefined}],
    ['both as they were sent', {}],
    ['the telephone as 880…', {playerPhone: '+880 1712-345678'}],
    ['the telephone masked', {playerPhone: '017****5678', playerRef: ''}],
    ['the player masked', {playerRef: 'p******7', playerPhone: null}],
  ])('is ended where the service shows %s', async (_what, fields) => {
    const played = await lost(fields)
    expect((await played.shell.run(DepositQuery, 'D-1', '--json')).status).toBe(0)
    expect(await doubtsOf(played)).toEqual([])
  })
})

test('a deposit whose player’s telephone is written as 880… is confirmed', async () => {
  const played = await bookkeeper()
  played.service.query = showing(played, {playerPhone: '8801712345678'})
  const ran = await played.shell.run(DepositCreate, ...deposit('D-1'))
  expect([ran.json(), ran.status]).toMatchObject([{confirmed: true}, 0])
})

/** Answers to the query before the first send that do not say whether the number is free. */
const unsaid: Record<string, Answering> = {
  'a gateway’s 404': json({message: 'no Route matched'}, 404),
  '503': text('busy', 503),
  'a page': text('<html>', 200, {'content-type': 'text/html'}),
  'a page, 404': text('<html>', 404, {'content-type': 'text/html'}),
  'a redirect': text('', 302, {location: 'https://elsewhere.example/'}),
  'code 500': json({code: 500, message: 'busy'}),
  'another order': json({
    code: 0,
    data: {merchantId, orderNo: 'X-9', platformOrderNo: 'PL-X', status: 'processing'},
  }),
}

/** It may be sent then (A5); what shows nothing of whom it is for may be an older order. */
describe.each(Object.entries(unsaid))('where the query before is answered with %s', (_name, before) => {
  const older = {status: 'processing', amount: '1000.00', platformOrderNo: 'PL-old'}

  test.each([
    ['payout', PayoutCreate, payout('N-1')],
    ['deposit', DepositCreate, deposit('N-1')],
  ] as const)(
    'an older %s of which nothing identifying is shown is not confirmed',
    async (_kind, command, argv) => {
      const {service, shell, books} = await bookkeeper()
      books.set('N-1', {...older, orderNo: 'N-1'})
      service.before = before
      const ran = await shell.run(command, ...argv)
      expect([ran.json(), ran.status]).toMatchObject([{confirmed: false}, 8])
      const again = await shell.run(command, ...argv)
      expect([again.json(), again.status]).toMatchObject([{confirmed: false}, 8])
    },
  )

  test('and a lost answer, it does not end the doubt', async () => {
    const played = await bookkeeper()
    const {service, shell, books} = played
    books.set('N-1', {...older, orderNo: 'N-1'})
    Object.assign(service, {before, answer: text('busy', 503), query: text('busy', 503)})
    expect((await shell.run(PayoutCreate, ...payout('N-1'))).status).toBe(6)
    Object.assign(service, {answer: null, query: null})
    expect((await shell.run(PayoutQuery, 'N-1', '--json')).status).toBe(7)
    expect(await doubtsOf(played)).toEqual(['N-1'])
  })

  test('a payout whose account is shown is confirmed', async () => {
    const {service, shell} = await bookkeeper()
    service.before = before
    const ran = await shell.run(PayoutCreate, ...payout('N-1'))
    expect([ran.json(), ran.status]).toMatchObject([{confirmed: true}, 0])
  })
})

test('what a person said was paid is not sent again, whatever the service knows of it', async () => {
  const {service, shell, creates, paid} = await bookkeeper()
  Object.assign(service, {answer: text('busy', 503), carriesOut: false})
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(6)
  Object.assign(service, {answer: null, carriesOut: true})
  const word = ['--paid', '--reason', 'the desk paid it by hand', '--json']
  expect((await shell.run(PayoutResolve, 'P-1', ...word)).status).toBe(0)
  const sent = creates()
  const again = await shell.run(PayoutCreate, ...payout('P-1'))
  expect(again.json()).toMatchObject({
    error: {exitCode: 8, message: expect.stringContaining('nothing was sent')},
  })
  const path = join(tempDir(), 'payouts.csv')
  writeFileSync(
    path,
    'out_order_no,amount,bank_type,user_name,account\nP-1,1000,BKASH,Rahim Uddin,01812345678\n',
  )
  expect((await shell.run(PayoutCreate, '--from', path, '--yes')).status).toBe(7)
  expect([creates(), paid()]).toEqual([sent, 0n])
})

test.each([
  ['a word nobody knows', {status: 'REJECTED'}, 8],
  ['a word for failed', {status: 'failed'}, 7],
  ['no amount', {amount: undefined}, 0],
])('a payout that is shown with %s ends so, first, again and in a file', async (_name, fields, status) => {
  const played = await bookkeeper()
  const {service, shell} = played
  service.query = showing(played, fields)
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(status)
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(status)
  const path = join(tempDir(), 'payouts.csv')
  writeFileSync(
    path,
    'out_order_no,amount,bank_type,user_name,account\nP-1,1000,BKASH,Rahim Uddin,01812345678\n',
  )
  expect((await shell.run(PayoutCreate, '--from', path, '--yes')).status).toBe(status)
})
