import type {Dialect} from '../core/dialect.ts'
import {isJsonObject, JsonNumber, type JsonValue} from '../core/json.ts'
import {InvalidResponse} from './answer.ts'

const anyCode = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const leadingSymbol = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])/

/**
 * Whether an answer says yes or no (service §4, §7): `code` is the number `0` for orders, `success` is `true`
 * for the legacy API. Throws `InvalidResponse` where it says neither, or both.
 *
 * `"0"` is not `0`: the documented code is a number, and a service that writes text may differ elsewhere too.
 */
export function readEnvelope(api: 'orders' | 'legacy', json: JsonValue, dialect: Dialect): 'yes' | 'no' {
  if (!isJsonObject(json)) throw new InvalidResponse('is not a JSON object')
  const isYes = api === 'orders' ? isZero(json.code) : json.success === true
  const isNo = statesFailure(json, dialect)
  if (isYes && isNo) throw new InvalidResponse('says success and failure at once')
  if (isYes) return 'yes'
  if (!isNo) {
    throw new InvalidResponse(
      api === 'orders' ? 'has no "code" that is the number 0' : 'has no "success" that is true or false',
    )
  }
  if (carriesOrder(json)) throw new InvalidResponse('says failure and yet carries an order')
  return 'no'
}

/** Whether there is an order in it, whatever else it says: of a write, such a refusal cannot be believed. */
export function carriesOrder(json: JsonValue): boolean {
  return isJsonObject(json) && isJsonObject(json.data) && typeof json.data.platformOrderNo === 'string'
}

/** Names of order numbers besides those of the dialect, without case, dashes and underscores. */
const orderNames = ['orderno', 'outorderno', 'merchantorderno', 'merchantorderid']

/** Whether a merchant or an order number is in it, at any depth, that is not the one that was asked about. */
export function namesAnother(
  json: JsonValue,
  merchantId: string,
  orderNo: string,
  dialect: Dialect,
): boolean {
  if (Array.isArray(json)) return json.some((value) => namesAnother(value, merchantId, orderNo, dialect))
  if (!isJsonObject(json)) return false
  return Object.entries(json).some(([name, value]) => {
    const bare = name.replace(/[_-]/g, '').toLowerCase()
    const isOrder = orderNames.includes(bare) || dialect.response.orderNo.includes(name)
    const expected = bare === 'merchantid' ? merchantId : isOrder ? orderNo : null
    const text = value instanceof JsonNumber ? value.source : value
    if (expected !== null && typeof text === 'string' && text !== '') return text !== expected
    return namesAnother(value, merchantId, orderNo, dialect)
  })
}

/**
 * Whether an answer says no: a `code` that is not 0, a `success` that is false, or neither of them and a
 * symbolic error in their place, as `{"error": "INSUFFICIENT_BALANCE"}` (A4).
 */
export function statesFailure(json: JsonValue, dialect: Dialect): boolean {
  if (!isJsonObject(json)) return false
  const {code, success, data, error} = json
  if (success === false) return true
  if (code instanceof JsonNumber) return !isZero(code)
  if (typeof code === 'string') return code !== '' && code !== '0'
  if (code !== undefined || success !== undefined || error === undefined || isJsonObject(data)) return false
  return codesOf(dialect, json).length > 0
}

function isZero(code: JsonValue | undefined): boolean {
  return code instanceof JsonNumber && code.source === '0'
}

/** Every code an error answer carries, at any place of A4: symbols first, then numbers. */
export function codesOf(dialect: Dialect, json: JsonValue): string[] {
  const symbols: string[] = []
  const others: string[] = []
  for (const path of dialect.error.code) {
    const value = valueAt(json, path)
    if (value instanceof JsonNumber) others.push(value.source)
    if (typeof value !== 'string') continue
    const symbol = leadingSymbol.exec(value)?.[0]
    if (symbol !== undefined && symbol.length <= 64) symbols.push(symbol)
    // A place named `code` holds nothing else; a message must look like a symbol to count as one.
    else if (path.split('.').at(-1) === 'code' && anyCode.test(value)) others.push(value)
  }
  return [...symbols, ...others]
}

/** The service's own words about an error (A4), hostile text as it came, or undefined. */
export function messageOf(dialect: Dialect, json: JsonValue): string | undefined {
  for (const path of dialect.error.message) {
    const value = valueAt(json, path)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function valueAt(json: JsonValue, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = json
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined
  return value
}
