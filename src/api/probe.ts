import type {JsonObject} from '../core/json.ts'
import type {OrderKind} from '../core/order.ts'
import type {Credentials, Profile} from '../core/profile.ts'
import type {SignatureRecipe} from '../core/signing/recipe.ts'
import {Agents} from './agents.ts'
import {describeAnswer, headerOf, timestampOf} from './answer.ts'
import {type CallError, classifyResponse, type Outcome} from './classify-response.ts'
import {ClockSkew, describeSkew} from './clock-skew.ts'
import {type Limits, limitsOf} from './limits.ts'
import {type Ask, depositQuery, type Operation, payoutQuery, webhooksGet, webhooksList} from './operations.ts'
import {type Endpoint, type Endpoints, endpointsOf} from './origin.ts'
import {requestOf} from './request.ts'
import {type Answer, type Exchange, exchange, type WireRequest} from './transport.ts'
import {type DeliveryDetail, type DeliveryPage, dataOf, type OrderAnswer} from './wire.ts'

export interface Probed<T> {
  readonly outcome: Outcome<T>
  /** Null if no answer came. */
  readonly answer: Answer | null
  /** `HTTP 404, application/json, 62 bytes`, or why there is no answer. */
  readonly seen: string
  readonly tookMs: number
}

/** The `data` of an order as sent; null if the service says that there is no such order. */
const rawQuery = (kind: OrderKind): Operation<JsonObject | null> => {
  const {name, count, effect, api} = kind === 'deposit' ? depositQuery : payoutQuery
  return {name, count, effect, api, read: dataOf, absent: {value: null}}
}

/** Asks the service single questions that change nothing, without retries: `hisab doctor` reports what it sees. */
export class ServiceProbe {
  /** Service time minus local time, for each address (P19). */
  readonly skews = {base_url: new ClockSkew(), apply_url: new ClockSkew(), legacy_url: new ClockSkew()}
  private readonly profile: Profile
  private readonly credentials: Credentials
  private readonly endpoints: Endpoints
  private readonly now: () => number
  private readonly limits: Limits
  private readonly agents: Agents

  /** Throws `config_invalid` for an address that signed bytes must not reach. */
  constructor(
    profile: Profile,
    credentials: Credentials,
    now: () => number,
    limits: Limits = limitsOf(profile.timeouts),
  ) {
    this.profile = profile
    this.credentials = credentials
    this.endpoints = endpointsOf(profile)
    this.now = now
    this.limits = limits
    this.agents = new Agents({limits, connections: 4, proxy: profile.proxy})
  }

  queryOrder(kind: OrderKind, orderNo: string): Promise<Probed<OrderAnswer>> {
    return this.query(kind, orderNo, kind === 'deposit' ? depositQuery : payoutQuery)
  }

  /** An order without any mapping, to learn one (A2, A3). */
  queryRaw(kind: OrderKind, orderNo: string): Promise<Probed<JsonObject | null>> {
    return this.query(kind, orderNo, rawQuery(kind))
  }

  /** One page with one record, signed by the profile's recipe or another that is being tried (A6). */
  listOne(recipe?: SignatureRecipe): Promise<Probed<DeliveryPage>> {
    return this.ask(webhooksList, this.askOf(this.endpoints.legacy, '?page=1&limit=1', ''), recipe)
  }

  getDelivery(id: string): Promise<Probed<DeliveryDetail | null>> {
    return this.ask(webhooksGet, this.askOf(this.endpoints.legacy, `/${id}`, id))
  }

  /**
   * The answer to a path beside the query's that cannot exist. The body is an empty object: nothing signed is sent
   * there.
   */
  async askNowhere(kind: OrderKind, segment: string): Promise<{answer: Answer | null; seen: string}> {
    const {origin, path} = kind === 'deposit' ? this.endpoints.deposit : this.endpoints.payout
    const parent = kind === 'deposit' ? '/pay/order' : '/apply'
    const headers = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'hisab']
    const request = {
      origin,
      path: `${path}${parent}/${segment}`,
      method: 'POST',
      headers,
      body: Buffer.from('{}'),
    } as const
    const came = await this.exchange(request)
    return {answer: came.kind === 'answer' ? came : null, seen: describe(came)}
  }

  async close(): Promise<void> {
    await this.agents.close()
  }

  private query<T>(kind: OrderKind, orderNo: string, operation: Operation<T>): Promise<Probed<T>> {
    const {deposit, payout} = this.endpoints
    return kind === 'deposit'
      ? this.ask(operation, this.askOf(deposit, '/pay/order/query', orderNo))
      : this.ask(operation, this.askOf(payout, '/apply/query', orderNo))
  }

  private async ask<T>(operation: Operation<T>, ask: Ask, recipe?: SignatureRecipe): Promise<Probed<T>> {
    const {credentials, now} = this
    const {dialect} = this.profile
    const legacySignature = recipe ?? dialect.legacySignature
    const profile = {...this.profile, dialect: {...dialect, legacySignature}}
    const sentMs = now()
    const came = await this.exchange(requestOf(operation, ask, profile, credentials, sentMs))
    const receivedMs = now()
    const outcome = classifyResponse(operation, ask, came, credentials)
    const skew =
      operation.api === 'legacy' ? 'legacy_url' : operation.name === 'payout query' ? 'apply_url' : 'base_url'
    this.measureSkew(this.skews[skew], came, outcome, sentMs, receivedMs)
    const answer = came.kind === 'answer' ? came : null
    return {outcome, answer, seen: describe(came), tookMs: Math.max(0, Math.round(receivedMs - sentMs))}
  }

  private exchange(request: WireRequest): Promise<Exchange> {
    return exchange(
      this.agents.dispatcherTo(request.origin, false),
      request,
      this.limits,
      this.limits.answerBytesMax,
    )
  }

  private measureSkew<T>(
    skew: ClockSkew,
    came: Exchange,
    outcome: Outcome<T>,
    sentMs: number,
    receivedMs: number,
  ): void {
    if (came.kind !== 'answer') return
    const {headers} = came
    skew.measureDate(headerOf(headers, 'date'), headerOf(headers, 'age'), sentMs, receivedMs)
    const timestamp = outcome.kind === 'done' ? timestampOf(outcome.json) : undefined
    if (timestamp) skew.measureTimestamp(timestamp, sentMs, receivedMs)
  }

  private askOf(endpoint: Endpoint, path: string, subject: string): Ask {
    const {merchantId, dialect} = this.profile
    // The doctor finds a wrong address by another call (`askNowhere`).
    return {endpoint, path, subject, merchantId, dialect, isProven: () => true, body: null}
  }
}

function describe(came: Exchange): string {
  return came.kind === 'answer' ? describeAnswer(came) : came.reason
}

/** A text about an answer, with the service's code behind it. */
export function withCode(text: string, {serviceCode}: Pick<CallError, 'serviceCode'>): string {
  return serviceCode === undefined ? text : `${text} (${serviceCode})`
}

/** What a rejection of the credentials looked like: `rejected: HTTP 401, 30 bytes (BAD_SIGN). The service's clock is …`. */
export function rejectedText(seen: string, error: CallError, skewMs: number | null): string {
  const skew = describeSkew(skewMs).replace(/\.$/, '')
  return `rejected: ${withCode(seen, error)}${skew === '' ? '' : `.${skew}`}`
}
