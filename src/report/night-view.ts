import {formatPaisa, type Paisa, sumPaisa} from '../core/money.ts'
import type {Finding} from '../core/reconcile/finding.ts'
import {ageDays, type RememberedFinding} from '../core/reconcile/history.ts'
import type {Severity} from '../core/reconcile/verdict.ts'
import {formatInstant} from '../core/time.ts'

/** The facts of a run that earlier runs have a part in. */
export interface NightFacts {
  readonly findings: readonly Finding[]
  /** Open before, examined again, and no more. */
  readonly healed: readonly RememberedFinding[]
  /** Open before; this run did not see their order, or not well enough to tell. */
  readonly notExamined: readonly RememberedFinding[]
  readonly finishedAtMs: number
  readonly timeZone: string
}

/** Money at risk, in taka as text; what this run healed is not at risk any more, what a person ignores still is. */
export type AtRisk = Readonly<Record<'total' | Exclude<Severity, 'none'> | 'ignored', string>>

/** How this run's findings stand to those of the nights before. */
export interface MemoryView {
  readonly new: number
  readonly open: number
  readonly reopened: number
  readonly healed: readonly RememberedView[]
  /** Open before; this run did not see their order, or not well enough to tell. */
  readonly notExamined: readonly RememberedView[]
  /** Days the oldest of all that is open stands open, examined or not. */
  readonly oldestDays: number
  readonly ignored: number
}

export interface RememberedView {
  readonly kind: string
  readonly orderNo: string
  readonly verdict: string
  readonly amountAtRisk: string | null
  readonly firstSeenAt: string
  readonly ageDays: number
}

export function sumAtRisk(findings: readonly Finding[]): AtRisk {
  const sum = (among: (finding: Finding) => boolean) =>
    formatPaisa(
      sumPaisa(findings.filter((one) => isAtRisk(one) && among(one)).map(({atRisk}) => atRisk ?? 0n)),
    )
  return {
    total: sum(() => true),
    high: sum(({severity}) => severity === 'high'),
    medium: sum(({severity}) => severity === 'medium'),
    low: sum(({severity}) => severity === 'low'),
    ignored: sum(({ignored}) => ignored !== undefined),
  }
}

export function viewMemory({findings, healed, notExamined, finishedAtMs, timeZone}: NightFacts): MemoryView {
  const count = (state: string) => findings.filter(({history}) => history?.state === state).length
  const days = (openedMs: number) => ageDays(openedMs, finishedAtMs)
  const view = (finding: RememberedFinding) => viewRemembered(finding, finishedAtMs, timeZone)
  let oldestDays = 0
  for (const {history} of findings) if (history) oldestDays = Math.max(oldestDays, days(history.openedMs))
  for (const {openedMs} of notExamined) oldestDays = Math.max(oldestDays, days(openedMs))
  return {
    new: count('new'),
    open: count('open'),
    reopened: count('reopened'),
    healed: healed.map(view),
    notExamined: notExamined.map(view),
    oldestDays,
    ignored: findings.filter(({ignored}) => ignored !== undefined).length,
  }
}

function viewRemembered(finding: RememberedFinding, nowMs: number, timeZone: string): RememberedView {
  const {kind, orderNo, verdict, atRisk, firstSeenMs, openedMs} = finding
  return {
    ...{kind, orderNo, verdict, amountAtRisk: viewPaisa(atRisk)},
    firstSeenAt: formatInstant(firstSeenMs, timeZone),
    ageDays: ageDays(openedMs, nowMs),
  }
}

function isAtRisk({resend}: Finding): boolean {
  return resend?.state !== 'healed'
}

function viewPaisa(amount: Paisa | null): string | null {
  return amount === null ? null : formatPaisa(amount)
}
