import {cpSync, mkdirSync} from 'node:fs'
import {join} from 'node:path'

import {parsePaisa} from '../../src/core/money.ts'
import {realClock, steppedClock} from '../../src/sandbox/clock.ts'
import {type Sandbox, startSandbox} from '../../src/sandbox/start.ts'
import {askAt, depositFields, post, signed} from '../sandbox/acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from '../sandbox/receiver-server.ts'

const hourMs = 3_600_000

/** A day behind every transcript: played once into a folder, from which each page gets a service of its own. */
export interface Rehearsal {
  /** The service, as `hisab sandbox start` would run it now, with the day's orders in it. */
  serve(dataDir: string): Promise<Sandbox>
  close(): Promise<void>
}

/**
 * D-1001, D-1003 and D-1007 are paid and their webhooks taken, D-1002 and D-1009 are paid while the merchant's
 * server is down until the retries are used up, D-1004 expires, D-1005 stays open.
 */
export async function rehearse(dir: string): Promise<Rehearsal> {
  const receiver = await openReceiver()
  const played = join(dir, 'played')
  mkdirSync(played)
  await playDay(played, receiver)
  return {
    async serve(dataDir) {
      cpSync(played, dataDir, {recursive: true})
      return await startSandbox({port: 0, dataDir, clock: realClock()})
    },
    close: () => receiver.close(),
  }
}

async function playDay(dataDir: string, receiver: TestReceiver): Promise<void> {
  const clock = steppedClock(Date.now() - 9 * hourMs)
  const sandbox = await startSandbox({port: 0, dataDir, clock})
  const {control} = sandbox
  const ask = askAt(sandbox.baseUrl)
  for (const number of [1001, 1002, 1003, 1004, 1005, 1007, 1009]) {
    await post(
      ask,
      '/pay/order/create',
      signed(depositFields({orderNo: `D-${number}`, returnUrl: receiver.url})),
    )
  }
  const pay = (orderNo: string, amount: string) => control.payDeposit(orderNo, parsePaisa(amount) ?? 0n)
  await pay('D-1001', '500.00')
  await pay('D-1003', '750.00')
  await control.expireDeposit('D-1004')
  await pay('D-1007', '300.00')
  receiver.answer = status(503)
  await pay('D-1002', '1200.00')
  await pay('D-1009', '2000.00')
  await control.advanceBy(8 * hourMs)
  receiver.answer = status(200)
  await sandbox.close()
}
