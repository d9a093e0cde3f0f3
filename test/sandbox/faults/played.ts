import {onTestFinished} from 'vitest'

import {ServiceClient, type ServiceClientOptions} from '../../../src/api/client.ts'
import {defaultDialect} from '../../../src/core/dialect.ts'
import {
  defaultLedgerMapping,
  noPayoutLimits,
  sandboxCredentials,
  sandboxMerchantId,
} from '../../../src/core/profile.ts'
import {steppedClock} from '../../../src/sandbox/clock.ts'
import type {Sandbox} from '../../../src/sandbox/start.ts'
import {DemoMerchant} from '../../../src/workflows/demo/merchant.ts'
import {shellWithSandbox} from '../../commands/run-command.ts'

export const morning = Date.parse('2026-11-20T06:00:00Z')

/** A service with these faults from its start, and hisab beside it. */
export function shellWithChaos(...chaos: string[]) {
  return shellWithSandbox({clock: steppedClock(morning), faults: {chaos, seed: 7}})
}

/** hisab's client of that service; it does not really wait, and says for how long it would have. */
export function clientOf(sandbox: Sandbox, options: Partial<ServiceClientOptions> = {}) {
  const {baseUrl, applyUrl, legacyUrl} = sandbox
  const waitedMs: number[] = []
  const client = new ServiceClient({
    profile: {
      name: 'sandbox',
      environment: 'sandbox',
      isEnvironmentNamed: false,
      merchantId: sandboxMerchantId,
      baseUrl,
      applyUrl,
      legacyUrl,
      returnUrl: null,
      dialect: defaultDialect,
      ledger: defaultLedgerMapping,
      payouts: noPayoutLimits,
    },
    credentials: sandboxCredentials,
    sleep: async (ms) => void waitedMs.push(ms),
    ...options,
  })
  onTestFinished(() => client.close())
  return {client, waitedMs}
}

/** A merchant that verifies, books once, and answers 200: what a receiver should be. */
export async function openMerchant() {
  const merchant = new DemoMerchant(sandboxCredentials.apiSecret, new Set())
  const returnUrl = await merchant.listen()
  onTestFinished(() => merchant.close())
  return {
    returnUrl,
    books: merchant.books,
    expect: (orderNo: string) =>
      merchant.open({kind: 'deposit', orderNo, playerRef: 'player-7', createdAtMs: morning, amount: null}),
  }
}
