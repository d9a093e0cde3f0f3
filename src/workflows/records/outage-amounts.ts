import type {ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {unlessStopped} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import {completedEvent} from '../../core/order.ts'
import type {Outage} from '../../core/outages.ts'
import {amountOfPayload} from '../../core/payload.ts'
import {newestOf} from '../../core/reconcile/evidence.ts'
import {forEachBounded} from '../bounded.ts'

interface AmountPorts {
  readonly client: Pick<ServiceClient, 'getDelivery'>
  readonly dialect: Dialect
  readonly width: number
  readonly onProgress: (done: number, total: number) => void
}

/** The amounts of an outage's orders, as far as known. Only completed orders move money. */
export type OutageAmounts = ReturnType<typeof unreadAmounts>

export function unreadAmounts(outage: Outage) {
  return {known: 0n, unknownOrders: completionsOf(outage).length, isRead: false}
}

/** The number of payloads that `readAmounts` would read. */
export function payloadsOf(outages: readonly Outage[]): number {
  return outages.reduce((count, outage) => count + completionsOf(outage).length, 0)
}

/** Reads one payload for each order. If one cannot be read its amount stays unknown; a stop is thrown. */
export async function readAmounts(
  outages: readonly Outage[],
  {client, dialect, width, onProgress}: AmountPorts,
): Promise<OutageAmounts[]> {
  const found = outages.map(() => ({known: 0n, unknownOrders: 0, isRead: true}))
  const wanted = outages.flatMap((outage, at) => completionsOf(outage).map((id) => ({id, at})))
  let done = 0
  await forEachBounded(wanted, width, async ({id, at}) => {
    const amount = await readAmount(id, client, dialect)
    const sum = found[at]
    if (sum && amount === null) sum.unknownOrders += 1
    else if (sum && amount !== null) sum.known += amount
    onProgress(++done, wanted.length)
  })
  return found
}

/** The newest record of each completed order. */
function completionsOf({records}: Outage): string[] {
  const byOrder = Map.groupBy(
    records.filter(({event}) => event === completedEvent),
    ({orderId}) => orderId,
  )
  return [...byOrder.values()].flatMap((ofOrder) => newestOf(ofOrder)?.id ?? [])
}

export async function readAmount(
  id: string,
  client: AmountPorts['client'],
  dialect: Dialect,
): Promise<Paisa | null> {
  try {
    return amountOfPayload((await client.getDelivery(id))?.payload, dialect)
  } catch (thrown) {
    unlessStopped(thrown)
    return null
  }
}
