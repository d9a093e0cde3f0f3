import type {Dialect} from '../core/dialect.ts'
import {asFailure} from '../core/failure.ts'
import {isJsonObject, type JsonObject, parseJsonBytes} from '../core/json.ts'
import {diagnoseRecipe} from '../core/signing/diagnose/recipe-search.ts'
import {diagnose} from '../core/signing/diagnose/search.ts'
import {canonicalize, showCanonical} from '../core/signing/request.ts'
import {maskSecret} from '../core/signing/secret.ts'
import {recipePartsOf, showRecipeInput} from '../core/signing/signed-request.ts'
import {Refusal} from './answers.ts'
import type {HeaderPair} from './delivery-sender.ts'
import type {FaultName} from './faults/kinds.ts'
import type {MerchantsById} from './merchants.ts'

/** One request that came in at an address of the service, and how it was answered. */
export interface LoggedRequest {
  /** 1, 2, 3 in the order of arrival. */
  readonly id: number
  readonly atMs: number
  readonly durationMs: number
  readonly listener: Listener
  readonly method: string
  readonly path: string
  readonly query: string
  readonly requestHeaders: readonly HeaderPair[]
  /** Empty if it was not read: unknown address, or the body too large. */
  readonly requestBody: Uint8Array
  /** Null if a fault cut the connection. */
  readonly status: number | null
  readonly responseBody: string | null
  readonly refusal: {readonly code: string; readonly message: string; readonly nextStep: string} | null
  readonly faults: readonly FaultName[]
}

/** With the merchant and order that the request names, proven or not. */
export interface NamedRequest extends LoggedRequest {
  readonly merchantId: string | null
  /** `orderNo` or `outOrderNo`. */
  readonly orderNo: string | null
}

export type Listener = 'deposits' | 'payouts'

/** Why a signature was refused: the known mistake that makes it (as in `hisab verify`), or what was tried. */
export interface RequestDiagnosis {
  readonly cause: string
  readonly explanation: string
  readonly fix: string
  /** What was signed by mistake, its key as `***`; null if no known mistake fits. */
  readonly canonical: string | null
  /** What should be signed, its key as `***`; null if the fields cannot be signed. */
  readonly expected: string | null
}

export interface RequestFilter {
  readonly isRefused?: boolean
  readonly orderNo?: string
}

export type RequestLog = ReturnType<typeof openRequestLog>

/** Kept of all requests, and again of refused ones, so that many good requests do not push them out. */
const keptMax = 1000

/** The newest thousand requests, in memory. */
export function openRequestLog(merchants: MerchantsById, dialect: Dialect) {
  const all: LoggedRequest[] = []
  const refused: LoggedRequest[] = []
  let count = 0
  let countRefused = 0
  const find = (id: number): NamedRequest | null => {
    const request = all.find((known) => known.id === id) ?? refused.find((known) => known.id === id)
    return request ? {...request, ...namesOf(request)} : null
  }
  return {
    add(request: Omit<LoggedRequest, 'id'>): void {
      count += 1
      const entry = {...request, id: count}
      keep(all, entry)
      if (!entry.refusal) return
      countRefused += 1
      keep(refused, entry)
    },

    find,

    /** Newest first; with `beforeId`, only older ones. */
    list(
      {isRefused, orderNo}: RequestFilter,
      limit: number,
      beforeId = Number.POSITIVE_INFINITY,
    ): NamedRequest[] {
      const found: NamedRequest[] = []
      const from = isRefused ? refused : all
      for (let at = from.length - 1; at >= 0 && found.length < limit; at -= 1) {
        const request = from[at]
        if (!request || request.id >= beforeId) continue
        if (isRefused === false && request.refusal) continue
        const named = {...request, ...namesOf(request)}
        if (orderNo === undefined || named.orderNo?.includes(orderNo)) found.push(named)
      }
      return found
    },

    /** All requests ever logged, including those no longer kept. */
    count: () => count,
    countRefused: () => countRefused,

    /** Null unless the signature was refused. The search may take a second or two. */
    diagnose(id: number): RequestDiagnosis | null {
      const request = find(id)
      if (request?.refusal?.code !== 'SIGNATURE_INVALID') return null
      const merchant = merchants.get(request.merchantId ?? '')
      if (!merchant) return null
      const {credentials, merchantId} = merchant
      try {
        const headers = new Map(request.requestHeaders.map(([name, value]) => [name.toLowerCase(), value]))
        const given = headers.get('x-signature')
        if (request.path.startsWith(dialect.legacyPath)) {
          const {method, path, requestBody: body} = request
          const timestamp = headers.get('x-timestamp') ?? ''
          const recipe = dialect.legacySignature
          const parts = recipePartsOf({timestamp, method, path, body}, merchantId, credentials.apiKey)
          const found = diagnoseRecipe({
            recipe,
            parts,
            keys: credentials,
            given: given ?? '',
            ...(request.query === '' ? {} : {pathWithQuery: `${path}${request.query}`}),
          })
          return {...found, expected: showRecipeInput(recipe, parts, credentials)}
        }
        const fields = fieldsOf(request.requestBody)
        const rule = dialect.requestSignature
        const secret = credentials.apiSecret
        const found = diagnose({fields, given: String(fields.signature), secret, rule, merchantId})
        return {...found, expected: maskSecret(showCanonical(canonicalize(fields, rule).text), secret)}
      } catch (thrown) {
        const error = asFailure(thrown)
        return {
          cause: 'none_found',
          explanation: error.message,
          fix: error.hint,
          canonical: null,
          expected: null,
        }
      }
    },
  }
}

function keep(list: LoggedRequest[], entry: LoggedRequest): void {
  list.push(entry)
  // Now and then, because each `shift` moves the whole array.
  if (list.length >= 2 * keptMax) list.splice(0, keptMax)
}

/** The refusal behind an answer; an unknown address counts as one. */
export function refusalOf(
  error: unknown,
  {status, listener, path}: Pick<LoggedRequest, 'status' | 'listener' | 'path'>,
): LoggedRequest['refusal'] {
  if (error instanceof Refusal) {
    return {code: error.serviceCode, message: error.message, nextStep: error.hint}
  }
  if (error !== undefined) {
    return {code: 'INTERNAL_ERROR', message: 'The sandbox failed on this request.', nextStep: 'Report it.'}
  }
  return status === 404 ? nothingAt(listener, path) : null
}

/** Deposits and payouts have separate addresses (service §1): sending to the wrong one is a common mistake. */
export function nothingAt(listener: Listener, path: string): NonNullable<LoggedRequest['refusal']> {
  const isMixedUp = path.includes(listener === 'deposits' ? '/apply/' : '/pay/order/')
  return {
    code: 'NOTHING_THERE',
    message: 'The sandbox has nothing at this address.',
    nextStep: !isMixedUp
      ? 'Compare it with the addresses that `hisab sandbox start` prints.'
      : listener === 'deposits'
        ? 'This is the address of deposits: send payouts to apply_url.'
        : 'This is the address of payouts: send deposits to base_url.',
  }
}

function namesOf({requestBody, requestHeaders}: Pick<LoggedRequest, 'requestBody' | 'requestHeaders'>) {
  const {merchantId, orderNo, outOrderNo} = fieldsOf(requestBody)
  const header = requestHeaders.find(([name]) => name.toLowerCase() === 'x-merchant-id')?.[1]
  return {
    merchantId: typeof merchantId === 'string' ? merchantId : (header ?? null),
    orderNo: [orderNo, outOrderNo].find((value) => typeof value === 'string') ?? null,
  }
}

function fieldsOf(body: Uint8Array): JsonObject {
  try {
    const value = parseJsonBytes(body)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
