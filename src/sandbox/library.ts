/**
 * The sandbox for a merchant's own tests: `import {startSandbox} from 'hisab/sandbox'`. In the test's process, on a
 * port of its own, in memory, with a clock that stands until the test moves it. docs/testing.md shows it at work.
 */
import {Failure} from '../core/failure.ts'
import {type Paisa, parsePaisa} from '../core/money.ts'
import type {PayoutChannel} from '../core/order.ts'
import {type Credentials, sandboxCredentials, sandboxMerchantId} from '../core/profile.ts'
import {parseInstant, parseSpan} from '../core/time.ts'
import {scaledClock} from './clock.ts'
import type {DeliveryDetail, DeliveryRecord} from './delivery-record.ts'
import type {FaultState} from './faults/fault-service.ts'
import {newSeed} from './faults/seed.ts'
import {startSandbox as start} from './start.ts'

export type {Credentials, DeliveryDetail, DeliveryRecord, FaultState, PayoutChannel}
export {Failure}

export interface SandboxSettings {
  /** Without it, any free port. */
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
  pay(orderNo: string, amount: string, payment?: {readonly channel?: PayoutChannel}): Promise<DeliveryRecord>
  /** The player does not: the deposit fails. */
  expire(orderNo: string): Promise<DeliveryRecord>
  /** The desk pays out. */
  completePayout(outOrderNo: string): Promise<DeliveryRecord>
  /** The desk refuses; the amount is back in the balance. */
  rejectPayout(outOrderNo: string): Promise<DeliveryRecord>

  /** Every webhook so far, the oldest first, with the body sent and the answer. */
  deliveries(): DeliveryDetail[]
  readonly faults: SandboxFaults
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
  const clock = scaledClock(timeScale, startAt === undefined ? Date.now() : readTime(startAt))
  const {control, faults, ...sandbox} = await start({port, dataDir, clock, faults: {chaos, seed}})
  const {url, baseUrl, applyUrl, legacyUrl, close} = sandbox
  return {
    ...{url, baseUrl, applyUrl, legacyUrl, close, [Symbol.asyncDispose]: close},
    merchantId: sandboxMerchantId,
    credentials: sandboxCredentials,
    clock: {
      now: () => new Date(control.now()),
      advance: async (span) => await control.advanceBy(typeof span === 'number' ? span : readSpan(span)),
      setTimeScale: control.setTimeScale,
    },
    pay: async (orderNo, amount, payment = {}) =>
      await control.payDeposit(orderNo, readAmount(amount), payment),
    expire: async (orderNo) => await control.expireDeposit(orderNo),
    completePayout: async (outOrderNo) => await control.completePayout(outOrderNo),
    rejectPayout: async (outOrderNo) => await control.rejectPayout(outOrderNo),
    deliveries: () => control.deliveries(),
    faults: {
      set: (next, nextSeed = newSeed()) => faults.set({chaos: next, seed: nextSeed}),
      clear: () => faults.set({chaos: [], seed: 0}),
      state: faults.state,
    },
  }
}

function readAmount(text: string): Paisa {
  const amount = parsePaisa(text)
  if (amount !== null) return amount
  throw new Failure('usage', 'The amount is not one.', 'Give taka as text: "500.00".')
}

function readSpan(text: string): number {
  const ms = parseSpan(text)
  if (ms !== null) return ms
  throw new Failure('usage', `"${text}" is not a length of time.`, 'Write "30s", "5m" or "7h21m".')
}

function readTime(text: string): number {
  const ms = parseInstant(text)
  if (ms !== null) return ms
  throw new Failure('usage', `"${text}" is not a time.`, 'Write "2026-11-20T09:00:00+06:00".')
}
