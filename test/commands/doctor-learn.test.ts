import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import DepositQuery from '../../src/commands/deposit/query.ts'
import Doctor from '../../src/commands/doctor.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import {type Answering, json, merchantId, serve} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {shellAt} from './run-command.ts'

type Fields = Readonly<Record<string, unknown>>

/** A service that answers for these orders with these fields, and a machine with a file of its own. */
async function service(orders: Readonly<Record<string, Fields | Answering>>, ours = '') {
  const {origin, seen} = await serve((response, call, nth) => {
    const body = JSON.parse(call.body) as Record<string, string>
    const order = orders[body.orderNo ?? body.outOrderNo ?? '']
    const answer =
      typeof order === 'function'
        ? order
        : order
          ? json({code: 0, data: {merchantId, ...order}})
          : json({code: 'ORDER_NOT_FOUND'}, 404)
    answer(response, call, nth)
  })
  const file = join(tempDir(), 'config.toml')
  writeFileSync(file, `# ours\n[profiles.live] # the shop\n${ours}`, {mode: 0o600})
  const shell = shellAt(origin, {HISAB_CONFIG: file, HISAB_PROFILE: 'live'})
  const learn = (...args: string[]) => shell.run(Doctor, '--learn', '--json', ...args)
  return {shell, learn, seen, read: () => readFileSync(file, 'utf8'), file}
}

const documented = (orderNo: string, status: string, fields: Fields = {}): Fields => ({
  ...{orderNo, platformOrderNo: `PL-${orderNo}`, status},
  ...fields,
})
const foreign = (no: string, state: string, fields: Fields = {}): Fields => ({
  ...{merchantOrder: no, tradeNo: `T-${no}`, state, phone: '01712345678', name: 'Rahim'},
  ...fields,
})

const three = ['--completed', 'D-1', '--open', 'D-2', '--failed', 'D-3'] as const
const threePayouts = ['--completed', 'payout:P-1', '--open', 'payout:P-2', '--failed', 'payout:P-3'] as const
const payoutsOf = (fields: (no: string, word: string) => Fields, words = ['PAID', 'WAIT', 'DEAD']) =>
  Object.fromEntries(words.map((word, index) => [`P-${index + 1}`, fields(`P-${index + 1}`, word)]))

describe('words of one kind', () => {
  const deposits = {
    'D-1': documented('D-1', 'SUCCESS'),
    'D-2': documented('D-2', 'WAIT'),
    'D-3': documented('D-3', 'CLOSED'),
  }
  // Of a payout SUCCESS says that the request was taken, and CLOSED that the money is out.
  const payouts = payoutsOf(documented, ['CLOSED', 'SUCCESS', 'DEAD'])
  const stateOf = (ran: {json(): unknown}) => (ran.json() as {orders: {status: string}[]}).orders[0]?.status

  test('those learned from deposits are not read for payouts: nothing paid reads failed, nothing open completed', async () => {
    const {learn, shell} = await service({...deposits, ...payouts})
    expect((await learn(...three, '--write', '--yes')).status).toBe(0)
    expect(stateOf(await shell.run(DepositQuery, 'D-1', '--json'))).toBe('completed')
    for (const number of ['P-1', 'P-2', 'P-3']) {
      const ran = await shell.run(PayoutQuery, number, '--json')
      expect([number, stateOf(ran), ran.status]).toEqual([number, 'unknown_status', 7])
    }
  })

  test('one word may mean two things, and each kind is read by its own', async () => {
    const {learn, shell, read} = await service({...deposits, ...payouts})
    expect((await learn(...three, ...threePayouts, '--write', '--yes')).status).toBe(0)
    expect(read()).toContain(`[profiles.live.status.payout]
completed = ["completed", "CLOSED"]
open = ["processing", "pending", "SUCCESS"]
failed = ["failed", "DEAD"]
`)
    const asked = [
      ...['D-1', 'D-2', 'D-3'].map((number) => [DepositQuery, number] as const),
      ...['P-1', 'P-2', 'P-3'].map((number) => [PayoutQuery, number] as const),
    ]
    const states: (string | undefined)[] = []
    for (const [command, number] of asked) states.push(stateOf(await shell.run(command, number, '--json')))
    expect(states).toEqual(['completed', 'open', 'failed', 'completed', 'open', 'failed'])
  })
})

describe('words', () => {
  test('what a word means is taken from who was told, whole lists are proposed', async () => {
    const {learn} = await service({
      'D-1': documented('D-1', 'PAID'),
      'D-2': documented('D-2', 'WAIT'),
      'D-3': documented('D-3', 'DEAD'),
    })
    const ran = await learn('--completed', 'D-1', '--open', 'D-2', '--failed', 'D-3')
    expect(ran.json()).toMatchObject({
      unexplained: [],
      toml: `[profiles.live.status.deposit]
completed = ["completed", "PAID"]
open = ["processing", "pending", "WAIT"]
failed = ["failed", "DEAD"]
`,
      readBack: [
        {orderNo: 'D-1', status: 'completed'},
        {orderNo: 'D-2', status: 'open'},
        {orderNo: 'D-3', status: 'failed'},
      ],
      written: null,
    })
    expect(ran.status).toBe(0)
  })

  test.each(['PAID', 'SUCCESS', 'COMPLETED', 'Completed', 'done'])(
    '"%s" is never taken for paid by itself: 8, and nothing is proposed',
    async (word) => {
      const {learn, read} = await service({'D-1': documented('D-1', word)})
      const ran = await learn('D-1', '--yes', '--write')
      expect(ran.json()).toMatchObject({unexplained: [word], toml: null, written: null})
      expect(ran.status).toBe(8)
      expect(read()).toBe('# ours\n[profiles.live] # the shop\n')
    },
  )

  test('a word the profile knows needs nobody', async () => {
    const {learn} = await service({'D-1': documented('D-1', 'completed')})
    const ran = await learn('D-1')
    expect(ran.json()).toMatchObject({unexplained: [], toml: null})
    expect(ran.status).toBe(0)
  })

  test('one word for orders that are told apart is a contradiction', async () => {
    const {learn} = await service({'D-1': documented('D-1', 'DONE'), 'D-2': documented('D-2', 'DONE')})
    const ran = await learn('--completed', 'D-1', '--failed', 'D-2')
    expect(ran.json()).toMatchObject({
      error: {code: 'input_invalid', message: expect.stringContaining('DONE')},
    })
    expect(ran.status).toBe(2)
  })
})

describe('nothing is written that was not proven', () => {
  const wrapped = (orderNo: string, orderStatus: string, fields: Fields = {}) =>
    documented(orderNo, 'SUCCESS', {orderStatus, ...fields})
  const told = ['--completed', 'D-1=500.00', '--open', 'D-2', '--failed', 'D-3'] as const

  type Case = readonly [args: readonly string[], orders: Record<string, Fields>, said: RegExp]
  const cases: Record<string, Case> = {
    'the call’s own status is no state: one example alone proves nothing': [
      ['--completed', 'D-1'],
      {'D-1': wrapped('D-1', 'PAID')},
      /More known orders are needed/,
    ],
    'examples of completed alone, however many': [
      ['--completed', 'D-1', '--completed', 'D-2'],
      {'D-1': documented('D-1', 'PAID'), 'D-2': documented('D-2', 'PAID')},
      /More known orders are needed/,
    ],
    'examples of what is not completed alone': [
      ['--failed', 'D-1', '--open', 'D-2'],
      {'D-1': documented('D-1', 'DEAD'), 'D-2': documented('D-2', 'WAIT')},
      /More known orders are needed/,
    ],
    'a counter-example that nobody vouches for': [
      ['--completed', 'D-1', 'D-2'],
      {'D-1': documented('D-1', 'PAID'), 'D-2': documented('D-2', 'processing')},
      /More known orders are needed/,
    ],
    'counter-examples of the other kind: all deposits may say so': [
      ['--completed', 'D-1', '--completed', 'payout:P-6', '--open', 'payout:P-7', '--failed', 'payout:P-8'],
      {
        'D-1': documented('D-1', 'SUCCESS'),
        'P-6': documented('P-6', 'completed'),
        'P-7': documented('P-7', 'WAIT'),
        'P-8': documented('P-8', 'failed'),
      },
      /More known orders are needed/,
    ],
    'a terminal word: completed and open are told, and a failed one would say DONE too': [
      ['--completed', 'D-1', '--open', 'D-2'],
      {'D-1': documented('D-1', 'DONE'), 'D-2': documented('D-2', 'WAIT')},
      /More known orders are needed/,
    ],
    'a word of not open: completed and failed are told, and an open one would say BUSY too': [
      ['--completed', 'D-1', '--failed', 'D-3'],
      {'D-1': documented('D-1', 'PAID'), 'D-3': documented('D-3', 'BUSY')},
      /More known orders are needed/,
    ],
    'whether the merchant was notified': [
      ['--completed', 'D-1=500.00', '--open', 'D-2'],
      {
        'D-1': wrapped('D-1', 'x', {orderStatus: 2, notifyStatus: 'SENT', amount: '500.00'}),
        'D-2': wrapped('D-2', 'x', {orderStatus: 1, notifyStatus: 'NONE'}),
      },
      /You gave D-1 as completed/,
    ],
    ...Object.fromEntries(
      [
        ...['notifyStatus', 'webhookState', 'callback_status', 'syncStatus', 'refundStatus', 'cbStatus'],
        ...['ackStatus', 'auditStatus', 'kycStatus', 'payerStatus', 'reviewState', 'withdrawStatus'],
      ].map((name): [string, Case] => [
        `${name}, though it tells three orders apart`,
        [
          told,
          {
            'D-1': documented('D-1', 'SUCCESS', {[name]: 'SENT', amount: '500.00'}),
            'D-2': documented('D-2', 'SUCCESS', {[name]: 'NONE'}),
            'D-3': documented('D-3', 'SUCCESS', {[name]: 'GIVEN_UP'}),
          },
          /You gave D-1 as completed/,
        ],
      ]),
    ),
    'a field of words where a number tells the orders apart as well': [
      told,
      {
        'D-1': wrapped('D-1', 'x', {orderStatus: 2, state: 'S2', amount: '500.00'}),
        'D-2': wrapped('D-2', 'x', {orderStatus: 1, state: 'S1'}),
        'D-3': wrapped('D-3', 'x', {orderStatus: 3, state: 'S0'}),
      },
      /You gave D-1 as completed/,
    ],
    'an order that was asked too early says processing': [
      ['--completed', 'D-1', '--failed', 'D-3'],
      {'D-1': documented('D-1', 'processing'), 'D-3': documented('D-3', 'DEAD')},
      /"processing" is a status of the service document/,
    ],
    'failed, told completed': [
      ['--completed', 'D-1', '--failed', 'D-3'],
      {'D-1': documented('D-1', 'failed'), 'D-3': documented('D-3', 'DEAD')},
      /"failed" is a status of the service document/,
    ],
    'completed, told failed': [
      ['--completed', 'D-1', '--failed', 'D-3'],
      {'D-1': documented('D-1', 'PAID'), 'D-3': documented('D-3', 'completed')},
      /"completed" is a status of the service document/,
    ],
    'an answer about another merchant': [
      told,
      {
        'D-1': documented('D-1', 'PAID', {amount: '500.00', merchantId: 'another'}),
        'D-2': documented('D-2', 'WAIT'),
        'D-3': documented('D-3', 'DEAD'),
      },
      /D-1.*another merchant/,
    ],
    'an order that is not there': [
      told,
      {'D-1': documented('D-1', 'PAID', {amount: '500.00'}), 'D-3': documented('D-3', 'DEAD')},
      /D-2/,
    ],
    'another amount than was told': [
      told,
      {
        'D-1': documented('D-1', 'PAID', {amount: '900.00'}),
        'D-2': documented('D-2', 'WAIT'),
        'D-3': documented('D-3', 'DEAD'),
      },
      /D-1.*500\.00.*900\.00/,
    ],
    'an amount in paisa under the documented name': [
      told,
      {
        'D-1': documented('D-1', 'PAID', {amount: '50000'}),
        'D-2': documented('D-2', 'WAIT'),
        'D-3': documented('D-3', 'DEAD'),
      },
      /"amount" holds 100 times .* paisa/,
    ],
    'an amount in paisa under another name': [
      told,
      {
        'D-1': documented('D-1', 'PAID', {amountInPaisa: 50000}),
        'D-2': documented('D-2', 'WAIT'),
        'D-3': documented('D-3', 'DEAD'),
      },
      /"amountInPaisa" holds 100 times .* paisa/,
    ],
    'an amount of another name, be it equal to all that were told': [
      ['--completed', 'D-1=500.00', '--failed', 'D-3=700.00'],
      {
        'D-1': documented('D-1', 'completed', {minAmount: '500.00'}),
        'D-3': documented('D-3', 'failed', {minAmount: '700.00'}),
      },
      /D-1.*500\.00.*no amount/,
    ],
    'a field for the status that payouts share, and no payout is named': [
      told,
      {
        'D-1': wrapped('D-1', 'PAID', {amount: '500.00'}),
        'D-2': wrapped('D-2', 'WAIT'),
        'D-3': wrapped('D-3', 'DEAD'),
      },
      /response\.status orderStatus/,
    ],
    'a refund is not the amount': [
      told,
      {
        'D-1': documented('D-1', 'PAID', {refundAmount: '0.00'}),
        'D-2': documented('D-2', 'WAIT'),
        'D-3': documented('D-3', 'DEAD'),
      },
      /D-1.*500\.00/,
    ],
  }

  test.each(Object.entries(cases))('%s', async (_what, [args, orders, said]) => {
    const {learn, read} = await service(orders)
    const ran = await learn(...args, '--write', '--yes')
    expect(read()).toBe('# ours\n[profiles.live] # the shop\n')
    expect(ran.json()).toMatchObject({toml: null, written: null})
    expect((ran.json() as {obstacles: string[]}).obstacles.join('\n')).toMatch(said)
    expect([7, 8]).toContain(ran.status)
  })

  test.each<[told: string, word: string]>([
    ['--completed', 'WAIT'],
    ['--failed', 'WAIT'],
    ['--open', 'PAID'],
    ['--completed', 'DEAD'],
  ])('%s: a word that the profile knows is not moved: %s', async (flag, word) => {
    const ours = `[profiles.live.status]
completed = ["completed", "PAID"]
open = ["processing", "pending", "WAIT"]
failed = ["failed", "DEAD"]
`
    const {learn, read} = await service(
      {
        'D-0': documented('D-0', word),
        'D-1': documented('D-1', 'completed'),
        'D-2': documented('D-2', 'processing'),
        'D-3': documented('D-3', 'failed'),
      },
      ours,
    )
    const before = read()
    const ran = await learn(
      ...[flag, 'D-0', '--completed', 'D-1', '--open', 'D-2', '--failed', 'D-3', '--write', '--yes'],
    )
    expect(ran.json()).toMatchObject({toml: null, obstacles: [expect.stringContaining(`"${word}" is`)]})
    expect(read()).toBe(before)
    expect(ran.status).toBe(8)
  })

  test('the status is the field that tells the named orders apart, not the call’s own nor the notification’s', async () => {
    const {learn, read} = await service({
      'D-1': wrapped('D-1', 'PAID', {notifyStatus: 'SENT'}),
      'D-2': wrapped('D-2', 'WAIT', {notifyStatus: 'NONE'}),
      'D-3': wrapped('D-3', 'DEAD', {notifyStatus: 'GIVEN_UP'}),
      ...payoutsOf(wrapped),
    })
    const ran = await learn(...three, ...threePayouts, '--write', '--yes')
    expect(ran.status).toBe(0)
    expect(read()).toContain('status = "orderStatus"')
    expect(read()).not.toContain('SUCCESS')
  })

  const tellAmounts = ['--completed', 'D-1=500.00', 'payout:P-8=70.00', '--failed', 'D-3', '--write', '--yes']

  test('the amount is what holds the amounts that were told', async () => {
    const {learn, read} = await service({
      'D-1': documented('D-1', 'completed', {pay_amount: '5.00', money: 500}),
      'D-3': documented('D-3', 'failed', {}),
      'P-8': documented('P-8', 'completed', {money: '70.00', pay_amount: '5.00'}),
    })
    const ran = await learn(...tellAmounts)
    expect(ran.json()).toMatchObject({
      readBack: [{amount: '70.00'}, {status: 'completed', amount: '500.00'}, {status: 'failed'}],
    })
    expect(read()).toContain('amount = "money"')
  })

  test.each(['paidAmount', 'realAmount', 'actualMoney', 'refundAmount'])(
    'what was asked and what came are not told apart by orders in which they are equal: %s',
    async (rival) => {
      const order = (no: string, amount: string, came = amount) =>
        documented(no, no === 'D-3' ? 'failed' : 'completed', {orderAmount: amount, [rival]: came})
      const answers = {
        'D-1': order('D-1', '500.00'),
        'D-3': order('D-3', '9.00'),
        'P-8': order('P-8', '70.00'),
      }
      const alike = await service(answers)
      const ran = await alike.learn(...tellAmounts)
      expect([ran.status, ran.json().toml, alike.read()]).toEqual([
        8,
        null,
        expect.not.stringContaining('mount ='),
      ])
      const apart = await service({...answers, 'P-8': order('P-8', '70.00', '65.00')})
      expect((await apart.learn(...tellAmounts)).status).toBe(0)
      expect(apart.read()).toContain('amount = "orderAmount"')
    },
  )

  test('an amount of deposits is not learned for payouts, of which it may be the fee', async () => {
    const {learn, read} = await service({
      'D-1': documented('D-1', 'completed', {money: '500.00'}),
      'D-3': documented('D-3', 'failed', {}),
    })
    const ran = await learn('--completed', 'D-1=500.00', '--failed', 'D-3', '--write', '--yes')
    expect([ran.status, ran.stdout]).toEqual([8, expect.stringContaining('the amount of one of each')])
    expect(read()).not.toContain('money')
  })

  test('an amount that nobody told is not learned', async () => {
    const {learn} = await service({'D-1': documented('D-1', 'completed', {amountInPaisa: 50000})})
    const ran = await learn('--completed', 'D-1')
    expect(ran.json()).toMatchObject({toml: null})
    expect(ran.status).toBe(8)
  })
})

describe('names', () => {
  test('fields are found by what they hold, and the proposal is proved by reading with it', async () => {
    const {learn, read, shell, file} = await service({
      'D-1': foreign('D-1', 'PAID', {money: '500.00'}),
      'D-2': foreign('D-2', 'failed'),
      'D-3': foreign('D-3', 'pending'),
      'P-7': foreign('P-7', 'processing', {money: 70}),
      'P-8': foreign('P-8', 'completed'),
      'P-9': foreign('P-9', 'failed'),
    })
    const payouts = ['--completed', 'payout:P-8', '--failed', 'payout:P-9']
    const told = [
      ...['--completed', 'D-1=500.00', '--open', 'payout:P-7=70', '--open', 'D-3', '--failed', 'D-2'],
      ...payouts,
    ]
    const ran = await learn(...told, '--yes', '--write')
    expect(ran.json()).toMatchObject({
      written: file,
      readBack: [
        {orderNo: 'D-1', status: 'completed', amount: '500.00'},
        {orderNo: 'P-8', status: 'completed', amount: null},
        {orderNo: 'P-7', status: 'open', amount: '70.00'},
        {orderNo: 'D-3', status: 'open', amount: null},
        {orderNo: 'D-2', status: 'failed', amount: null},
        {orderNo: 'P-9', status: 'failed', amount: null},
      ],
    })
    expect(read()).toBe(`# ours
[profiles.live] # the shop

[profiles.live.response]
order_no = "merchantOrder"
platform_order_no = "tradeNo"
status = "state"
amount = "money"

[profiles.live.status.deposit]
completed = ["completed", "PAID"]
`)
    const queried = await shell.run(DepositQuery, 'D-1', '--json')
    expect(queried.json()).toMatchObject({orders: [{found: true, status: 'completed', amount: '500.00'}]})
  })

  test('where two fields fit, a person chooses', async () => {
    const order = {...foreign('D-1', 'PAID'), orderStatus: 'PAID'}
    const {learn} = await service({'D-1': order})
    const ran = await learn('--completed', 'D-1')
    const {fields} = ran.json() as unknown as {fields: {field: string; state: string; candidates: string[]}[]}
    expect(fields.find(({field}) => field === 'status')).toMatchObject({
      state: 'undecided',
      candidates: ['state', 'orderStatus'],
    })
    expect(ran.status).toBe(8)
  })

  test('a fee is not taken for the amount, nor a statement for the status', async () => {
    const order = {merchantOrder: 'D-1', tradeNo: 'T', statement: 'x', feeAmount: '1.00', state: 'completed'}
    const {learn} = await service({
      'D-1': order,
      'D-2': {...order, merchantOrder: 'D-2', state: 'pending'},
      'D-3': {...order, merchantOrder: 'D-3', state: 'failed'},
      ...payoutsOf(
        (merchantOrder, state) => ({...order, merchantOrder, state}),
        ['completed', 'processing', 'failed'],
      ),
    })
    const {toml} = (await learn(...three, ...threePayouts)).json()
    expect(toml).toContain('status = "state"')
    expect(toml).not.toContain('amount')
  })

  test('deposits and payouts may name their number differently', async () => {
    const {learn} = await service({
      'D-1': {depositNo: 'D-1', platformOrderNo: 'PL', status: 'completed'},
      'P-7': {payoutNo: 'P-7', platformOrderNo: 'PL', status: 'completed'},
    })
    expect((await learn('D-1', 'payout:P-7')).json()).toMatchObject({
      toml: '[profiles.live.response]\norder_no = ["depositNo", "payoutNo"]\n',
    })
  })

  test('an answer that would not be believed says so, whatever is proposed', async () => {
    const {learn} = await service({'D-1': {...documented('D-1', 'completed'), merchantId: 'another'}})
    expect((await learn('D-1')).json()).toMatchObject({
      readBack: [{status: null, why: expect.stringContaining('another merchant')}],
    })
  })

  test('nobody’s phone or name is shown', async () => {
    const {shell} = await service({'D-1': foreign('D-1', 'PAID', {money: '500.00'})})
    const {stdout} = await shell.run(Doctor, '--learn', '--completed', 'D-1')
    expect(stdout).toContain('phone')
    expect(stdout).not.toMatch(/01712345678|Rahim/)
  })
})

describe('orders that teach nothing', () => {
  test.each<[what: string, orders: Record<string, Fields | Answering>, status: number]>([
    ['one that is not there', {}, 7],
    ['one without an answer', {'D-1': json({}, 503)}, 8],
    ['rejected credentials', {'D-1': json({}, 401)}, 3],
  ])('%s: %#', async (_what, orders, status) => {
    const {learn} = await service(orders)
    expect((await learn('D-1')).status).toBe(status)
  })

  test.each([
    [[], /needs orders/],
    [['--completed', 'D-1', '--failed', 'D-1'], /was given as completed and as failed/],
    [['x'.repeat(33)], /not an order number/],
  ])('nothing is asked for %j', async (args, said) => {
    const {learn, seen} = await service({})
    expect((await learn(...args)).json()).toMatchObject({
      error: {code: 'usage', message: expect.stringMatching(said)},
    })
    expect(seen).toEqual([])
  })
})

test('what the service says cannot drive the terminal', async () => {
  const {shell} = await service({'D-1': {...documented('D-1', '\u001b[31mPAID\u202e'), '\u001b[2J': 'x'}})
  const {stdout} = await shell.run(Doctor, '--learn', '--completed', 'D-1')
  expect(stdout).not.toMatch(/\u001b|\u202e/)
})
