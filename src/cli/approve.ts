import {Failure} from '../core/failure.ts'
import type {ReconcileFacts} from '../report/reconcile-report.ts'
import {plannedResendsLine} from '../report/reconcile-resends-text.ts'
import {planText} from '../report/reconcile-text.ts'
import {confirm, isTerminal} from './prompt.ts'
import {styleFor} from './style.ts'

export async function approveResends(facts: ReconcileFacts, yes: boolean): Promise<boolean> {
  if (facts.plannedResends === 0) return false
  const style = styleFor(process.stderr)
  if (yes) {
    process.stderr.write(`${plannedResendsLine(facts, style, process.stderr.columns)}\n`)
    return true
  }
  process.stderr.write(`${planText(facts, style, process.stderr.columns)}\n`)
  return await askToResend(facts.plannedResends)
}

/** Throws `confirmation_needed` if nobody can be asked about a resend. */
export function requireTerminal(): void {
  if (isTerminal()) return
  throw new Failure(
    'confirmation_needed',
    'A resend needs your consent, and there is no terminal to ask in. Nothing was sent.',
    'Add --yes to resend without being asked, or --dry-run to see the plan.',
  )
}

/** The answer to the plan just shown. Without a terminal it is no, with a note. */
export async function askToResend(count: number): Promise<boolean> {
  const answer = await confirm(`Resend ${count} now?`)
  if (answer === null) {
    process.stderr.write(
      'Nothing is resent: there is no terminal to ask in. Add --yes to resend, or --dry-run to plan.\n',
    )
  }
  return answer === true
}
