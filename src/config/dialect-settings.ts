import {
  type Dialect,
  defaultDialect,
  documentedWords,
  type StatusWords,
  type WebhookSignature,
} from '../core/dialect.ts'
import {Failure} from '../core/failure.ts'
import {nearest} from '../core/nearest.ts'
import type {OrderKind, OrderState} from '../core/order.ts'
import {recipeParts, type SignatureRecipe} from '../core/signing/recipe.ts'
import {escapeInvisible} from '../core/text.ts'
import type {ProfileSettings} from './schema.ts'

/** The tables of a profile that set A1 to A13, by the file's names. */
export const dialectSections = [
  'deposit_query',
  'response',
  'status',
  'error',
  'not_found',
  'refusal_codes',
  'legacy_signature',
  'webhook_signature',
  'delivery_join',
  'request_signature',
] as const satisfies readonly (keyof ProfileSettings)[]

/**
 * A profile's dialect: its settings over the defaults, key by key. `place` names a key in messages:
 * `profiles.live.status in /…/config.toml`.
 */
export function dialectOf(settings: ProfileSettings, place: (key: string) => string): Dialect {
  const {deposit_query: query, response, error, not_found: notFound, request_signature: rule} = settings
  const base = defaultDialect
  const orderNo = response?.order_no ?? base.response.orderNo
  return {
    depositQuery: {orderNo: query?.order_no ?? base.depositQuery.orderNo},
    response: {
      orderNo: typeof orderNo === 'string' ? [orderNo] : orderNo,
      platformOrderNo: response?.platform_order_no ?? base.response.platformOrderNo,
      status: response?.status ?? base.response.status,
      amount: response?.amount ?? base.response.amount,
    },
    status: {
      deposit: statusOf(settings.status, 'deposit', place),
      payout: statusOf(settings.status, 'payout', place),
    },
    error: {code: error?.code ?? base.error.code, message: error?.message ?? base.error.message},
    notFound: {
      http: notFound?.http ?? base.notFound.http,
      codes: notFound?.codes ?? base.notFound.codes,
    },
    refusalCodes: settings.refusal_codes ?? base.refusalCodes,
    legacySignature: recipeOf(
      settings.legacy_signature,
      base.legacySignature,
      place('legacy_signature.input'),
    ),
    webhookSignature: webhookOf(settings.webhook_signature, place),
    deliveryJoin: joinOf(settings, place('delivery_join.by')),
    // Not settable.
    resendAccepted: base.resendAccepted,
    listOrder: base.listOrder,
    legacyPath: base.legacyPath,
    requestSignature: {
      emptyStrings: rule?.empty_strings ?? base.requestSignature.emptyStrings,
      sort: rule?.sort ?? base.requestSignature.sort,
    },
  }
}

/**
 * The service's words for one kind of order (A3). A given state replaces its default words; given for the kind, it
 * replaces both. A word under two states is refused, even if the second is a default. Words given without a kind may
 * have been learned from deposits: for a payout they count only as far as the document goes, so that a word of one
 * kind decides no payment of the other (P7).
 */
function statusOf(
  given: ProfileSettings['status'],
  kind: OrderKind,
  placeOf: (key: string) => string,
): StatusWords {
  const own = given?.[kind]
  const place = placeOf(own === undefined ? 'status' : `status.${kind}`)
  const wordsOf = (state: OrderState) => {
    const shared = given?.[state] ?? documentedWords[state]
    const mayTell = (word: string) => kind === 'deposit' || documentedWords[state].includes(word)
    return own?.[state] ?? shared.filter(mayTell)
  }
  const status = {completed: wordsOf('completed'), open: wordsOf('open'), failed: wordsOf('failed')}
  refuseSharedWords(status, place, (word) => word)
  if ((own?.completed ?? given?.completed)?.length === 0) {
    throw invalid(
      `${place}: completed is empty, so no order could ever be completed.`,
      'List the word of the service.',
    )
  }
  return status
}

/** Throws `config_invalid` for a word under two meanings: states, or kinds. */
export function refuseSharedWords(
  given: Readonly<Record<string, readonly string[] | undefined>>,
  place: string,
  fold: (word: string) => string,
): void {
  const meaningOf = new Map<string, string>()
  for (const [meaning, words = []] of Object.entries(given)) {
    for (const word of words) {
      const other = meaningOf.get(fold(word)) ?? meaning
      meaningOf.set(fold(word), meaning)
      if (other === meaning) continue
      throw invalid(
        `${place}: the word "${escapeInvisible(word, 64)}" is both under ${other} and under ${meaning}.`,
        `Leave it under one; one that is not given keeps its default words.`,
      )
    }
  }
}

function recipeOf(
  given: ProfileSettings['legacy_signature'],
  base: SignatureRecipe,
  place: string,
): SignatureRecipe {
  const input = given?.input ?? base.input
  const names = [...input.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '')
  const known = recipeParts.map((part) => `{${part}}`).join(' ')
  for (const name of names) {
    if (recipeParts.some((part) => part === name)) continue
    const meant = nearest(name, recipeParts)
    throw invalid(
      `${place} asks for {${escapeInvisible(name, 64)}}, and there is no such part${meant === null ? '' : `; did you mean {${meant}}?`}`,
      `Known parts: ${known}.`,
    )
  }
  if (names.length === 0) {
    throw invalid(
      `${place} names no part of the request, so one signature would fit all.`,
      `Known parts: ${known}.`,
    )
  }
  return {
    input,
    hash: given?.hash ?? base.hash,
    encoding: given?.encoding ?? base.encoding,
    key: given?.key ?? base.key,
    keyEncoding: given?.key_encoding ?? base.keyEncoding,
  }
}

function webhookOf(
  given: ProfileSettings['webhook_signature'],
  place: (key: string) => string,
): WebhookSignature {
  const base = defaultDialect.webhookSignature
  const recipe = recipeOf(given, base.recipe, place('webhook_signature.input'))
  if (!/\{body\w*\}/.test(recipe.input)) {
    throw invalid(
      `${place('webhook_signature.input')} leaves the body out, so anybody could change it (P22).`,
      'Put {body} or {bodySha256} in it.',
    )
  }
  return {
    scheme: given?.scheme ?? base.scheme,
    header: headerName(given?.header ?? base.header, place('webhook_signature.header')),
    timestampHeader: headerName(
      given?.timestamp_header ?? base.timestampHeader,
      place('webhook_signature.timestamp_header'),
    ),
    maxAgeMs: maxAgeOf(given?.max_age, place('webhook_signature.max_age')),
    recipe,
  }
}

function maxAgeOf(text: string | undefined, place: string): number | null {
  if (text === undefined) return defaultDialect.webhookSignature.maxAgeMs
  if (text === 'any') return null
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})(s|m|h)$/.exec(text) ?? []
  if (count !== '') return Number(count) * ({s: 1_000, m: 60_000, h: 3_600_000}[unit] ?? 0)
  throw invalid(`${place} is no time.`, 'Write it as 30s, 5m or 8h; "any" accepts every age.')
}

function headerName(name: string, place: string): string {
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return name
  throw invalid(`${place} is not the name of an HTTP header.`, 'Give the name alone, such as X-Signature.')
}

function joinOf({delivery_join: join}: ProfileSettings, place: string): Dialect['deliveryJoin'] {
  const by = join?.by ?? defaultDialect.deliveryJoin
  if (new Set(by).size === by.length) return by
  throw invalid(`${place} names one field twice.`, 'Name merchant_order_id, order_id, or both once.')
}

function invalid(message: string, hint: string): Failure {
  return new Failure('config_invalid', message, hint)
}
