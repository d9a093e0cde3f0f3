import type {OrderAnswer} from '../../api/client.ts'
import {asFailure, Failure, isStop, thenRunAgain} from '../../core/failure.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {RequestRow} from '../../journal/rows.ts'
import type {PayoutLine, PayoutStop} from '../../report/payouts-report.ts'
import {forEachBounded} from '../bounded.ts'
import {askQuietly, type Confirmation, compareOrder, lookOf} from '../orders/confirm.ts'
import {type CreatePorts, createPayout, statusWordOf} from '../orders/create.ts'
import {isFound, isLeftInDoubt} from '../orders/create-doubt.ts'
import {echoOfRequest} from '../orders/echo.ts'
import {type PaidTwiceJournal, paidTwiceBy, type WhyPaidTwice} from '../orders/paid-after-all.ts'
import type {PayoutPlan, PlannedPayout} from './plan.ts'
import {guardOf, type PayoutTerms, type ReviewPorts} from './terms.ts'

export interface PaidBatch {
  readonly lines: readonly PayoutLine[]
  readonly stop: PayoutStop | null
}

export interface PayPorts extends CreatePorts, Pick<ReviewPorts, 'whyCredited' | 'sentAs' | 'asked'> {
  readonly journal: CreatePorts['journal'] & ReviewPorts['journal'] & PaidTwiceJournal
  /** Milliseconds that only ever grow (P17). */
  readonly monotonic: () => number
  /** Anew for each payout: a long file may run past midnight. */
  readonly termsAt: (nowMs: number) => Promise<PayoutTerms>
  /** Queries at once. Payouts are sent one after the other, so that there is one row at which they stop. */
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onProgress: (stage: 'payout query' | 'payout', done: number, total: number) => void
  /** Called with the state of all rows: before the first send, now and then, and at the end. Throws `storage_failed`. */
  readonly onSave: (lines: readonly PayoutLine[], isOver: boolean) => void
}

const saveEveryMs = 5_000

/**
 * Carries a plan out: first every payout of an earlier try is asked for, then the others are sent in the order of
 * the file. Ends, with the rows as they are, where going on is pointless or was refused.
 */
export async function payPlanned(plan: PayoutPlan, ports: PayPorts): Promise<PaidBatch> {
  const batch = new Batch(plan, ports)
  ports.onSave(batch.lines, false)
  await batch.askForEarlier()
  await batch.send()
  await batch.saveAtEnd()
  return batch
}

/** One that an earlier try may have sent. */
type SentPayout = PlannedPayout & {readonly earlier: RequestRow}

class Batch implements PaidBatch {
  readonly lines: PayoutLine[]
  stop: PayoutStop | null = null
  private readonly payouts: readonly PlannedPayout[]
  private readonly ports: PayPorts
  private readonly open: number[]
  /** The file was agreed to as a whole, with the repetitions in it. */
  private readonly duplicatesAllowed: ReadonlySet<string>
  /** Those repetitions alone: a row of the file that was paid after all is none of them. */
  private readonly agreed: ReadonlySet<string>
  private isHeld = false
  private savedAtMs: number
  private readonly whyPaidTwice: WhyPaidTwice

  constructor({payouts}: PayoutPlan, ports: PayPorts) {
    this.payouts = payouts
    this.ports = ports
    this.whyPaidTwice = paidTwiceBy(ports.journal, ports.client)
    this.lines = payouts.map(untouched)
    this.open = [...payouts.keys()].filter((index) => payouts[index]?.step === 'send')
    this.agreed = new Set(payouts.flatMap(({duplicates}) => duplicates.map(({orderNo}) => orderNo)))
    this.duplicatesAllowed = new Set([...payouts.map(({prepared}) => prepared.orderNo), ...this.agreed])
    this.savedAtMs = ports.monotonic()
  }

  async askForEarlier(): Promise<void> {
    const {client, concurrency, onProgress} = this.ports
    const sent = [...this.payouts.entries()].flatMap(([index, {earlier, ...payout}]) =>
      earlier === null || payout.step === 'send' ? [] : [{index, payout: {...payout, earlier}}],
    )
    let done = 0
    await forEachBounded(sent, concurrency, async ({index, payout}) => {
      const answer = await askQuietly(client, 'payout', payout.prepared.orderNo)
      await this.takeAnswer(index, payout, answer)
      done += 1
      onProgress('payout query', done, sent.length)
    })
    this.open.sort((a, b) => a - b)
  }

  /** The result of a query of a payout sent before. */
  private async takeAnswer(index: number, payout: SentPayout, answer: OrderAnswer | Failure): Promise<void> {
    const {earlier, step, prepared, claim} = payout
    if (!isFound(answer)) {
      await this.takeSilence(index, payout, answer)
      return
    }
    const {platformOrderNo, status, rawStatus} = answer.order
    const shown = {platformOrderNo, status, rawStatus}
    const asked = {
      ...({kind: 'payout', orderNo: prepared.orderNo, amount: claim.amount} as const),
      platformOrderNo: earlier.platformOrderNo,
      absentBefore: earlier.absentBefore,
      readEcho: echoOfRequest(prepared),
      journal: this.ports.journal,
    }
    const confirmation = await compareOrder(answer, asked, earlier, false)
    const {journal, now} = this.ports
    await this.stopWhereStorageFails(async () => {
      if (step === 'ask_first')
        await journal.recordRequestOutcome(earlier.id, 'accepted', {outcomeAtMs: now(), platformOrderNo})
      await journal.recordLook(earlier.id, lookOf(confirmation, answer))
    })
    this.change(index, {...shown, ...standingOf(confirmation), sentBeforeAtMs: earlier.intentAtMs})
    await this.tellPaidTwice(index, asked, status)
  }

  private async tellPaidTwice(
    index: number,
    order: Pick<ServiceOrder, 'kind' | 'orderNo' | 'amount'>,
    status: ServiceOrder['status'],
  ): Promise<void> {
    const twice = await this.whyPaidTwice({...order, status})
    const because = twice?.isKnown ? 'contradicted' : 'unanswered'
    if (twice) this.change(index, standingOf({confirmed: false, because, why: twice.why}))
  }

  /** A query that does not show it. What was accepted is in doubt from then on, and the next run may send it again. */
  private async takeSilence(
    index: number,
    {earlier, step}: SentPayout,
    answer: OrderAnswer | Failure,
  ): Promise<void> {
    const isFailure = answer instanceof Failure
    if (isFailure && isPointless(answer)) this.stop ??= {line: null, orderNo: null, failure: answer}
    const why = isFailure
      ? `it could not be queried: ${answer.clause}`
      : earlier.isDeclaredMade
        ? 'a person recorded it as paid, but the service does not find it'
        : 'the service accepted it, but does not find it now'
    if (step === 'ask_first') {
      if (isFailure) this.change(index, {why})
      else this.open.push(index)
      return
    }
    const isSaid = !isFailure && (earlier.isDeclaredMade || earlier.confirmation === 'contradicted')
    const confirmation = {confirmed: false, because: isSaid ? 'contradicted' : 'unanswered', why} as const
    await this.stopWhereStorageFails(() =>
      this.ports.journal.recordLook(earlier.id, lookOf({...confirmation, because: 'unanswered'}, answer)),
    )
    this.change(index, {confirmation, why})
  }

  /** A disk error stops later sends; what is known stays known. */
  private async stopWhereStorageFails(work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.stop ??= {line: null, orderNo: null, failure: asFailure(thrown)}
    }
  }

  async send(): Promise<void> {
    const {signal, onProgress} = this.ports
    let failuresInARow = 0
    for (const [done, index] of this.open.entries()) {
      const payout = this.payouts[index]
      if (this.stop || !payout) break
      const at = {line: payout.line, orderNo: payout.prepared.orderNo}
      if (signal.aborted) {
        this.stop = {...at, failure: reasonOf(signal)}
        break
      }
      const failure = await this.sendOne(index, payout)
      onProgress('payout', done + 1, this.open.length)
      await this.saveNowAndThen()
      failuresInARow = failure ? failuresInARow + 1 : 0
      if (failure && isPointless(failure)) this.stop = {...at, failure}
      else if (failure && failuresInARow === notAcceptedInARowMax)
        this.stop = {...at, failure: tooManyInARow(failure)}
    }
    if (signal.aborted) this.stop ??= {line: null, orderNo: null, failure: reasonOf(signal)}
    // What held a row was paid after all, perhaps when a row before it was sent in its place.
    if (this.isHeld)
      for (const index of this.open) {
        const {state, orderNo, amount, status} = this.lines[index] ?? {}
        if (state === 'accepted' && orderNo !== undefined && amount !== undefined)
          await this.tellPaidTwice(index, {kind: 'payout', orderNo, amount}, status ?? 'unknown_status')
      }
  }

  private async sendOne(index: number, payout: PlannedPayout): Promise<Failure | null> {
    const {termsAt, now} = this.ports
    const guard = async () =>
      guardOf(payout, await termsAt(now()), this.duplicatesAllowed, this.ports, this.agreed)
    try {
      const order = await createPayout(payout.prepared, payout.claim, guard, this.ports)
      const {created, confirmation, shown, unrecorded} = order
      this.change(index, {
        ...standingOf(confirmation),
        status: shown?.status ?? null,
        rawStatus: statusWordOf(order),
        platformOrderNo: created.platformOrderNo,
        ...(unrecorded === null ? {} : {why: unrecorded}),
      })
      const number = escapeInvisible(payout.prepared.orderNo, 80)
      if (unrecorded !== null)
        return new Failure(
          'storage_failed',
          `The payout ${number} was accepted, but the journal does not have that: ${unrecorded}`,
          thenRunAgain('See that the journal can be reached and written.'),
        )
      if (confirmation.confirmed || confirmation.because !== 'contradicted') return null
      return new Failure(
        'incomplete',
        `The payout ${number} is in doubt: ${confirmation.why}.`,
        'Ask the service for its outcome.',
      )
    } catch (thrown) {
      const error = asFailure(thrown)
      if (error.code === 'payout_repeated') this.isHeld = true
      const state = stateAfter(error)
      // That this try did not leave takes nothing back of the earlier one (P6).
      const isInDoubt = state === 'not_sent' && payout.step === 'ask_first'
      this.change(index, {state: isInDoubt ? 'unknown' : state, why: error.clause})
      return error
    }
  }

  private change(index: number, change: Partial<PayoutLine>): void {
    const line = this.lines[index]
    if (line) this.lines[index] = {...line, ...change}
  }

  async saveAtEnd(): Promise<void> {
    await this.stopWhereStorageFails(() => this.ports.onSave(this.lines, true))
  }

  private async saveNowAndThen(): Promise<void> {
    const {monotonic, onSave} = this.ports
    if (monotonic() - this.savedAtMs < saveEveryMs) return
    this.savedAtMs = monotonic()
    await this.stopWhereStorageFails(() => onSave(this.lines, false))
  }
}

/** A row that this run has not changed, from the journal. */
export function untouched({line, prepared, claim, earlier, step}: PlannedPayout): PayoutLine {
  const {amount, channel, maskedAccount} = claim
  return {
    ...{line, orderNo: prepared.orderNo, amount, channel, maskedAccount},
    state: step === 'send' ? 'not_sent' : step === 'ask' ? 'accepted' : 'unknown',
    ...{confirmation: null, status: null, rawStatus: null, why: null},
    platformOrderNo: earlier?.platformOrderNo ?? null,
    sentBeforeAtMs: step === 'ask' ? (earlier?.intentAtMs ?? null) : null,
  }
}

/** The state of an accepted payout after a query. */
function standingOf(confirmation: Confirmation): Pick<PayoutLine, 'state' | 'confirmation' | 'why'> {
  return {state: 'accepted', confirmation, why: confirmation.confirmed ? null : confirmation.why}
}

type PayoutLineState = 'accepted' | 'contradicted' | 'refused' | 'unknown' | 'not_sent'

/** What became of a payout whose create failed. */
function stateAfter(failure: Failure): PayoutLineState {
  const {code} = failure
  if (isLeftInDoubt(failure)) return 'unknown'
  if (code === 'service_refused') return 'refused'
  // From the query before the create: the service has an older payout.
  return code === 'number_reused' ? 'contradicted' : 'not_sent'
}

/** Whether the next payout would fare no better, whatever it is. */
function isPointless(failure: Failure): boolean {
  if (failure.serviceCode === 'INSUFFICIENT_BALANCE' || isStop(failure)) return true
  switch (failure.code) {
    case 'outcome_unknown':
    case 'service_refused':
    case 'number_reused':
    case 'service_unreachable':
    case 'service_busy':
    case 'answer_untrusted':
    case 'incomplete':
      return false
    default:
      return true
  }
}

/** Payouts stop after this many in a row that were not accepted: the fault is then not the payout's. */
const notAcceptedInARowMax = 5

function tooManyInARow(last: Failure): Failure {
  return new Failure(
    last.code === 'service_unreachable' ? 'service_unreachable' : 'incomplete',
    `${notAcceptedInARowMax} payouts in a row were not accepted. The last one: ${last.message}`,
    'Find the common cause. To continue, run the same command again.',
  )
}

/** What stopped the run from outside. */
function reasonOf({reason}: AbortSignal): Failure {
  return reason instanceof Failure
    ? reason
    : new Failure('interrupted', 'Interrupted.', 'Run the same command again.')
}
