/**
 * Every way a command can fail, and the exit status of each: one table, the same with and without `--json`.
 *
 * Four kinds of fault share it: the user's (2, 3), the service's (4, 5, 8), ours (1), and *outcome unknown* (6).
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

/** The closed list of failure codes: what `error.code` in `--json` can be. */
export type FailureCode = keyof typeof exitStatusOf

export type ExitStatus = 0 | 7 | (typeof exitStatusOf)[FailureCode]

/**
 * A failure somebody can act on. `hint` is the next step and is not optional; `serviceCode` is what the
 * service itself said (`INSUFFICIENT_BALANCE`), never hisab's word.
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

  /** The message as a part of another sentence: without its full stop. */
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

/** The next step of what mends itself, or is mended, outside hisab. */
export function thenRunAgain(step: string): string {
  return `${step} ${thenAgain}`
}

/** The same failure of a run that can be continued: a new one would ask everything again. */
export function continuedBy({code, message, hint}: Failure, command: string): Failure {
  return new Failure(code, message, `${hint.replace(` ${thenAgain}`, '')} Then continue the run: ${command}`)
}

/** Whether a person or the system stopped the run: no fault of what was being done, and nothing to go on from. */
export function isStop({code}: Failure): boolean {
  return code === 'interrupted' || code === 'terminated'
}

/** Where several statuses apply to a run, the first of these is its status (contract §2.4). */
const concern: readonly ExitStatus[] = [1, 2, 3, 9, 6, 8, 7, 4, 5, 0]

export function worstStatus(statuses: Iterable<ExitStatus>): ExitStatus {
  const all = new Set(statuses)
  return concern.find((status) => all.has(status)) ?? [...all][0] ?? 0
}
