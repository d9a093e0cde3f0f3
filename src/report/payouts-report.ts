import {type ExitStatus, type Failure, worstStatus} from '../core/failure.ts'
import {formatPaisa, type Paisa, sumPaisa} from '../core/money.ts'
import {type PayoutLineState, payoutLineStates} from '../core/order.ts'
import {formatInstant} from '../core/time.ts'

/** One row of the file, and how it stands. */
export interface PayoutLine {
  readonly line: number
  readonly orderNo: string
  readonly amount: Paisa
  readonly channel: string
  readonly maskedAccount: string
  readonly state: PayoutLineState
  /** Of payouts that were answered as accepted; null where it was not looked at. */
  readonly confirmation:
    | {readonly confirmed: true}
    | {readonly confirmed: false; readonly because: 'unanswered' | 'not_shown' | 'contradicted'}
    | null
  readonly status: string | null
  readonly rawStatus: string | null
  readonly platformOrderNo: string | null
  /** When it was sent; null where it was not, or by this run. */
  readonly sentBeforeAtMs: number | null
  readonly why: string | null
}

/** Why the rest of the file was left alone. */
export interface PayoutStop {
  /** The row it happened at; null where it was before or after all of them. */
  readonly line: number | null
  readonly orderNo: string | null
  readonly failure: Failure
}

export interface PayoutsFacts {
  readonly file: {readonly path: string; readonly sha256: string}
  readonly warnings: readonly string[]
  readonly besideInDoubt: readonly string[]
  readonly lines: readonly PayoutLine[]
  readonly stop: PayoutStop | null
  readonly dryRun: boolean
  readonly resultPath: string | null
}

export interface PayoutView {
  readonly line: number
  readonly orderNo: string
  readonly amount: string
  readonly bankType: string
  /** `017****5678`. */
  readonly account: string
  readonly state: PayoutLineState
  /** As a query showed it; null where none did. */
  readonly status: string | null
  /** The service's own status word. */
  readonly rawStatus: string | null
  readonly platformOrderNo: string | null
  /** Null for what was not accepted or not looked at. */
  readonly confirmed: boolean | null
  /** Why it is not confirmed; `not_shown`: it is the payout, and its amount is not shown. */
  readonly because: 'unanswered' | 'not_shown' | 'contradicted' | null
  readonly why: string | null
  /** When an earlier run sent it, and this one did not; null where this one did, or none. */
  readonly sentBeforeAt: string | null
}

interface CountAndSum {
  readonly payouts: number
  readonly amount: string
}

export interface PayoutsReport {
  readonly file: {readonly path: string; readonly sha256: string; readonly rows: number}
  /** What looks damaged in the file, though every row can be read. */
  readonly warnings: readonly string[]
  /** Payouts in doubt, each to an account that a row pays. */
  readonly besideInDoubt: readonly string[]
  readonly dryRun: boolean
  readonly total: CountAndSum
  /** By state. */
  readonly sums: Readonly<Record<PayoutLineState, CountAndSum>>
  /** Of those accepted, what an earlier run sent, and this one did not. */
  readonly sentBefore: CountAndSum
  /** What the same command would still send: not sent, and refused. */
  readonly remaining: CountAndSum
  /** Why the rest of the file was left alone. */
  readonly stopped: {
    readonly line: number | null
    readonly orderNo: string | null
    readonly code: string
    readonly serviceCode: string | null
    readonly why: string
    readonly hint: string
  } | null
  readonly resultFile: string | null
  readonly payouts: readonly PayoutView[]
}

export function payoutsReport({
  file,
  warnings,
  besideInDoubt,
  lines,
  stop,
  dryRun,
  resultPath,
}: PayoutsFacts): PayoutsReport {
  const sums = Object.fromEntries(
    payoutLineStates.map((state) => [state, countAndSum(lines.filter((line) => line.state === state))]),
  ) as Record<PayoutLineState, CountAndSum>
  return {
    file: {path: file.path, sha256: file.sha256, rows: lines.length},
    warnings,
    besideInDoubt,
    dryRun,
    total: countAndSum(lines),
    sums,
    sentBefore: countAndSum(
      lines.filter(({state, sentBeforeAtMs}) => state === 'accepted' && sentBeforeAtMs !== null),
    ),
    remaining: countAndSum(lines.filter(({state}) => state === 'not_sent' || state === 'refused')),
    stopped: stop && {
      line: stop.line,
      orderNo: stop.orderNo,
      code: stop.failure.code,
      serviceCode: stop.failure.serviceCode ?? null,
      why: stop.failure.message,
      hint: stop.failure.hint,
    },
    resultFile: resultPath,
    payouts: lines.map(viewPayout),
  }
}

export function viewPayout(line: PayoutLine): PayoutView {
  const sentBeforeAt = line.sentBeforeAtMs === null ? null : formatInstant(line.sentBeforeAtMs)
  const before = sentBeforeAt === null ? null : `sent before, at ${sentBeforeAt}, and not sent now`
  return {
    line: line.line,
    orderNo: line.orderNo,
    amount: formatPaisa(line.amount),
    bankType: line.channel,
    account: line.maskedAccount,
    state: line.state,
    status: line.status,
    rawStatus: line.rawStatus,
    platformOrderNo: line.platformOrderNo,
    confirmed: line.confirmation?.confirmed ?? null,
    because: line.confirmation && !line.confirmation.confirmed ? line.confirmation.because : null,
    why: [before, line.why].filter((one) => one !== null).join(': ') || null,
    sentBeforeAt,
  }
}

/**
 * The status of the whole file. What was left alone after a stop counts as the stop does, but for one that says that
 * nothing was sent, where a row was.
 */
export function payoutsStatus({lines, stop}: Pick<PayoutsFacts, 'lines' | 'stop'>): ExitStatus {
  const hasSent = lines.some(
    ({state, sentBeforeAtMs}) => state === 'refused' || (state === 'accepted' && sentBeforeAtMs === null),
  )
  const ofLines = lines.map((line) => lineStatus(line, stop))
  const status = worstStatus(
    [...ofLines, stop?.failure.exitStatus ?? 0].map((one) => (one === 2 && hasSent ? 8 : one)),
  )
  // A doubt outranks the interrupt.
  const {code, exitStatus} = stop?.failure ?? {}
  const isInterrupted = code === 'interrupted' || code === 'terminated'
  return isInterrupted && exitStatus !== undefined && status !== 6 ? exitStatus : status
}

function lineStatus({state, confirmation, status}: PayoutLine, stop: PayoutStop | null): ExitStatus {
  switch (state) {
    case 'unknown':
      return 6
    case 'contradicted':
      return 7
    case 'refused':
      return 4
    case 'not_sent':
      return stop === null ? 8 : stop.failure.exitStatus
    case 'accepted':
      if (confirmation && !confirmation.confirmed && confirmation.because !== 'not_shown') {
        return confirmation.because === 'unanswered' ? 8 : 7
      }
      return status === 'failed' ? 7 : 0
  }
}

function countAndSum(lines: readonly PayoutLine[]): CountAndSum {
  return {payouts: lines.length, amount: formatPaisa(sumPaisa(lines.map(({amount}) => amount)))}
}
