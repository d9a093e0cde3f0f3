import {verdictLabel} from '../../core/labels.ts'
import type {OrderKind} from '../../core/order.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import type {Cause, Verdict} from '../../core/reconcile/verdict.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import {counted, minuteOf} from '../../report/figures.ts'
import {cutOff, type RunAgain} from '../../workflows/evidence/again.ts'

export interface FindingsAgain {
  readonly runId: string
  readonly evidence: string
  readonly sha256: string
  readonly hisab: string
  /** Whether findings.csv is identical to the run's. */
  readonly isSame: boolean
  readonly breaks: number
  readonly findingsCsv: string
  /** Null without `--cutoff`. */
  readonly cutoff: {
    readonly at: string
    /** Breaks of orders that were made or paid later. */
    readonly vanished: readonly BreakName[]
    readonly remaining: readonly BreakName[]
    /** Remaining breaks without a known time. */
    readonly untimed: number
  } | null
}

interface BreakName {
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  readonly verdict: Verdict
  readonly cause: Cause | null
}

const shownMax = 20

export function findingsAgain(dir: string, again: RunAgain, cutoffMs: number | undefined): FindingsAgain {
  const {facts, report, sha256, hisab, isSame} = again
  const nameOf = ({kind, orderNo, verdict, cause}: Finding): BreakName => ({kind, orderNo, verdict, cause})
  const cut = cutoffMs === undefined ? null : cutOff(facts.findings, cutoffMs)
  return {
    ...{runId: facts.runId, evidence: dir, sha256, hisab, isSame},
    ...{breaks: report.breaks, findingsCsv: report.reports.csv},
    cutoff:
      cut === null || cutoffMs === undefined
        ? null
        : {
            at: formatInstant(cutoffMs, facts.timeZone),
            vanished: cut.vanished.map(nameOf),
            remaining: cut.remaining.map(nameOf),
            untimed: cut.untimed,
          },
  }
}

export function findingsAgainText({
  runId,
  hisab,
  isSame,
  breaks,
  findingsCsv,
  cutoff,
}: FindingsAgain): string {
  const same = isSame
    ? `The run ${runId} was made again from its evidence. Its findings are the same, byte for byte.`
    : `The run ${runId} was made again from its evidence. Its findings are NOT the same. The evidence is of hisab ${hisab}: try that version.`
  const lines = [
    same,
    counted(breaks, 'break', 'breaks'),
    `Findings  ${findingsCsv}`,
    'No booking.csv is written: the list of the run itself is the one to book from.',
  ]
  if (cutoff) {
    const {at, vanished, remaining, untimed} = cutoff
    lines.push(
      '',
      `Until ${minuteOf(at)}  ${counted(vanished.length, 'break vanishes', 'breaks vanish')}: the orders were made or paid later.`,
      ...listed(vanished),
      `${counted(remaining.length, 'break remains', 'breaks remain')}${untimed > 0 ? `, ${untimed} of them without a time` : ''}`,
      ...listed(remaining),
    )
  }
  return lines.map((line) => escapeInvisible(line)).join('\n')
}

function listed(breaks: readonly BreakName[]): string[] {
  const shown = breaks
    .slice(0, shownMax)
    .map(({kind, orderNo, verdict}) => `  ${orderNo ?? '-'}  ${verdictLabel(verdict, kind).en}`)
  return breaks.length > shownMax ? [...shown, `  and ${breaks.length - shownMax} more (--json)`] : shown
}
