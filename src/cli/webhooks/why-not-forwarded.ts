import type {ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka, parsePaisa} from '../../core/money.ts'
import {completedEvent, type ServiceOrder} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import {kindOf} from '../../receiver/webhook.ts'
import {askQuietly} from '../../workflows/orders/confirm.ts'
import {creditedBy} from '../../workflows/orders/credited.ts'
import {madeSince, paidAnewBy} from '../../workflows/orders/paid-anew.ts'
import {override, reconciledBy} from '../../workflows/resend/seen.ts'

/**
 * Why the player may have the money of an event already, as a clause; null if nothing known here says so. The events are a deposit
 * that completed, or a payout that failed. What holds a resend holds them as well. `listPending`: all that may be asked about; more may arrive.
 */
export function whyNotForwarded(
  journal: Journal | null,
  client: Pick<ServiceClient, 'queryOrder'>,
  {dialect, ledger: {timeZone}}: Pick<Profile, 'dialect' | 'ledger'>,
  listPending: () => readonly StoredEvent[],
): (event: StoredEvent) => Promise<string | null> {
  const whyKnown = journal && whyCreditedBy(journal, client, {dialect, timeZone}, listPending)
  return async (event) => {
    const kind = kindOf(event)
    const orderNo = await numberOf(event, journal)
    if (orderNo === null) return null
    const order = {kind, orderNo, amount: parsePaisa(event.amount ?? '')}
    // The service first, which may take long: what happens here meanwhile is seen after it.
    const moved = await whyMoved(order, client)
    return (await whyKnown?.(event, order)) ?? moved
  }
}

async function numberOf(event: StoredEvent, journal: Journal | null): Promise<string | null> {
  return event.orderNo ?? (await journal?.numberWithPlatformOrder(kindOf(event), '', event.orderId)) ?? null
}

type Order = Pick<ServiceOrder, 'kind' | 'orderNo' | 'amount'>

/** What the journal has of it: the same that holds back a resend. */
function whyCreditedBy(
  journal: Journal,
  client: Pick<ServiceClient, 'queryOrder'>,
  rules: {readonly dialect: Dialect; readonly timeZone: string},
  listPending: () => readonly StoredEvent[],
): (event: StoredEvent, order: Order) => Promise<string | null> {
  const [whyPaidAnew, whyCredited] = [paidAnewBy(journal, client), creditedBy(journal)]
  const named = ({orderId, receivedAtMs}: StoredEvent, merchantOrderId: string) => ({
    ...{orderId, merchantOrderId, createdAt: new Date(receivedAtMs).toISOString()},
  })
  const read = new Set<number>()
  const readAll = async () => {
    const pending = listPending()
    for (const {id} of pending) read.add(id)
    const all = await Promise.all(
      pending.map(async (one) => named(one, (await numberOf(one, journal)) ?? '')),
    )
    return reconciledBy(journal, {...rules, nowMs: Date.now()}, all)
  }
  let reading: ReturnType<typeof readAll> | undefined
  return async (event, order) => {
    const {kind, orderNo} = order
    const why =
      (await whyPaidAnew(order, madeSince(event.receivedAtMs))) ?? (await whyCredited(orderNo, kind))?.why
    if (why != null) return why
    if (reading === undefined || !read.has(event.id)) reading = readAll()
    const name = kind === 'deposit' ? completedEvent : 'order.failed'
    const seen = await (await reading)({...named(event, orderNo), event: name})
    return seen?.why.replace(` ${override}`, '').replace(/\.$/, '') ?? null
  }
}

/** Why the order is not as its event says; null without an answer, because the event is genuine. */
async function whyMoved(
  {kind, orderNo, amount}: Order,
  client: Pick<ServiceClient, 'queryOrder'>,
): Promise<string | null> {
  const now = await askQuietly(client, kind, orderNo)
  if (now instanceof Failure || (!now.found && now.isBare)) return null
  if (!now.found) return 'the service does not have the order now'
  const {status, rawStatus, amount: shown} = now.order
  const isMoved = kind === 'deposit' ? status !== 'completed' : status === 'completed' || status === 'open'
  if (isMoved) return `the service now has "${escapeInvisible(rawStatus, 60)}"`
  if (kind === 'payout' || amount === null || shown === null || amount === shown) return null
  return `the service now has BDT ${formatTaka(shown)}, not BDT ${formatTaka(amount)}`
}
