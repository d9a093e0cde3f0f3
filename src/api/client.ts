import type {Dispatcher} from 'undici'
import {Failure} from '../core/failure.ts'
import type {JsonObject} from '../core/json.ts'
import {type Delivery, type DeliveryStatus, isUuid, type OrderKind} from '../core/order.ts'
import type {Credentials, Profile} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {
  confidentialTexts,
  type DepositRequest,
  type PayoutRequest,
  type PreparedRequest,
  prepareDeposit,
  preparePayout,
} from './body.ts'
import {type EndpointMemory, KnownEndpoints} from './known-endpoints.ts'
import {type Limits, limitsOf} from './limits.ts'
import {
  type Ask,
  type CallCounts,
  depositCreate,
  depositQuery,
  type Operation,
  payoutCreate,
  payoutQuery,
  type ResendAnswer,
  webhooksGet,
  webhooksList,
  webhooksResend,
} from './operations.ts'
import {type Endpoint, type Endpoints, endpointsOf} from './origin.ts'
import {echoesOfHeaders, quoteFirstLine, withoutEchoes} from './quote.ts'
import {requestOf} from './request.ts'
import {type AttemptEvent, RequestExecutor, sleepFor} from './request-executor.ts'
import {
  type CreatedDeposit,
  type CreatedPayout,
  createdFields,
  type DeliveryPage,
  type OrderAnswer,
  type QuotedDelivery,
  recordFields,
} from './wire.ts'

export type {DepositRequest, PayoutRequest, PreparedRequest} from './body.ts'
export type {CallCounts, ResendAnswer} from './operations.ts'
export type {CreatedDeposit, CreatedPayout, DeliveryPage, OrderAnswer, QuotedDelivery} from './wire.ts'

export type OnPayoutEnd = (orderNo: string, status: 'failed' | 'completed') => Promise<void> | void

export interface ServiceClientOptions {
  readonly profile: Profile
  readonly credentials: Credentials
  readonly now?: () => number
  readonly monotonic?: () => number
  readonly random?: () => number
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly limits?: Partial<Limits>
  /** The most requests under way at once, default 16. */
  readonly concurrencyMax?: number
  readonly ratePerSecond?: number | null
  /**
   * When aborted, no new request is sent; those under way finish. Calls reject with its reason if that is a
   * `Failure`.
   */
  readonly signal?: AbortSignal
  /** For tests; the client closes only what it opened. */
  readonly dispatcher?: Dispatcher
  readonly onAttempt?: (event: AttemptEvent) => void
  /** By default, what this client saw itself. */
  readonly endpointMemory?: EndpointMemory
  /** Called with every delivery record that any call reads. */
  readonly onDelivery?: (record: Delivery) => Promise<void> | void
  /** Called with every payout that a query shows as failed or completed. */
  readonly onPayoutEnd?: OnPayoutEnd
}

const concurrencyDefault = 16

/**
 * The service, one method for each operation (service §4). Any number of calls may be started. At most
 * `concurrencyMax` run at a time, and fewer while the service shows strain.
 *
 * Methods reject only with a `Failure`. For a write, `outcome_unknown` means that it may have happened; any other
 * code means that it did not. A resend says this in its answer instead.
 */
export class ServiceClient {
  private readonly profile: Profile
  private readonly credentials: Credentials
  private readonly endpoints: Endpoints
  private readonly executor: RequestExecutor
  private readonly known: KnownEndpoints
  private readonly onDelivery: (record: Delivery) => Promise<void> | void
  private readonly onPayoutEnd: OnPayoutEnd

  /** Throws `config_invalid` for an address that signed bytes must not reach. */
  constructor(options: ServiceClientOptions) {
    const {profile, credentials, concurrencyMax = concurrencyDefault, ratePerSecond = null} = options
    this.profile = profile
    this.credentials = credentials
    this.endpoints = endpointsOf(profile)
    this.known = new KnownEndpoints(options.endpointMemory)
    this.onDelivery = options.onDelivery ?? (() => {})
    this.onPayoutEnd = options.onPayoutEnd ?? (() => {})
    const {now = Date.now} = options
    this.executor = new RequestExecutor({
      credentials,
      limits: {...limitsOf(profile.timeouts), ...options.limits},
      concurrencyMax,
      ratePerSecond,
      now,
      monotonic: options.monotonic ?? (() => performance.now()),
      random: options.random ?? Math.random,
      sleep: options.sleep ?? sleepFor,
      signal: options.signal,
      dispatcher: options.dispatcher,
      proxy: profile.proxy,
      onAttempt: options.onAttempt,
      requestOf: (operation, ask) => requestOf(operation, ask, profile, credentials, now()),
    })
  }

  get calls(): CallCounts {
    return this.executor.counts
  }

  /** Settings whose addresses gave a few answers, none of them like the payment service. */
  get strangeSettings(): string[] {
    const settings = {deposit: 'base_url', payout: 'apply_url'} as const
    return (['deposit', 'payout'] as const)
      .filter((kind) => (this.executor.strange.get(kind) ?? 0) > 0)
      .map((kind) => settings[kind])
  }

  /** Service time minus local time at the last measurement, or null; shown, never corrected (P19). */
  get clockSkewMs(): number | null {
    return this.executor.skew.ms
  }

  /** The exact bytes of `createDeposit`, for `--dry-run` and the journal's digest. Throws `input_invalid`. */
  prepareDeposit(request: DepositRequest): PreparedRequest<'deposit'> {
    const url = urlOf(this.endpoints.deposit, '/pay/order/create')
    return prepareDeposit(this.profile, this.credentials, url, request)
  }

  /** The exact bytes of `createPayout`, for `--dry-run` and the journal's digest. Throws `input_invalid`. */
  preparePayout(request: PayoutRequest): PreparedRequest<'payout'> {
    const url = urlOf(this.endpoints.payout, '/apply/create')
    return preparePayout(this.profile, this.credentials, url, request)
  }

  /**
   * Creates a deposit (service §4.1). For a used number the service returns the old deposit as a success (P2), so the
   * caller must compare.
   */
  async createDeposit(request: DepositRequest | PreparedRequest<'deposit'>): Promise<CreatedDeposit> {
    const prepared = 'body' in request ? request : this.prepareDeposit(request)
    return this.create(depositCreate, this.endpoints.deposit, '/pay/order/create', prepared)
  }

  /**
   * Creates a payout (service §4.3). For a used number the service returns the old payout, without its amount (P2).
   */
  async createPayout(request: PayoutRequest | PreparedRequest<'payout'>): Promise<CreatedPayout> {
    const prepared = 'body' in request ? request : this.preparePayout(request)
    return this.create(payoutCreate, this.endpoints.payout, '/apply/create', prepared)
  }

  /**
   * Queries an order (service §4.2, §4.4). `found: false` only if the service says so in JSON: by its code, or by a
   * 404 at an address that has known an order (A5).
   */
  async queryOrder(kind: OrderKind, orderNo: string): Promise<OrderAnswer> {
    if (orderNo === '') throw new Failure('usage', 'The order number is empty.', 'Give a number to query.')
    const [operation, endpoint, path] =
      kind === 'deposit'
        ? ([depositQuery, this.endpoints.deposit, '/pay/order/query'] as const)
        : ([payoutQuery, this.endpoints.payout, '/apply/query'] as const)
    const address = urlOf(endpoint, path)
    const proof = {
      isProven: () => this.known.knows(address),
      recallProof: () => this.known.recall(address),
    }
    const answer = await this.executor.call(operation, {...this.ask(endpoint, path, orderNo), ...proof})
    if (answer.found) await this.known.record(address)
    if (answer.found && kind === 'payout') {
      const {status} = answer.order
      if (status === 'failed' || status === 'completed') await this.onPayoutEnd(orderNo, status)
    }
    return answer
  }

  /** Reads one page (service §4.5). The reader of the list proves whether all pages make a whole list (P9). */
  async listDeliveries(filter: DeliveryFilter = {}): Promise<DeliveryPage> {
    const text = deliveryQuery(filter)
    const ask = this.ask(this.endpoints.legacy, text === '' ? '' : `?${text}`, '')
    const page = await this.executor.call(webhooksList, ask)
    for (const record of page.records) await this.onDelivery(record)
    return page
  }

  /**
   * Reads one record (service §4.6); null if the service says in JSON that there is none. Throws `usage` for an id
   * that is no UUID.
   */
  async getDelivery(id: string): Promise<QuotedDelivery | null> {
    const ask = this.ask(this.endpoints.legacy, `/${deliveryId(id)}`, id)
    const detail = await this.executor.call(webhooksGet, ask)
    if (!detail) return null
    await this.onDelivery(detail.delivery)
    return {
      ...detail,
      raw: withoutEchoes(detail.raw, recordFields, echoesOfHeaders(this.credentials)),
      answerLine: quoteFirstLine(detail.responseBody, this.credentials),
    }
  }

  /**
   * Resends a webhook (service §4.7). The answer proves nothing (A7): read the record again. Rejects only if nothing
   * was sent.
   */
  async resendDelivery(id: string, checkInTime: () => void = () => undefined): Promise<ResendAnswer> {
    const ask = this.ask(this.endpoints.legacy, `/${deliveryId(id)}/resend`, id)
    return this.executor.call(webhooksResend, {...ask, checkInTime})
  }

  /** Waits for calls under way and closes the connections. */
  async close(): Promise<void> {
    await this.executor.close()
  }

  private async create<T extends {readonly raw: JsonObject}>(
    operation: Operation<T>,
    endpoint: Endpoint,
    path: string,
    prepared: PreparedRequest,
  ): Promise<T> {
    if (prepared.url !== urlOf(endpoint, path) || prepared.merchantId !== this.profile.merchantId) {
      throw new Failure(
        'bug',
        'A request prepared for another profile was about to be sent; it was not.',
        'Report this: prepare and send with the same client.',
      )
    }
    const ask = {...this.ask(endpoint, path, prepared.orderNo), body: prepared.body}
    const created = await this.executor.call(operation, ask)
    const echoes = [this.credentials.apiSecret, ...confidentialTexts(prepared)]
    return {...created, raw: withoutEchoes(created.raw, createdFields, echoes)}
  }

  private ask(endpoint: Endpoint, path: string, subject: string): Ask {
    const {merchantId, dialect} = this.profile
    return {endpoint, path, subject, merchantId, dialect, isProven: () => true, body: null}
  }
}

function urlOf({origin, path}: Endpoint, rest: string): string {
  return `${origin}${path}${rest}`
}

function deliveryId(id: string): string {
  if (isUuid(id)) return id
  throw new Failure(
    'usage',
    `"${escapeInvisible(id, 80)}" is not the id of a delivery record.`,
    'Ids are UUIDs. `hisab webhooks list` shows them.',
  )
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus
  readonly orderId?: string
  readonly page?: number
  readonly limit?: number
}

function deliveryQuery({status, orderId, page, limit}: DeliveryFilter): string {
  const asked = Object.entries({status, order_id: orderId, page, limit})
  const given = asked.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new URLSearchParams(given).toString()
}
