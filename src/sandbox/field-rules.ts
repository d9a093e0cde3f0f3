import type {JsonObject} from '../core/json.ts'
import {type Paisa, parsePaisa} from '../core/money.ts'
import {
  isUuid,
  orderNoLengthMax,
  type PayoutChannel,
  payoutChannels,
  playerRefLengthMax,
  walletNumber,
} from '../core/order.ts'
import {refuseField} from './answers.ts'

/** Reads the fields of a request by their rules (service §2.1, §2.2), or refuses with HTTP 400. */

/** The merchant's number, byte for byte (P13). */
export function readOrderNo(fields: JsonObject, name: string): string {
  return readText(fields, name, `a string of 1 to ${orderNoLengthMax} characters`, orderNoLengthMax)
}

export function readPlayerRef(fields: JsonObject): string {
  return readText(
    fields,
    'playerRef',
    `a string of 1 to ${playerRefLengthMax} characters`,
    playerRefLengthMax,
  )
}

export function readUserName(fields: JsonObject): string {
  return readText(fields, 'userName', 'a string that is not empty', Number.POSITIVE_INFINITY)
}

export function readWallet(fields: JsonObject, name: 'playerPhone' | 'account' | 'sender'): string {
  const value = fields[name]
  if (typeof value === 'string' && walletNumber.test(value)) return value
  throw refuseField(name, 'a mobile number: 01, a digit from 3 to 9, and eight more digits')
}

export function readReturnUrlField(fields: JsonObject): string {
  const value = fields.returnUrl
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (typeof value === 'string' && (url?.protocol === 'http:' || url?.protocol === 'https:')) return value
  throw refuseField('returnUrl', 'an http or https address')
}

/** Null counts as absent, as in the signature. */
export function readIsTest(fields: JsonObject): boolean {
  const value = fields.isTest ?? false
  if (typeof value === 'boolean') return value
  throw refuseField('isTest', 'true or false')
}

export function readAmount(fields: JsonObject): Paisa {
  const value = fields.amount
  const amount = typeof value === 'string' ? parsePaisa(value) : null
  if (amount !== null && amount > 0n) return amount
  throw refuseField('amount', 'a string of taka above zero with at most two decimals, such as "500.00"')
}

export function readChannel(fields: JsonObject, name: string): PayoutChannel {
  const value = fields[name]
  const channel = payoutChannels.find((known) => known === value)
  if (channel) return channel
  throw refuseField(name, `one of ${payoutChannels.join(', ')}`)
}

/** The merchant that a control address is about; by default the demonstration merchant. */
export function readMerchant({merchantId}: JsonObject): {merchantId?: string} {
  if (merchantId === undefined) return {}
  if (typeof merchantId === 'string' && isUuid(merchantId)) return {merchantId}
  throw refuseField('merchantId', 'a UUID')
}

function readText(fields: JsonObject, name: string, expected: string, lengthMax: number): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '' && [...value].length <= lengthMax) return value
  throw refuseField(name, expected)
}
