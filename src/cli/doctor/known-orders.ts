import {Failure} from '../../core/failure.ts'
import {parsePaisa} from '../../core/money.ts'
import {type OrderKind, type OrderState, orderNoLengthMax, orderStates} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {KnownOrder} from '../../workflows/doctor/learn.ts'

export type RoleFlags = Readonly<Partial<Record<OrderState, readonly string[] | undefined>>>

/**
 * Reads orders from the command line: `D-1001` is a deposit, `payout:P-7` a payout (`deposit:payout:x` is the deposit
 * `payout:x`), `D-1001=500.00` has a known amount in taka. `--completed`, `--open` and `--failed` have their own
 * lists. Throws `usage`.
 */
export function readKnownOrders(args: readonly string[], roles: RoleFlags): KnownOrder[] {
  const orders = new Map<string, KnownOrder>()
  const add = (text: string, told: OrderState | null) => {
    const order = readOne(text, told)
    const id = `${order.kind} ${order.orderNo}`
    const before = orders.get(id)
    if (before?.told && told && before.told !== told) {
      throw new Failure(
        'usage',
        `${escapeInvisible(text, 60)} was given as ${before.told} and as ${told}.`,
        'Give it once.',
      )
    }
    orders.set(id, {
      ...order,
      told: told ?? before?.told ?? null,
      toldAmount: order.toldAmount ?? before?.toldAmount ?? null,
    })
  }
  for (const text of args) add(text, null)
  for (const state of orderStates) for (const text of roles[state] ?? []) add(text, state)
  if (orders.size > 0) return [...orders.values()]
  throw new Failure(
    'usage',
    '--learn needs orders whose outcome you know.',
    'For example: hisab doctor --learn --completed D-1001=500.00 --open D-1005 --failed D-1004',
  )
}

function readOne(text: string, told: OrderState | null): KnownOrder {
  const [, prefix, rest] = /^(deposit|payout):(.*)$/s.exec(text) ?? []
  const named = rest ?? text
  const [, number = named, amount = ''] = /^(.+)=([^=]*)$/s.exec(named) ?? []
  const toldAmount = parsePaisa(amount)
  const orderNo = toldAmount === null ? named : number
  const kind: OrderKind = prefix === 'payout' ? 'payout' : 'deposit'
  if (orderNo !== '' && [...orderNo].length <= orderNoLengthMax) return {kind, orderNo, told, toldAmount}
  throw new Failure(
    'usage',
    `"${escapeInvisible(text, 60)}" is not an order number.`,
    `Numbers have 1 to ${orderNoLengthMax} characters (document §8); payout:NUMBER for a payout.`,
  )
}
