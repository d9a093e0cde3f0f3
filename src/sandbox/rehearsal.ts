import {randomUUID} from 'node:crypto'

import type {Dialect} from '../core/dialect.ts'
import type {Paisa} from '../core/money.ts'
import {completedEvent, type OrderState} from '../core/order.ts'
import type {WebhookEvent} from '../core/webhook-event.ts'
import type {SandboxMerchant} from './merchants.ts'
import {forgeWebhook, type WebhookOrder, webhookFields, webhookHeaders, writeWebhook} from './webhook.ts'

/** `unknown` has a status word that nobody documented. */
export const rehearsedEvents = [
  'deposit.completed',
  'deposit.failed',
  'deposit.unknown',
  'payout.completed',
  'payout.failed',
  'payout.unknown',
] as const satisfies readonly WebhookEvent['type'][]
export type RehearsedEvent = (typeof rehearsedEvents)[number]

/** How an event reaches the merchant's server. */
export const rehearsedWays = ['genuine', 'duplicated', 'late', 'forged', 'reordered'] as const
export type RehearsedWay = (typeof rehearsedWays)[number]

export interface RehearsedPost {
  readonly what: string
  /** Taken: any 2xx. Refused: any 4xx. Noticed: taken or HTTP 409, because it contradicts an earlier event. */
  readonly expected: 'taken' | 'refused' | 'noticed'
  readonly body: string
  /** Made when it is sent, because a signature in a header may cover the time. */
  readonly headers: () => Record<string, string>
}

export interface RehearsalOptions {
  readonly url: string
  readonly merchant: Pick<SandboxMerchant, 'merchantId' | 'credentials'>
  readonly dialect: Dialect
  readonly orderNo: string
  readonly amount: Paisa
  readonly playerRef: string
  /** Real time in seconds. */
  readonly now: () => number
}

/** No receiver may accept a header's signature this old. */
const replayedAgeS = 3_600

export type RehearsedOrder = ReturnType<typeof rehearse>

/** Makes the webhooks with the sandbox's own code. Contacts nobody. */
export function rehearse(event: RehearsedEvent, way: RehearsedWay, options: RehearsalOptions) {
  const {url, merchant, dialect, orderNo, now} = options
  const platformOrderNo = randomUUID()
  const fieldsOf = (type: RehearsedEvent) => fieldsFor(type, platformOrderNo, options)
  const headersOf = (payload: string, age = 0) =>
    webhookHeaders({url, payload}, merchant, dialect, now() - age)
  const post = (
    what: string,
    body: string,
    expected: RehearsedPost['expected'] = 'taken',
    headers = () => headersOf(body),
  ): RehearsedPost => ({what, body, expected, headers})
  const body = writeWebhook(fieldsOf(event), merchant, dialect)
  const genuine = post('the event', body)
  const isCredit = event === 'deposit.completed'
  const order = {way, orderNo, platformOrderNo, credits: isCredit ? 1 : 0} as const
  switch (way) {
    case 'genuine':
      return {...order, steps: [[genuine]]}
    case 'late':
      return {...order, steps: [[post('the event, late', body)]]}
    case 'duplicated': {
      const copies = [post('the same, at once', body), post('the same, at once', body)]
      return {...order, steps: [[genuine], copies, [post('the same, later', body)]]}
    }
    case 'reordered': {
      const older = event.endsWith('.completed') ? 'failed' : 'completed'
      const [kind] = event.split('.')
      const type = `${kind}.${older}` as RehearsedEvent
      const last = post(`${type} after it`, writeWebhook(fieldsOf(type), merchant, dialect), 'noticed')
      return {
        ...order,
        credits: type === 'deposit.completed' ? null : order.credits,
        steps: [[genuine], [last]],
      }
    }
    case 'forged':
      return {
        ...order,
        steps: [...forgeries().map((forgery) => [forgery]), [post('the genuine event', body)]],
      }
  }

  function forgeries(): RehearsedPost[] {
    const raised = forgeWebhook(body)
    const {signature: _signed, ...bare} = JSON.parse(body) as Record<string, string>
    const unsigned = JSON.stringify(bare)
    const forgery = (what: string, forged: string, headers: () => Record<string, string>) =>
      post(what, forged, 'refused', headers)
    const bySecret = (apiSecret: string) => {
      const thief = {...merchant, credentials: {...merchant.credentials, apiSecret, apiKey: apiSecret}}
      const forged = writeWebhook(bare, thief, dialect)
      return [forged, () => webhookHeaders({url, payload: forged}, thief, dialect, now())] as const
    }
    const {scheme, header, recipe} = dialect.webhookSignature
    const isTimed = scheme === 'hmac' && recipe.input.includes('{timestamp')
    return [
      forgery('another amount, the old signature', raised, () => headersOf(body)),
      forgery('no signature', unsigned, () => {
        const {[header]: _header, ...rest} = headersOf(body)
        return scheme === 'hmac' ? rest : headersOf(body)
      }),
      forgery('signed with another secret', ...bySecret('not-the-secret-of-this-merchant')),
      ...(isTimed ? [forgery('a signature of an hour ago', body, () => headersOf(body, replayedAgeS))] : []),
    ]
  }
}

function fieldsFor(
  event: RehearsedEvent,
  platformOrderNo: string,
  {merchant, dialect, orderNo, amount, playerRef}: RehearsalOptions,
): Record<string, string> {
  const [kind, outcome] = event.split('.')
  const state: OrderState = outcome === 'completed' ? 'completed' : 'failed'
  const known = {merchantId: merchant.merchantId, orderNo, platformOrderNo, state}
  const order: WebhookOrder =
    kind === 'deposit'
      ? {...known, kind, amount: state === 'completed' ? amount : null, chosen: null, playerRef}
      : {...known, kind: 'payout', amount}
  const fields = webhookFields(order, dialect)
  return outcome === 'unknown' ? {...fields, event: completedEvent, status: 'under_review'} : fields
}
