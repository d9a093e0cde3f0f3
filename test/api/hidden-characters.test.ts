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
])('an order number with %s', async (_what, orderNo, problem) => {
  const client = clientAt('http://127.0.0.1:9')
  const prepare = async () => client.prepareDeposit({...deposit, orderNo})
  if (problem === null) await prepare()
  else expect((await failureFrom(prepare())).message).toContain(`The field orderNo ${problem}`)
})
