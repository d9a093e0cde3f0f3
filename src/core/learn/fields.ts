import type {Dialect} from '../dialect.ts'
import {JsonNumber, type JsonObject, type JsonValue} from '../json.ts'
import {parsePaisa} from '../money.ts'
import type {OrderKind, OrderState} from '../order.ts'

/** One known order as the service answered for it now, by its own field names. */
export interface SeenOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  /** What somebody who knows says that it is; null where nobody said. */
  readonly told: OrderState | null
  readonly data: JsonObject
}

export const orderFields = ['order_no', 'platform_order_no', 'status', 'amount'] as const
export type OrderField = (typeof orderFields)[number]

/**
 * What one field of hisab's is called in the answers (A2). `kept`: the profile is right. `found`: another name
 * fits. `undecided`: none fits, or several do, and `candidates` are they.
 */
export interface FieldFinding {
  readonly field: OrderField
  readonly state: 'kept' | 'found' | 'undecided'
  readonly names: readonly string[]
  readonly candidates: readonly string[]
}

/** What is seen of one field of the answers: its name and what kind of value, never the value. */
export interface SeenField {
  readonly name: string
  readonly kind: string
  readonly orders: number
}

const platformNames = /platform|trade|system|transaction|txn/i
const statusNames = /stat(?:e(?!ment)|us)/i
const amountNames = /amount|amt|money/i
/** An amount, and not the order's. */
const otherAmounts = /fee|commission|charge|tax|balance|min|max|limit/i

/**
 * Finds hisab's four fields among those of the answers. The order number is proved by its value, and where two
 * fields repeat it either is right; the others go by name and kind, and only where one alone fits.
 */
export function findFields(orders: readonly SeenOrder[], response: Dialect['response']): FieldFinding[] {
  return [
    findOrderNo(orders, response.orderNo),
    findNamed(orders, 'platform_order_no', response.platformOrderNo, platformNames),
    findNamed(orders, 'status', response.status, statusNames),
    findAmount(orders, response.amount),
  ]
}

/** Every field of the answers with what kind of value it holds: nobody's phone or name is shown. */
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
  if (orders.every(isRight)) return {field, state: 'kept', names, candidates: []}
  // Only what repeats the number of its own order in every answer can be its name; a kind may have its own.
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
  if (found.length > 0 && fits) return {field, state: 'found', names: found, candidates}
  return {field, state: 'undecided', names, candidates}
}

function findNamed(
  orders: readonly SeenOrder[],
  field: OrderField,
  current: string,
  likely: RegExp,
): FieldFinding {
  const isEverywhere = (name: string) => orders.every(({data}) => isWord(data[name]))
  if (isEverywhere(current)) return {field, state: 'kept', names: [current], candidates: []}
  const [first] = orders
  const candidates = Object.keys(first?.data ?? {}).filter((name) => likely.test(name) && isEverywhere(name))
  if (candidates.length === 1) return {field, state: 'found', names: candidates, candidates}
  return {field, state: 'undecided', names: [current], candidates}
}

/** An amount may be missing (A2), so only another name that holds one where the profile's holds none is a finding. */
function findAmount(orders: readonly SeenOrder[], current: string): FieldFinding {
  const kept: FieldFinding = {field: 'amount', state: 'kept', names: [current], candidates: []}
  if (orders.some(({data}) => data[current] !== undefined && data[current] !== null)) return kept
  const holders = new Set(
    orders.flatMap(({data}) =>
      Object.keys(data).filter(
        (name) => amountNames.test(name) && !otherAmounts.test(name) && isAmount(data[name]),
      ),
    ),
  )
  const candidates = [...holders]
  if (candidates.length === 0) return kept
  if (candidates.length === 1) return {field: 'amount', state: 'found', names: candidates, candidates}
  return {field: 'amount', state: 'undecided', names: [current], candidates}
}

function isWord(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== ''
}

function isAmount(value: JsonValue | undefined): boolean {
  const text = value instanceof JsonNumber ? value.source : value
  return typeof text === 'string' && parsePaisa(text) !== null
}
