import {isUnprovenAbsence} from '../../api/call-error.ts'
import type {ServiceClient} from '../../api/client.ts'
import {asFailure, Failure, isStop} from '../../core/failure.ts'
import {type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
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
  /** Other calls reached the service before, so a missing answer does not mean that the service is unreachable. */
  readonly reachedBefore?: boolean
  /** Orders that were found, by kind. With it a bare 404 counts only if one of them is found again after it. */
  readonly found?: Map<OrderKind, Asked>
  /** After it aborts nothing more is asked. */
  readonly signal?: AbortSignal
  /** Receives each answer with the order's index; awaited. */
  readonly onAnswer: (order: T, side: ServiceSide, index: number) => Promise<void> | void
}

/**
 * Asks the service once for each order. Without a trustworthy answer an order is `no_answer`, never absent; if stopped,
 * the remaining orders get no answer at all. Returns how many were asked for.
 *
 * Throws if going on is pointless: credentials rejected, service never reached, or the first answers of an address are
 * not this service's.
 */
export async function askOrders<T extends Asked>(
  client: Querier,
  orders: Iterable<T>,
  {width, reachedBefore = false, found, signal, onAnswer}: AskOptions<T>,
): Promise<number> {
  let unreachable: Failure | undefined
  let isReached = reachedBefore
  let asked = 0
  const foundKinds = new Set<OrderKind>()
  const strange = strangeAnswers(reachedBefore)
  const unproven: {readonly order: T; readonly index: number; readonly side: ServiceSide}[] = []
  const bare: {readonly order: T; readonly index: number}[] = []
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
    if (side.is === 'found') {
      foundKinds.add(order.kind)
      found?.set(order.kind, {kind: order.kind, orderNo: order.orderNo})
    }
    if (isBare(side)) bare.push({order, index})
    else await answer(order, side, index)
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
  // Begins with few calls, so that a pointless run stops before more are begun than may be under way.
  await Promise.all([
    forEachBounded(source, width, askNext, signal).then(reached.resolve),
    reached.promise.then(() => forEachBounded(source, width * (begunPerPlace - 1), askNext, signal)),
  ])
  // An order found since then proves the address, so its 404 counts as an answer (A5).
  await forEachBounded(unproven, width, async ({order, index, side}) => {
    const again = foundKinds.has(order.kind) && !signal?.aborted ? await askOrder(client, order) : side
    const told = again instanceof Failure ? side : again
    if (isBare(told)) bare.push({order, index})
    else await answer(order, told, index)
  })
  // A gateway that loses its route for a moment answers 404 like a service without the order. So a bare 404 counts if it
  // is given twice, and if an order is still found after that.
  const askAgain = (order: Asked) => (signal?.aborted ? bareOnce : askOrder(client, order))
  const second: (ServiceSide | Failure)[] = []
  await forEachBounded(bare, width, async ({order}, at) => {
    second[at] = await askAgain(order)
  })
  const isStillFound = new Map<OrderKind, boolean>()
  const twice = bare.filter((_, at) => isBare(second[at] ?? bareOnce))
  for (const kind of found ? new Set(twice.map(({order}) => order.kind)) : []) {
    const known = found?.get(kind)
    const side = known ? await askAgain(known) : bareOnce
    isStillFound.set(kind, 'is' in side && side.is === 'found')
  }
  for (const [at, {order, index}] of bare.entries()) {
    const side = second[at] ?? bareOnce
    const isRefuted = side instanceof Failure || (isBare(side) && isStillFound.get(order.kind) === false)
    await answer(order, isRefuted ? bareOnce : side, index)
  }
  if (unreachable && !isReached && !signal?.aborted) throw unreachable
  return asked
}

export function isBare(side: ServiceSide | Failure): boolean {
  return 'is' in side && side.is === 'absent' && side.isBare === true
}

export const bareOnce: ServiceSide = {
  ...{is: 'no_answer', code: 'answer_untrusted'},
  because: 'the service answered HTTP 404 without a word of an order, as a gateway does',
}

/** This many strange answers at the beginning are no accident; more for JSON 404s, because orders may be absent. */
const strangeMax = {answer: 8, absence: 100}

/** Stops a run early if an address is not the service's. */
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
 * Returns the failure if the service could not be reached, or its "not found" is not proven; throws if going on is
 * pointless.
 */
export async function askOrder(client: Querier, {kind, orderNo}: Asked): Promise<ServiceSide | Failure> {
  try {
    const answer = await client.queryOrder(kind, orderNo)
    if (answer.found) return {is: 'found', order: answer.order}
    return answer.isBare ? {is: 'absent', isBare: true} : {is: 'absent'}
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.code === 'credentials_rejected' || error.code === 'credentials_missing') throw error
    const isOwn = isStop(error) || error.code === 'service_unreachable' || isUnprovenAbsence(error)
    return isOwn ? error : noAnswer(error)
  }
}

/** The status of an order at the service; null if it shows none. Asked once for each, one after the other, so not for many. */
export function statusAt(
  client: Querier,
  askedMax = 500,
): (order: Asked) => Promise<ServiceOrder['status'] | null> {
  const known = new Map<string, ReturnType<typeof askOrder>>()
  return async ({kind, orderNo}) => {
    const key = `${kind} ${orderNo}`
    if (!known.has(key) && known.size >= askedMax) return null
    const asked = known.get(key) ?? askOrder(client, {kind, orderNo})
    known.set(key, asked)
    const side = await asked
    return 'is' in side && side.is === 'found' ? side.order.status : null
  }
}

export function noAnswer({code, clause: because}: Failure): ServiceSide {
  return {is: 'no_answer', code, because}
}
