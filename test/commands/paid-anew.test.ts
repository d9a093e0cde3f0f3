import {rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test, vi} from 'vitest'

import EventsForward from '../../src/commands/events/forward.ts'
import Find from '../../src/commands/find.ts'
import IgnoresAdd from '../../src/commands/ignores/add.ts'
import ItemsClose from '../../src/commands/items/close.ts'
import ItemsList from '../../src/commands/items/list.ts'
import ItemsNote from '../../src/commands/items/note.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutList from '../../src/commands/payout/list.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import PayoutResolve from '../../src/commands/payout/resolve.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {openInbox} from '../../src/receiver/inbox.ts'
import {readWebhook} from '../../src/receiver/webhook.ts'
import {type Answering, json, merchantId, serve} from '../api/fixture.ts'
import {sortedRules} from '../receiver/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {payout} from './bookkeeper.ts'
import {legacyApi, orderId, row} from './legacy-api.ts'

/*
 * W-501 was paid by this machine and failed, and its webhook was not taken. Whoever gives its money back after it was paid
 * anew loses it. Every command that speaks of it has to say so.
 */
const resend = ['--status', 'failed', '--wait', '0s', '--rate', '1000', '--yes', '--json']

async function service(event = 'order.failed', isSentHere = true, env: Record<string, string> = {}) {
  const status = new Map<string, string>()
  const accounts = new Map<string, string>()
  const deposits = new Set<string>()
  const records = [row(1, {merchant_order_id: 'W-501', event})]
  let queried: () => unknown = () => undefined
  const onQuery = (then: () => unknown) => {
    queried = then
  }
  let list: Answering | null = null
  let isResent = true
  const onList = (answering: Answering) => {
    list = answering
  }
  const leaveRecords = () => {
    isResent = false
  }
  const {shell, resent} = await legacyApi(
    records,
    (...all) => {
      if (isResent)
        Object.assign(records[0] ?? {}, {status: 'success', attempts: 9, sent_at: new Date().toISOString()})
      json({success: true})(...all)
    },
    env,
    (...all) => {
      all[0].setHeader('date', new Date().toUTCString())
      queried()
      const {outOrderNo = '', amount, account} = JSON.parse(all[1].body) as Record<string, string>
      if (status.get(outOrderNo) === 'silent' && amount === undefined) return json({}, 503)(...all)
      if (amount !== undefined && !status.has(outOrderNo)) status.set(outOrderNo, 'processing')
      if (account !== undefined) accounts.set(outOrderNo, account)
      const platformOrderNo = orderId([...status.keys()].indexOf(outOrderNo) + 1)
      const order = {merchantId, orderNo: outOrderNo, platformOrderNo, status: status.get(outOrderNo)}
      const isDeposit = deposits.has(JSON.parse(all[1].body).orderNo) && !all[1].path.includes('/apply/')
      if (isDeposit)
        return json({
          code: 0,
          data: {
            ...order,
            orderNo: 'W-501',
            platformOrderNo: orderId(1),
            status: status.get('W-501') ?? 'completed',
            amount: '1000.00',
            playerRef: 'u7',
          },
        })(...all)
      const isKnown = all[1].path.includes('/apply/') && status.has(outOrderNo)
      const asked = {amount: '1000.00', account: accounts.get(outOrderNo)}
      ;(isKnown ? json({code: 0, data: {...order, ...asked}}) : json({code: 'ORDER_NOT_FOUND'}, 404))(...all)
    },
    () => list,
  )
  if (isSentHere) expect((await shell.run(PayoutCreate, ...payout('W-501'))).status).toBe(0)
  if (event !== 'order.completed') status.set('W-501', 'failed')
  const reconcile = async (ledgerStatus: string, rows = 1, more = '') => {
    const path = join(tempDir(), 'ledger.csv')
    const lineOf = (number: string, word: string) => `${number},${word},1000.00,${new Date().toISOString()}\n`
    const others = more && lineOf(more, 'completed')
    writeFileSync(
      path,
      `order_no,status,amount,created_at\n${lineOf('W-501', ledgerStatus).repeat(rows)}${others}`,
    )
    const ran = await shell.run(Reconcile, path, '--kind', 'payout', '--no-deliveries', '--json')
    return ran.json().findings as {cause: string; explanation: string; severity: string}[]
  }
  const findNext = async () => {
    const {orders} = (await shell.run(Find, 'W-501', '--json')).json() as {orders: {next: string[]}[]}
    return orders[0]?.next.join() ?? ''
  }
  return {shell, resent, status, deposits, records, onQuery, onList, leaveRecords, reconcile, findNext}
}

test.each(['pending', 'completed'])(
  'a ledger with a payout as %s that was paid anew',
  async (ledgerStatus) => {
    const {shell, reconcile, findNext, resent} = await service()
    expect((await shell.run(PayoutCreate, ...payout('W-501-2'))).status).toBe(0)
    const why = 'it may have been paid anew as W-501-2. Give no money back before you have looked'
    const [finding] = await reconcile(ledgerStatus)
    expect(finding).toMatchObject({
      ...{cause: 'failed_maybe_paid', severity: 'medium'},
      explanation: `Failed at the service, but ${ledgerStatus === 'pending' ? 'still open in the ledger' : 'booked as paid out'}. Not resent: ${why}: the player may have it already.`,
    })
    const {items} = (await shell.run(ItemsList, '--json')).json() as {items: object[]}
    expect(items).toMatchObject([{next: 'Look who has the money. Give nothing back before.'}])
    expect(await findNext()).toMatch(`It failed, but ${why}`)
    expect((await shell.run(WebhooksResend, ...resend)).status).toBe(7)
    expect(resent()).toEqual([])
  },
)

test.each([
  ['W-540', 'completed', 'booked_but_failed'],
  ['W-540', 'pending', 'failed_not_booked'],
  ['W-501-2', 'completed', 'booked_but_failed'],
  ['W-501-2', 'pending', 'failed_maybe_paid'],
])('a ledger that has %s too, which was paid later, and the failed one as %s', async (other, word, cause) => {
  const {shell, reconcile, status} = await service()
  expect((await shell.run(PayoutCreate, ...payout(other))).status).toBe(0)
  status.set(other, 'completed')
  expect(await reconcile(word, 1, other)).toMatchObject([{cause}])
})

test.each<[anew: string, account: string, hours: number]>([
  ['W-501R', '01712345678', 0],
  ['W-777', '01812345678', 0],
  ['W-777', '01812345678', 30],
  ['W-777', '01812345670', 0],
  ['W-777', '01812345670', 720],
])('one that was paid anew as %s to %s after %i hours, and completes after all', async (...given) => {
  const [anew, account, hours] = given
  const {shell, reconcile, findNext, status} = await service()
  vi.useFakeTimers({toFake: ['Date'], now: Date.now() + hours * 3_600_000})
  onTestFinished(() => void vi.useRealTimers())
  const sent = payout(anew, '1000', account)
  expect((await shell.run(PayoutCreate, ...sent)).status).toBe(0)
  status.set(anew, 'completed')
  expect((await shell.run(PayoutQuery, anew)).status).toBe(0)
  const why = (is: string) =>
    `W-501 had failed, and ${anew} was sent in its place, BDT 1,000.00. Now the service has W-501 as ${is}, and ${anew} is completed. The player may have the money twice. Look in your books`
  status.set('W-501', 'processing')
  expect(await shell.run(PayoutQuery, anew)).toMatchObject({
    status: 7,
    stderr: expect.stringContaining(why('open')),
  })
  status.set('W-501', 'completed')
  for (const number of ['W-501', anew])
    expect(await shell.run(PayoutQuery, number)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining(why('completed')),
    })
  expect(await findNext()).toMatch(why('completed'))
  // The same commands again, and a file of both.
  const own = payout('W-501')
  for (const again of [sent, own])
    expect(await shell.run(PayoutCreate, ...again)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining(why('completed')),
    })
  const file = join(tempDir(), 'payouts.csv')
  const rowOf = (argv: readonly string[]) => [1, 3, 5, 7, 9].map((at) => argv[at]).join()
  writeFileSync(file, `out_order_no,amount,bank_type,user_name,account\n${rowOf(own)}\n${rowOf(sent)}\n`)
  const url = ['--return-url', 'http://127.0.0.1:4020/webhook', '--ignore-mark=R', '--yes', '--json']
  const paid = await shell.run(PayoutCreate, '--from', file, ...url)
  expect([paid.status, paid.stdout.split('The player may have the money twice').length]).toEqual([7, 3])
  // Without an answer nobody knows.
  status.set('W-501', 'silent')
  const silent = 'The service gives no answer for W-501 now, so it is unknown whether'
  for (const command of [PayoutQuery, Find])
    expect(await shell.run(command, anew)).toMatchObject({status: 8, stderr: expect.stringContaining(silent)})
  expect(await shell.run(PayoutCreate, ...sent)).toMatchObject({
    status: 8,
    stderr: expect.stringContaining(silent),
  })
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, `order_no,status,amount\n${anew},completed,1000.00\n`)
  const run = await shell.run(Reconcile, ledger, '--kind', 'payout', '--no-deliveries', '--json')
  expect([run.status, run.json()]).toMatchObject([
    8,
    {incompleteBecause: expect.arrayContaining([expect.stringContaining(silent)])},
  ])
  status.set('W-501', 'completed')
  const found = await reconcile('completed', 1, anew)
  expect(found).toMatchObject([
    {
      ...{orderNo: 'W-501', verdict: 'status_mismatch', cause: 'paid_after_all', severity: 'high'},
      ...{explanation: `${why('completed')}, then close the item.`, amountAtRisk: '1000.00'},
    },
  ])
  const pair = `W-501 had failed, and ${anew} was sent in its place. A run found that neither has failed`
  expect((await shell.run(PayoutList, '--in-doubt')).stderr).toContain(pair)
  // A ledger without either: only a person ends it.
  expect(await reconcile('completed', 0, 'W-600')).toContainEqual(
    expect.objectContaining({
      explanation: expect.stringContaining('it failed, was paid anew, and may be paid after all.'),
    }),
  )
  await shell.run(ItemsClose, 'W-501', '--reason', 'taken back')
  expect((await shell.run(PayoutList, '--in-doubt')).stderr).not.toContain(pair)
  const causes = (await reconcile('completed', 1, anew)).map(({cause}) => cause)
  expect(causes).not.toContain('paid_after_all')
  expect((await shell.run(PayoutQuery, anew)).status).toBe(0)
})

test('a ledger that has it twice', async () => {
  const {shell, reconcile} = await service()
  expect((await shell.run(PayoutCreate, ...payout('W-501-2'))).status).toBe(0)
  const findings = await reconcile('pending', 2)
  expect(findings).toHaveLength(2)
  for (const {cause, explanation} of findings) {
    expect([cause, explanation]).toEqual(['status_mismatch', expect.stringContaining('paid anew as W-501-2')])
    expect(explanation).not.toContain('webhooks resend')
  }
})

test('one whose replacement failed too is given back', async () => {
  const {shell, reconcile, findNext, resent, status} = await service()
  expect((await shell.run(PayoutCreate, ...payout('W-501-2'))).status).toBe(0)
  status.set('W-501-2', 'failed')
  expect(await reconcile('pending')).toMatchObject([{cause: 'failed_not_booked'}])
  expect(await findNext()).not.toContain('paid anew')
  await shell.run(WebhooksResend, ...resend)
  expect(resent()).toHaveLength(1)
})

describe.each(['payout.refunded', 'order.updated'])('the event %s of a payout that failed', (event) => {
  const named = [...resend, '--event', event]

  test('is resent', async () => {
    const {shell, resent} = await service(event)
    await shell.run(WebhooksResend, ...named)
    expect(resent()).toHaveLength(1)
  })

  test('and was paid anew is left out, unless a person says so', async () => {
    const {shell, resent} = await service(event)
    expect((await shell.run(PayoutCreate, ...payout('W-501-2'))).status).toBe(0)
    expect((await shell.run(WebhooksResend, ...named)).status).toBe(7)
    expect(resent()).toEqual([])
    await shell.run(WebhooksResend, ...named, '--include-delivered')
    expect(resent()).toHaveLength(1)
  })
})

const [right, corrected, again] = ['01812345678', '01812345670', '01812345671']

/** `httpStatus`: the answer of your server; null where the forward was cut off. */
async function received(
  {shell}: Awaited<ReturnType<typeof service>>,
  body: object,
  httpStatus: number | null,
) {
  const inbox = openInbox({dataDir: shell.dataDir, account: {environment: 'sandbox', merchantId}})
  const event = {event: 'order.updated', platformOrderNo: orderId(1), amount: '1000.00', ...body}
  const webhook = readWebhook(event, sortedRules)
  const {id = 0, claim = ''} = webhook ? await inbox.take(webhook, Date.now(), 1_000) : {}
  const acknowledgedAtMs = httpStatus === 200 ? Date.now() : null
  if (httpStatus !== null) await inbox.recordForward(id, claim ?? '', {httpStatus, acknowledgedAtMs})
  inbox.close()
}

/** The service delivered another webhook of W-501. */
function recorded(records: ReturnType<typeof row>[], event: string) {
  records.push(row(2, {merchant_order_id: 'W-501', order_id: orderId(1), event, status: 'success'}))
}

describe('one that a listener without a server received is forwarded with --all', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  test.each<
    [
      what: string,
      record: () => object,
      second: (() => object) | null,
      ends: [number, number],
      isSeen?: boolean,
    ]
  >([
    ['its record shows that answer', () => ({sent_at: inSeconds(0)}), null, [0, 1]],
    ['its third attempt had that answer', () => ({sent_at: inSeconds(0), attempts: 3}), null, [0, 1]],
    ['not if it was delivered a minute later', () => ({sent_at: inSeconds(60), attempts: 2}), null, [7, 0]],
    ['not if it was delivered a minute before', () => ({sent_at: inSeconds(-60)}), null, [7, 0]],
    ['not if nobody knows when', () => ({sent_at: null}), null, [7, 0]],
    [
      'not if another record was delivered too',
      () => ({sent_at: inSeconds(0)}),
      () => ({sent_at: inSeconds(2)}),
      [7, 0],
    ],
    [
      'nor under another name',
      () => ({sent_at: inSeconds(0)}),
      () => ({sent_at: inSeconds(60), event: 'payment.success'}),
      [7, 0],
    ],
    [
      'though a run of reconcile saw that answer',
      () => ({sent_at: inSeconds(0), attempts: 1}),
      null,
      [0, 1],
      true,
    ],
    [
      'not if that run may have seen an earlier one',
      () => ({sent_at: inSeconds(0), attempts: 3}),
      null,
      [7, 0],
      true,
    ],
  ])('%s', async (_what, record, second, ends, isSeen = false) => {
    const {shell, deposits, records} = await service('order.completed', false)
    deposits.add('W-501')
    Object.assign(records[0] ?? {}, {status: 'success', ...record()})
    const own = {merchant_order_id: 'W-501', order_id: orderId(1), event: 'order.completed'}
    if (second) records.push(row(2, {...own, status: 'success', ...second()}))
    const inbox = openInbox({dataDir: shell.dataDir, account: {environment: 'sandbox', merchantId}})
    const fields = {orderNo: 'W-501', playerRef: 'u7', status: 'completed', amount: '1000.00'}
    const webhook = readWebhook(
      {event: 'order.completed', platformOrderNo: orderId(1), ...fields},
      sortedRules,
    )
    if (webhook) await inbox.take(webhook, Date.now(), null)
    inbox.close()
    if (isSeen) {
      const path = join(tempDir(), 'ledger.csv')
      const lines = [
        'order_no,player_ref,status,amount,created_at',
        `W-501,u7,pending,1000.00,${inSeconds(-600)}`,
      ]
      writeFileSync(path, `${lines.join('\n')}\n`)
      expect((await shell.run(Reconcile, path, '--kind', 'deposit', '--dry-run')).status).toBe(7)
    }
    const {origin, seen} = await serve(json({}))
    const {status} = await shell.run(EventsForward, '--all', '--to', origin)
    expect([status, seen.length]).toEqual(ends)
  })
})

const emptyList = {data: [], pagination: {page: 1, limit: 100, total: 0, total_pages: 0}}

describe('one that a listener received is not forwarded', () => {
  async function forwarded(
    record: object,
    prepare: (at: Awaited<ReturnType<typeof service>>) => unknown = () => undefined,
    body: object = {},
  ) {
    const at = await service('order.completed', false)
    at.deposits.add('W-501')
    Object.assign(at.records[0] ?? {}, record)
    const named = {event: 'order.completed', orderNo: 'W-501', playerRef: 'u7', status: 'completed'}
    await received(at, {...named, ...body}, 503)
    await prepare(at)
    const {origin, seen} = await serve(json({}))
    const {status, stdout} = await at.shell.run(EventsForward, '--to', origin)
    return {status, seen: seen.length, stdout}
  }
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

  test('but where its record failed for good it is', async () => {
    expect(await forwarded({})).toMatchObject({status: 0, seen: 1})
  })

  test.each<[what: string, record: object, why: string]>([
    [
      'while the service is sending it',
      {status: 'pending', attempts: 0, sent_at: minutesAgo(0)},
      'the service is still sending its record',
    ],
    [
      'while it has tries left',
      {attempts: 3, max_attempts: 5, sent_at: minutesAgo(5)},
      'the service is still sending its record',
    ],
    [
      'where the service shows no record of it',
      {merchant_order_id: 'W-9', order_id: orderId(9)},
      'the service shows no delivery record of its order, although it sent the event',
    ],
  ])('%s', async (_what, record, why) => {
    const {status, seen, stdout} = await forwarded(record)
    expect([status, seen]).toEqual([7, 0])
    expect(stdout).toContain(why)
  })

  test.each<[what: string, answer: Answering, ends: number]>([
    ['where a gateway says 404 in place of the list', json({message: 'no Route matched'}, 404), 7],
    ['where the list is refused', json({success: false}, 401), 3],
    ['where the list is empty', json({success: true, data: emptyList}), 7],
  ])('%s', async (_what, answer, ends) => {
    const {status, seen} = await forwarded({}, ({onList}) => onList(answer))
    expect([status, seen]).toEqual([ends, 0])
  })

  test.each([
    ['its player', {playerRef: undefined}],
    ['its name and status', {event: undefined, status: undefined}],
    ['a name that is known', {event: 'order.settled', status: 'settled'}],
    ['a status of its end', {status: 'processing'}],
  ])('that your server took, without %s', async (_what, body) => {
    const {status, seen} = await forwarded({status: 'success', attempts: 1}, undefined, body)
    expect([status, seen]).toEqual([7, 0])
  })

  test.each([
    ['where its order shows no record', json({success: true, data: emptyList})],
    ['where its records cannot be read', json({message: 'no Route matched'}, 404)],
  ])('without a number, %s', async (_what, answer) => {
    const {status, seen} = await forwarded({}, ({onList}) => onList(answer), {orderNo: undefined})
    expect([status, seen]).toEqual([7, 0])
  })

  test('after a resend that may have brought it', async () => {
    const {status, seen, stdout} = await forwarded({}, async ({shell, leaveRecords}) => {
      leaveRecords()
      expect((await shell.run(WebhooksResend, ...resend)).status).toBe(8)
    })
    expect([status, seen]).toEqual([7, 0])
    expect(stdout).toContain('hisab resent it at')
  })
})

test('nothing is resent where the store of received events is gone', async () => {
  const at = await service('order.completed', false)
  at.deposits.add('W-501')
  await received(at, {event: 'order.completed', orderNo: 'W-501', playerRef: 'u7', status: 'completed'}, 200)
  rmSync(join(at.shell.dataDir, 'received'), {recursive: true})
  const {status, stdout} = await at.shell.run(WebhooksResend, ...resend)
  expect(status).toBe(2)
  expect(stdout).toContain('is gone or empty')
  expect(at.resent()).toEqual([])
})

const givenBack = {
  resent: [
    'your server took its order.failed, which hisab resent',
    ({shell}) => shell.run(WebhooksResend, ...resend),
  ],
  received: [
    'your server took its order.updated, which hisab handed on',
    (at) => received(at, {orderNo: 'W-501', status: 'failed'}, 200),
  ],
  booked: [/run \S+ found it failed in a ledger too/.source, ({reconcile}) => reconcile('failed')],
} satisfies Record<string, [string, (at: Awaited<ReturnType<typeof service>>) => Promise<unknown>]>

test.each<[number: string, account: string, known: keyof typeof givenBack, isSentHere: boolean]>([
  ['W-501-2', right, 'resent', true],
  ['W-501-2', corrected, 'resent', true],
  ['R-W-501', corrected, 'received', true],
  ['W-501R', corrected, 'booked', true],
  ['501-2', corrected, 'resent', true],
  ['R2W-501', corrected, 'resent', true],
  ['501', corrected, 'resent', true],
  ['W-501-2', right, 'resent', false],
])('%s to %s, in place of one whose money may be back on the balance (%s), needs a word', async (...row) => {
  const [number, account, known, isSentHere] = row
  const at = await service('order.failed', isSentHere)
  const [why, giveBack] = givenBack[known]
  await giveBack(at)
  const refused = await at.shell.run(PayoutCreate, ...payout(number, '1000', account))
  expect([refused.status, [...at.status.keys()]]).toEqual([2, ['W-501']])
  expect(refused.json()).toMatchObject({
    error: {
      message: expect.stringMatching(
        `^${number} pays the failed payout W-501 again: ${why}, so its money may be back on the player's balance\\.`,
      ),
      hint: expect.stringContaining('--allow-repeat'),
    },
  })
  expect(refused.stderr).not.toContain('no repetition')
  expect(
    (await at.shell.run(PayoutCreate, ...payout(number, '1000', account), '--allow-repeat')).status,
  ).toBe(0)
})

test('another number in place of it is paid, with a note that its money may be back on the balance', async () => {
  const {shell} = await service()
  expect((await shell.run(WebhooksResend, ...resend)).status).toBe(0)
  const {status, stderr} = await shell.run(PayoutCreate, ...payout('W-640'))
  expect(status).toBe(0)
  expect(stderr).toContain(
    "But your server took its order.failed, which hisab resent, so its money may be back on the player's balance. Pay W-640 only if",
  )
})

test.each<[word: string, number: string, says: string | null]>([
  ['processing', 'W-501-2', 'already sent as W-501 at .* \\(accepted\\)\\. The service would pay both'],
  ['processing', 'NEW W-501', 'already sent as W-501 at'],
  ['reversed', 'W-501R', 'already sent as W-501 at'],
  ['processing', 'w501-2', 'already sent as W-501 at .* \\(accepted\\)\\. The service would pay both'],
  ['processing', 'W_0501_2', 'already sent as W-501 at .* \\(accepted\\)\\. The service would pay both'],
  ['in doubt', 'W-5O1-2', 'perhaps already sent as W-501 at .* \\(in doubt\\)\\. Both may be paid'],
  ['in doubt', 'w-501', 'perhaps already sent as W-501 at .* \\(in doubt\\)'],
  ['in doubt', 'W-501-2', 'perhaps already sent as W-501 at .* \\(in doubt\\)\\. Both may be paid'],
  ['in doubt', '501R', 'perhaps already sent as W-501 at .* \\(in doubt\\)'],
  ['processing', 'RW501', 'already sent as W-501 at'],
  ['completed', 'W-501-2', 'already sent as W-501 at'],
  ['completed', '501-2', 'already sent as W-501 at'],
  ['completed', 'A-501', null],
  ['processing', 'W-502', 'already sent as W-501 at'],
  ['completed', 'W-502', null],
  ['in doubt', 'A-501', 'perhaps already sent as W-501 at'],
  ['in doubt', '501', 'perhaps already sent as W-501 at'],
  ['completed', '501', 'already sent as W-501 at'],
])('beside W-501, which is %s, %s to another account is paid or needs a word', async (word, number, says) => {
  const {shell, status} = await service()
  status.set('W-501', word)
  if (word === 'in doubt') {
    status.delete('W-501')
    await shell.run(PayoutQuery, 'W-501')
    status.set('W-501', 'processing')
  }
  const {status: end, json: shown} = await shell.run(PayoutCreate, ...payout(number, '1000', corrected))
  expect(end).toBe(says === null ? 0 : 2)
  if (says === null) return
  const message = expect.stringMatching(
    `^${number} (?:may pay|pays) W-501 again, to another account(?: \\(of the same name and amount\\))?: ${says}`,
  )
  expect(shown()).toMatchObject({error: {message}})
  expect((await shell.run(PayoutCreate, ...payout(number, '1000', corrected), '--allow-repeat')).status).toBe(
    0,
  )
})

test.each([
  ['in doubt', '501'],
  ['in doubt', 'A-501'],
  ['completed', 'W-501-2'],
])('beside W-501, %s, %s to another player is another payout', async (word, number) => {
  const {shell, status} = await service()
  if (word === 'in doubt') status.delete('W-501')
  else status.set('W-501', word)
  await shell.run(PayoutQuery, 'W-501')
  status.set('W-501', word === 'in doubt' ? 'processing' : word)
  expect((await shell.run(PayoutCreate, ...payout(number, '1000', corrected, 'Karim'))).status).toBe(0)
})

test('beside W-501 in doubt, its number with a mark needs a word with another amount too', async () => {
  const {shell, status} = await service()
  status.delete('W-501')
  await shell.run(PayoutQuery, 'W-501')
  const argv = payout('W-501 (retry)', '990', corrected)
  const refused = await shell.run(PayoutCreate, ...argv)
  const says = 'perhaps already sent as W-501 with BDT 1,000.00'
  expect([refused.status, refused.stdout]).toEqual([2, expect.stringContaining(says)])
  const paid = await shell.run(PayoutCreate, ...argv, '--allow-repeat')
  expect(paid.json()).toMatchObject({orderNo: 'W-501 (retry)', besideInDoubt: ['W-501']})
})

test.each<[first: string, to: string, second: string, to: string, hours: number, before?: number]>([
  ['W-501R', right, 'W-501-2', right, 30],
  ['W-501-2', right, 'W-501-3', right, 48],
  ['W-640', right, 'W-501-2', right, 30],
  ['W-501-2', corrected, 'W-501R', corrected, 30],
  ['W-501R', corrected, 'W-501-2', again, 0],
  ['W-501R', corrected, 'W-640', right, 0],
  ['W-501R', corrected, '501-2', again, 48],
  ['W-501R', corrected, 'W-640', right, 30],
  ['W-501R', right, 'W-640', right, 30],
  ['W-640', corrected, 'W-641', right, 48],
  ['W-640', corrected, 'W-641', right, 96],
  ['W-640', right, 'W-641', right, 48],
  ['W-640', right, 'W-641', right, 36, 30],
  ['W-640', right, 'W-641', right, 96, 48],
  ['W-640', right, 'W-501R', corrected, 36, 30],
])('one that was paid as %s to %s is not paid as %s to %s, unless a person says so', async (...row) => {
  const [first, account, second, toAccount, hours, before = 0] = row
  const {shell, status} = await service()
  vi.useFakeTimers({toFake: ['Date'], now: Date.now() + before * 3_600_000})
  const made = await shell.run(PayoutCreate, ...payout(first, '1000', account))
  expect(made.status).toBe(0)
  status.set(first, 'completed')
  await shell.run(PayoutQuery, first)
  vi.useFakeTimers({toFake: ['Date'], now: Date.now() + hours * 3_600_000})
  onTestFinished(() => void vi.useRealTimers())
  const file = join(tempDir(), 'payouts.csv')
  writeFileSync(
    file,
    `out_order_no,amount,bank_type,user_name,account\n${second},1000.00,BKASH,Rahim Uddin,${toAccount}\n`,
  )
  const one = payout(second, '1000', toAccount)
  const url = ['--return-url', 'http://127.0.0.1:4020/webhook', '--yes', '--json']
  for (const argv of [
    one,
    ['--from', file, '--ignore-mark=-2', '--ignore-mark=-3', '--ignore-mark=R', ...url],
  ]) {
    const refused = await shell.run(PayoutCreate, ...argv)
    expect(refused.status).toBe(2)
    expect(refused.json()).toMatchObject({
      error: {
        message: expect.stringMatching(
          `${second} (?:pays the failed payout W-501 again|may pay the failed payout W-501 again \\(BDT 1,000\\.00 to the same (?:account|name)\\)): already sent as ${first} at`,
        ),
      },
    })
    expect(refused.stderr).not.toContain('no repetition')
  }
  expect([...status.keys()]).toEqual(['W-501', first])
  expect((await shell.run(PayoutCreate, ...one, '--allow-repeat')).status).toBe(0)
  expect([...status.keys()]).toEqual(['W-501', first, second])
})

test.each([
  ['W-501R', '990'],
  ['W-501 (retry)', '1010'],
  ['W-501 again 2', '500'],
  ['NEW W-501', '1000.50'],
  ['w501', '500'],
  ['W-0501', '990'],
  ['W-501-2', '990'],
  ['RW501', '985.50'],
  ['W-501-2', '500'],
  ['RW501', '1500'],
  ['W-501/1', '500'],
])('beside W-501, open or completed, %s with %s needs a word, at any age', async (number, amount) => {
  const {shell, status} = await service()
  for (const [word, hours] of [
    ['processing', 0],
    ['completed', 48],
  ] as const) {
    status.set('W-501', word)
    vi.useFakeTimers({toFake: ['Date'], now: Date.now() + hours * 3_600_000})
    onTestFinished(() => void vi.useRealTimers())
    const refused = await shell.run(PayoutCreate, ...payout(number, amount))
    expect([refused.status, refused.stdout]).toEqual([
      2,
      expect.stringContaining(`pays W-501 again: already sent as W-501 with BDT 1,000.00 at`),
    ])
  }
  const isMark = /^(?:W-501[-/]\d|RW501)$/.test(number)
  const karims = await shell.run(PayoutCreate, ...payout(number, amount, corrected, 'Karim'))
  expect(karims.status).toBe(isMark ? 7 : 2)
})

test.each([
  ['A-501', '990'],
  ['501', '500'],
  ['W-502', '990'],
])('beside W-501, completed, %s with %s is another payout', async (number, amount) => {
  const {shell, status} = await service()
  status.set('W-501', 'completed')
  // The service shows another amount, so it was sent.
  expect((await shell.run(PayoutCreate, ...payout(number, amount))).status).toBe(7)
})

test.each([
  ['W-640', 0, 24 * 7, 0],
  // A wage whose redo was paid the day after falls six days later.
  ['W-640', 0, 24 * 5 + 1, 0],
  ['W-640', 0, 24 * 5 - 1, 2],
  ['W-501-3', 0, 24 * 7, 2],
  // Completed slowly: until then nobody knew that the player has it.
  ['W-640', 24 * 5 + 2, 24, 2],
  ['W-640', 24 * 5 + 2, 24 * 5 + 1, 0],
])(
  'after one that was paid anew, the same amount as %s, where that one completed %d hours later (%d hours after that): %d',
  async (number, slow, hours, ends) => {
    const {shell, status} = await service()
    const later = (ms: number) => vi.useFakeTimers({toFake: ['Date'], now: Date.now() + ms})
    onTestFinished(() => void vi.useRealTimers())
    later(30 * 3_600_000)
    expect((await shell.run(PayoutCreate, ...payout('W-502R'))).status).toBe(0)
    later(slow * 3_600_000)
    status.set('W-502R', 'completed')
    expect((await shell.run(PayoutQuery, 'W-502R')).status).toBe(0)
    later(hours * 3_600_000)
    expect((await shell.run(PayoutCreate, ...payout(number))).status).toBe(ends)
  },
)

test('once a person said that it is another payout, the next to the account needs no word', async () => {
  const {shell, status} = await service()
  const pay = async (number: string, account: string, ...more: string[]) => {
    vi.useFakeTimers({toFake: ['Date'], now: Date.now() + 30 * 3_600_000})
    const {status: ended} = await shell.run(PayoutCreate, ...payout(number, '1000', account), ...more)
    if (ended === 0) status.set(number, 'completed')
    return ended
  }
  onTestFinished(() => void vi.useRealTimers())
  expect(await pay('W-501R', corrected)).toBe(0)
  expect(await pay('W-640', corrected)).toBe(0)
  expect(await pay('W-641', right)).toBe(2)
  expect(await pay('W-641', right, '--allow-repeat')).toBe(0)
  expect(await pay('W-642', right)).toBe(0)
})

test.each([
  [right, 'processing', 2],
  [corrected, 'completed', 2],
  [right, 'failed', 0],
  [right, '', 0],
])('one that a person called not paid, and W-640 to %s: it is queried, and is %s', async (to, word, ends) => {
  const {shell, status} = await service()
  status.delete('W-501')
  await shell.run(PayoutQuery, 'W-501')
  expect((await shell.run(PayoutResolve, 'W-501', '--not-paid', '--reason', 'they said so')).status).toBe(0)
  if (word) status.set('W-501', word)
  const one = payout('W-640', '1000', to)
  const {status: ended, stdout} = await shell.run(PayoutCreate, ...one)
  expect(ended).toBe(ends)
  if (ends === 0) return
  expect(stdout).toContain('W-640 may pay W-501 again: it counted as not paid at')
  expect((await shell.run(PayoutCreate, ...one, '--allow-repeat')).status).toBe(0)
})

test('its own command again asks for it, also after it was paid anew', async () => {
  const {shell, status} = await service()
  expect((await shell.run(PayoutCreate, ...payout('W-501R', '1000', corrected))).status).toBe(0)
  expect((await shell.run(PayoutCreate, ...payout('W-501'))).status).toBe(7)
  expect([...status.keys()]).toEqual(['W-501', 'W-501R'])
})

test('a file with two in its place is refused', async () => {
  const {shell, status} = await service()
  const file = join(tempDir(), 'payouts.csv')
  const rows = [`W-501-2,1000.00,BKASH,Rahim Uddin,${corrected}`, `W-501R,1000.00,BKASH,Rahim Uddin,${again}`]
  writeFileSync(file, `out_order_no,amount,bank_type,user_name,account\n${rows.join('\n')}\n`)
  const url = ['--return-url', 'http://127.0.0.1:4020/webhook', '--yes', '--json']
  const marks = ['--ignore-mark=-2', '--ignore-mark=R']
  const refused = await shell.run(PayoutCreate, '--from', file, ...marks, ...url)
  expect([refused.status, [...status.keys()]]).toEqual([2, ['W-501']])
  expect(refused.json()).toMatchObject({
    error: {message: expect.stringMatching(/^Line 3 .* as line 2, or in place of the same failed payout\./)},
  })
})

test('one whose replacement failed too is paid once more', async () => {
  const {shell, status} = await service()
  await shell.run(PayoutCreate, ...payout('W-501R', '1000', corrected))
  status.set('W-501R', 'failed')
  expect((await shell.run(PayoutCreate, ...payout('W-501-2', '1000', again))).status).toBe(0)
})

test.each<['resent' | 'received', string, number]>([
  ['resent', 'W-501-2', 7],
  ['received', 'W-501R', 7],
  ['resent', 'W-640', 7],
  ['resent', 'W-777', 7],
  ['resent', 'W-778', 0],
])(
  'one whose money went back (%s) since %s was made, which is paid after all, is named by its query',
  async (how, number, ends) => {
    const at = await service()
    const {shell, status} = at
    const isElsewhere = number.startsWith('W-77')
    const name = number === 'W-778' ? 'Karim' : undefined
    await shell.run(PayoutCreate, ...payout(number, '1000', isElsewhere ? corrected : right, name))
    status.set(number, 'failed')
    await givenBack[how][1](at)
    expect((await shell.run(PayoutQuery, number)).status).toBe(0)
    status.set(number, 'completed')
    const query = await shell.run(PayoutQuery, number)
    expect(query.status).toBe(ends)
    const twice = `the payout ${number} is paid, and may have taken the place of W-501, which failed: ${givenBack[how][0]}. The player may have the money twice`
    expect(query.stderr.includes(twice)).toBe(ends === 7)
  },
)

test('a replacement that failed and was paid anew with another account is not given back either', async () => {
  const {shell, status} = await service()
  await shell.run(PayoutCreate, ...payout('W-501-2', '1000', corrected))
  status.set('W-501-2', 'failed')
  await shell.run(PayoutCreate, ...payout('W-501-3', '1000', again))
  const {orders} = (await shell.run(Find, 'W-501-2', '--json')).json() as {orders: {next: string[]}[]}
  expect(orders[0]?.next.join()).toContain('it may have been paid anew as W-501-3')
})

describe.each(['failed', 'REFUNDED'])('a received webhook of W-501, %s, that was not taken', (word) => {
  async function untaken(number: object = {orderNo: 'W-501'}, env?: Record<string, string>) {
    const at = await service(undefined, undefined, env)
    const {shell, status, records, onQuery} = at
    await received(at, {...number, status: word}, 503)
    const {origin, seen} = await serve(json({}))
    const forward = (...argv: string[]) => shell.run(EventsForward, '--to', origin, '--json', ...argv)
    return {shell, seen, forward, status, records, onQuery}
  }

  test('is forwarded', async () => {
    const {seen, forward} = await untaken()
    const none = await forward('w-501')
    expect([none.status, none.json()]).toMatchObject([7, {error: {code: 'not_found'}}])
    expect([(await forward()).status, seen.length]).toEqual([0, 1])
  })

  test('is not forwarded while another run of the merchant may resend it', async () => {
    const {shell, seen, forward} = await untaken()
    const lock = acquireRunLock(shell.dataDir, {environment: 'sandbox', merchantId})
    const held = await forward()
    expect([held.status, seen.length]).toEqual([9, 0])
    lock.release()
    expect([(await forward()).status, seen.length]).toEqual([0, 1])
  })

  test('is not forwarded once another command told your server', async () => {
    const {shell, seen, forward} = await untaken()
    expect((await shell.run(WebhooksResend, ...resend)).status).toBe(0)
    const held = await forward()
    expect([held.status, seen.length]).toEqual([7, 0])
    expect(held.json()).toMatchObject({
      events: [{problem: expect.stringContaining('your server took its order.failed, which hisab resent')}],
    })
  })

  test('is not forwarded if its records say that the money went back', async () => {
    const {records, seen, forward} = await untaken()
    recorded(records, 'order.refunded')
    const held = await forward()
    expect([held.status, seen.length]).toEqual([7, 0])
    expect(held.json()).toMatchObject({
      events: [{problem: expect.stringContaining('it has a record of order.refunded')}],
    })
  })

  test.each<[minutes: number | null, ends: number, why?: RegExp]>([
    [10, 7, /^the service retries it at \d.* \d\d:\d\d\. Wait\. To forward it anyway/],
    [-10, 7, /^its retry was due at \d.* \d\d:\d\d\. Wait\. To forward it anyway/],
    [-40, 0],
    [null, 0],
  ])('waits for a retry in %s minutes, unless a person says so: %s', async (minutes, ends, why) => {
    const {records, seen, forward} = await untaken()
    const next_retry_at = minutes === null ? null : new Date(Date.now() + minutes * 60_000).toISOString()
    Object.assign(records[0] ?? {}, {next_retry_at})
    const held = await forward()
    expect([held.status, seen.length]).toEqual([ends, ends === 7 ? 0 : 1])
    if (!why) return
    expect(held.json()).toMatchObject({events: [{problem: expect.stringMatching(why)}]})
    expect([(await forward('--include-delivered')).status, seen.length]).toEqual([0, 1])
  })

  test('is not forwarded if the service delivers it while its order is queried', async () => {
    const {onQuery, records, seen, forward} = await untaken()
    onQuery(() => Object.assign(records[0] ?? {}, {status: 'success'}))
    const held = await forward()
    expect([held.status, seen.length]).toEqual([7, 0])
    expect(held.json()).toMatchObject({
      events: [{problem: expect.stringContaining('your server took its order.failed')}],
    })
  })

  test('is forwarded where the records cannot be looked at, with a note', async () => {
    const {records, seen, forward} = await untaken(undefined, {HISAB_API_KEY: ''})
    recorded(records, 'order.refunded')
    const {status, stderr} = await forward()
    expect([status, seen.length]).toEqual([0, 1])
    expect(stderr).toContain('note: the delivery records of the service were not looked at')
  })

  test.each(['completed', 'processing'])('is not forwarded if it is %s at the service', async (now) => {
    const {seen, forward, status} = await untaken()
    status.set('W-501', now)
    const held = await forward()
    expect([held.status, seen.length]).toEqual([7, 0])
    expect(held.json()).toMatchObject({
      events: [{problem: expect.stringMatching(`^the service now has "${now}"`)}],
    })
  })

  test.each([
    ['W-501-2', right, {orderNo: 'W-501'}],
    ['W-501-2', right, {}],
    ['501-2', corrected, {orderNo: 'W-501'}],
    ['RW501', corrected, {orderNo: 'W-501'}],
  ])('is not forwarded once it was paid anew as %s to %s, unless a person says so (%o)', async (...row) => {
    const [anew, account, number] = row
    const {shell, seen, forward} = await untaken(number)
    expect((await shell.run(PayoutCreate, ...payout(anew, '1000', account))).status).toBe(0)
    const held = await forward()
    expect([held.status, seen.length]).toEqual([7, 0])
    expect(held.json()).toMatchObject({
      handedOn: 0,
      events: [
        {held: true, problem: expect.stringMatching(`^it may have been paid anew as ${anew}\\. To forward`)},
      ],
    })
    expect([(await forward('--include-delivered')).status, seen.length]).toEqual([0, 1])
  })
})

const reconcileOpen = async (
  shell: Awaited<ReturnType<typeof service>>['shell'],
  path: string,
  ...more: string[]
) => {
  const [remark = '', other] = more
  const at = new Date().toISOString()
  const rows = [`W-501,pending,1000.00,${at}${remark}`, ...(other ? [`${other}${at},`] : [])]
  writeFileSync(path, `order_no,status,amount,created_at,Remarks\n${rows.join('\n')}\n`)
  const {status} = await shell.run(
    Reconcile,
    path,
    '--kind',
    'deposit',
    '--max-resends',
    '0',
    '--no-deliveries',
  )
  expect([7, 8]).toContain(status)
}

type CreditedCase = [
  what: string,
  why: string,
  credit: (at: Awaited<ReturnType<typeof service>>, path: string) => Promise<unknown>,
  /** How it ends where a person says so. */
  ends?: number,
]

describe.each([
  {event: 'order.updated', status: 'completed'},
  {event: 'order.completed', status: 'SUCCESS'},
])('$event with the status $status', (said) => {
  test.each<CreditedCase>([
    [
      'booked in a reconciled ledger',
      'found it booked in a ledger',
      ({shell}, path) => shell.run(Reconcile, path, '--kind', 'deposit', '--no-deliveries'),
    ],
    [
      'resent by hisab',
      'your server took its order.completed, which hisab resent',
      ({shell}) => shell.run(WebhooksResend, ...resend),
    ],
    [
      'named in a remark of an open row',
      'may say that it is booked',
      ({shell}, path) => reconcileOpen(shell, path, ',player got it'),
    ],
    [
      'booked under its number in another spelling',
      'may say that it is booked',
      ({shell}, path) => reconcileOpen(shell, path, ',', 'w 501,completed,1000.00,'),
    ],
    [
      'noted as given',
      'noted',
      async ({shell}, path) => {
        await reconcileOpen(shell, path, ',')
        await shell.run(ItemsNote, 'W-501', '--text', 'player got it')
      },
    ],
    [
      'ignored',
      'ignored it until',
      async ({shell}, path) => {
        await reconcileOpen(shell, path, ',')
        await shell.run(IgnoresAdd, 'W-501', '--reason', 'given back', '--until', '2099-01-01')
      },
    ],
    [
      'closed',
      'closed it: given back',
      async ({shell}, path) => {
        await reconcileOpen(shell, path, ',')
        await shell.run(ItemsClose, 'W-501', '--reason', 'given back')
      },
    ],
    [
      'refunded, as its records say',
      'it has a record of order.refunded',
      async ({records}) => recorded(records, 'order.refunded'),
    ],
    [
      'refunded, as the own receiver knows',
      'hisab received its order.refunded',
      (at) =>
        received(at, {event: 'order.refunded', orderNo: 'W-501', playerRef: 'u7', status: 'refunded'}, 200),
    ],
    [
      'taken from the service under another name',
      'your server took its order.paid',
      async ({records}) => recorded(records, 'order.paid'),
    ],
    ...[true, false].map(
      (isDry): CreditedCase => [
        `booked under a number of its own, as a later ledger shows (${isDry ? 'dry run' : 'run'})`,
        'line 3 ("MAN-1") is completed with its amount and may be this order',
        async ({shell}, path) => {
          const at = new Date(Date.now() + 60_000).toISOString()
          writeFileSync(
            path,
            `order_no,status,amount,created_at\nZ-1,failed,1.00,${at}\nMAN-1,completed,1000.00,${at}\n`,
          )
          const flags = isDry ? ['--dry-run'] : []
          await shell.run(Reconcile, path, '--kind', 'deposit', '--no-deliveries', ...flags)
        },
      ],
    ),
    [
      'received with another player, too',
      'another version that your server has not acknowledged contradicts it',
      (at) => received(at, {orderNo: 'W-501', playerRef: 'u8', ...said}, 503),
    ],
    [
      'received under another number of the platform, too',
      'another version that your server has not acknowledged contradicts it',
      (at) => received(at, {orderNo: 'W-501', playerRef: 'u7', platformOrderNo: orderId(9), ...said}, 503),
      7,
    ],
    [
      'forwarded by a listener that was killed',
      'an earlier forward was cut off, and your server may have it',
      (at) => received(at, {orderNo: 'W-501', playerRef: 'u7', ...said}, null),
    ],
    [
      'failed at the service',
      'the service now has "failed"',
      async ({status}) => status.set('W-501', 'failed'),
    ],
    [
      'gone from the service',
      'the service does not have the order now',
      async ({deposits}) => deposits.delete('W-501'),
    ],
  ])(
    'a received webhook of a deposit that was not taken is not forwarded once it was %s',
    async (_what, why, credit, ends = 0) => {
      const at = await service('order.completed', false)
      const {shell, deposits} = at
      deposits.add('W-501')
      await received(at, {orderNo: 'W-501', playerRef: 'u7', ...said}, 503)
      const {origin, seen} = await serve(json({}))
      const forward = (...argv: string[]) => shell.run(EventsForward, '--to', origin, '--json', ...argv)
      const path = join(tempDir(), 'ledger.csv')
      writeFileSync(
        path,
        `order_no,status,amount,created_at\nW-501,completed,1000.00,${new Date().toISOString()}\n`,
      )
      await credit(at, path)
      const held = await forward()
      expect([held.status, seen.length]).toEqual([7, 0])
      const events = expect.arrayContaining([
        expect.objectContaining({held: true, problem: expect.stringContaining(why)}),
      ])
      expect(held.json()).toMatchObject({events})
      expect([(await forward('--include-delivered')).status, seen.length]).toEqual([ends, 1])
    },
  )
})

test('payouts of another payee.key are named once, before one is sent', async () => {
  const {shell} = await service()
  const note = 'note: 2 of the last 2 payouts were recorded with another payee.key.'
  expect((await shell.run(PayoutCreate, ...payout('W-600', '700'))).stderr).not.toContain('payee.key')
  rmSync(join(shell.dataDir, 'payee.key'))
  const {stderr} = await shell.run(PayoutCreate, ...payout('W-601', '800'))
  expect(stderr.split(note)).toHaveLength(2)
})
