import {type OrderKind, type OrderState, orderKinds, orderStates} from './order.ts'
import type {SignatureRecipe} from './signing/recipe.ts'
import {documentedRule, type RequestSignatureRule} from './signing/request.ts'

/**
 * How one deployment behaves: every point that the service's document leaves open (A1 to A13 of docs/assumptions.md).
 * Nothing outside this file may assume any of them.
 */
export interface Dialect {
  /** A1: the field that carries the order number in a deposit query. */
  readonly depositQuery: {readonly orderNo: string}
  /** A2: names of the fields of an order in an answer; of `orderNo`, the first that is there. */
  readonly response: {
    readonly orderNo: readonly string[]
    readonly platformOrderNo: string
    readonly status: string
    readonly amount: string
  }
  /** A3: the service's status words, matched exactly. A word may mean one thing for deposits and another for payouts. */
  readonly status: Readonly<Record<OrderKind, StatusWords>>
  /** A4: where an error body may carry its code and its message, as dotted paths. */
  readonly error: {readonly code: readonly string[]; readonly message: readonly string[]}
  /** A5: the JSON answer for an order that does not exist. */
  readonly notFound: {readonly http: readonly number[]; readonly codes: readonly string[]}
  /** A5b: codes that prove a create refused where HTTP 400 or 422 carries them. */
  readonly refusalCodes: readonly string[]
  /** A6: the legacy API's header signature. */
  readonly legacySignature: SignatureRecipe
  /** A7: what a resend's answer must be to count as accepted; it proves no delivery. */
  readonly resendAccepted: 'any 2xx, JSON or empty'
  /** A8: how a webhook is signed. */
  readonly webhookSignature: WebhookSignature
  /** A9: what joins a delivery record to an order, first to last. */
  readonly deliveryJoin: readonly ('merchant_order_id' | 'order_id')[]
  /** A10: the order of the list of records. Never assumed. */
  readonly listOrder: 'unknown'
  readonly legacyPath: string
  /** A12, A13: spelling of values and order of names in the request signature. */
  readonly requestSignature: RequestSignatureRule
}

export type StatusWords = Readonly<Record<OrderState, readonly string[]>>

export interface WebhookSignature {
  /** `md5-sorted`: a `signature` field in the JSON body. `hmac`: a header over the raw bytes. */
  readonly scheme: 'md5-sorted' | 'hmac'
  readonly header: string
  readonly timestampHeader: string
  /** How far a signed time may be from the receiver's; null: no limit. */
  readonly maxAgeMs: number | null
  readonly recipe: SignatureRecipe
}

/** The one refusal whose code is documented (service §4.3, §7). */
export const balanceCode = 'INSUFFICIENT_BALANCE'

export const documentedWords: StatusWords = {
  completed: ['completed'],
  open: ['processing', 'pending'],
  failed: ['failed'],
}

export const defaultDialect: Dialect = {
  depositQuery: {orderNo: 'orderNo'},
  response: {
    orderNo: ['orderNo', 'outOrderNo'],
    platformOrderNo: 'platformOrderNo',
    status: 'status',
    amount: 'amount',
  },
  status: {deposit: documentedWords, payout: documentedWords},
  error: {
    code: ['code', 'error', 'error.code', 'message', 'msg', 'error.message'],
    message: ['message', 'msg', 'error.message', 'error'],
  },
  notFound: {http: [404], codes: ['ORDER_NOT_FOUND']},
  refusalCodes: [balanceCode],
  legacySignature: {
    input: '{timestamp}{method}{path}{body}',
    hash: 'sha256',
    encoding: 'hex',
    key: 'api_secret',
    keyEncoding: 'utf8',
  },
  resendAccepted: 'any 2xx, JSON or empty',
  webhookSignature: {
    scheme: 'md5-sorted',
    header: 'X-Signature',
    timestampHeader: 'X-Timestamp',
    maxAgeMs: 5 * 60_000,
    recipe: {
      input: '{timestamp}.{body}',
      hash: 'sha256',
      encoding: 'hex',
      key: 'api_secret',
      keyEncoding: 'utf8',
    },
  },
  deliveryJoin: ['order_id', 'merchant_order_id'],
  listOrder: 'unknown',
  legacyPath: '/api/v1/merchant/webhooks',
  requestSignature: documentedRule,
}

/** The state of a status word for orders of this kind: exact match, no trimming, no case folding (A3, P7). */
export function readStatus(
  {status}: Pick<Dialect, 'status'>,
  kind: OrderKind,
  word: string,
): OrderState | 'unknown_status' {
  return orderStates.find((state) => status[kind][state].includes(word)) ?? 'unknown_status'
}

export interface Assumption {
  readonly id: string
  readonly what: string
  readonly value: string
}

type Row = readonly [id: string, what: string, value: string]

/** The dialect as the lines that a report records. */
export function assumptionsOf(dialect: Dialect): Assumption[] {
  const {response, status, webhookSignature: webhook, requestSignature: rule} = dialect
  const list = (words: readonly string[]) => words.join(' | ')
  const recipe = (r: SignatureRecipe) =>
    `HMAC-${r.hash} ${r.encoding} over ${JSON.stringify(r.input)} with ${r.key} (${r.keyEncoding})`
  // A field without a row does not compile: a report records every assumption.
  const rows: Readonly<Record<keyof Dialect, readonly Row[]>> = {
    depositQuery: [['A1', 'deposit query', `merchantId, ${dialect.depositQuery.orderNo}, signature`]],
    response: [
      [
        'A2',
        'query answer',
        `number ${list(response.orderNo)}, id ${response.platformOrderNo}, status ${response.status}, amount ${response.amount} (string, number or missing)`,
      ],
    ],
    status: [['A3', 'status words', statusText(status)]],
    error: [['A4', 'error code in', list(dialect.error.code)]],
    notFound: [
      [
        'A5',
        'no such order',
        `code ${list(dialect.notFound.codes)}, or JSON with HTTP ${list(dialect.notFound.http.map(String))} that names no route, where an order was found before`,
      ],
    ],
    refusalCodes: [
      [
        'A5b',
        'a create refused',
        `${balanceCode}; HTTP 400 or 422 with ${list(dialect.refusalCodes) || 'no code'}; HTTP 413, 414; HTTP 401, 403 where queries are rejected too`,
      ],
    ],
    legacySignature: [['A6', 'legacy signature', recipe(dialect.legacySignature)]],
    resendAccepted: [['A7', 'resend accepted', dialect.resendAccepted]],
    webhookSignature: [
      [
        'A8',
        'webhook signature',
        webhook.scheme === 'md5-sorted'
          ? 'md5-sorted, field `signature` of the body'
          : `${webhook.header}: ${recipe(webhook.recipe)}, ${webhook.maxAgeMs === null ? 'of any age' : `at most ${ageText(webhook.maxAgeMs)} old`}`,
      ],
    ],
    deliveryJoin: [['A9', 'record joined by', dialect.deliveryJoin.join(', then ')]],
    listOrder: [['A10', 'order of the list', dialect.listOrder]],
    legacyPath: [['A11', 'legacy path, signed whole', dialect.legacyPath]],
    requestSignature: [
      ['A12', 'values signed', `as sent, numbers by their source text, empty strings ${rule.emptyStrings}`],
      ['A13', 'names sorted', rule.sort === 'code_unit' ? 'by UTF-16 code unit' : 'ignoring case'],
    ],
  }
  return Object.values(rows)
    .flat()
    .map(([id, what, value]) => ({id, what, value}))
}

/** In the form of the setting `max_age`. */
export function ageText(maxAgeMs: number | null): string {
  return maxAgeMs === null ? 'any' : `${maxAgeMs / 1_000}s`
}

function statusText(status: Dialect['status']): string {
  const texts = orderKinds.map((kind) =>
    orderStates.map((state) => `${state}: ${status[kind][state].join(' | ')}`).join('; '),
  )
  const [deposits, payouts] = texts
  return deposits === payouts ? (deposits ?? '') : `deposits: ${deposits}; payouts: ${payouts}`
}
