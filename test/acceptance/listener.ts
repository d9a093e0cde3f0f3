import {onTestFinished} from 'vitest'

import {demoAccount, type Fields, signed} from '../sandbox/acting-merchant.ts'
import {type Ended, OwnHome, type Running, type RunOptions} from './own-home.ts'

/** A home with the profile `sandbox`, gone when the test is over. Of tests side by side only their context knows which one. */
export function sandboxHome(context = {onTestFinished}): OwnHome {
  const home = new OwnHome({HISAB_PROFILE: 'sandbox'})
  context.onTestFinished(() => home.remove())
  return home
}

export interface Listener extends Running {
  readonly url: string
  stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<Ended>
}

/** The built binary, listening on a port of its own. */
export async function startListener(
  home: OwnHome,
  args: readonly string[] = [],
  options?: RunOptions,
): Promise<Listener> {
  const running = home.start(['webhooks', 'listen', '--port', '0', ...args], options)
  const said = await running.says('Ctrl-C ends it.')
  const url = /^Listening at (http:\S+)$/m.exec(said)?.[1]
  if (url === undefined) throw new Error(`it did not say where it listens: ${said}`)
  return {
    ...running,
    url,
    async stop(signal) {
      process.kill(running.pid, signal)
      return await running.ended
    },
  }
}

/** A paid deposit's webhook, signed by the tests' own code. */
export function paidBody(orderNo: string, fields: Fields = {}): string {
  return JSON.stringify(
    signed({
      event: 'order.completed',
      orderNo,
      platformOrderNo: `PF-${orderNo}`,
      status: 'completed',
      amount: '500.00',
      playerRef: '01712345678',
      ...fields,
    }),
  )
}

/** The HTTP status, or null where the connection broke before one came. */
export async function post(url: string, body: string): Promise<number | null> {
  try {
    const answer = await fetch(url, {method: 'POST', body})
    await answer.text()
    return answer.status
  } catch {
    return null
  }
}

export interface ListedEvent {
  readonly orderNo: string
  readonly conflict: boolean
}

/** What `events list` knows. */
export async function storedEvents(home: OwnHome): Promise<ListedEvent[]> {
  const {stdout} = await home.run(['events', 'list', '--limit', '100000', '--json'])
  return (JSON.parse(stdout) as {events: ListedEvent[]}).events
}

export const {apiSecret} = demoAccount
