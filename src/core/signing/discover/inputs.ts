import {Failure} from '../../failure.ts'
import {type RecipeParts, recipeInput} from '../recipe.ts'

/** A way to put a request into text: the recipe's input, and its bytes as a "binary" string. */
export interface CandidateInput {
  readonly template: string
  readonly message: string
}

interface Form {
  readonly template: string
  readonly bytes: string
}

type Slot = 'timestamp' | 'method' | 'path' | 'body' | 'merchantId' | 'apiKey'

/** Inputs known in practice, tried first (Coinbase, CoinEx, Slack, Stripe, Lalamove and similar). */
export const knownInputs: readonly string[] = [
  '{timestamp}{method}{path}{body}',
  '{timestamp}.{body}',
  '{timestamp}{body}',
  '{body}',
  '{method}\n{path}\n{timestamp}\n{bodySha256}',
  '{method}\n{path}\n{timestamp}\n{body}',
  '{method}\n{path}\n{body}\n{timestamp}',
  '{timestamp}\r\n{method}\r\n{path}\r\n\r\n{body}',
  '{method}{path}{body}{timestamp}',
  '{method}{path}{timestamp}{body}',
  '{timestamp}{path}{body}',
  '{method}:{path}:{timestamp}:{body}',
  '{method}:{path}:{timestamp}:{bodySha256}',
  'v0:{timestamp}:{body}',
  '{timestamp}{merchantId}{method}{path}{body}',
  '{apiKey}{timestamp}{method}{path}{body}',
  '{apiKey}{body}{apiKey}',
  '{merchantId}{timestamp}{body}',
]

const delimiters = ['', '\n', '.', ':', '|', '&', '\r\n', ' ', ',', '-', '_', ';']

const requestSlots: readonly Slot[] = ['timestamp', 'method', 'path', 'body']

/**
 * Every input a recipe can express for one request, most likely first: those seen in the wild; then each order
 * of each choice of timestamp, method, path and body in all their forms; then with the merchant id or API key
 * put in anywhere. `host` adds whole addresses as a form of the path.
 */
export function* candidateInputs(parts: RecipeParts, host: string | null): Generator<CandidateInput> {
  for (const template of knownInputs) {
    const message = tryInput(template, parts)
    if (message !== null) yield {template, message}
  }
  const rich = slotForms(parts, richTemplates(host))
  const plain = slotForms(parts, plainTemplates)
  for (const order of orders(requestSlots.filter((slot) => rich[slot].length > 0))) {
    yield* combine(order.map((slot) => rich[slot]))
  }
  const ids = (['merchantId', 'apiKey'] as const).filter((slot) => plain[slot].length > 0)
  for (const extra of [...ids.map((slot) => [slot]), ...(ids.length > 1 ? [ids, ids.toReversed()] : [])]) {
    for (const order of orders(requestSlots.filter((slot) => plain[slot].length > 0))) {
      for (const widened of insertions(order, extra)) yield* combine(widened.map((slot) => plain[slot]))
    }
  }
}

function richTemplates(host: string | null): Readonly<Record<Slot, readonly string[]>> {
  const addresses = host === null ? [] : [`https://${host}{path}`, `http://${host}{path}`, `${host}{path}`]
  return {
    timestamp: ['{timestamp}', '{timestamp}000', '{timestampIso}'],
    method: ['{method}', '{methodLower}'],
    path: ['{path}', '{path}/', '{pathAfterVersion}', '{pathAfterApi}', '{pathBare}', ...addresses],
    body: [
      '{body}',
      '{bodySha256}',
      '{bodySha256Base64}',
      '{bodyMd5}',
      '{bodyMd5Base64}',
      '{bodySha512}',
      '{bodySha1}',
    ],
    merchantId: ['{merchantId}'],
    apiKey: ['{apiKey}'],
  }
}

const plainTemplates: Readonly<Record<Slot, readonly string[]>> = {
  timestamp: ['{timestamp}'],
  method: ['{method}'],
  path: ['{path}'],
  body: ['{body}', '{bodySha256}'],
  merchantId: ['{merchantId}'],
  apiKey: ['{apiKey}'],
}

function slotForms(
  parts: RecipeParts,
  templates: Readonly<Record<Slot, readonly string[]>>,
): Readonly<Record<Slot, readonly Form[]>> {
  const forms = (slot: Slot) => {
    const found = new Map<string, Form>()
    for (const template of templates[slot]) {
      const bytes = tryInput(template, parts)
      // A form with the same bytes as an earlier one (`{methodLower}` of `get`) is no other recipe.
      if (bytes !== null && !found.has(bytes)) found.set(bytes, {template, bytes})
    }
    return [...found.values()]
  }
  return {
    timestamp: forms('timestamp'),
    method: forms('method'),
    path: forms('path'),
    body: forms('body'),
    merchantId: forms('merchantId'),
    apiKey: forms('apiKey'),
  }
}

/** Each choice of a form for each slot, with each delimiter and each ending. */
function* combine(
  slots: readonly (readonly Form[])[],
  chosen: readonly Form[] = [],
): Generator<CandidateInput> {
  const forms = slots[chosen.length]
  if (forms) {
    for (const form of forms) yield* combine(slots, [...chosen, form])
    return
  }
  const templates = chosen.map(({template}) => template)
  const bytes = chosen.map((form) => form.bytes)
  for (const delimiter of chosen.length > 1 ? delimiters : ['']) {
    const template = templates.join(delimiter)
    const message = bytes.join(delimiter)
    yield {template, message}
    for (const ending of delimiter === '' || delimiter === '\n' ? ['\n'] : ['\n', delimiter]) {
      yield {template: template + ending, message: message + ending}
    }
  }
}

/** Every order of every choice of slots, the fullest choices first. */
function orders(slots: readonly Slot[]): Slot[][] {
  const found: Slot[][] = []
  const extend = (order: Slot[]): void => {
    if (order.length > 0) found.push(order)
    for (const slot of slots) if (!order.includes(slot)) extend([...order, slot])
  }
  extend([])
  return found.sort((a, b) => b.length - a.length)
}

/** `extra`, in its order, inserted into `order` at every choice of places. */
function insertions(order: readonly Slot[], extra: readonly Slot[]): Slot[][] {
  const [first, ...rest] = extra
  if (first === undefined) return [[...order]]
  const found: Slot[][] = []
  for (let at = 0; at <= order.length; at++) {
    for (const tail of insertions(order.slice(at), rest)) found.push([...order.slice(0, at), first, ...tail])
  }
  return found
}

function tryInput(template: string, parts: RecipeParts): string | null {
  try {
    return recipeInput(template, parts).toString('latin1')
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
