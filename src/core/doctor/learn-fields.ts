import {type Dialect, defaultDialect, readStatus} from '../dialect.ts'
import {JsonNumber, type JsonObject, type JsonValue} from '../json.ts'
import {type Paisa, parsePaisa} from '../money.ts'
import type {OrderKind, OrderState} from '../order.ts'
import {quoteForShell} from '../shell.ts'
import {escapeInvisible} from '../text.ts'

export interface SeenOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  /** The value a person gave, or null. */
  readonly told: OrderState | null
  /** The amount in taka a person gave, or null. */
  readonly toldAmount: Paisa | null
  readonly data: JsonObject
}

export const orderFields = ['order_no', 'platform_order_no', 'status', 'amount'] as const
export type OrderField = (typeof orderFields)[number]

/**
 * The name of one of hisab's fields in the answers (A2). `kept`: the profile is right. `found`: another name fits.
 * `undecided`: none or several fit, in `candidates`.
 */
export interface FieldFinding {
  readonly field: OrderField
  readonly state: 'kept' | 'found' | 'undecided'
  readonly names: readonly string[]
  readonly candidates: readonly string[]
  /** Why nothing is proposed, if that is not obvious. */
  readonly note: string | null
}

/** A field of the answers: its name and type, never its value. */
export interface SeenField {
  readonly name: string
  readonly kind: string
  readonly orders: number
}

const platformNames = /platform|trade|system|transaction|txn/i
const statusNames = /stat(?:e(?!ment)|us)/i
/** Names for an order's own status. Any other, such as `notifyStatus`, may mean something else. */
const orderStatusName = /^(?:(?:order|pay|payment|trade|transaction)[_-]?)?(?:status|state)$/i
const amountNames = /amount|amt|money/i
/** Names for an order's own amount. Any other, such as `minAmount`, may mean something else. */
const orderAmountName = /^(?:(?:order|pay|payment|trade|transaction)[_-]?)?(?:amount|amt|money)$/i

/**
 * Finds hisab's four fields among those of the answers. The order number is proved by its value; if two fields repeat
 * it, either is right. Status and amount need one of a few names: the status is the one such field that differs
 * between orders of different state, the amount the one with the known amounts. The platform's number is found by
 * name and type, if only one fits.
 */
export function findFields(orders: readonly SeenOrder[], response: Dialect['response']): FieldFinding[] {
  return [
    findOrderNo(orders, response.orderNo),
    findNamed(orders, 'platform_order_no', response.platformOrderNo, platformNames),
    findStatus(orders, response.status),
    findAmount(orders, response.amount),
  ]
}

/** Every field of the answers with its type. Phones and names are not shown. */
export function listFields(orders: readonly SeenOrder[]): SeenField[] {
  const found = new Map<string, {kinds: Set<string>; orders: number}>()
  for (const {data} of orders) {
    for (const [name, value] of Object.entries(data)) {
      const field = found.get(name) ?? {kinds: new Set(), orders: 0}
      field.kinds.add(kindOf(value))
      field.orders += 1
      found.set(name, field)
    }
  }
  return [...found].map(([name, field]) => ({
    name,
    kind: [...field.kinds].sort().join(' or '),
    orders: field.orders,
  }))
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (value instanceof JsonNumber) return 'number'
  if (typeof value === 'boolean') return 'true or false'
  if (typeof value === 'string') return parsePaisa(value) === null ? 'text' : 'text, an amount or digits'
  return Array.isArray(value) ? 'list' : 'object'
}

function findOrderNo(orders: readonly SeenOrder[], names: readonly string[]): FieldFinding {
  const field = 'order_no' as const
  const isRight = ({data, orderNo}: SeenOrder) => {
    const name = names.find((candidate) => data[candidate] !== undefined)
    return name !== undefined && data[name] === orderNo
  }
  if (orders.every(isRight)) return {field, state: 'kept', names, candidates: [], note: null}
  // The name of the order number must repeat the number in every answer; each kind may have its own.
  const ofKind = (kind: OrderKind) => {
    const some = orders.filter((order) => order.kind === kind)
    const [first] = some
    if (!first) return []
    return Object.keys(first.data).filter((name) => some.every(({data, orderNo}) => data[name] === orderNo))
  }
  const deposits = ofKind('deposit')
  const payouts = ofKind('payout')
  const candidates = [...new Set([...deposits, ...payouts])]
  const shared = candidates.filter((name) => orders.every(({data, orderNo}) => data[name] === orderNo))
  const chosen = shared.length > 0 ? shared.slice(0, 1) : [...deposits.slice(0, 1), ...payouts.slice(0, 1)]
  const found = [...new Set(chosen)]
  const fits = orders.every(({data, orderNo}) => found.some((name) => data[name] === orderNo))
  if (found.length > 0 && fits) return {field, state: 'found', names: found, candidates, note: null}
  return {field, state: 'undecided', names, candidates, note: null}
}

function findNamed(
  orders: readonly SeenOrder[],
  field: OrderField,
  current: string,
  likely: RegExp,
): FieldFinding {
  const isEverywhere = (name: string) => orders.every(({data}) => isWord(data[name]))
  if (isEverywhere(current)) return kept(field, current)
  const [first] = orders
  const candidates = Object.keys(first?.data ?? {}).filter((name) => likely.test(name) && isEverywhere(name))
  if (candidates.length === 1) return {field, state: 'found', names: candidates, candidates, note: null}
  return {field, state: 'undecided', names: [current], candidates, note: null}
}

/**
 * A field with the same value for orders of different state is not the order's. If several fields tell them apart,
 * none is learned, even if one holds numbers: a person must say which is the order's.
 */
function findStatus(orders: readonly SeenOrder[], current: string): FieldFinding {
  const field = 'status' as const
  const isText = (name: string) => orders.every(({data}) => isWord(data[name]))
  if (isText(current) && tellsApart(orders, current)) return kept(field, current)
  const isTold = orders.some(({told}) => told !== null)
  const names = [...new Set(orders.flatMap(({data}) => Object.keys(data)))]
  const separating = names.filter(
    (name) => statusNames.test(name) && tellsApart(orders, name) && (isTold || isText(name)),
  )
  const candidates = separating.filter((name) => orderStatusName.test(name))
  const [only, second] = candidates
  if (only !== undefined && second === undefined && isText(only)) {
    return {field, state: 'found', names: [only], candidates, note: null}
  }
  if (separating.length === 0 && isText(current)) return kept(field, current)
  return {
    field,
    state: 'undecided',
    names: [current],
    candidates,
    note: isTold ? whyNoStatus(separating, isText) : null,
  }
}

/** Why fields that tell the orders apart are not learned, in sentences; null if a person can choose. */
function whyNoStatus(separating: readonly string[], isText: (name: string) => boolean): string | null {
  const notes = separating.flatMap((name) => {
    const shown = `"${escapeInvisible(name, 40)}"`
    if (!isText(name)) return `${shown} is not a text in every answer, and hisab reads no other status.`
    if (orderStatusName.test(name)) return []
    return `${shown} may be the status of something else, by its name.${setByHand('status', name)}`
  })
  if (notes.length === 0) return null
  return [
    `${separating.map((name) => escapeInvisible(name, 40)).join(' and ')} tell the orders apart.`,
    ...notes,
  ].join(' ')
}

function setByHand(field: OrderField, name: string): string {
  return ` If you know that it is the order’s: hisab config set response.${field} ${quoteForShell(name)}`
}

/**
 * Whether no value of the field belongs to two orders of one kind with different states, or is a documented word for
 * another state.
 */
function tellsApart(orders: readonly SeenOrder[], name: string): boolean {
  const meant = new Map<string, OrderState>()
  return orders.every(({kind, data, told}) => {
    const value = data[name]
    if (told === null || value === undefined) return true
    const word = typeof value === 'string' ? value : JSON.stringify(value)
    const documented = readStatus(defaultDialect, kind, word)
    const key = `${kind} ${word}`
    const means = meant.get(key) ?? (documented === 'unknown_status' ? told : documented)
    meant.set(key, means)
    return means === told
  })
}

function kept(field: OrderField, current: string, note: string | null = null): FieldFinding {
  return {field, state: 'kept', names: [current], candidates: [], note}
}

/**
 * The amount is the field with the right value for every order with a known amount. It may be missing (A2). Without a
 * known amount nothing is learned: `amount` may be in paisa.
 */
function findAmount(orders: readonly SeenOrder[], current: string): FieldFinding {
  const told = orders.filter(({toldAmount}) => toldAmount !== null)
  const names = [...new Set(orders.flatMap(({data}) => Object.keys(data)))]
  const holders = names.filter((name) => orders.some(({data}) => amountOf(data[name]) !== null))
  if (told.length === 0) {
    const likely = holders.filter((name) => amountNames.test(name))
    if (holders.includes(current) || likely.length === 0) return kept('amount', current)
    const note = 'Give the amount of an order you know, as in --completed D-1001=500.00.'
    return {field: 'amount', state: 'undecided', names: [current], candidates: likely, note}
  }
  const holdsTold = (name: string, factor: bigint) =>
    told.every(({data, toldAmount}) => amountOf(data[name]) === (toldAmount ?? 0n) * factor)
  if (holdsTold(current, 1n)) return kept('amount', current)
  const paisa = holders.find((name) => holdsTold(name, 100n))
  const note =
    paisa === undefined
      ? null
      : `"${escapeInvisible(paisa, 40)}" holds 100 times the amounts that you gave: it is in paisa, and hisab reads taka. No setting reads it.`
  const right = holders.filter((name) => holdsTold(name, 1n))
  const [only, second] = right
  if (only === undefined) return kept('amount', current, note)
  if (second !== undefined) {
    const shown = right.map((name) => `"${escapeInvisible(name, 40)}"`).join(' and ')
    const note = `${shown} both hold the amounts that you gave: one may be the amount asked for, the other the amount paid. Give the amount of an order in which they differ.${setByHand('amount', 'NAME')}`
    return {field: 'amount', state: 'undecided', names: [current], candidates: right, note}
  }
  if (orderAmountName.test(only))
    return {field: 'amount', state: 'found', names: right, candidates: right, note: null}
  return {
    field: 'amount',
    state: 'undecided',
    names: [current],
    candidates: [],
    note: `"${escapeInvisible(only, 40)}" may be another amount, by its name.${setByHand('amount', only)}`,
  }
}

function isWord(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== ''
}

function amountOf(value: JsonValue | undefined): Paisa | null {
  const text = value instanceof JsonNumber ? value.source : value
  return typeof text === 'string' ? parsePaisa(text) : null
}
