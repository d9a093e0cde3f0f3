import {createHmac} from 'node:crypto'
import {onTestFinished} from 'vitest'
import {type Dialect, defaultDialect} from '../../src/core/dialect.ts'
import type {Forwarder} from '../../src/receiver/forwarder.ts'
import {type Inbox, openInbox} from '../../src/receiver/inbox.ts'
import type {Notice} from '../../src/receiver/notice.ts'
import {type Receiver, type ReceiverLimits, startReceiver} from '../../src/receiver/receiver.ts'
import type {Rules} from '../../src/receiver/rules.ts'
import {demoAccount, type Fields, signed} from '../sandbox/acting-merchant.ts'
import {tempDir} from '../temp-dir.ts'

export const account = {environment: 'live', merchantId: demoAccount.merchantId}

export const sortedRules: Rules = {
  merchantId: demoAccount.merchantId,
  dialect: defaultDialect,
  keys: {apiSecret: demoAccount.apiSecret, apiKey: demoAccount.apiKey},
}

/** The other scheme (A8): a header over the time and the raw bytes. */
export const hmacRules: Rules = {...sortedRules, dialect: withHmac(defaultDialect)}

function withHmac(dialect: Dialect): Dialect {
  return {...dialect, webhookSignature: {...dialect.webhookSignature, scheme: 'hmac'}}
}

export const paid = {
  event: 'order.completed',
  orderNo: 'D-1',
  platformOrderNo: 'PF-1',
  status: 'completed',
  amount: '500.00',
  playerRef: 'player-7',
}

/** A paid deposit's webhook as the service signs it; the signature is made by the tests' own code. */
export function webhookBody(fields: Fields = {}): string {
  return JSON.stringify(signed({...paid, ...fields}))
}

export function hmacHeaders(
  body: string,
  timestamp = String(Math.floor(Date.now() / 1_000)),
): Record<string, string> {
  const signature = createHmac('sha256', demoAccount.apiSecret).update(`${timestamp}.${body}`).digest('hex')
  return {'x-timestamp': timestamp, 'x-signature': signature}
}

export function openTestInbox(dataDir = tempDir(), pagesMax?: number): Inbox {
  const inbox = openInbox({dataDir, account, ...(pagesMax === undefined ? {} : {pagesMax})})
  onTestFinished(() => inbox.close())
  return inbox
}

export interface TestReceiver extends Receiver {
  readonly inbox: Inbox
  readonly notices: Notice[]
  post(body: string | Uint8Array, headers?: Record<string, string>): Promise<{status: number; body: string}>
}

export interface TestReceiverOptions {
  readonly rules?: Rules
  readonly inbox?: Inbox
  readonly forwarder?: Forwarder | null
  readonly limits?: Partial<ReceiverLimits>
  readonly hostnames?: readonly string[] | null
  readonly host?: string
}

/** A receiver on a real port, with a store of its own. */
export async function openTestReceiver(options: TestReceiverOptions = {}): Promise<TestReceiver> {
  const {
    rules = sortedRules,
    inbox = openTestInbox(),
    forwarder = null,
    limits = {},
    hostnames = [],
    host = '127.0.0.1',
  } = options
  const notices: Notice[] = []
  const receiver = await startReceiver({
    ...{rules, inbox, forwarder, limits, hostnames, host},
    port: 0,
    path: '/webhook',
    now: Date.now,
    onNotice: (notice) => void notices.push(notice),
  })
  onTestFinished(async () => void (await receiver.drain()))
  return {
    ...receiver,
    inbox,
    notices,
    async post(body, headers = {}) {
      const answer = await fetch(receiver.url, {
        method: 'POST',
        headers: {'content-type': 'application/json', ...headers},
        body: typeof body === 'string' ? body : Buffer.from(body),
      })
      return {status: answer.status, body: await answer.text()}
    },
  }
}
