import {expect} from 'vitest'
import type {Call} from '../fake-service/calls.ts'
import {killed} from './own-home.ts'
import type {Scenario} from './scenario.ts'

/**
 * Runs hisab until the service has seen the call, kills the process there, and returns the call. The service then
 * acts on what it has received, or, when nothing is `delivered`, on none of it.
 */
export async function killRunAt(
  scenario: Scenario,
  argv: readonly string[],
  matches: (call: Call) => boolean,
  delivered = true,
): Promise<Call> {
  const held = scenario.service.calls.hold(matches)
  const running = scenario.machine.start(argv)
  const call = await held.seen
  const {status} = await running.end('SIGKILL')
  expect(status, 'the run was over before it could be killed').toBe(killed)
  if (delivered) held.letGo()
  else held.lose()
  return call
}
