/**
 * The sandbox for a merchant's own tests: `import {startSandbox} from 'hisab/sandbox'`. It runs in the test's process
 * on its own port, in memory, with a clock that moves only when the test moves it. See docs/testing.md.
 */

import {type Dialect, defaultDialect} from '../core/dialect.ts'
import {Failure} from '../core/failure.ts'
import {formatPaisa, type Paisa, parsePaisa} from '../core/money.ts'
import type {PayoutChannel} from '../core/order.ts'
import {type Credentials, sandboxCredentials, sandboxMerchantId} from '../core/profile.ts'
import {parseInstant, parseSpan} from '../core/time.ts'
import type {AttemptView} from './attempt-view.ts'
import {scaledClock} from './clock.ts'
import type {DeliveryDetail, DeliveryRecord} from './delivery-record.ts'
import type {FaultState} from './faults/fault-service.ts'
import {newSeed} from './faults/seed.ts'
import type {NamedRequest, RequestDiagnosis} from './request-log.ts'
import type {SmsRecord} from './sms/control.ts'
import {startSandbox as start} from './start.ts'
import type {SmsState} from './store/sms.ts'

export type {
  AttemptView,
  Credentials,
  DeliveryDetail,
  DeliveryRecord,
  Dialect,
  FaultState,
  NamedRequest,
  PayoutChannel,
  RequestDiagnosis,
  SmsRecord,
  SmsState,
}
export {Failure}

export interface SandboxSettings {
  /** Port of deposits; payouts have the next one. Default: any two free ports. */
  readonly port?: number
  /** Folder of the state. Default: in memory. */
  readonly dataDir?: string
  /** The time at the start, ISO 8601 with an offset. Default: now. */
  readonly startAt?: string
  /** Speed of the clock as a multiple of real time. Default 0: frozen until `clock.advance`. */
  readonly timeScale?: number
  /** Faults from the start, as `hisab sandbox start --chaos` takes them. */
  readonly chaos?: readonly string[]
  /** Seed of the faults. Default: a random one, shown by `faults.state().seed`. */
  readonly seed?: number
  /** How the service behaves where its document leaves it open (docs/assumptions.md). */
  readonly dialect?: Partial<Dialect>
  /** How long a player has to pay before a deposit fails: `"30m"`, or milliseconds. Default: no limit. */
  readonly payWithin?: string | number
  /** Each merchant's balance for payouts in taka: `"1000.00"`. Default: ten lakh. */
  readonly balance?: string
  readonly merchants?: readonly SandboxAccount[]
  /**
   * How long your receiver has to answer, by the sandbox's clock, or milliseconds. Default `"10s"`. While the clock
   * is stopped or moved by hand it is at most 2 real seconds.
   */
  readonly deliveryTimeout?: string | number
}

export interface SandboxAccount extends Credentials {
  readonly merchantId: string
  /** Whether it may send `isTest: true`. Default false. */
  readonly isDemo?: boolean
  readonly balance?: string
}

/** By default the demonstration merchant. */
export interface OfMerchant {
  readonly merchantId?: string
}

export interface PaymentOptions extends OfMerchant {
  readonly channel?: PayoutChannel
}

/** A webhook with every attempt at it. */
export type SandboxDelivery = DeliveryDetail & {readonly attemptLog: readonly AttemptView[]}

/** A payment SMS word for word, or the payment it is about; without a `trxId` it gets a new one. */
export type SandboxSmsText =
  | {readonly from: string; readonly text: string}
  | {
      readonly channel: PayoutChannel
      readonly sender: string
      readonly amount: string
      readonly trxId?: string
    }

export interface SandboxSms {
  receive(sms: SandboxSmsText): Promise<SmsRecord>
  /** A person at the desk decides that this SMS pays for that deposit. */
  release(id: number, orderNo: string, of?: OfMerchant): Promise<SmsRecord>
  discard(id: number): Promise<SmsRecord>
  list(state?: SmsState): SmsRecord[]
}

/** Requests at the service, newest first, at most the last thousand. */
export interface SandboxRequests {
  list(filter?: {readonly isRefused?: boolean; readonly orderNo?: string}): NamedRequest[]
  /** Why the signature was refused, or null. */
  diagnose(id: number): RequestDiagnosis | null
}

export interface RunningSandbox {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Deposits: `POST {baseUrl}/pay/order/create` and `/pay/order/query`. */
  readonly baseUrl: string
  /** Payouts: `POST {applyUrl}/apply/create` and `/apply/query`. */
  readonly applyUrl: string
  /** The webhook log: `GET {legacyUrl}/api/v1/merchant/webhooks`. */
  readonly legacyUrl: string
  readonly merchantId: string
  /** Demonstration credentials, the same for everybody. */
  readonly credentials: Credentials
  readonly clock: SandboxClock

  /**
   * The player pays. Resolves with the webhook's record after your receiver has answered. Amounts are taka as text,
   * `"500.00"`. This and the next three reject with a `Failure` if the order does not exist or is finished.
   */
  pay(orderNo: string, amount: string, payment?: PaymentOptions): Promise<DeliveryRecord>
  /** The player does not pay: the deposit fails. */
  expire(orderNo: string, of?: OfMerchant): Promise<DeliveryRecord>
  completePayout(outOrderNo: string, of?: OfMerchant): Promise<DeliveryRecord>
  /** The desk refuses; the amount returns to the balance. */
  rejectPayout(outOrderNo: string, of?: OfMerchant): Promise<DeliveryRecord>
  /** What the payment page does: the deposit now waits for an SMS of this amount. */
  choose(orderNo: string, amount: string, payment?: PaymentOptions): void
  /** The balance for payouts, in taka. */
  balance(of?: OfMerchant): string
  readonly sms: SandboxSms
  readonly requests: SandboxRequests

  /** Every webhook so far, oldest first, with every attempt. */
  deliveries(of?: OfMerchant): SandboxDelivery[]
  readonly faults: SandboxFaults
  /** May be called twice. Every other call then throws a `Failure`. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface SandboxClock {
  now(): Date
  /**
   * Moves time on by `"7h21m"`, or by milliseconds. Each webhook that falls due is sent at its own time, one after
   * the other. Resolves with the number of attempts, after the last answer.
   */
  advance(span: string | number): Promise<number>
  setTimeScale(timeScale: number): void
}

export interface SandboxFaults {
  /** Replaces the faults in force. Throws a `Failure` for a rule that cannot be read. */
  set(chaos: readonly string[], seed?: number): void
  clear(): void
  state(): FaultState
}

/** Throws a `Failure` for an invalid setting, a port in use, or a folder that another sandbox uses. */
export async function startSandbox(settings: SandboxSettings = {}): Promise<RunningSandbox> {
  const {port = 0, dataDir = null, startAt, timeScale = 0, chaos = [], seed = newSeed()} = settings
  const {payWithin, balance, deliveryTimeout = '10s', merchants = []} = settings
  const running = await start({
    ...{port, dataDir, faults: {chaos, seed}},
    clock: scaledClock(timeScale, startAt === undefined ? Date.now() : readTime(startAt)),
    dialect: {...defaultDialect, ...settings.dialect},
    depositLifetimeMs: payWithin === undefined ? null : readSpan(payWithin),
    deliveryTimeoutMs: readSpan(deliveryTimeout),
    ...(balance === undefined ? {} : {payoutBalance: readAmount(balance)}),
    merchants: merchants.map(({merchantId, apiSecret, apiKey, isDemo = false, ...account}) => ({
      ...{merchantId, isDemo, credentials: {apiSecret, apiKey}},
      ...(account.balance === undefined ? {} : {openingBalance: readAmount(account.balance)}),
    })),
  })
  const {url, baseUrl, applyUrl, legacyUrl} = running
  let isClosed = false
  const open = () => {
    if (!isClosed) return running
    throw new Failure('usage', 'The sandbox is closed.', 'Ask before `close()`, or start another.')
  }
  const close = async () => {
    isClosed = true
    await running.close()
  }
  return {
    ...{url, baseUrl, applyUrl, legacyUrl, close, [Symbol.asyncDispose]: close},
    merchantId: sandboxMerchantId,
    credentials: sandboxCredentials,
    clock: {
      now: () => new Date(open().control.now()),
      advance: async (span) => await open().control.advanceBy(readSpan(span)),
      setTimeScale: (next) => open().control.setTimeScale(next),
    },
    pay: async (orderNo, amount, payment = {}) =>
      await open().control.payDeposit(orderNo, readAmount(amount), payment),
    expire: async (orderNo, of = {}) => await open().control.expireDeposit(orderNo, of.merchantId),
    completePayout: async (number, of = {}) => await open().control.completePayout(number, of.merchantId),
    rejectPayout: async (number, of = {}) => await open().control.rejectPayout(number, of.merchantId),
    choose: (orderNo, amount, {channel = 'BKASH', merchantId} = {}) =>
      open().control.chooseAmount(orderNo, readAmount(amount), channel, merchantId),
    balance: (of = {}) => formatPaisa(open().control.balance(of.merchantId)),
    deliveries(of = {}) {
      const {control} = open()
      return control
        .deliveries(of.merchantId)
        .map((delivery) => ({...delivery, attemptLog: control.attempts(delivery.id)}))
    },
    sms: {
      receive: async (sms) =>
        await open().control.receiveSms('text' in sms ? sms : {...sms, amount: readAmount(sms.amount)}),
      release: async (id, orderNo, of = {}) => await open().control.releaseSms(id, orderNo, of.merchantId),
      discard: async (id) => await open().control.discardSms(id),
      list: (state) => open().control.listSms(state),
    },
    requests: {
      list: (filter = {}) => open().requestLog.list(filter, Number.POSITIVE_INFINITY),
      diagnose: (id) => open().requestLog.diagnose(id),
    },
    faults: {
      set: (next, nextSeed = newSeed()) => open().faults.set({chaos: next, seed: nextSeed}),
      clear: () => open().faults.set({chaos: [], seed: 0}),
      state: () => open().faults.state(),
    },
  }
}

function readAmount(text: string): Paisa {
  const amount = parsePaisa(text)
  if (amount !== null) return amount
  throw new Failure('usage', 'The amount is not one.', 'Give taka as text: "500.00".')
}

function readSpan(span: string | number): number {
  const ms = typeof span === 'number' ? span : parseSpan(span)
  if (ms !== null) return ms
  throw new Failure('usage', `"${span}" is not a length of time.`, 'Write "30s", "5m" or "7h21m".')
}

function readTime(text: string): number {
  const ms = parseInstant(text)
  if (ms !== null) return ms
  throw new Failure('usage', `"${text}" is not a time.`, 'Write "2026-11-20T09:00:00+06:00".')
}
