import {thenRunAgain} from '../core/failure.ts'
import {formatTaka, type Paisa} from '../core/money.ts'
import {completedEvent, type Delivery, isSameId, type OrderKind, orderKinds} from '../core/order.ts'
import {newestOf} from '../core/reconcile/evidence.ts'
import type {RememberedFinding} from '../core/reconcile/history.ts'
import type {ItemEvent} from '../core/reconcile/item.ts'
import {isHeldBack, lastRow} from '../core/reconcile/snapshot.ts'
import {formatInstant} from '../core/time.ts'
import type {FindEarlierResend} from '../journal/resends.ts'
import {isInDoubt, type ResendRow} from '../journal/rows.ts'
import {viewCreate} from '../report/creates-list.ts'
import {viewRecord} from '../report/delivery-list.ts'
import {viewAmount} from '../report/finding-view.ts'
import type {FoundOrderView, FoundRowView} from '../report/found-text.ts'
import {viewOrder} from '../report/orders-list.ts'
import type {FoundOrder} from '../workflows/find-number.ts'
import {sentenceOf, type WhyReceived} from '../workflows/resend/received.ts'
import {override, type Reconciled, takenSeenIn} from '../workflows/resend/seen.ts'
import {nextStep} from './webhooks/next-step.ts'
import {viewStored} from './webhooks/received-view.ts'
import {shellCommand} from './webhooks/resend-command.ts'

interface FoundPorts {
  readonly earlierResend: FindEarlierResend
  readonly whyReceived: WhyReceived
  /** By the ID of a delivery record: what runs of reconcile know of its order. */
  readonly reconciled: ReadonlyMap<string, Reconciled | null>
  readonly timeZone: string
  readonly profileFlag: string | undefined
  readonly nowMs: number
  readonly skewMs: number | null
}

export function viewFound(order: FoundOrder, ports: FoundPorts): FoundOrderView {
  const {timeZone, nowMs} = ports
  const time = (ms: number) => formatInstant(ms, timeZone)
  const {orderNo, sides, records, received, resends, requests, findings, said} = order
  const service = orderKinds.map((kind) => ({kind, ...viewOrder(orderNo, sides[kind])}))
  const lastOf = (what: ItemEvent['what'], kind: OrderKind) =>
    said[kind].findLast((event) => event.what === what)?.text ?? null
  const isFound = service.some(({found}) => found === true)
  return {
    orderNo,
    service: service.filter(({found}) => (isFound ? found === true : found !== false)),
    webhooks: typeof records === 'string' ? null : records.map(viewRecord),
    received: received.map((event) => viewStored(event, timeZone)),
    resends: resends.map(({runId, deliveryId, event, state, intentAtMs, by, isOnItsWay}) => ({
      ...{at: time(intentAtMs), by, runId, deliveryId, event},
      state: isOnItsWay ? 'sent' : resendStates[state],
    })),
    created: requests.map((row) => viewCreate({...row, inDoubt: isInDoubt(row)}, nowMs, timeZone)),
    ledger: ledgerOf(order),
    openItems: findings
      .filter(({closedMs}) => closedMs === null)
      .map(({kind, verdict, cause, severity, atRisk, openedMs, lastRunId}) => ({
        ...{kind, verdict, cause, severity, amountAtRisk: viewAmount(atRisk)},
        ...{openedAt: time(openedMs), lastRunId},
        ...{owner: lastOf('assigned', kind), note: lastOf('noted', kind)},
      })),
    next: nextOf(order, ports),
  }
}

const resendStates = {
  ...{intent: 'unknown', accepted: 'sent', refused: 'refused', not_sent: 'skipped'},
  ...{unknown: 'unknown', delivered: 'delivered', still_failing: 'still_failing'},
} as const satisfies Record<ResendRow['state'], FoundOrderView['resends'][number]['state']>

function ledgerOf({agreed, findings, rows}: FoundOrder): FoundRowView[] {
  const compared = true
  const lineIn = (runId: string) => rows.find((row) => row.runId === runId)?.line || null
  const matched = agreed.map(({runId, kind, status, ledgerAmount, isTakenBack}) => ({
    ...{runId, kind, status, amount: viewAmount(ledgerAmount), line: null, agreed: !isTakenBack, compared},
  }))
  const found = findings.flatMap((finding) => {
    const row = lastRow(finding)
    const {lastRunId: runId, kind} = finding
    return row && !matched.some((one) => one.runId === runId && one.kind === kind)
      ? {
          runId,
          kind,
          status: row.status,
          amount: viewAmount(row.amount),
          line: lineIn(runId),
          agreed: false,
          compared,
        }
      : []
  })
  const known = new Set([...matched, ...found].map(({runId}) => runId))
  const bare = rows
    .filter(({runId}) => !known.has(runId))
    .map(({runId, line, isCompared}) => ({
      ...{runId, kind: null, status: null, amount: null, line: line || null, agreed: false},
      compared: isCompared,
    }))
  return [...matched, ...found, ...bare].sort((a, b) => (a.runId < b.runId ? -1 : 1))
}

function nextOf(order: FoundOrder, ports: FoundPorts): string[] {
  const {orderNo, doubts, received, records, sides} = order
  const command = (...words: string[]) => shellCommand([...words, orderNo], ports.profileFlag)
  if (doubts.length > 0)
    return doubts.map(({why, next, isOnItsWay}) =>
      isOnItsWay
        ? `On its way: ${why}. ${thenRunAgain('Wait until it has.')}`
        : `In doubt: ${why}. Run: ${next}`,
    )
  // The service may have delivered it itself, which the receiver does not know.
  const delivered = typeof records === 'string' ? [] : records.filter(({status}) => status === 'success')
  if (received.some((one) => one.forward === 'pending' && !delivered.some(({event}) => event === one.event)))
    return [`Your server has not acknowledged it. Run: ${command('events', 'forward')}`]
  const found = orderKinds.filter((kind) => sides[kind].is === 'found')
  const nameOf = (kind: OrderKind) =>
    found.length > 1 ? `${kind === 'deposit' ? 'Deposit' : 'Payout'}: ` : ''
  if (found.length > 0)
    return found.map((kind) => `${nameOf(kind)}${nextOfKind(kind, order, ports, command)}`)
  if (orderKinds.some((kind) => sides[kind].is === 'no_answer'))
    return [`The service gave no answer that can be trusted. Run: hisab doctor`]
  return ['The service has no such order. Check the number, and compare it with your own records.']
}

function nextOfKind(
  kind: OrderKind,
  {orderNo, sides, records, agreed, findings, whyPaidAnew, paidTwice, madeAfterAll}: FoundOrder,
  {earlierResend, whyReceived, reconciled: known, ...ports}: FoundPorts,
  command: (...words: string[]) => string,
): string {
  const side = sides[kind]
  if (side.is !== 'found') return ''
  const {order} = side
  const again = `Run: ${command(kind, 'query')}`
  if (kind === 'payout' && paidTwice?.isKnown) return `${paidTwice.why} Look in your books.`
  if (madeAfterAll[kind] !== null) return `WARNING: ${madeAfterAll[kind]}`
  if (order.status === 'open') return `The ${kind} is still open at the service. Ask again later. ${again}`
  if (order.status === 'unknown_status')
    return `The profile does not know this status. Run: hisab doctor --learn`
  const booked = agreed.find((one) => one.kind === kind && one.status === 'completed' && !one.isTakenBack)
  const twice = findings.find(
    (one) => one.kind === kind && one.closedMs === null && one.cause === 'booked_before_resent',
  )
  if (twice)
    return `Run ${twice.lastRunId} found it booked before hisab resent its webhook, so maybe twice. Look in your books, then: ${command('items', 'close')} --reason "..."`
  const other = findings.find(
    (one) => one.kind === kind && one.closedMs === null && one.verdict === 'amount_mismatch',
  )
  if (other) return amountsDiffer(other, order.amount)
  if (booked) return `Nothing: run ${booked.runId} found it booked as the service has it.`
  const send = shellCommand(
    ['webhooks', 'resend', '--order-no', orderNo, '--include-delivered'],
    ports.profileFlag,
  )
  if (kind === 'payout' && whyPaidAnew !== null)
    return typeof records !== 'string' && records.some(({status}) => status === 'success')
      ? `It failed, and your server took its webhook, but ${whyPaidAnew}. The player may have the money twice. Look in your books.`
      : `It failed, but ${whyPaidAnew}. Give no money back before you have looked. If your server should give it back: ${send}`
  const held = findings.find((one) => one.kind === kind && isHeldBack(one))
  if (held) {
    const all = typeof records === 'string' ? [] : records
    const why = all.map(({id}) => known.get(id)?.why).find((text) => text?.endsWith(override))
    const ifNot = `If it is not booked: ${send}`
    return (
      why?.replace(override, ifNot) ??
      `Run ${held.lastRunId} of reconcile held its resend back, because it may be booked. Look in your books. ${ifNot}`
    )
  }
  const {platformOrderNo} = order
  const isOf = (one: OrderKind, {orderId}: Delivery) => {
    const {[one]: other} = sides
    return other.is === 'found' && isSameId(orderId, other.order.platformOrderNo)
  }
  const all = typeof records === 'string' ? [] : records
  const own = all.filter((record) => isOf(kind, record))
  // A deposit and a payout may have one number.
  const maybe = all.filter((record) => !orderKinds.some((one) => one !== kind && isOf(one, record)))
  const isOfState = ({event}: Delivery) => order.status !== 'completed' || event === completedEvent
  const newest = newestOf((own.length > 0 ? own : maybe).filter(isOfState))
  const taken = whyReceived(
    {kind, orderNo, platformOrderNo},
    {
      ...newest,
      event: `order.${order.status}`,
    },
  )
  if (taken)
    return `${sentenceOf(taken)} Look in your books, and see ${command('events', 'list', '--order-no')}. If it is not booked: ${send}`
  if (typeof records === 'string') return 'The delivery records could not be read. Run it again.'
  if (!newest)
    return 'The service has no webhook of this. Nothing can be resent: ask the service for its state, then book it yourself.'
  const earlier = earlierResend(newest.orderId, newest.event, null)
  const {timeZone, profileFlag, nowMs, skewMs} = ports
  const takenSeenMs = takenSeenIn(findings.filter((one) => one.kind === kind))
  const reconciled = known.get(newest.id) ?? null
  return nextStep(newest, earlier, {reconciled, takenSeenMs, timeZone, profileFlag, time: {nowMs, skewMs}})
}

/** Neither amount is known to be right, and the webhook would credit the service's beside the other. */
function amountsDiffer(item: RememberedFinding, atService: Paisa | null): string {
  const shown = (amount: Paisa | null) => (amount === null ? 'unknown' : formatTaka(amount))
  const ours = shown(lastRow(item)?.amount ?? null)
  return `Ledger BDT ${ours}, service BDT ${shown(atService)}. Find out which amount was paid, and correct the ledger. Do not resend it.`
}
