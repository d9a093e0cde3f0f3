import {expect, it, onTestFinished} from 'vitest'

import SandboxClock from '../../src/commands/sandbox/clock.ts'
import {steppedClock} from '../../src/sandbox/clock.ts'
import type {SandboxEvent} from '../../src/sandbox/events.ts'
import {askAt, depositFields, post, signed} from '../sandbox/acting-merchant.ts'
import {openReceiver, status} from '../sandbox/receiver-server.ts'
import {shellAt, shellWithSandbox} from './run-command.ts'

const morning = Date.parse('2026-11-20T06:00:00Z')

/** Five deposits paid while the merchant's server is down, and the 7 h 21 min after them. */
async function playOutage(): Promise<{said: string; retries: string[]}> {
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  receiver.answer = status(503)
  const retries: string[] = []
  const log = (event: SandboxEvent) => {
    if (event.type !== 'delivery_attempted') return
    const at = sandbox.control.now() - morning
    retries.push(`${at / 60_000} min: attempt ${event.attempts} of ${event.orderNo}`)
  }
  const {sandbox, shell} = await shellWithSandbox({clock: steppedClock(morning), log})
  for (const orderNo of ['D-1', 'D-2', 'D-3', 'D-4', 'D-5']) {
    const fields = signed(depositFields({orderNo, returnUrl: receiver.url}))
    await post(askAt(sandbox.baseUrl), '/pay/order/create', fields)
    await sandbox.control.payDeposit(orderNo, 500_00n)
  }
  const {stdout} = await shell.run(SandboxClock, '--advance', '7h21m')
  return {said: stdout.trim(), retries}
}

it('plays the 7 h 21 min of retries at once, and the same way each time', async () => {
  const first = await playOutage()
  expect(first.said).toBe('2026-11-20T19:21:00+06:00 in Dhaka, is stopped; 25 webhook attempts on the way')
  expect(first.retries).toHaveLength(30)
  expect(first.retries.slice(5, 7)).toEqual(['1 min: attempt 2 of D-1', '1 min: attempt 2 of D-2'])
  expect(first.retries.at(-1)).toBe('441 min: attempt 6 of D-5')
  expect((await playOutage()).retries).toEqual(first.retries)
})

it('shows, scales and freezes', async () => {
  const {shell} = await shellWithSandbox({clock: steppedClock(morning)})
  expect((await shell.run(SandboxClock)).stdout).toBe('2026-11-20T12:00:00+06:00 in Dhaka, is stopped\n')
  expect((await shell.run(SandboxClock, '--scale', '600', '--json')).json()).toMatchObject({timeScale: 600})
  expect((await shell.run(SandboxClock, '--freeze')).stdout).toContain('is stopped')
})

it.each([
  ['a service that is not on this machine', {HISAB_BASE_URL: 'https://pay.example/v1'}, 2],
  ['nobody there', {HISAB_BASE_URL: 'http://127.0.0.1:1/v1'}, 5],
])('%s is not asked', async (_, env, exitStatus) => {
  const {status, stderr} = await shellAt('http://127.0.0.1:1', env).run(SandboxClock, '--freeze')
  expect(status).toBe(exitStatus)
  expect(stderr).toContain('sandbox')
})
