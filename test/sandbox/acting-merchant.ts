import {createHash, createHmac} from 'node:crypto'

import {sandboxApplyUrl, sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import type {DeliveryRecord} from '../../src/sandbox/delivery-record.ts'

/**
 * A merchant's side of the interface, written from service §5 alone. It shares no code with the sandbox, so a mistake in
 * the shared signing would show here.
 */
export interface Account {
  readonly merchantId: string
  readonly apiSecret: string
  readonly apiKey: string
}

export const demoAccount: Account = {merchantId: sandboxMerchantId, ...sandboxCredentials}

export type Fields = Record<string, string | boolean | null | undefined>

export function md5Signature(fields: Fields, secret: string): string {
  const pairs = Object.keys(fields)
    .filter((name) => name !== 'signature' && fields[name] !== null && fields[name] !== undefined)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => `${name}=${fields[name]}`)
  return createHash('md5')
    .update([...pairs, `key=${secret}`].join('&'))
    .digest('hex')
}

export function signed(fields: Fields, account = demoAccount): Fields {
  const whole = {merchantId: account.merchantId, ...fields}
  return {...whole, signature: md5Signature(whole, account.apiSecret)}
}

export function depositFields(fields: Fields = {}): Fields {
  return {
    orderNo: 'D-1001',
    returnUrl: 'http://127.0.0.1:9/hook',
    playerPhone: '01712345678',
    playerRef: 'player-7',
    ...fields,
  }
}

export function payoutFields(fields: Fields = {}): Fields {
  return {
    outOrderNo: 'P-2001',
    amount: '250.00',
    bankType: 'NAGAD',
    userName: 'Rahim Uddin',
    account: '01812345678',
    returnUrl: 'http://127.0.0.1:9/hook',
    ...fields,
  }
}

/** Header signature by A6: HMAC-SHA256, lower-case hex, over timestamp, method, path, body. */
export function legacyHeaders(
  method: string,
  path: string,
  {account = demoAccount, timestamp = Math.floor(Date.now() / 1000), body = ''} = {},
): Record<string, string> {
  return {
    'x-merchant-id': account.merchantId,
    'x-api-key': account.apiKey,
    'x-timestamp': String(timestamp),
    'x-signature': createHmac('sha256', account.apiSecret)
      .update(`${timestamp}${method}${path}${body}`)
      .digest('hex'),
  }
}

/** Every name the tests read of an answer; which of them are there depends on the address. */
interface AnswerBody {
  readonly code: number | string
  readonly message: string
  readonly success: boolean
  readonly meta: {readonly timestamp: string}
  readonly data: DeliveryRecord & {
    readonly platformOrderNo: string
    readonly payCode: string
    readonly payUrl: string
    readonly playerRef: string
    readonly balance: string
    readonly now: string
    readonly payload: Record<string, string>
    readonly response_body: string | null
    readonly data: readonly DeliveryRecord[]
    readonly pagination: Record<'page' | 'limit' | 'total' | 'total_pages', number>
  }
}

export interface Answer {
  readonly status: number
  readonly body: AnswerBody
}

/** What takes a request: a sandbox's `app.request`, or one bound to a real address. */
export type Ask = (path: string, init: RequestInit) => Response | Promise<Response>

export async function post(ask: Ask, path: string, body: unknown): Promise<Answer> {
  return await read(
    await ask(path, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
}

export async function legacy(ask: Ask, method: string, pathAndQuery: string): Promise<Answer> {
  const [path = ''] = pathAndQuery.split('?')
  return await read(await ask(pathAndQuery, {method, headers: legacyHeaders(method, path)}))
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {status: response.status, body: isJson ? JSON.parse(text) : text}
}

/** Payouts have an address of their own: the port after that of deposits. */
export const askPayoutsAt = (url: string): Ask => askAt(sandboxApplyUrl(url))

export const askAt =
  (url: string): Ask =>
  (path, init) =>
    fetch(`${url}${path}`, init)
