import {readFile} from 'node:fs/promises'

import {listFiles} from '../../acceptance/machine.ts'
import {readDocument} from '../../acceptance/outcome.ts'
import type {Outcome} from '../../acceptance/own-home.ts'
import {type Report, summaryOf} from '../../acceptance/report.ts'
import {type Scenario, startScenario} from '../../acceptance/scenario.ts'
import {differences} from '../differences.ts'
import {type Left, lookAtLeft} from '../left.ts'
import {ResumableScene} from '../resumable-scene.ts'
import {type Judgement, type KillScenario, scenario as killScenario, type Scene} from '../scene.ts'
import {type WayOn, waysOn, whyNotEnded} from '../service-scene.ts'

export interface ReconcileSetting {
  readonly name: string
  readonly flags?: readonly string[]
  readonly ways?: readonly WayOn[]
  /** Adds the orders, and the service's answers to them. */
  readonly fill: (scenario: Scenario) => void | Promise<void>
}

interface WholeRun {
  readonly status: number | null
  readonly summary: ReturnType<typeof summaryOf>
  /** How its findings compare with those of the earlier run. */
  readonly memory: object
}

/** `reconcile --yes` over a setting, killed, and then resumed or simply run again. */
export function reconcileScenarios(setting: ReconcileSetting): KillScenario[] {
  return (setting.ways ?? waysOn).map((way) =>
    killScenario(
      setting.name,
      async () => {
        const scenario = await startScenario()
        await setting.fill(scenario)
        return new ReconcileScene(scenario, setting, way, await scenario.ledger())
      },
      `${setting.name}, ${way}`,
    ),
  )
}

class ReconcileScene extends ResumableScene implements Scene<WholeRun> {
  /** Reports as the kills left them. */
  readonly #reportsSeen = new Set<string>()
  #takenAtKill = 0

  constructor(scenario: Scenario, {flags = []}: ReconcileSetting, way: WayOn, ledger: string) {
    const begin = ['reconcile', ledger, '--yes', '--wait', '1s', '--json', ...flags]
    const resume = (runId: string) => ['reconcile', '--resume', runId, '--yes', '--json']
    super(scenario, way, {begin, resume})
  }

  override async lookAfterKill(left: Left): Promise<string[]> {
    return [...(await super.lookAfterKill(left)), ...(await this.#whyReportsFalse())]
  }

  /** A report that is new since the last kill and does not say that it is not final has all that the merchant took. */
  async #whyReportsFalse(): Promise<string[]> {
    const paths = (await listFiles(this.machine.dir)).filter((path) => path.endsWith('/report.json'))
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
    const {taken} = this.resends
    const problems = texts
      .filter((text) => !this.#reportsSeen.has(text))
      .flatMap((text) => {
        const {interim, findings} = JSON.parse(text) as Partial<Report> & {interim: object | null}
        if (findings === undefined || interim !== null) return []
        const said = findings.filter(({resend}) => resend?.state === 'delivered').length
        // Of a run of its own what was taken before it is no part.
        return [taken, taken - this.#takenAtKill].includes(said)
          ? []
          : [`a report that looks final says ${said} delivered, and ${taken} were taken`]
      })
    for (const text of texts) this.#reportsSeen.add(text)
    this.#takenAtKill = taken
    return problems
  }

  async readWhole(outcome: Outcome): Promise<WholeRun> {
    const report = readReport(outcome)
    return {status: outcome.status, summary: summaryOf(report), memory: memoryOf(report)}
  }

  async judge(whole: WholeRun, outcome: Outcome, left: Left): Promise<Judgement> {
    const runId = this.resumable(left)
    const problems = this.resends.whyTwice(this.way)
    const judged =
      runId === undefined && left.runs.length > 0
        ? this.#judgeNewRun(whole, readReport(outcome), left)
        : this.#judgeResumed(whole, await this.readWhole(outcome))
    if (runId !== undefined) problems.push(...whyNotEnded(await lookAtLeft(this.machine.dir)))
    return {doubts: judged.doubts, problems: [...problems, ...judged.problems]}
  }

  /** The report of an uninterrupted run, but for what the journal called in doubt at a kill (P15). */
  #judgeResumed(whole: WholeRun, resumed: WholeRun): Judgement {
    const {problems, doubts} = this.resends.compareStates(statesOf(whole), statesOf(resumed))
    const [expected, found] = doubts === 0 ? [whole, resumed] : [withoutEnds(whole), withoutEnds(resumed)]
    return {doubts, problems: [...problems, ...differences('the report', expected, found)]}
  }

  /**
   * A run of its own: what killed ones delivered it finds delivered, and it sends only what was never sent. A resend
   * that was accepted and whose record has not moved yet cools down (P5).
   */
  #judgeNewRun(whole: WholeRun, report: Report, left: Left): Judgement {
    const {summary} = whole
    const newRun = summaryOf(report)
    const verdicts = (one: typeof summary) =>
      one.decisions.map(({orderNo, kind, line, verdict}) => ({orderNo, kind, line, verdict}))
    const problems = [
      ...differences('the verdicts', verdicts(summary), verdicts(newRun)),
      ...this.resends.whyFalse(new Map(newRun.decisions.map(({orderNo, state}) => [orderNo, state]))),
    ]
    if (summary.complete && !newRun.complete) problems.push('the new run is incomplete')
    let doubts = 0
    for (const {orderNo, state} of summary.decisions) {
      if (state !== 'delivered' || this.resends.isDelivered(orderNo)) continue
      const found = newRun.decisions.find((decision) => decision.orderNo === orderNo)
      const isCooling = found?.cause === 'recently_resent' && this.resends.isAccepted(orderNo, left)
      if (found?.cause === 'resend_in_doubt' || isCooling) doubts += 1
      else
        problems.push(
          `${orderNo} is lost: not delivered and not in doubt, but ${found?.cause}, ${found?.state}`,
        )
    }
    return {problems, doubts}
  }
}

/** Throws what hisab said where that was no report. */
function readReport(outcome: Outcome): Report {
  const report = readDocument<Report>(outcome)
  if (!('findings' in report)) throw new Error(`no report: ${outcome.stdout}`)
  return report
}

function statesOf({summary}: WholeRun): Map<string, string | undefined> {
  return new Map(summary.decisions.map(({orderNo, state}) => [orderNo, state]))
}

function memoryOf({memory: {closed, notExamined, ...counts}}: Report): object {
  const numbers = (those: typeof closed) => those.map(({orderNo}) => orderNo)
  return {...counts, closed: numbers(closed), notExamined: numbers(notExamined)}
}

/** What a resend in doubt does not change. */
function withoutEnds({memory, summary: {counts, tieOut, decisions}}: WholeRun): object {
  return {memory, counts, tieOut, decisions: decisions.map(({state: _, ...decision}) => decision)}
}
