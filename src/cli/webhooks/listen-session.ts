import {type Dialect, readStatus} from '../../core/dialect.ts'
import {type ExitStatus, worstStatus} from '../../core/failure.ts'
import {jsonText} from '../../core/text.ts'
import type {Notice} from '../../receiver/notice.ts'
import {answersFor, contradicts, isSameEvent, lineOf} from '../../receiver/same-event.ts'
import {kindOf, type Webhook} from '../../receiver/webhook.ts'
import {type ReceivedView, receivedLine} from '../../report/received-text.ts'
import type {Style} from '../../report/table.ts'
import {viewReceived} from './received-view.ts'
import {receiverLine} from './receiver-line.ts'

/** When a listener ends by itself; without both, when it is stopped. */
export interface ListenGoal {
  readonly count?: number | undefined
  readonly orderNo?: string | undefined
}

export type EndedBy = 'count' | 'order' | 'timeout' | 'signal'

export interface ListenResult {
  readonly url: string
  readonly endedBy: EndedBy
  /** Requests under way at the end, which were finished. */
  readonly finishedWhileStopping: number
  readonly counts: Readonly<
    Record<'new' | 'changed' | 'duplicate' | 'conflict' | 'refused' | 'unstored', number>
  >
  /** Null without `--forward-to`. */
  readonly forwarded: {readonly acknowledged: number; readonly notAcknowledged: number} | null
  readonly events: readonly ReceivedView[]
  readonly eventsOmitted: number
}

export interface SessionOptions {
  readonly goal: ListenGoal
  readonly dialect: Dialect
  readonly format: 'text' | 'ndjson'
  readonly timeZone: string
  readonly isForwarding: boolean
  readonly style: {readonly stdout: Style; readonly stderr: Style}
  readonly show: (text: string) => Promise<void>
  readonly tell: (text: string) => void
}

/** Without a status, the name of the event counts (service §6). */
function isCompleted(webhook: Webhook, dialect: Dialect): boolean {
  const {status, event} = webhook
  if (status === null) return event === 'order.completed'
  return readStatus(dialect, kindOf(webhook), status) === 'completed'
}

const eventsKeptMax = 1_000

export class ListenSession {
  readonly reached: Promise<EndedBy>
  private readonly options: SessionOptions
  private readonly refusals: LineLimit
  private readonly counts = {new: 0, changed: 0, duplicate: 0, conflict: 0, refused: 0, unstored: 0}
  private readonly events: ReceivedView[] = []
  /** Events of this run that no server has acknowledged yet. */
  private readonly pending = new Map<string, readonly Webhook[]>()
  private handledCount = 0
  private hasDefect = false
  /** Whether the awaited order came as completed. */
  private isPaid = true
  private lines: string[] = []
  private shown: Promise<void> = Promise.resolve()
  private lost: unknown
  private reach: (by: EndedBy) => void = () => {}

  constructor(options: SessionOptions) {
    this.options = options
    this.refusals = new LineLimit(options.tell)
    this.reached = new Promise((resolve) => {
      this.reach = resolve
    })
  }

  take(notice: Notice): void {
    if (notice.type === 'received') {
      this.receive(notice)
      return
    }
    const {timeZone, style, tell} = this.options
    const line = receiverLine(notice, timeZone, style.stderr)
    if (notice.type === 'refused' || notice.type === 'dropped') {
      this.counts.refused += 1
      this.refusals.tell(line, notice.atMs)
      return
    }
    if (notice.type === 'unstored') this.counts.unstored += 1
    if (notice.type === 'defect') this.hasDefect = true
    tell(line)
  }

  private receive(notice: Notice & {readonly type: 'received'}): void {
    const {goal, timeZone, format, style, isForwarding} = this.options
    const {taken, webhook, httpStatus, isHandled} = notice
    const view = viewReceived(notice, timeZone)
    this.counts[taken.novelty] += 1
    if (this.events.push(view) > eventsKeptMax) this.events.shift()
    const {dialect} = this.options
    const line = lineOf(webhook)
    const before = this.pending.get(line) ?? []
    if (taken.isAcknowledged || view.forward?.acknowledged) {
      const left = before.filter(
        (one) => !answersFor(webhook, one, dialect.status) || contradicts(one, webhook, dialect.status),
      )
      if (left.length === 0) this.pending.delete(line)
      else this.pending.set(line, left)
    } else if (isForwarding && taken.novelty !== 'conflict') {
      const isKnown = (one: Webhook) =>
        isSameEvent(one, webhook, dialect.status) && answersFor(one, webhook, dialect.status)
      if (!before.some(isKnown)) this.pending.set(line, [...before, webhook])
    }
    this.write(format === 'ndjson' ? jsonText(view) : receivedLine(view, style.stdout))
    if (isHandled) this.handledCount += 1
    if (goal.count !== undefined && this.handledCount >= goal.count) this.reach('count')
    const isTaken = httpStatus >= 200 && httpStatus < 300
    if (isTaken && goal.orderNo !== undefined && webhook.orderNo === goal.orderNo) {
      this.isPaid = isCompleted(webhook, this.options.dialect)
      this.reach('order')
    }
  }

  /** Collected into one write per turn, so that output does not cost more than the events. */
  private write(line: string): void {
    if (this.lines.push(line) > 1) return
    setImmediate(() => {
      const text = `${this.lines.join('\n')}\n`
      this.lines = []
      this.shown = this.shown
        .then(() => this.options.show(text))
        .catch((error: unknown) => {
          // Receiving continues: the service's events matter more than the reader. Reported at the end.
          this.lost ??= error
        })
    })
  }

  /** Resolves when everything is shown; throws if stdout was lost (P16). */
  async flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.shown
    this.refusals.end()
    if (this.lost !== undefined) throw this.lost
  }

  /** The JSON result. `finishing`: requests under way at the end. */
  result(url: string, endedBy: EndedBy, finishing: number): ListenResult {
    const {counts, events, handledCount, pending, options} = this
    const total = counts.new + counts.changed + counts.duplicate + counts.conflict
    return {
      url,
      endedBy,
      finishedWhileStopping: finishing,
      counts: {...counts},
      forwarded: options.isForwarding
        ? {acknowledged: handledCount, notAcknowledged: [...pending.values()].flat().length}
        : null,
      events: [...events],
      eventsOmitted: total - events.length,
    }
  }

  /**
   * 7: contents contradict each other, or the awaited order is not completed. 8: an event is not stored, not
   * acknowledged or did not come. A person's stop is a normal end, unless the listener waited for something.
   */
  statusOf(endedBy: EndedBy, stopped: ExitStatus | null): ExitStatus {
    const {counts, pending, hasDefect, options} = this
    const {count, orderNo} = options.goal
    const hasGoal = count !== undefined || orderNo !== undefined
    const isIncomplete = counts.unstored > 0 || pending.size > 0 || (hasGoal && endedBy === 'timeout')
    const status = worstStatus([
      hasDefect ? 1 : 0,
      isIncomplete ? 8 : 0,
      counts.conflict > 0 || !this.isPaid ? 7 : 0,
    ])
    return status === 0 && hasGoal && endedBy === 'signal' ? (stopped ?? 0) : status
  }
}

const windowMs = 10_000
const linesMax = 20

/** Limits lines that strangers can cause to 20 in ten seconds; then says how many were left out. */
class LineLimit {
  private readonly write: (line: string) => void
  private windowEndsMs = 0
  private lines = 0
  private held = 0

  constructor(write: (line: string) => void) {
    this.write = write
  }

  tell(line: string, nowMs: number): void {
    if (nowMs >= this.windowEndsMs) {
      this.end()
      this.windowEndsMs = nowMs + windowMs
      this.lines = 0
    }
    this.lines += 1
    if (this.lines <= linesMax) this.write(line)
    else this.held += 1
  }

  end(): void {
    if (this.held > 0) this.write(`          and ${this.held} more refused`)
    this.held = 0
  }
}
