import {type Dialect, readStatus} from '../core/dialect.ts'
import {isJsonObject, JsonNumber, type JsonValue} from '../core/json.ts'
import {parsePaisa} from '../core/money.ts'
import {isSameId, orderKinds} from '../core/order.ts'
import {InvalidResponse} from './answer.ts'
import type {Ask} from './operations.ts'

const anyCode = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
/** A text that goes on as a sentence is none: `INSUFFICIENT_BALANCE after this payout` may be said of one that was made. */
const leadingSymbol = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=\s*(?:$|[:;,.([–—-]))/u

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

/**
 * Whether the refusal of a create says, at any depth, that an order was made, or speaks of another payment than was sent:
 * then it proves nothing.
 */
export function tellsOfOrder(json: JsonValue, {dialect, body}: Pick<Ask, 'dialect' | 'body'>): boolean {
  const sent = JSON.parse(Buffer.from(body ?? []).toString() || '{}') as Readonly<Record<string, unknown>>
  const {platformOrderNo, status, amount} = dialect.response
  const tells = (value: JsonValue): boolean => {
    if (Array.isArray(value)) return value.some(tells)
    if (!isJsonObject(value)) return false
    const text = (name: string) => {
      const one = value[name] instanceof JsonNumber ? value[name].source : value[name]
      return typeof one === 'string' ? one : ''
    }
    const states = orderKinds.map((kind) => readStatus(dialect, kind, text(status)))
    const isMade = states.some((state) => state === 'completed' || state === 'open')
    const shown = parsePaisa(text(amount))
    const isOtherAmount =
      shown !== null && typeof sent.amount === 'string' && shown !== parsePaisa(sent.amount)
    const isOther = ['account', 'playerPhone', 'playerRef'].some((name) => {
      const asked = sent[name]
      const one = text(name)
      if (typeof asked !== 'string' || one === '' || one.includes('*') || one === asked) return false
      return name === 'playerRef' || !one.replace(/\D/g, '').endsWith(asked.slice(1))
    })
    const isYes = value.success === true || isZero(value.code)
    return (
      isYes ||
      isMade ||
      isOtherAmount ||
      isOther ||
      text(platformOrderNo) !== '' ||
      Object.values(value).some(tells)
    )
  }
  return tells(json) || saysAnother(messagesOf(dialect, json).join(' '), sent)
}

/** Whether a text names a number of the form of the one that was sent, and not that one: `P-1999` for `P-2001`. */
function saysAnother(text: string, sent: Readonly<Record<string, unknown>>): boolean {
  const numbers: readonly string[] = text.match(/[\p{L}\p{N}](?:[\p{L}\p{N}_.:/-]*[\p{L}\p{N}])?/gu) ?? []
  const own = String(sent.outOrderNo ?? sent.orderNo)
  // Fewer digits alone may be an amount or a code.
  const least = /\p{L}/u.test(own) ? 1 : 6
  const formOf = (number: string) => number.replace(least === 1 ? /\p{Nd}+/gu : /\p{Nd}/gu, '0')
  const isOther = (number: string) => formOf(number) === formOf(own) && number !== sent.account
  return own.length >= least && !numbers.includes(own) && numbers.some(isOther)
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
    if (expected !== null && typeof text === 'string' && text !== '')
      return isOrder ? text !== expected : !isSameId(text, expected)
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
  return messagesOf(dialect, json)[0]
}

function messagesOf(dialect: Dialect, json: JsonValue): string[] {
  const values = dialect.error.message.map((path) => valueAt(json, path))
  return values.filter((value) => typeof value === 'string').filter((value) => value !== '')
}

function valueAt(json: JsonValue, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = json
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined
  return value
}
