import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import PayoutCreate from '../../src/commands/payout/create.ts'
import {json, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, payout} from './bookkeeper.ts'

/** A-1 paid and accepted, D-1 of another amount to the same account paid and in doubt. */
async function besideDoubt() {
  const played = await bookkeeper()
  const {service, shell} = played
  expect((await shell.run(PayoutCreate, ...payout('A-1', '500'))).status).toBe(0)
  Object.assign(service, {answer: json({code: 'BUSY'}, 409), query: text('busy', 503)})
  expect((await shell.run(PayoutCreate, ...payout('D-1', '900'))).status).toBe(6)
  Object.assign(service, {answer: null, query: null})
  return played
}

const firstTheDoubt = {
  code: 'payout_repeated',
  exitCode: 2,
  message: expect.stringMatching(/perhaps already sent as D-1 with BDT 900\.00/),
  hint: expect.stringMatching(/^End the doubt first: `hisab payout query D-1`/),
}

test('a repetition hides no doubt to the same account, and --allow-repeat pays beside none unnamed', async () => {
  const {shell, paid} = await besideDoubt()
  const refused = await shell.run(PayoutCreate, ...payout('B-1', '500'))
  expect(refused.json()).toMatchObject({error: firstTheDoubt})
  expect(paid()).toBe(140_000n)
  const allowed = await shell.run(PayoutCreate, ...payout('B-1', '500'), '--allow-repeat')
  expect([allowed.status, allowed.json()]).toMatchObject([0, {besideInDoubt: ['D-1']}])
  expect(allowed.stderr).toMatch(/note: the payout D-1, BDT 900.00 to 018\*+5678, is in doubt/)
})

test('of a file the doubt is named before any repetition, in whichever row it stands', async () => {
  const {shell, paid} = await besideDoubt()
  expect((await shell.run(PayoutCreate, ...payout('A-2', '70', '01912345678'))).status).toBe(0)
  const path = join(tempDir(), 'payouts.csv')
  const rows = ['B-2,70.00,BKASH,Rahim,01912345678', 'B-1,880.00,BKASH,Rahim,01812345678']
  writeFileSync(path, ['out_order_no,amount,bank_type,user_name,account', ...rows, ''].join('\n'))
  const refused = await shell.run(PayoutCreate, '--from', path, '--yes', '--json')
  expect(refused.json()).toMatchObject({error: firstTheDoubt})
  expect(paid()).toBe(147_000n)
  expect(refused.json()).toMatchObject({
    error: {hint: expect.stringContaining('add --intended="B-1" --intended="B-2".')},
  })
  // One that is intended lifts no other row's guard.
  const one = await shell.run(PayoutCreate, '--from', path, '--yes', '--json', '--intended', 'B-1')
  expect(one.json()).toMatchObject({
    error: {
      message: expect.stringMatching(/^B-2 pays/),
      hint: expect.stringContaining('add --intended="B-2".'),
    },
  })
  expect(paid()).toBe(147_000n)
  const both = ['--intended', 'B-1', '--intended', 'B-2']
  const allowed = await shell.run(PayoutCreate, '--from', path, '--yes', '--json', ...both)
  expect([allowed.status, allowed.json()]).toMatchObject([0, {besideInDoubt: ['D-1']}])
  expect(allowed.stderr).toMatch(/note: the payout D-1, BDT 900.00 to 018\*+5678, is in doubt/)
})
