import type {Dialect} from '../core/dialect.ts'
import {isJsonObject, JsonNumber, type JsonValue} from '../core/json.ts'
import {InvalidResponse} from './answer.ts'

const anyCode = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const leadingSymbol = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])/

/**
 * Whether an answer says yes or no (service §4, §7): `code` is the number `0` for orders, `success` is `true` for the
 * legacy API. Throws `InvalidResponse` if it says neither or both.
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

/** Whether it contains an order: then the refusal of a write cannot be believed. */
export function carriesOrder(json: JsonValue): boolean {
  return isJsonObject(json) && isJsonObject(json.data) && typeof json.data.platformOrderNo === 'string'
}

/** Names of order numbers besides the dialect's, without case, dashes and underscores. */
const orderNames = ['orderno', 'outorderno', 'merchantorderno', 'merchantorderid']

/** Whether it contains another merchant or order number than the one in question, at any depth. */
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
 * Whether an answer says no: a `code` other than 0, a `success` of false, or instead of both a symbolic error such as
 * `{"error": "INSUFFICIENT_BALANCE"}` (A4).
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

/** Every code of an error answer, at any place of A4: symbols first, then numbers. */
export function codesOf(dialect: Dialect, json: JsonValue): string[] {
  const symbols: string[] = []
  const others: string[] = []
  for (const path of dialect.error.code) {
    const value = valueAt(json, path)
    if (value instanceof JsonNumber) others.push(value.source)
    if (typeof value !== 'string') continue
    const symbol = leadingSymbol.exec(value)?.[0]
    if (symbol !== undefined && symbol.length <= 64) symbols.push(symbol)
    // A place named `code` holds only codes; elsewhere the text must look like a symbol.
    else if (path.split('.').at(-1) === 'code' && anyCode.test(value)) others.push(value)
  }
  return [...symbols, ...others]
}

/** The service's own error message (A4), unescaped, or undefined. */
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
