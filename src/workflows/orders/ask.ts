import {isUnprovenAbsence} from '../../api/call-error.ts'
import type {ServiceClient} from '../../api/client.ts'
import {asFailure, Failure, isStop} from '../../core/failure.ts'
import {type OrderKind, orderKinds} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {begunPerPlace, forEachBounded} from '../bounded.ts'

type Querier = Pick<ServiceClient, 'queryOrder'>

interface Asked {
  readonly kind: OrderKind
  readonly orderNo: string
}

export interface AskOptions<T> {
  /** Most calls at once, as set on the client. */
  readonly width: number
  /** Other calls reached the service before, so that silence now is no answer and not an unreachable service. */
  readonly reachedBefore?: boolean
  /** Once aborted nothing more is asked. */
  readonly signal?: AbortSignal
  /** Called with each answer and the order's place in the list; awaited. */
  readonly onAnswer: (order: T, side: ServiceSide, index: number) => Promise<void> | void
}

/**
 * Asks the service for each order, once. An order without a trustworthy answer is `no_answer`, never absent; one that a
 * stop kept from being asked for has no answer at all. Returned is how many were asked for.
 *
 * Throws where going on is pointless: credentials rejected, no call of all reached the service, or the first answers of an
 * address are all no answers of this service.
 */
export async function askOrders<T extends Asked>(
  client: Querier,
  orders: Iterable<T>,
  {width, reachedBefore = false, signal, onAnswer}: AskOptions<T>,
): Promise<number> {
  let unreachable: Failure | undefined
  let isReached = reachedBefore
  let asked = 0
  const foundKinds = new Set<OrderKind>()
  const strange = strangeAnswers(reachedBefore)
  const unproven: {readonly order: T; readonly index: number; readonly side: ServiceSide}[] = []
  const answer = async (order: T, side: ServiceSide, index: number) => {
    asked += 1
    await onAnswer(order, side, index)
  }
  const ask = async (order: T, index: number) => {
    const side = await askOrder(client, order)
    if (side instanceof Failure) {
      if (isStop(side)) return
      if (isUnprovenAbsence(side)) {
        isReached = true
        strange.count(order.kind, side.clause, 'absence')
        unproven.push({order, index, side: noAnswer(side)})
        return
      }
      unreachable = side
      await answer(order, noAnswer(side), index)
      return
    }
    isReached = true
    if (side.is === 'no_answer') {
      if (side.code === 'answer_untrusted') strange.count(order.kind, side.because, 'answer')
    } else strange.trust(order.kind)
    if (side.is === 'found') foundKinds.add(order.kind)
    await answer(order, side, index)
  }
  let isOver = false
  let begun = 0
  const askNext = async (order: T) => {
    try {
      await ask(order, begun++)
      if (isReached) reached.resolve()
    } catch (error) {
      isOver = true
      throw error
    }
  }
  const source = takeWhile(orders, () => !isOver)
  const reached = Promise.withResolvers<void>()
  // Where going on is pointless, the first of them say so before more are begun than may be on their way.
  await Promise.all([
    forEachBounded(source, width, askNext, signal).then(reached.resolve),
    reached.promise.then(() => forEachBounded(source, width * (begunPerPlace - 1), askNext, signal)),
  ])
  // An order found meanwhile proves the address, so its 404 counts as an answer (A5).
  await forEachBounded(unproven, width, async ({order, index, side}) => {
    const again = foundKinds.has(order.kind) && !signal?.aborted ? await askOrder(client, order) : side
    await answer(order, again instanceof Failure ? side : again, index)
  })
  if (unreachable && !isReached && !signal?.aborted) throw unreachable
  return asked
}

/** So many strange answers in a row at the beginning are no accident; of JSON 404s more, for orders may be absent. */
const strangeMax = {answer: 8, absence: 100}

/** Stops a run at an address that is not the service's, before it has asked for every order there. */
function strangeAnswers(reachedBefore: boolean) {
  const trusted = new Set<OrderKind>(reachedBefore ? orderKinds : [])
  const seen = {deposit: {answer: 0, absence: 0}, payout: {answer: 0, absence: 0}}
  return {
    trust: (kind: OrderKind) => void trusted.add(kind),
    count(kind: OrderKind, because: string, what: 'answer' | 'absence') {
      seen[kind][what] += 1
      if (trusted.has(kind) || seen[kind][what] < strangeMax[what]) return
      const address = kind === 'deposit' ? 'base_url' : 'apply_url'
      throw new Failure(
        'answer_untrusted',
        `The first ${strangeMax[what]} ${kind} queries got no answer of the payment service: ${because}. The other orders were not queried.`,
        `${address} is probably wrong. Run \`hisab doctor\` to see what is, then run this again. Nothing was sent.`,
      )
    },
  }
}

function* takeWhile<T>(items: Iterable<T>, goesOn: () => boolean): Generator<T> {
  for (const item of items) {
    if (!goesOn()) return
    yield item
  }
}

/**
 * The failure itself where the service could not be reached at all, or where its "not found" is not proven; throws
 * where going on is pointless.
 */
export async function askOrder(client: Querier, {kind, orderNo}: Asked): Promise<ServiceSide | Failure> {
  try {
    const answer = await client.queryOrder(kind, orderNo)
    return answer.found ? {is: 'found', order: answer.order} : {is: 'absent'}
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.code === 'credentials_rejected' || error.code === 'credentials_missing') throw error
    const isOwn = isStop(error) || error.code === 'service_unreachable' || isUnprovenAbsence(error)
    return isOwn ? error : noAnswer(error)
  }
}

export function noAnswer({code, clause: because}: Failure): ServiceSide {
  return {is: 'no_answer', code, because}
}
