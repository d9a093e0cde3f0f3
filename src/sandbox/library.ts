/**
 * The sandbox for a merchant's own tests: `import {startSandbox} from 'hisab/sandbox'`. In the test's process, on a
 * port of its own, in memory, with a clock that stands until the test moves it. docs/testing.md shows it at work.
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
  /** Of deposits; payouts have the next one. Without it, any two that are free. */
  readonly port?: number
  /** Folder of the state; without it, everything is in memory and gone at the end. */
  readonly dataDir?: string
  /** Where time begins, ISO 8601 with an offset; without it, now. */
  readonly startAt?: string
  /** Speed of the clock as a multiple of real time. Default 0: frozen until `clock.advance`. */
  readonly timeScale?: number
  /** Faults from the start, as `hisab sandbox start --chaos` takes them. */
  readonly chaos?: readonly string[]
  /** Of the faults; without it one is drawn, and `faults.state().seed` tells which. */
  readonly seed?: number
  /** How the service speaks where its document leaves it open (docs/assumptions.md); the defaults without it. */
  readonly dialect?: Partial<Dialect>
  /** How long a player has to pay before a deposit fails: `"30m"`, or milliseconds. Without it, for ever. */
  readonly payWithin?: string | number
  /** What each merchant can pay out of, in taka: `"1000.00"`. Without it, ten lakh. */
  readonly balance?: string
  /** Besides the two of docs/sandbox.md. */
  readonly merchants?: readonly SandboxAccount[]
  /**
   * How long your receiver has to answer a webhook, by the sandbox's clock, or milliseconds; without it `"10s"`. While
   * the clock stands or is moved it is at most 2 real seconds.
   */
  readonly deliveryTimeout?: string | number
}

export interface SandboxAccount extends Credentials {
  readonly merchantId: string
  /** Whether it may send `isTest: true`. Default false. */
  readonly isDemo?: boolean
  readonly balance?: string
}

/** Without a `merchantId` it is the demonstration merchant. */
export interface OfMerchant {
  readonly merchantId?: string
}

export interface PaymentOptions extends OfMerchant {
  /** Default `BKASH`. */
  readonly channel?: PayoutChannel
}

/** A webhook with every attempt at it: headers and bodies both ways, and what came of each. */
export type SandboxDelivery = DeliveryDetail & {readonly attemptLog: readonly AttemptView[]}

/** A payment SMS word for word, or the payment that it tells of; without a `trxId` it gets a new one. */
export type SandboxSmsText =
  | {readonly from: string; readonly text: string}
  | {
      readonly channel: PayoutChannel
      readonly sender: string
      readonly amount: string
      readonly trxId?: string
    }

export interface SandboxSms {
  /** The SMS comes in; resolves once the webhook it caused was tried. */
  receive(sms: SandboxSmsText): Promise<SmsRecord>
  /** A person at the desk: this SMS pays for that deposit. */
  release(id: number, orderNo: string, of?: OfMerchant): Promise<SmsRecord>
  discard(id: number): Promise<SmsRecord>
  /** The newest first, at most 100. */
  list(state?: SmsState): SmsRecord[]
}

/** What came in at the service, the newest first. */
export interface SandboxRequests {
  list(filter?: {readonly isRefused?: boolean; readonly orderNo?: string}): NamedRequest[]
  /** Why the signature of a request was refused; null where it was not. */
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
  /** Demonstration credentials, the same for everybody: for a sandbox alone. */
  readonly credentials: Credentials
  readonly clock: SandboxClock

  /**
   * The player pays, and the webhook is sent: resolves with its record once your receiver has answered. Amounts
   * are taka as text, `"500.00"`. This and the three below reject with a `Failure` where there is no such order,
   * or where it is finished already.
   */
  pay(orderNo: string, amount: string, payment?: PaymentOptions): Promise<DeliveryRecord>
  /** The player does not: the deposit fails. */
  expire(orderNo: string, of?: OfMerchant): Promise<DeliveryRecord>
  /** The desk pays out. */
  completePayout(outOrderNo: string, of?: OfMerchant): Promise<DeliveryRecord>
  /** The desk refuses; the amount is back in the balance. */
  rejectPayout(outOrderNo: string, of?: OfMerchant): Promise<DeliveryRecord>
  /** What the payment page does: the deposit waits for an SMS of this amount. */
  choose(orderNo: string, amount: string, payment?: PaymentOptions): void
  /** What can be paid out, in taka. */
  balance(of?: OfMerchant): string
  readonly sms: SandboxSms
  readonly requests: SandboxRequests

  /** Every webhook so far, the oldest first, with the body sent, the answer, and every attempt. */
  deliveries(of?: OfMerchant): SandboxDelivery[]
  readonly faults: SandboxFaults
  /** May be called again. What is asked afterwards throws a `Failure`. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface SandboxClock {
  now(): Date
  /**
   * Moves time on by `"7h21m"`, or by milliseconds. Each webhook that falls due is sent at its own instant, one
   * after the other; resolves with how many attempts were made, when the last answer is in.
   */
  advance(span: string | number): Promise<number>
  /** 0: frozen; 1: real time. */
  setTimeScale(timeScale: number): void
}

export interface SandboxFaults {
  /** Replaces those in force. Throws a `Failure` that names what cannot be read. */
  set(chaos: readonly string[], seed?: number): void
  clear(): void
  state(): FaultState
}

/** Throws a `Failure` for a setting that cannot be read, a port that is taken, a folder another sandbox holds. */
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
