import type {FindingView} from '../../src/report/reconcile-report.ts'
import type {NightFacts} from './report-figures.ts'
import {atRiskOf, endOf, isSameTrouble, type Word} from './words.ts'
import {taka} from './world.ts'

type Finding = FindingView

/**
 * What a person said to leave alone, by docs/verdicts.md ("From night to night"): such a finding asks nothing, is not
 * resent, and stays in every figure. The word holds for that trouble and that amount alone, and until its time.
 */
export function judgeIgnores({report, end, words, ofRun}: NightFacts): string[] {
  const problems: string[] = []
  const {site} = end.process
  const endedMs = site.time.nowMs
  for (const finding of report.findings) {
    const {ignored, action, resend, cause, kind, orderNo, verdict} = finding
    const wrong = (what: string) =>
      problems.push(`${kind} ${orderNo}, ${verdict}${cause ? ` (${cause})` : ''}: ${what}`)
    const given = words.filter((word) => isSameTrouble(word, finding) && word.fromMs <= endedMs)
    const atRisk = given[0] && atRiskOf(report.findings, given[0])
    const about = given.filter((word) => word.atRisk === atRisk)
    const isHeld = about.some((word) => word.fromMs <= end.startedMs && endOf(word) > endedMs)
    if (ignored) {
      const word = about.find(({id}) => id === ignored.id)
      if (!word || endOf(word) <= end.startedMs)
        wrong('it is ignored, and nobody said so of this, or it is over')
      if (action !== 'none') wrong(`it is ignored, and its action is ${action}`)
      if (resend) wrong(`it is ignored, and its resend ${resend.state}`)
    } else if (isHeld && !(resend && wasBegunBefore(about, ofRun[0]?.startedMs ?? 0))) {
      wrong('a person said to leave it alone')
    }
    for (const event of eventsOf(finding, given, about, end.startedMs)) site.counts.add(event)
  }
  return [...problems, ...judgeSums(report)]
}

/** What this run had sent already is told, though somebody said to leave it alone before the run was gone on with. */
function wasBegunBefore(words: readonly Word[], startedMs: number): boolean {
  return words.some(({fromMs}) => fromMs > startedMs)
}

/** Money at risk: without what delivered, with what is ignored, to the paisa (P12). */
function judgeSums({findings, atRisk, memory}: NightFacts['report']): string[] {
  const problems: string[] = []
  const atStake = findings.filter(({resend}) => resend?.state !== 'delivered')
  const sum = (some: readonly Finding[]) =>
    taka(some.reduce((total, {amountAtRisk}) => total + BigInt((amountAtRisk ?? '0').replace('.', '')), 0n))
  const expected = {
    total: sum(atStake),
    high: sum(atStake.filter(({severity}) => severity === 'high')),
    medium: sum(atStake.filter(({severity}) => severity === 'medium')),
    low: sum(atStake.filter(({severity}) => severity === 'low')),
    ignored: sum(atStake.filter(({ignored}) => ignored)),
  }
  for (const [name, amount] of Object.entries(expected)) {
    const stated = atRisk[name as keyof typeof expected]
    if (stated !== amount) problems.push(`at risk should be ${amount} ${name}, and is ${stated} (P12)`)
  }
  const count = findings.filter(({ignored}) => ignored).length
  if (memory.ignored !== count) problems.push(`${memory.ignored} are said to be ignored, and ${count} are`)
  return problems
}

function eventsOf(
  {ignored, cause}: Finding,
  given: readonly Word[],
  about: readonly Word[],
  startedMs: number,
): string[] {
  if (ignored)
    return [
      'findings ignored',
      ...(cause === 'delivery_exhausted' ? ['findings ignored that would have been resent'] : []),
    ]
  const events: string[] = []
  if (about.some(({untilMs}) => untilMs <= startedMs)) events.push('findings whose word had ended')
  if (about.some(({takenBackMs}) => takenBackMs <= startedMs))
    events.push('findings whose word was taken back')
  if (given.length > 0 && about.length === 0) events.push('findings whose word was about another amount')
  return events
}
