import {expect, test} from 'vitest'

import type {ServiceClient} from '../../src/api/client.ts'
import {clientAt, deposit, failureFrom, payout, serve, text} from './fixture.ts'

const fields: Record<string, (client: ServiceClient, hidden: string) => unknown> = {
  orderNo: (client, hidden) => client.prepareDeposit({...deposit, orderNo: `D${hidden}1`}),
  playerRef: (client, hidden) => client.prepareDeposit({...deposit, playerRef: `player${hidden}7`}),
  outOrderNo: (client, hidden) => client.preparePayout({...payout, outOrderNo: `P${hidden}1`}),
  userName: (client, hidden) => client.preparePayout({...payout, userName: `Rahim${hidden} Uddin`}),
}

const hidden = {
  'a right-to-left override': ['\u202e', '\\u{202e}'],
  'an isolate': ['\u2066', '\\u{2066}'],
  'a zero-width space': ['\u200b', '\\u{200b}'],
  'a joiner outside Bengali': ['\u200d', '\\u{200d}'],
  'a byte order mark': ['\ufeff', '\\u{feff}'],
  'a control character': ['\u0007', '\\u{7}'],
  'half of a pair': ['\ud83d', '\\u{d83d}'],
} as const

const cells = Object.keys(fields).flatMap((field) =>
  Object.entries(hidden).map(([name, [char, shown]]) => ({field, name, char, shown})),
)

test.each(cells)(
  '$field with $name is refused by name, and nothing is sent',
  async ({field, char, shown}) => {
    const {origin, seen} = await serve(text('{}'))
    const client = clientAt(origin)
    const failure = await failureFrom((async () => fields[field]?.(client, char))())
    expect(failure.exitStatus).toBe(2)
    expect(failure.message).toContain(`The field ${field} holds the invisible character ${shown}`)
    expect(seen).toEqual([])
  },
)

test.each([
  ['a blank before', ' D-1', 'begins or ends with a blank'],
  ['a blank behind', 'D-1 ', 'begins or ends with a blank'],
  ['nothing', '', 'is empty'],
  ['33 characters', 'D'.repeat(33), 'is longer than 32 characters'],
  ['32 characters', 'D'.repeat(32), null],
  ['the letters that name a hidden one', 'D-\\u{200b}', null],
  ['an ordinary blank', 'D 1', null],
  ['a no-break space', 'D\u00a01', 'holds the invisible character \\u{a0}'],
  ['a wide space', 'D\u20031', 'holds the invisible character \\u{2003}'],
  ['a blank of Braille', 'D\u28001', 'holds the invisible character \\u{2800}'],
  ['a joiner between two letters of Bengali', 'র\u200dয', 'holds the invisible character \\u{200d}'],
])('an order number with %s', async (_what, orderNo, problem) => {
  const client = clientAt('http://127.0.0.1:9')
  const prepare = async () => client.prepareDeposit({...deposit, orderNo})
  if (problem === null) await prepare()
  else expect((await failureFrom(prepare())).message).toContain(`The field orderNo ${problem}`)
})

type Prepare = (client: ServiceClient, value: string) => unknown
const prepare = {
  playerRef: (client, playerRef) => client.prepareDeposit({...deposit, playerRef}),
  playerPhone: (client, playerPhone) => client.prepareDeposit({...deposit, playerPhone}),
  returnUrl: (client, returnUrl) => client.prepareDeposit({...deposit, returnUrl}),
  'payout returnUrl': (client, returnUrl) => client.preparePayout({...payout, returnUrl}),
  userName: (client, userName) => client.preparePayout({...payout, userName}),
  account: (client, account) => client.preparePayout({...payout, account}),
  amount: (client, amount) => client.preparePayout({...payout, amount: BigInt(amount)}),
  bankType: (client, bankType) =>
    client.preparePayout({...payout, bankType: bankType as (typeof payout)['bankType']}),
} satisfies Record<string, Prepare>
const address = 'https://shop.example/'

test.each<[field: keyof typeof prepare, value: string, problem: string | null]>([
  ['playerRef', 'u'.repeat(64), null],
  ['playerRef', '😀'.repeat(64), null],
  ['playerRef', 'u'.repeat(65), 'is longer than 64 characters'],
  ['playerRef', ' u', null],
  ['playerRef', 'u&x', null],
  ['playerRef', 'u&x=', 'holds "&" and "="'],
  ['playerPhone', '01312345678', null],
  ['playerPhone', '01212345678', 'is not a mobile number of Bangladesh'],
  ['playerPhone', '0171234567', 'is not a mobile number of Bangladesh'],
  ['playerPhone', '017123456789', 'is not a mobile number of Bangladesh'],
  ['returnUrl', `${address}${'x'.repeat(2_048 - address.length)}`, null],
  ['returnUrl', `${address}${'x'.repeat(2_049 - address.length)}`, 'is longer than 2048 characters'],
  ['returnUrl', 'http://shop.example', null],
  ['returnUrl', 'ftp://shop.example', 'is not an http or https address'],
  ['returnUrl', '', 'is empty'],
  ['payout returnUrl', 'shop.example', 'is not an http or https address'],
  ['userName', 'x'.repeat(5_000), null],
  ['userName', '', 'is empty'],
  ['account', '01812345678', null],
  ['account', '', 'is not a mobile number of Bangladesh'],
  ['amount', '1', null],
  ['amount', '0', 'is not more than zero'],
  ['amount', '-1', 'is not more than zero'],
  ['bankType', 'ROCKET', null],
  ['bankType', 'CASH', 'is not a channel'],
])('%s %j', async (field, value, problem) => {
  const work = async () => prepare[field](clientAt('http://127.0.0.1:9'), value)
  if (problem === null) await expect(work()).resolves.toBeDefined()
  else
    expect((await failureFrom(work())).message).toContain(
      `The field ${field.replace('payout ', '')} ${problem}`,
    )
})
