import type {Paisa} from '../core/money.ts'
import {type Credentials, sandboxCredentials, sandboxMerchantId} from '../core/profile.ts'

export interface SandboxMerchant {
  readonly merchantId: string
  /** The name that the payment page shows; without one, the host of `returnUrl`. */
  readonly name?: string
  readonly credentials: Credentials
  /** Only a demo merchant may send `isTest: true` (service §1, §2.1). */
  readonly isDemo: boolean
  /** The balance for payouts when the account is first seen. Collected deposits do not add to it. */
  readonly openingBalance?: Paisa
}

export const demonstrationMerchant: SandboxMerchant = {
  merchantId: sandboxMerchantId,
  name: 'Demonstration shop',
  credentials: sandboxCredentials,
  isDemo: true,
}

/** An account without the demo flag: `isTest: true` is answered with HTTP 400 (service §4.1). */
export const ordinaryMerchant: SandboxMerchant = {
  merchantId: '5a9db0c5-0000-4000-8000-000000000002',
  name: 'Ordinary shop',
  credentials: {
    apiSecret: 'sandbox-ordinary-secret-not-for-live-use',
    apiKey: 'sandbox-ordinary-key-not-for-live-use',
  },
  isDemo: false,
}

export const defaultPayoutBalance: Paisa = 1_000_000_00n

export type MerchantsById = ReadonlyMap<string, SandboxMerchant>
