/** Operations that a fault can be limited to: `payout-create.lost-answer-after=#2`. */
export const faultOperations = [
  'deposit-create',
  'deposit-query',
  'payout-create',
  'payout-query',
  'webhooks-list',
  'webhooks-get',
  'webhooks-resend',
] as const
export type FaultOperation = (typeof faultOperations)[number]

/**
 * What a fault is played on: a call of the service, an attempt at a webhook, a new webhook, or everything while it
 * lasts.
 */
export type FaultScope = 'call' | 'attempt' | 'webhook' | 'standing'

interface FaultKind {
  readonly scope: FaultScope
  /** Meaning and default of `:SPAN`; null if it takes none. */
  readonly span: {readonly of: string; readonly defaultMs: number} | null
  readonly plays: string
  readonly rehearses: string
}

export const faultKinds = {
  'lost-answer-before': {
    scope: 'call',
    span: null,
    plays: 'the connection is reset before the work is done',
    rehearses: 'sending the same number again after no answer',
  },
  'lost-answer-after': {
    scope: 'call',
    span: null,
    plays: 'the work is done, and the connection is reset instead of an answer',
    rehearses: 'not paying twice: the order is there, and the same number finds it',
  },
  html: {
    scope: 'call',
    span: null,
    plays: 'the work is done, and a page of HTML with status 200 stands in for the answer',
    rehearses: 'not reading a proxy’s page as success',
  },
  truncated: {
    scope: 'call',
    span: null,
    plays: 'the work is done, and the connection ends in the middle of the answer',
    rehearses: 'not acting on half an answer',
  },
  drip: {
    scope: 'call',
    span: {of: 'between two bytes', defaultMs: 1_000},
    plays: 'the work is done, and the answer comes a byte at a time',
    rehearses: 'a deadline for the whole answer, not for the next byte',
  },
  'rate-limited': {
    scope: 'call',
    span: {of: 'Retry-After, in whole seconds', defaultMs: 1_000},
    plays: 'HTTP 429 with Retry-After, and nothing is done',
    rehearses: 'waiting as long as one is told to',
  },
  'moving-pages': {
    scope: 'call',
    span: null,
    plays: 'a record above the page leaves the list, so one record falls between two pages',
    rehearses: 'noticing that a list was not read whole',
  },
  'skewed-clock': {
    scope: 'standing',
    span: {of: 'how far the service’s clock is ahead; -10m is behind', defaultMs: 600_000},
    plays: 'the service’s Date, meta.timestamp and X-Timestamp are off',
    rehearses: 'telling a wrong clock from a wrong key',
  },
  'no-legacy-api': {
    scope: 'standing',
    span: null,
    plays: 'the webhook log and its resend are not there: HTTP 404, not JSON',
    rehearses: 'a deployment without the deprecated API',
  },
  'webhook-doubled': {
    scope: 'attempt',
    span: null,
    plays: 'the webhook is sent twice, byte for byte',
    rehearses: 'booking once: de-duplication on platformOrderNo',
  },
  'webhook-late': {
    scope: 'webhook',
    span: {of: 'how late, by the sandbox’s clock', defaultMs: 600_000},
    plays: 'the first attempt is made late',
    rehearses: 'an order that is done at the service and not yet in the books',
  },
  'webhook-forged': {
    scope: 'attempt',
    span: null,
    plays: 'a webhook with a raised amount and the old signature comes first; the log tells who took it',
    rehearses: 'answering 401 to what cannot be verified',
  },
  'receiver-outage': {
    scope: 'attempt',
    span: null,
    plays: 'your receiver is not asked, and the attempt fails as HTTP 503',
    rehearses: 'the outage that reconcile mends',
  },
} as const satisfies Readonly<Record<string, FaultKind>>

export type FaultName = keyof typeof faultKinds
export const faultNames = Object.keys(faultKinds) as FaultName[]
