import type {ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {stateOfEvent} from '../../core/event-state.ts'
import {verdictLabel} from '../../core/labels.ts'
import type {Paisa} from '../../core/money.ts'
import {type Delivery, type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {waitCauses} from '../../core/reconcile/evidence.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {describeEnded, isClosing} from '../../core/reconcile/ignore.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {isHeldBack, lastRow} from '../../core/reconcile/snapshot.ts'
import {holdsResends, isTaken} from '../../core/reconcile/verdict-facts.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import {statusAt} from '../orders/ask.ts'
import {BookedElsewhere} from './booked-elsewhere.ts'
import {describeNote, saidIn} from './notes.ts'
import type {ResendCandidate} from './unexplained-bookings.ts'

/**
 * What runs of `reconcile` last saw of an order's webhook, by their own memory: since when it waits, and when it was last seen as
 * taken. Null where none did.
 */
export async function webhooksSeen(journal: Pick<Journal, 'openFindings'>) {
  const byOrder = Map.groupBy(await journal.openFindings(), orderKey)
  const openOf = (kinds: readonly OrderKind[], orderNo: string) =>
    kinds.flatMap((kind) => byOrder.get(orderKey({kind, orderNo})) ?? [])
  return {
    waitsSince(kinds: readonly OrderKind[], orderNo: string): number | null {
      const waiting = openOf(kinds, orderNo).filter(({cause}) => cause !== null && waitCauses.includes(cause))
      return waiting.length === 0 ? null : Math.min(...waiting.map(({openedMs}) => openedMs))
    },
    takenSeen: (kinds: readonly OrderKind[], orderNo: string) => takenSeenIn(openOf(kinds, orderNo)),
  }
}

/** When a run last saw the webhook of an order with these findings as taken; null if none did. */
export function takenSeenIn(findings: readonly RememberedFinding[]): number | null {
  const taken = findings.filter(({cause, closedMs}) => closedMs === null && isTaken(cause))
  return taken.length === 0 ? null : Math.max(...taken.map(({lastSeenMs}) => lastSeenMs))
}

type Memory = Pick<
  Journal,
  | 'findFinalOrders'
  | 'findFinalOrdersOf'
  | 'findRun'
  | 'findTotals'
  | 'fingerprint'
  | 'findingsOf'
  | 'itemEvents'
  | 'listIgnores'
  | 'personsTexts'
  | 'rowsSeen'
>

/** Why a record is left out for what `reconcile` saw of its order. `isOpen`: a person must still decide. */
export interface Reconciled {
  readonly why: string
  readonly isOpen: boolean
}

/**
 * What runs of `reconcile` know of the order of an event that may say completed, by its number and of either kind, because a record
 * does not say it: found booked, in dispute, or left alone by a person. Null where nothing speaks against its resend.
 * `countsTaken`: false where what a run saw as taken was hisab's own answer.
 */
export async function reconciledBy(
  journal: Memory,
  {
    dialect,
    nowMs,
    timeZone,
    countsTaken = true,
  }: {
    readonly dialect: Dialect
    readonly nowMs: number
    readonly timeZone: string
    readonly countsTaken?: boolean
  },
  selected: Iterable<Pick<Delivery, 'orderId' | 'merchantOrderId'>>,
): Promise<
  (
    record: Pick<Delivery, 'event' | 'merchantOrderId' | 'orderId' | 'createdAt'>,
  ) => Promise<Reconciled | null>
> {
  const all = [...selected]
  const orders = () =>
    all.map(({merchantOrderId, orderId}) => ({orderNo: merchantOrderId, platformOrderNo: orderId}))
  const booked = new BookedElsewhere(journal, orders, {countsTaken})
  const named = new BookedElsewhere(journal, orders, {counts: () => true, countsTaken: false})
  return async ({event, merchantOrderId: orderNo, orderId, createdAt}) => {
    const state = stateOfEvent(event, dialect)
    if (state === 'open' || orderNo === '') return null
    // Read for each order anew: what people and other runs say meanwhile holds it as well.
    const ignores = (await journal.listIgnores()).filter((one) => one.orderNo === orderNo)
    const ignore = ignores.find(({expiresAtMs}) => nowMs < expiresAtMs)
    const ended = ignore ? undefined : ignores.at(-1)
    if (ended) return {why: describeEnded(ended, timeZone), isOpen: true}
    if (ignore) {
      const until = formatMinute(ignore.expiresAtMs, timeZone)
      const did = isClosing(ignore) ? 'closed it' : `ignored it until ${until}`
      return {why: `${ignore.by} ${did}: ${ignore.reason}. ${override}`, isOpen: false}
    }
    const sinceMs = parseInstant(createdAt)
    const order = {kinds: orderKinds, orderNo, platformOrderNo: orderId, isAnswered: false, sinceMs}
    if (state === 'failed') return await returnedBy(journal, order, named)
    const findings = Map.groupBy(
      await journal.findingsOf(orderKinds.map((kind) => ({kind, orderNo}))),
      orderKey,
    )
    for (const kind of orderKinds) {
      const open = findings
        .get(orderKey({kind, orderNo}))
        ?.find(({verdict, closedMs}) => closedMs === null && holdsResends(verdict))
      if (open) {
        const why = `Run ${open.lastRunId} of reconcile found it "${verdictLabel(open.verdict, kind).en}", which is open. Resolve it first. ${override}`
        return {why, isOpen: true}
      }
      if (countsTaken && takenSeenIn(findings.get(orderKey({kind, orderNo})) ?? []) !== null) {
        return {why: whyTaken, isOpen: true}
      }
      const held = findings.get(orderKey({kind, orderNo}))?.find(isHeldBack)
      if (held) {
        const dir = (await journal.findRun(held.lastRunId))?.reportDir ?? null
        const report = dir === null ? '' : ` The reason is in ${escapeInvisible(dir, 500)}/findings.csv.`
        const why = `Run ${held.lastRunId} of reconcile held it back, because it may be booked.${report} Look in your books first. ${override}`
        return {why, isOpen: true}
      }
    }
    const seen = await booked.find(order)
    if (seen === null) return null
    if (seen.by !== undefined) return {why: `${describeNote(seen, orderNo)} ${override}`, isOpen: true}
    const {runId, row, words, isTaken} = seen
    if (isTaken) return {why: whyTaken, isOpen: true}
    if (words) {
      const why = `Words in the ledger of run ${runId} of reconcile${saidIn(words)} may say that it is booked. Look in your books first. ${override}`
      return {why, isOpen: true}
    }
    if (row === null)
      return {why: `Run ${runId} of reconcile found it booked in a ledger. ${override}`, isOpen: false}
    return {why: whyBooked(runId, `${row} ${seen.rowIs}`), isOpen: true}
  }
}

/**
 * Your server gives back what it held for a payout that failed. A ledger shows that somebody may have done so where it has the
 * order as failed, as completed, in a row that cannot be read, or with a remark.
 */
async function returnedBy(
  journal: Memory,
  order: ResendCandidate,
  named: BookedElsewhere,
): Promise<Reconciled | null> {
  const {kinds, orderNo, platformOrderNo} = order
  const finals = [
    ...(await Promise.all(kinds.map((kind) => journal.findFinalOrders(kind, [orderNo])))).flat(),
    ...(platformOrderNo === '' ? [] : await journal.findFinalOrdersOf([platformOrderNo])),
  ]
  const failed = finals.find(({status}) => status === 'failed')
  const seen = failed ? null : await named.find(order)
  if (!failed && !seen) return null
  if (seen?.by !== undefined) return {why: `${describeNote(seen, orderNo)} ${override}`, isOpen: true}
  const run = `Run ${failed?.runId ?? seen?.runId} of reconcile`
  const found = failed
    ? `${run} found it failed in a ledger too`
    : seen?.row == null
      ? seen?.words
        ? `${run} saw words about it in a ledger${saidIn(seen.words)}`
        : `${run} found it completed in a ledger`
      : `${run} saw ${seen.row} in a ledger, which may be this order`
  return {
    why: `${found}, so what was held for it may be given back. Look in your books first. ${override}`,
    isOpen: true,
  }
}

function whyBooked(runId: string, row: string): string {
  return `In the ledger of run ${runId} of reconcile, ${row} and may be this order. Look in your books first. ${override}`
}

/** What ledgers said of an order that was asked for, where no ledger is read now. */
export interface Ledgers {
  readonly amountOf: (order: ServiceOrder) => Promise<Paisa | null>
  /** Why a row of its amount may be this order, which its number does not say. */
  readonly whyBooked: (order: ServiceOrder, createdAt: string) => Promise<string | null>
}

export function ledgersBy(
  journal: Memory,
  client: Pick<ServiceClient, 'queryOrder'>,
  includesDelivered: boolean,
): Ledgers {
  const booked = new BookedElsewhere(journal, () => [], {statusOf: statusAt(client)})
  return {
    async amountOf({kind, orderNo}) {
      const found = (await journal.findingsOf([{kind, orderNo}])).findLast(
        (finding) => lastRow(finding)?.amount != null,
      )
      const [final] = await journal.findFinalOrders(kind, [orderNo])
      return (found && lastRow(found)?.amount) ?? final?.ledgerAmount ?? null
    },
    async whyBooked(order, createdAt) {
      if (includesDelivered) return null
      const sinceMs = parseInstant(createdAt)
      const seen = await booked.find({...order, kinds: [order.kind], isAnswered: true, sinceMs})
      return seen?.by !== undefined || seen?.row == null
        ? null
        : whyBooked(seen.runId, `${seen.row} ${seen.rowIs}`)
    },
  }
}

/** The last sentence of a reason that a person may know better. */
export const override = 'To send it anyway, add --include-delivered.'

const whyTaken = `A run of reconcile saw that your server took its webhook. Look in your books first. ${override}`
