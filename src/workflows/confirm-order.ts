import type {OrderAnswer, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import {formatTaka, type Paisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import {quoteForShell} from '../core/shell.ts'
import {visible} from '../core/text.ts'

/** What was sent, and the id the service answered with. */
export interface AskedOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly platformOrderNo: string
  /** Null for a deposit: the player picks it. */
  readonly amount: Paisa | null
}

/** What makes an order that is not brand new the right one all the same. */
export interface Circumstances {
  /** The id an earlier try of the same request was answered with. */
  readonly earlierPlatformOrderNo: string | null
  /** The same request was sent before, or ends at once: it need not be open any more. */
  readonly mayHaveEnded: boolean
}

/**
 * `unanswered`: the query itself failed, so asking again makes sense. `not_shown`: the service does not show
 * enough to tell. `contradicted`: what it shows is not what a new order looks like.
 */
export type Confirmation =
  | {readonly confirmed: true}
  | {
      readonly confirmed: false
      readonly because: 'unanswered' | 'not_shown' | 'contradicted'
      readonly why: string
    }

/**
 * Whether an answer shows the order that was asked for: one just created is asked for and compared, because a number
 * that was used before is answered with the old order (P2). Throws `number_reused` where the amount is another one:
 * that is not the payout that was asked for.
 */
export function compareOrder(
  answer: OrderAnswer | Failure,
  asked: AskedOrder,
  {earlierPlatformOrderNo, mayHaveEnded}: Circumstances,
): Confirmation {
  const {kind, platformOrderNo, amount} = asked
  if (answer instanceof Failure) {
    return {
      confirmed: false,
      because: 'unanswered',
      why: `the ${kind} could not be queried: ${answer.message}`,
    }
  }
  if (!answer.found) {
    return {confirmed: false, because: 'unanswered', why: `a query does not find the ${kind} yet`}
  }
  const {order} = answer
  if (amount !== null && order.amount !== null && order.amount !== amount) {
    throw anotherAmount(asked, order.amount, amount)
  }
  const contradicted = (why: string) => ({confirmed: false, because: 'contradicted', why}) as const
  if (order.platformOrderNo !== platformOrderNo) {
    return contradicted('a query shows another platformOrderNo under this number')
  }
  if (earlierPlatformOrderNo !== null && earlierPlatformOrderNo !== platformOrderNo) {
    return contradicted('an earlier try was answered with another platformOrderNo')
  }
  if (order.status === 'unknown_status') {
    const why = `the service calls it "${visible(order.rawStatus, 60)}", a word the profile does not know`
    return {confirmed: false, because: 'not_shown', why}
  }
  if (order.status !== 'open' && !mayHaveEnded) {
    return contradicted(
      `it is already ${order.status}, which a new ${kind} is not: the number may belong to an older one`,
    )
  }
  if (amount !== null && order.amount === null) {
    return {confirmed: false, because: 'not_shown', why: 'the service does not show its amount'}
  }
  return {confirmed: true}
}

/** The answer, or the failure as a value: an order was accepted, and a question after it takes nothing back. */
export async function askQuietly(
  client: Pick<ServiceClient, 'queryOrder'>,
  kind: OrderKind,
  orderNo: string,
): Promise<OrderAnswer | Failure> {
  try {
    return await client.queryOrder(kind, orderNo)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

function anotherAmount({kind, orderNo}: AskedOrder, shown: Paisa, asked: Paisa): Failure {
  const number = visible(orderNo, 80)
  return new Failure(
    'number_reused',
    `The ${kind} ${number} is BDT ${formatTaka(shown)} at the service, and BDT ${formatTaka(asked)} was asked: the number belongs to an older ${kind}, which the service answered with. BDT ${formatTaka(asked)} was not paid out.`,
    `Look at it first (\`hisab ${kind} query ${quoteForShell(number)}\`); if it is indeed an older one, give the new ${kind} a new number.`,
  )
}
