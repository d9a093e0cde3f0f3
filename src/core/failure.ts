/**
 * Every way a command can fail, with its exit status, with and without `--json`.
 *
 * Four kinds of fault: the user's (2, 3), the service's (4, 5, 8), ours (1), and *outcome unknown* (6).
 */
export const exitStatusOf = {
  bug: 1,

  usage: 2,
  config_invalid: 2,
  input_invalid: 2,
  file_unreadable: 2,
  ledger_damaged: 2,
  number_reused: 2,
  too_many_resends: 2,
  payout_over_limit: 2,
  payout_repeated: 2,
  confirmation_needed: 2,
  declined: 2,

  credentials_missing: 3,
  credentials_rejected: 3,

  service_refused: 4,

  service_unreachable: 5,
  legacy_unavailable: 5,

  outcome_unknown: 6,

  not_found: 7,
  order_exists: 7,

  answer_untrusted: 8,
  service_busy: 8,
  incomplete: 8,
  storage_failed: 8,

  locked: 9,

  interrupted: 130,
  terminated: 143,
} as const

export type FailureCode = keyof typeof exitStatusOf

export type ExitStatus = 0 | 7 | (typeof exitStatusOf)[FailureCode]

/**
 * A failure that somebody can act on. `hint` is the next step; `serviceCode` is the service's own code
 * (`INSUFFICIENT_BALANCE`).
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly hint: string
  readonly serviceCode: string | undefined

  constructor(code: FailureCode, message: string, hint: string, serviceCode?: string) {
    super(message)
    this.name = 'Failure'
    this.code = code
    this.hint = hint
    this.serviceCode = serviceCode
  }

  /** The message without its full stop, as part of another sentence. */
  get clause(): string {
    return this.message.replace(/\.$/, '')
  }

  get exitStatus(): ExitStatus {
    return exitStatusOf[this.code]
  }
}

/** The failure that was thrown. What is none is a defect, and goes on up. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  throw thrown
}

/** The same where a person or the system that stops the run ends what is being done. */
export function unlessStopped(thrown: unknown): Failure {
  const failure = asFailure(thrown)
  if (isStop(failure)) throw failure
  return failure
}

const thenAgain = 'Then run the same command again.'

/** The next step when the cause lies outside hisab. */
export function thenRunAgain(step: string): string {
  return `${step} ${thenAgain}`
}

/** The failure of a run that can be continued: a new run would query everything again. */
export function continuedBy({code, message, hint}: Failure, command: string): Failure {
  return new Failure(code, message, `${hint.replace(` ${thenAgain}`, '')} Then continue the run: ${command}`)
}

/** Whether a person or the system stopped the run: not a fault. */
export function isStop({code}: Failure): boolean {
  return code === 'interrupted' || code === 'terminated'
}

/** The order in which several statuses of a run count (contract §2.4). */
const concern: readonly ExitStatus[] = [1, 2, 3, 9, 6, 8, 7, 4, 5, 0]

export function worstStatus(statuses: Iterable<ExitStatus>): ExitStatus {
  const all = new Set(statuses)
  return concern.find((status) => all.has(status)) ?? [...all][0] ?? 0
}
