import {balanceCode} from '../core/dialect.ts'
import type {FailureCode} from '../core/failure.ts'
import {isJsonObject, type JsonValue} from '../core/json.ts'
import {isLoopback} from '../core/loopback.ts'
import type {Credentials} from '../core/profile.ts'
import {describeAnswer, InvalidResponse, readJson, redirectTarget} from './answer.ts'
import {
  carriesOrder,
  codesOf,
  messageOf,
  namesAnother,
  readEnvelope,
  statesFailure,
  tellsOfOrder,
} from './envelope.ts'
import type {Ask, Operation} from './operations.ts'
import {quote} from './quote.ts'
import {type Answer, connectionRefused, type Exchange} from './transport.ts'

interface Done<T> {
  readonly kind: 'done'
  readonly value: T
  readonly json: JsonValue
}

/**
 * What went wrong with one attempt.
 *
 * `not_sent`: nothing was sent. `throttled`: HTTP 429. `refused`: the service or a gateway said no; for a create, a
 * no that proves that nothing was done (A5b). `unclear`: it may have happened, which matters for writes only (P6).
 */
export interface CallError {
  readonly kind: 'not_sent' | 'throttled' | 'refused' | 'unclear'
  /** The failure of a read, and of a write unless `unclear`. */
  readonly code: FailureCode
  /** A clause that is safe to show: `the service answered HTTP 503, text/html, 512 bytes`. */
  readonly what: string
  readonly serviceCode?: string
  /** A read or a create may be retried. */
  readonly isTransient: boolean
  /** Nothing listens at its address, which is on this machine. */
  readonly isClosedHere?: true
  /** "No such order" from an address that has never returned an order (A5). */
  readonly isUnproven?: true
}

export type Outcome<T> = Done<T> | CallError

const transientStatuses: readonly number[] = [408, 500, 502, 503, 504]
/** Statuses of servers for a missing route. */
const routeGone: readonly number[] = [404, 405, 410, 501]
/** No handler can have run: the message was refused before (A5b). */
const provenRefusals: readonly number[] = [401, 403, 413, 414]
/** Statuses with which a server refuses a message before any handler. */
const turnedDown: readonly number[] = [404, 405, 411, 413, 414, 415, 421, 431]

interface Call<T> {
  readonly operation: Operation<T>
  readonly ask: Ask
  readonly credentials: Credentials
}

/** What one attempt means for its operation: no other code interprets a status or a body. */
export function classifyResponse<T>(
  operation: Operation<T>,
  ask: Ask,
  exchange: Exchange,
  credentials: Credentials,
): Outcome<T> {
  const outcome = read({operation, ask, credentials}, exchange)
  const isNoToCreate = operation.effect === 'create' && outcome.kind === 'refused'
  return isNoToCreate && !provesNothingDone(ask, exchange) ? {...outcome, kind: 'unclear'} : outcome
}

/** Whether a "no" to a create is certain (A5b, P6): a closed list. Any other may come after the work was done. */
function provesNothingDone(ask: Ask, exchange: Exchange): boolean {
  if (exchange.kind !== 'answer') return false
  const {status} = exchange
  const json = jsonIn(exchange)
  if (json !== undefined && tellsOfOrder(json, ask)) return false
  if (provenRefusals.includes(status)) return true
  // 201 and 202 mean that something was made or accepted, whatever the code.
  if (status >= 500 || (status !== 200 && status < 400)) return false
  const listed = status === 400 || status === 422 ? ask.dialect.refusalCodes : []
  const codes = codesOf(ask.dialect, json ?? null).filter((code) => !generalCode.test(code))
  const isListed = (code: string) => code === balanceCode || listed.includes(code)
  return codes.some(isListed) && codes.every((code) => isListed(code) || /^\d+$/.test(code))
}

/** It says nothing beside another code. */
const generalCode = /^(?:error|err|fail|failed|failure)$/i

function jsonIn(answer: Answer): JsonValue | undefined {
  try {
    return readJson(answer)
  } catch (error) {
    if (error instanceof InvalidResponse) return undefined
    throw error
  }
}

function read<T>(call: Call<T>, exchange: Exchange): Outcome<T> {
  const {operation, ask} = call
  if (exchange.kind === 'not_sent') {
    const {host} = new URL(ask.endpoint.origin)
    const isClosedHere = exchange.reason === connectionRefused && isLoopback(ask.endpoint.origin)
    return {
      ...{
        kind: 'not_sent',
        code: 'service_unreachable',
        what: `${host}: ${exchange.reason}`,
        isTransient: true,
      },
      ...(isClosedHere ? {isClosedHere} : {}),
    }
  }
  if (exchange.kind === 'no_answer') {
    return {kind: 'unclear', code: 'service_busy', what: exchange.reason, isTransient: true}
  }
  const {status} = exchange
  const what = `the service answered ${describeAnswer(exchange)}`
  if (status === 401 || status === 403) return rejected(call, exchange, what)
  if (status === 429) {
    return {kind: 'throttled', code: 'service_busy', what: `${what} (too many requests)`, isTransient: true}
  }
  if (operation.api === 'legacy' && routeGone.includes(status)) return classifyGone(call, exchange)
  if (status === 408 || status >= 500) {
    return {kind: 'unclear', code: 'service_busy', what, isTransient: transientStatuses.includes(status)}
  }
  if (status >= 300 && status < 400) {
    const to = redirectTarget(exchange, ask.endpoint.origin)
    return {
      ...{kind: 'unclear', code: 'answer_untrusted', isTransient: false},
      what: `${what}, a redirect to ${to}`,
    }
  }
  try {
    return status < 300 ? classifySuccess(call, exchange) : classifyRefusal(call, exchange)
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error
    return classifyInvalid(call, exchange, error)
  }
}

function classifySuccess<T>({operation, ask, credentials}: Call<T>, answer: Answer): Outcome<T> {
  const {dialect} = ask
  const {answered} = operation
  if (answered && answer.body.length === 0 && answer.flaw === null) {
    return {kind: 'done', value: operation.read(null, ask), json: null}
  }
  const json = readJson(answer)
  if (answered && statesFailure(json, dialect)) {
    const {what} = refusedBy(ask, answer, json, credentials)
    return {kind: 'done', value: answered('accepted', `${what[0]?.toUpperCase()}${what.slice(1)}.`), json}
  }
  if (answered || readEnvelope(operation.api, json, dialect) === 'yes')
    return {kind: 'done', value: operation.read(json, ask), json}
  refuseAnother(operation, ask, json)
  const {absent} = operation
  if (absent && isNotFoundCode(ask, json)) return {kind: 'done', value: absent.value, json}
  return refusedBy(ask, answer, json, credentials)
}

/** A 4xx. A proxy's page is no refusal by the service: it must be JSON that does not say success. */
function classifyRefusal<T>({operation, ask, credentials}: Call<T>, answer: Answer): Outcome<T> {
  const json = readJson(answer)
  if (isYes(operation, ask, json) || carriesOrder(json))
    throw new InvalidResponse('says success in a refusal')
  refuseAnother(operation, ask, json)
  const {absent} = operation
  if (absent && isNotFound(ask, answer, json)) {
    if (isNotFoundCode(ask, json)) return {kind: 'done', value: absent.value, json}
    if (ask.isProven()) {
      // The service's own answer speaks of the order, whatever else it has.
      if (someText(json, (text) => speaksOfOrder(text, ask.subject)))
        return {kind: 'done', value: absent.value, json}
      if (!someText(json, speaksOfRoute)) return {kind: 'done', value: absent.bare ?? absent.value, json}
      const why = `${describeAnswer(answer)} speaks of a route, not of an order: a gateway's answer`
      return refused('answer_untrusted', why)
    }
    const what = `the service answered ${describeAnswer(answer)}, and no order was ever found at this address: it may be wrong`
    return {...refused('answer_untrusted', what), isUnproven: true}
  }
  return refusedBy(ask, answer, json, credentials)
}

/** A "no" about another order proves nothing about this one. A legacy call has the record's ID in its path. */
function refuseAnother<T>(
  {api, effect}: Operation<T>,
  {merchantId, subject, dialect}: Ask,
  json: JsonValue,
): void {
  if (api === 'orders' && effect !== 'resend' && namesAnother(json, merchantId, subject, dialect))
    throw new InvalidResponse('is about another merchant or order number')
}

/** A legacy 404, 405, 410 or 501: the record is missing, or the whole API. */
function classifyGone<T>({operation, ask, credentials}: Call<T>, answer: Answer): Outcome<T> {
  const gone = refused('legacy_unavailable', `the service answered ${describeAnswer(answer)}`)
  if (operation.name === 'webhooks list') return gone
  const json = jsonIn(answer)
  if (json === undefined || !isNotFound(ask, answer, json) || isYes(operation, ask, json)) return gone
  // A gateway without the route may also answer 404 in JSON: a proof needs the service's own envelope or its code.
  if (!isNotFoundCode(ask, json) && !(isJsonObject(json) && json.success === false)) return gone
  if (operation.absent) return {kind: 'done', value: operation.absent.value, json}
  return {
    ...refused('service_refused', 'the service knows no such record'),
    ...firstCode(ask, json, credentials),
  }
}

function classifyInvalid<T>(
  {operation, credentials}: Call<T>,
  answer: Answer,
  {message, isUnreadable}: InvalidResponse,
): CallError {
  const what = `the answer ${quote(message, credentials, 400)}; seen: ${describeAnswer(answer)}`
  if (answer.status < 300) {
    const code = answer.flaw === 'timeout' ? 'service_busy' : 'answer_untrusted'
    return {kind: 'unclear', code, what, isTransient: isUnreadable}
  }
  if (operation.effect === 'read') return refused('answer_untrusted', what)
  if (turnedDown.includes(answer.status) && isUnreadable) return refused('service_refused', what)
  return {kind: 'unclear', code: 'answer_untrusted', what, isTransient: false}
}

function refused(code: FailureCode, what: string): CallError {
  return {kind: 'refused', code, what, isTransient: false}
}

/** Credentials rejected; a JSON answer may say which. */
function rejected<T>({ask, credentials}: Call<T>, answer: Answer, what: string): CallError {
  const json = jsonIn(answer)
  if (json === undefined) return refused('credentials_rejected', what)
  const {serviceCode} = firstCode(ask, json, credentials)
  if (serviceCode === undefined) return refused('credentials_rejected', what)
  return {...refused('credentials_rejected', `${what}, with the code ${serviceCode}`), serviceCode}
}

function refusedBy(ask: Ask, answer: Answer, json: JsonValue, credentials: Credentials): CallError {
  const message = messageOf(ask.dialect, json)
  const saying = message === undefined ? '' : `, saying: ${quote(message, credentials).replace(/\.$/, '')}`
  return {
    ...refused('service_refused', `the service refused (HTTP ${answer.status})${saying}`),
    ...firstCode(ask, json, credentials),
  }
}

function firstCode({dialect}: Ask, json: JsonValue, credentials: Credentials): {serviceCode?: string} {
  const [code] = codesOf(dialect, json)
  return code === undefined ? {} : {serviceCode: quote(code, credentials, 64)}
}

function isNotFound(ask: Ask, {status}: Answer, json: JsonValue): boolean {
  return ask.dialect.notFound.http.includes(status) || isNotFoundCode(ask, json)
}

/** A gateway or framework without the route: `no Route matched`, `Cannot POST /v1/…`, `PAGE_NOT_FOUND`, `"path": "/v1/…"`. */
function speaksOfRoute(text: string): boolean {
  return /(?<![a-z])(?:routes?|endpoint|page|handler|ur[il]|services?|host|upstream|backend|(?:get|post) \/)|(?:^|\s)\/\w|\w\/\w+\/\w|cannot (?:get|post)/i.test(
    text,
  )
}

/** It names the order, or has a word for one where it does not speak of a route: `Order not found`, `PAYOUT_NOT_EXIST`. */
function speaksOfOrder(text: string, orderNo: string): boolean {
  if (orderNo !== '' && text.includes(orderNo)) return true
  return /order|payout|deposit|transaction/i.test(text) && !speaksOfRoute(text)
}

/** Whether any text of an answer, however deep, is so. */
function someText(json: JsonValue, is: (text: string) => boolean): boolean {
  if (typeof json === 'string') return is(json)
  return typeof json === 'object' && json !== null && Object.values(json).some((one) => someText(one, is))
}

function isNotFoundCode({dialect}: Ask, json: JsonValue): boolean {
  return codesOf(dialect, json).some((code) => dialect.notFound.codes.includes(code))
}

function isYes<T>(operation: Operation<T>, {dialect}: Ask, json: JsonValue): boolean {
  try {
    return readEnvelope(operation.api, json, dialect) === 'yes'
  } catch (error) {
    if (error instanceof InvalidResponse) return false
    throw error
  }
}
