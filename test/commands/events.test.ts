import {expect, test} from 'vitest'

import Doctor from '../../src/commands/doctor.ts'
import EventsList from '../../src/commands/events/list.ts'
import {sandboxMerchantId} from '../../src/core/profile.ts'
import {openInbox} from '../../src/receiver/inbox.ts'
import {readWebhook} from '../../src/receiver/webhook.ts'
import {sortedRules} from '../receiver/fixture.ts'
import {type Shell, shellWithSandbox} from './run-command.ts'

const account = {environment: 'sandbox', merchantId: sandboxMerchantId} as const

/** Events that the merchant's server refused, and `booked`, which it took. */
async function received({dataDir}: Shell, refused: number, booked: readonly object[] = []) {
  const inbox = openInbox({dataDir, account})
  const numbers = Array.from({length: refused}, (_, n) => ({platformOrderNo: `PF-${n}`, orderNo: `D-${n}`}))
  for (const [at, fields] of [...numbers, ...booked].entries()) {
    const event = {
      event: 'order.completed',
      playerRef: 'u-1',
      status: 'completed',
      amount: '500.00',
      ...fields,
    }
    const webhook = readWebhook(event, sortedRules)
    const {id = 0, claim} = webhook ? await inbox.take(webhook, Date.now(), 1_000) : {}
    const isTaken = at >= refused
    if (claim)
      await inbox.recordForward(id, claim, {
        ...{httpStatus: isTaken ? 200 : 503, acknowledgedAtMs: isTaken ? Date.now() : null},
      })
  }
  inbox.close()
}

const eventsOf = async (shell: Shell) => {
  const {checks} = (await shell.run(Doctor, '--offline', '--json')).json() as {
    checks: {name: string; status: string; why: string; next: string | null}[]
  }
  const {status, why, next} = checks.find(({name}) => name === 'events') ?? {}
  return [status, why, next]
}

test('a list that leaves some out says so, and how to see them', async () => {
  const {shell} = await shellWithSandbox()
  await received(shell, 25)
  const short = await shell.run(EventsList, '--pending', '--json')
  expect(short.json()).toMatchObject({total: 25, events: {length: 20}})
  expect(short.stderr).toContain('The newest 20 of 25. For all: --limit 25.')
  const whole = await shell.run(EventsList, '--pending', '--limit', '25')
  expect([whole.stdout.trim().split('\n').length, whole.stderr]).toEqual([26, ''])
})

test('doctor names what your server has not acknowledged', async () => {
  const {shell} = await shellWithSandbox()
  expect(await eventsOf(shell)).toEqual(['ok', 'none received', null])
  const one = {platformOrderNo: 'PF-9', orderNo: 'D-9'}
  await received(shell, 0, [one])
  expect(await eventsOf(shell)).toEqual(['ok', 'all acknowledged', null])
  await received(shell, 2, [{...one, amount: '900.00'}])
  const says = '2 events and 1 contradiction that your server has not acknowledged'
  expect(await eventsOf(shell)).toEqual(['warning', says, 'List them: hisab events list --pending.'])
})
