import {formatTaka, parsePaisa} from '../core/money.ts'
import {escapeInvisible} from '../core/text.ts'
import {blockText, fieldsText} from './fields-text.ts'
import type {ListColumn} from './list-text.ts'
import type {Style} from './table.ts'

interface EventView {
  readonly receivedAt: string
  readonly event: string | null
  readonly orderNo: string | null
  readonly platformOrderNo: string | null
  readonly status: string | null
  /** Two decimals if it is an amount; else as written. */
  readonly amount: string | null
  /** Wallet numbers are masked. */
  readonly playerRef: string | null
}

export interface ReceivedView extends EventView {
  readonly outcome: 'new' | 'changed' | 'duplicate' | 'conflict'
  readonly httpStatus: number
  /**
   * Fields that neither the service's document nor the profile names: a body signature may not have been made for
   * them.
   */
  readonly undocumented: readonly string[]
  /** When the first content came, if this is a later one. */
  readonly firstReceivedAt: string | null
  /** Null if it was not forwarded this time. */
  readonly forward: {
    readonly httpStatus: number | null
    readonly acknowledged: boolean
    /** Why there was no answer, or null. */
    readonly problem: string | null
  } | null
}

/** `14:02:11  200  order.completed  T-1  BDT 500.00  completed`, then what is unusual. */
export function receivedLine(view: ReceivedView, style: Style): string {
  const {receivedAt, httpStatus, undocumented} = view
  const isGood = httpStatus >= 200 && httpStatus < 300
  const cells = [
    style('dim', receivedAt.slice(11, 19)),
    style(isGood ? 'green' : 'red', String(httpStatus)),
    ...eventCells(view),
    remarkOf(view, style),
    undocumented.length === 0
      ? ''
      : style(
          'yellow',
          `not in the service's document: ${undocumented
            .map((name) => escapeInvisible(name, 40))
            .slice(0, 5)
            .join(', ')}`,
        ),
  ]
  return cells.filter((cell) => cell !== '').join('  ')
}

function eventCells({event, orderNo, platformOrderNo, amount, status}: EventView): string[] {
  return [
    escapeInvisible(event ?? '-', 60).padEnd(15),
    escapeInvisible(orderNo ?? platformOrderNo ?? '', 60),
    amount === null ? '' : shownAmount(amount),
    escapeInvisible(status ?? '', 60),
  ]
}

function shownAmount(amount: string): string {
  const paisa = parsePaisa(amount)
  return `BDT ${paisa === null ? escapeInvisible(amount, 40) : formatTaka(paisa)}`
}

function remarkOf({outcome, firstReceivedAt, forward}: ReceivedView, style: Style): string {
  const first = shownTime(firstReceivedAt)
  if (outcome === 'conflict') {
    return style(
      'red',
      `CONFLICT: the event of ${first} was acknowledged with another amount, state or number; both are kept`,
    )
  }
  const again =
    outcome === 'duplicate'
      ? style('dim', 'duplicate')
      : outcome === 'changed'
        ? style('yellow', `changed since ${first}; your server may have acted on both`)
        : ''
  if (forward === null || forward.acknowledged) return again
  const problem = forward.problem ?? `it answered HTTP ${forward.httpStatus}`
  const lost = style('yellow', `stored; your server did not take it: ${escapeInvisible(problem, 120)}`)
  return again === '' ? lost : `${again}, ${lost}`
}

export interface ForwardedView extends EventView {
  /** Not handed on, because a person must decide: `problem` has why. */
  readonly held: boolean
  readonly acknowledged: boolean
  /** Null if your server gave no answer or was not asked. */
  readonly httpStatus: number | null
  readonly problem: string | null
}

export function forwardedLine(view: ForwardedView, style: Style): string {
  const {held, acknowledged, httpStatus, problem} = view
  const result = acknowledged
    ? style('green', httpStatus === null ? 'acknowledged as another version' : 'acknowledged')
    : style(
        'yellow',
        `not ${held ? 'forwarded' : 'acknowledged'}: ${escapeInvisible(problem ?? reasonOf(httpStatus), 200)}`,
      )
  return [...eventCells(view), result].filter((cell) => cell !== '').join('  ')
}

function reasonOf(httpStatus: number | null): string {
  return httpStatus === null ? 'another hisab is forwarding it' : `your server answered HTTP ${httpStatus}`
}

export function forwardedEnd(counts: {
  readonly handedOn: number
  readonly acknowledged: number
  /** Without an answer of the server, which may not be reached. */
  readonly unanswered: number
  /** Not forwarded, because a person must decide. */
  readonly held: number
  readonly pending: number
  readonly conflicts: number
}): string {
  const {handedOn, acknowledged, unanswered, held, pending, conflicts} = counts
  const refused = handedOn - acknowledged - unanswered
  const ends = [
    `${acknowledged} acknowledged`,
    refused > 0 && `${refused} refused by your server`,
    unanswered > 0 && `${unanswered} without an answer: your server may not be reached`,
  ]
  const nothing = held > 0 || pending > 0 || conflicts > 0 ? 'Nothing was forwarded.' : 'No event is pending.'
  const lines = [
    handedOn === 0 ? nothing : `Forwarded ${handedOn}: ${ends.filter(Boolean).join(', ')}.`,
    pending > 0 && `${pending} pending: \`hisab events list --pending\`.`,
    conflicts > 0 &&
      `${conflicts} in CONFLICT, not forwarded: \`hisab events list --pending\`. After a look: \`hisab events forward ORDER_NO --conflicts --to URL\`.`,
  ]
  return lines.filter(Boolean).join(' ')
}

export function listenStart(facts: {
  readonly url: string
  readonly name: string
  readonly merchantId: string
  readonly forwardTo: string | null
  /** Events that were forwarded earlier and never acknowledged. */
  readonly pending: number
  readonly storedIn: string
}): string {
  const {url, name, merchantId, forwardTo, pending, storedIn} = facts
  const {hostname} = new URL(url)
  const lines = [
    `Listening at ${url}`,
    `  profile    ${escapeInvisible(name)}, merchant ${escapeInvisible(merchantId)}`,
    `  stored in  ${escapeInvisible(storedIn)}`,
  ]
  if (forwardTo !== null) {
    // Without the query, which may hold a token.
    const {origin, pathname} = new URL(forwardTo)
    lines.push(`  forwarded  to ${escapeInvisible(`${origin}${pathname}`)}, whose answer the service gets`)
  }
  if (hostname !== '127.0.0.1' && hostname !== '[::1]') {
    lines.push('  warning    other machines can reach it, and it speaks plain HTTP')
  }
  if (pending > 0) {
    lines.push(
      `  pending    ${pending} stored earlier and never acknowledged by your server: \`hisab events list --pending\` lists them, \`hisab events forward --to URL\` forwards them`,
    )
  }
  return [...lines, 'Ctrl-C ends it.'].join('\n')
}

export function listenEnd(result: {
  readonly endedBy: string
  readonly finishedWhileStopping: number
  readonly counts: Readonly<
    Record<'new' | 'changed' | 'duplicate' | 'conflict' | 'refused' | 'unstored', number>
  >
  readonly forwarded: {readonly acknowledged: number; readonly notAcknowledged: number} | null
}): string {
  const {counts, forwarded, finishedWhileStopping: finished, endedBy} = result
  const parts = [`${counts.new} new`]
  if (counts.changed > 0) parts.push(`${counts.changed} changed`)
  if (counts.duplicate > 0) parts.push(`${counts.duplicate} duplicate`)
  if (counts.conflict > 0) parts.push(`${counts.conflict} in CONFLICT`)
  if (counts.unstored > 0) parts.push(`${counts.unstored} NOT STORED`)
  if (counts.refused > 0) parts.push(`${counts.refused} refused`)
  if (forwarded) parts.push(`${forwarded.acknowledged} acknowledged by your server`)
  if (forwarded && forwarded.notAcknowledged > 0) parts.push(`${forwarded.notAcknowledged} NOT acknowledged`)
  if (finished > 0 && endedBy === 'signal') parts.push(`${finished} finished while stopping`)
  return `${endedBy === 'timeout' ? 'The time is over. ' : ''}Received: ${parts.join(', ')}.`
}

export interface StoredView extends EventView {
  /** It contradicts an acknowledged content of the same event. */
  readonly conflict: boolean
  /** Null if it was received without `--forward-to`. */
  readonly forward: 'acknowledged' | 'superseded' | 'pending' | 'unknown' | 'closed' | null
  readonly forwards: number
  readonly forwardStatus: number | null
  readonly acknowledgedAt: string | null
  /** Who closed it with `events close`, and why. */
  readonly closedBy: string | null
  readonly closeReason: string | null
}

export const storedColumns: readonly ListColumn<StoredView>[] = [
  timeColumn('received_at', 'RECEIVED', ({receivedAt}) => receivedAt),
  {...textColumn('event', ({event}) => event), title: 'EVENT', dropRank: 1},
  {...textColumn('status', ({status}) => status), title: 'STATUS', dropRank: 2},
  {
    name: 'amount',
    title: 'BDT',
    kind: 'number',
    value: ({amount}) => amount,
    shown: ({amount}) => (amount === null ? '' : shownAmount(amount).slice(4)),
  },
  {...textColumn('conflict', ({conflict}) => (conflict ? 'CONFLICT' : null)), title: 'CONFLICT'},
  {...textColumn('forward', ({forward}) => forward), title: 'FORWARD'},
  {name: 'forwards', title: 'FORWARDS', kind: 'number', dropRank: 4, value: ({forwards}) => forwards},
  {
    name: 'forward_status',
    title: 'HTTP',
    kind: 'number',
    dropRank: 3,
    value: ({forwardStatus}) => forwardStatus,
  },
  {...timeColumn('acknowledged_at', 'ACKNOWLEDGED', ({acknowledgedAt}) => acknowledgedAt), dropRank: 5},
  textColumn('platform_order_no', ({platformOrderNo}) => platformOrderNo),
  textColumn('player_ref', ({playerRef}) => playerRef),
  {...textColumn('order_no', ({orderNo}) => orderNo), title: 'ORDER', isLast: true},
]

type Text = (row: StoredView) => string | null

function textColumn(name: string, value: Text): ListColumn<StoredView> {
  return {name, kind: 'text', value}
}

/** To the second, without the offset: a table is in one time zone. */
function timeColumn(name: string, title: string, value: Text): ListColumn<StoredView> {
  return {...textColumn(name, value), title, shown: (row) => shownTime(value(row))}
}

function shownTime(iso: string | null): string {
  return iso?.slice(0, 19).replace('T', ' ') ?? ''
}

/** A stored event for reading: its fields, then its content. */
export function storedText({content, ...view}: StoredView & {readonly content: unknown}): string {
  return `${fieldsText(view)}\n\n${blockText(content)}`
}
