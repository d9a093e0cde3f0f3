import {setTimeout as delay} from 'node:timers/promises'
import type {Dispatcher} from 'undici'

import {Failure} from '../core/failure.ts'
import type {Credentials} from '../core/profile.ts'
import {AdaptiveLimiter, type Ending} from './adaptive-limiter.ts'
import {Agents} from './agents.ts'
import {headerOf, timestampOf} from './answer.ts'
import {failureOf} from './call-error.ts'
import {type CallError, classifyResponse} from './classify-response.ts'
import {ClockSkew} from './clock-skew.ts'
import type {Limits} from './limits.ts'
import type {Ask, CallCounts, Operation, OperationName} from './operations.ts'
import {backoffMs, RetryBudget, readRetryAfterMs} from './retry.ts'
import {type Exchange, exchange, type WireRequest} from './transport.ts'

export interface AttemptEvent {
  readonly operation: OperationName
  readonly attempt: number
  readonly outcome: 'done' | CallError['kind']
  readonly httpStatus?: number
}

export interface RequestExecutorOptions {
  readonly credentials: Credentials
  readonly limits: Limits
  readonly concurrencyMax: number
  readonly ratePerSecond: number | null
  /** The wall clock, to compare the service's with. */
  readonly now: () => number
  /** For waits and durations: setting the clock does not change them. */
  readonly monotonic: () => number
  readonly random: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal: AbortSignal | undefined
  readonly dispatcher: Dispatcher | undefined
  readonly proxy: string | undefined
  readonly onAttempt: ((event: AttemptEvent) => void) | undefined
  /** Makes the bytes of an attempt when it is sent. */
  readonly requestOf: <T>(operation: Operation<T>, ask: Ask) => WireRequest
}

interface Attempted {
  readonly came: Exchange
  readonly sentMs: number
  readonly receivedMs: number
}

/** Waits; rejects when `signal` aborts. */
export async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, {signal})
}

/** The one loop of every call: wait for a permit, try, classify, and perhaps retry. */
export class RequestExecutor {
  readonly counts: CallCounts = {create: 0, query: 0, list: 0, get: 0, resend: 0}
  readonly skew = new ClockSkew()
  private readonly options: RequestExecutorOptions
  private readonly limiter: AdaptiveLimiter
  private readonly budget = new RetryBudget()
  private readonly agents: Agents
  /** By kind of order: answers not like the payment service's, until the first that is. */
  readonly strange = new Map<string, number>()
  /** By origin: no request before this time (`Retry-After`). */
  private readonly closedUntilMs = new Map<string, number>()

  constructor(options: RequestExecutorOptions) {
    this.options = options
    const {concurrencyMax, ratePerSecond, monotonic, sleep, signal, limits, proxy} = options
    this.agents = new Agents({limits, connections: concurrencyMax, proxy})
    this.limiter = new AdaptiveLimiter({windowMax: concurrencyMax, ratePerSecond, monotonic, sleep})
    if (signal?.aborted) this.interrupt()
    else signal?.addEventListener('abort', this.interrupt, {once: true})
  }

  /** Resolves with the answer, or rejects with a `Failure`. */
  async call<T>(operation: Operation<T>, ask: Ask): Promise<T> {
    const {limits, credentials} = this.options
    let doubt: CallError | undefined
    let last: CallError | undefined
    for (let attempt = 1; ; attempt += 1) {
      const failed = {operation: operation.name, effect: operation.effect, subject: ask.subject, doubt}
      let attempted: Attempted
      try {
        attempted = await this.attempt(operation, ask)
      } catch (error) {
        // Stopped before a retry: the doubt of an earlier try stays.
        if (!doubt || !last || !(error instanceof Failure)) throw error
        throw failureOf({...failed, attempts: attempt - 1, clockSkewMs: this.skew.ms}, last)
      }
      const {came} = attempted
      this.measureDate(attempted)
      if ('status' in came && came.status === 404) await ask.recallProof?.()
      const outcome = classifyResponse(operation, ask, came, credentials)
      this.report(operation, attempt, outcome.kind, came)
      const [place = ''] = operation.name.split(' ')
      if (outcome.kind === 'done') {
        this.strange.set(place, Number.NEGATIVE_INFINITY)
        this.budget.earn()
        const timestamp = operation.api === 'legacy' ? timestampOf(outcome.json) : undefined
        if (timestamp) this.skew.measureTimestamp(timestamp, attempted.sentMs, attempted.receivedMs)
        return outcome.value
      }
      if (outcome.code === 'answer_untrusted') this.strange.set(place, (this.strange.get(place) ?? 0) + 1)
      last = outcome
      if (leavesDoubt(operation, outcome)) doubt ??= outcome
      const {waitMs, remark} = this.heedRetryAfter(ask, came)
      if (operation.answered && outcome.kind !== 'not_sent') {
        this.limiter.hold(waitMs)
        const call = {...failed, doubt, attempts: attempt, clockSkewMs: this.skew.ms}
        const {message} = failureOf(call, outcome, remark)
        return operation.answered(outcome.kind === 'unclear' ? 'lost' : 'refused', message)
      }
      const cost = outcome.kind === 'throttled' ? 'throttled' : 'transient'
      const mayRetry = remark === '' && attempt < limits.attemptsMax && isRetried(operation, outcome)
      if (!mayRetry || !this.budget.spend(cost)) {
        // A further 429 must hold the other requests too.
        this.limiter.hold(waitMs)
        const call = {...failed, doubt, attempts: attempt, clockSkewMs: this.skew.ms}
        throw failureOf(call, outcome, remark)
      }
      await this.pause(Math.max(waitMs, backoffMs(cost, attempt - 1, this.options.random)))
    }
  }

  async close(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.interrupt)
    await this.agents.close()
  }

  private async attempt<T>(operation: Operation<T>, ask: Ask): Promise<Attempted> {
    const {requestOf, limits, now, monotonic, dispatcher} = this.options
    const acquired = this.limiter.acquire()
    const permit = acquired instanceof Promise ? await acquired : acquired
    let ending: Ending = 'well'
    try {
      this.checkOpen(operation, ask)
      const request = requestOf(operation, ask)
      const bytesMax = operation.count === 'list' ? limits.listAnswerBytesMax : limits.answerBytesMax
      const startedMs = monotonic()
      ask.checkInTime?.()
      const agent = dispatcher ?? this.agents.dispatcherTo(request.origin, operation.effect === 'resend')
      const came = await exchange(agent, request, limits, bytesMax)
      if (came.kind !== 'not_sent') this.counts[operation.count] += 1
      ending = endingOf(came)
      const receivedMs = now()
      return {came, sentMs: receivedMs - (monotonic() - startedMs), receivedMs}
    } finally {
      this.limiter.release(permit, ending)
    }
  }

  private measureDate({came, sentMs, receivedMs}: Attempted): void {
    if (came.kind !== 'answer') return
    const {headers} = came
    this.skew.measureDate(headerOf(headers, 'date'), headerOf(headers, 'age'), sentMs, receivedMs)
  }

  private report<T>(
    operation: Operation<T>,
    attempt: number,
    outcome: AttemptEvent['outcome'],
    came: Exchange,
  ): void {
    const {onAttempt} = this.options
    if (!onAttempt) return
    const event = {operation: operation.name, attempt, outcome}
    onAttempt(came.kind === 'answer' ? {...event, httpStatus: came.status} : event)
  }

  /**
   * How long this call waits for its `Retry-After`, never shorter. If the service limits the rate or has trouble,
   * every call waits with it. Beyond the limit it does not wait: the origin is then left alone until that time, and
   * the remark says so.
   */
  private heedRetryAfter(
    {endpoint}: Ask,
    came: Exchange,
  ): {readonly waitMs: number; readonly remark: string} {
    const nothing = {waitMs: 0, remark: ''}
    if (came.kind !== 'answer') return nothing
    const header = headerOf(came.headers, 'retry-after')
    if (header === '' || (came.status < 500 && came.status !== 429 && came.status !== 408)) return nothing
    const {now, monotonic, limits} = this.options
    const waitMs = readRetryAfterMs(header, headerOf(came.headers, 'date'), now()) ?? 0
    if (waitMs <= limits.retryAfterMaxMs) {
      if (came.status === 429) this.limiter.askedToWait(waitMs)
      else this.limiter.hold(waitMs)
      return {waitMs, remark: ''}
    }
    this.closedUntilMs.set(endpoint.origin, monotonic() + waitMs)
    return {waitMs: 0, remark: ` It asks to be left alone for ${Math.ceil(waitMs / 1_000)} s (Retry-After).`}
  }

  private checkOpen<T>(operation: Operation<T>, {endpoint, subject}: Ask): void {
    if (this.closedUntilMs.size === 0) return
    const leftMs = (this.closedUntilMs.get(endpoint.origin) ?? 0) - this.options.monotonic()
    if (leftMs <= 0) return
    const what = `not sent, as the service asked to be left alone for another ${Math.ceil(leftMs / 1_000)} s (Retry-After)`
    const callError: CallError = {kind: 'throttled', code: 'service_busy', what, isTransient: false}
    const {name, effect} = operation
    throw failureOf(
      {operation: name, effect, subject, attempts: 1, clockSkewMs: null, doubt: undefined},
      callError,
    )
  }

  private async pause(ms: number): Promise<void> {
    const {sleep, signal} = this.options
    if (ms <= 0 || signal?.aborted) return
    try {
      await sleep(ms, signal)
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }

  private readonly interrupt = (): void => {
    const reason: unknown = this.options.signal?.reason
    this.limiter.stop(
      reason instanceof Failure
        ? reason
        : new Failure(
            'interrupted',
            'Interrupted before this request was sent.',
            'To continue, run the command again.',
          ),
    )
  }
}

/** Whether it may have happened (P6). A create's answer that it was refused unread is no proof. */
function leavesDoubt<T>({effect}: Operation<T>, {kind}: CallError): boolean {
  return (effect !== 'read' && kind === 'unclear') || (effect === 'create' && kind === 'throttled')
}

/** Which requests are retried (docs/promises.md#retries). */
function isRetried<T>({effect}: Operation<T>, {kind, isTransient}: CallError): boolean {
  return effect === 'resend' ? kind === 'not_sent' : isTransient
}

function endingOf(came: Exchange): Ending {
  if (came.kind === 'answer') {
    if (came.status === 429) return 'too_many'
    return came.status === 503 || came.flaw === 'timeout' ? 'strained' : 'well'
  }
  return came.timedOut ? 'strained' : 'well'
}
