import {type ExitStatus, type Failure, worstStatus} from '../core/failure.ts'
import {formatPaisa, type Paisa, sumPaisa} from '../core/money.ts'
import {type PayoutLineState, payoutLineStates, type ServiceOrder} from '../core/order.ts'
import {formatInstant} from '../core/time.ts'

export interface PayoutLine {
  readonly line: number
  readonly orderNo: string
  readonly amount: Paisa
  readonly channel: string
  readonly maskedAccount: string
  readonly state: PayoutLineState
  /** Of accepted payouts; null if it was not queried. */
  readonly confirmation:
    | {readonly confirmed: true}
    | {readonly confirmed: false; readonly because: 'unanswered' | 'not_shown' | 'contradicted'}
    | null
  readonly status: ServiceOrder['status'] | null
  readonly rawStatus: string | null
  readonly platformOrderNo: string | null
  readonly sentBeforeAtMs: number | null
  readonly why: string | null
}

/** Why the rest of the file was left alone, and at which row; null before or after all rows. */
export interface PayoutStop {
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
  readonly status: string | null
  readonly rawStatus: string | null
  readonly platformOrderNo: string | null
  /** Null if it was not accepted or not queried. */
  readonly confirmed: boolean | null
  /** Why it is not confirmed; `not_shown`: the payout exists, but its amount is not shown. */
  readonly because: 'unanswered' | 'not_shown' | 'contradicted' | null
  readonly why: string | null
  /** When an earlier run sent it; null if this run did, or none. */
  readonly sentBeforeAt: string | null
}

interface CountAndSum {
  readonly payouts: number
  readonly amount: string
}

export interface PayoutsReport {
  readonly file: {readonly path: string; readonly sha256: string; readonly rows: number}
  /** Signs of damage in the file, though every row can be read. */
  readonly warnings: readonly string[]
  /** Payouts in doubt to accounts that the file pays. */
  readonly besideInDoubt: readonly string[]
  readonly dryRun: boolean
  readonly total: CountAndSum
  readonly sums: Readonly<Record<PayoutLineState, CountAndSum>>
  /** Accepted payouts that an earlier run sent. */
  readonly sentBefore: CountAndSum
  /** What the same command would still send: rows not sent, and refused rows. */
  readonly remaining: CountAndSum
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
 * The status of the whole file. After a stop it is that of the stop, unless the stop means that nothing was sent and
 * a row was.
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
