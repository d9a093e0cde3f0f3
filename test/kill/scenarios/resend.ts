import {readDocument} from '../../acceptance/outcome.ts'
import type {Outcome} from '../../acceptance/own-home.ts'
import {type Scenario, startScenario} from '../../acceptance/scenario.ts'
import {differences} from '../differences.ts'
import {type Left, lookAtLeft} from '../left.ts'
import {ResumableScene} from '../resumable-scene.ts'
import {type Judgement, type KillScenario, scenario as killScenario, type Scene} from '../scene.ts'
import {type WayOn, waysOn, whyNotEnded} from '../service-scene.ts'

interface Resent {
  readonly resends: Readonly<Record<string, number>>
  readonly records: readonly {
    readonly id: string
    readonly state: string
    readonly merchant_order_id: string
  }[]
}

interface WholeResend extends Resent {
  readonly status: number | null
}

export interface ResendSetting {
  readonly name: string
  readonly flags?: readonly string[]
  readonly ways?: readonly WayOn[]
  readonly fill: (scenario: Scenario) => void
}

/** `webhooks resend --status failed --yes` over a setting, killed, and then resumed or simply run again. */
export function resendScenarios(setting: ResendSetting): KillScenario[] {
  return (setting.ways ?? waysOn).map((way) =>
    killScenario(
      setting.name,
      async () => {
        const scenario = await startScenario()
        setting.fill(scenario)
        return new ResendScene(scenario, setting, way)
      },
      `${setting.name}, ${way}`,
    ),
  )
}

/**
 * The merchant's server takes nothing until the run has stopped by itself or is killed: what was not sent by then goes out
 * when it is resumed.
 */
export const mendedServerScenario = killScenario('resend, a server that is mended, resumed', async () => {
  const scenario = await startScenario()
  for (let nth = 1; nth <= 8; nth += 1) scenario.addLost(`lost-${nth}`, [{leadsTo: 'failed', code: 503}])
  return new MendedServerScene(scenario, {name: '', flags: ['--no-canary'], fill: () => {}}, 'resumed')
})

class ResendScene extends ResumableScene implements Scene<WholeResend> {
  constructor(scenario: Scenario, {flags = []}: ResendSetting, way: WayOn) {
    const begin = ['webhooks', 'resend', '--status', 'failed', ...always, ...flags]
    const resume = (runId: string) => ['webhooks', 'resend', '--resume', runId, ...always]
    super(scenario, way, {begin, resume})
  }

  async readWhole(outcome: Outcome): Promise<WholeResend> {
    const {resends, records} = readDocument<Resent>(outcome)
    return {status: outcome.status, resends, records}
  }

  async judge(whole: WholeResend, outcome: Outcome, left: Left): Promise<Judgement> {
    const isResumed = this.resumable(left) !== undefined
    const {problems, doubts} =
      isResumed || left.runs.length === 0
        ? this.#judgeResumed(whole, await this.readWhole(outcome))
        : this.#judgeNewRun(whole, readDocument(outcome))
    const ended = isResumed ? whyNotEnded(await lookAtLeft(this.machine.dir)) : []
    return {doubts, problems: [...this.resends.whyTwice(this.way), ...ended, ...problems]}
  }

  /** Each record as it ends without a kill, but for what the journal called in doubt. */
  #judgeResumed(whole: WholeResend, resumed: WholeResend): Judgement {
    const states = (one: WholeResend) =>
      new Map(one.records.map(({merchant_order_id: orderNo, state}) => [orderNo, state]))
    const {problems, doubts} = this.resends.compareStates(states(whole), states(resumed))
    return doubts > 0
      ? {problems, doubts}
      : {doubts, problems: [...problems, ...differences('the result', whole, resumed)]}
  }

  /** A run of its own, which sends only what was never sent. */
  #judgeNewRun(whole: WholeResend, newRun: Resent): Judgement {
    const stateNow = new Map(newRun.records.map((record) => [record.id, record]))
    const problems: string[] = []
    let doubts = 0
    for (const {id, state, merchant_order_id: orderNo} of whole.records) {
      if (state !== 'delivered' || this.resends.isDelivered(orderNo)) continue
      if (stateNow.get(id)?.state === 'skipped' && this.scenario.resendsOf(id) <= 1) doubts += 1
      else problems.push(`${orderNo} is lost: not delivered, and "${stateNow.get(id)?.state}"`)
    }
    return {problems, doubts}
  }
}

class MendedServerScene extends ResendScene {
  override async lookAfterKill(left: Left): Promise<string[]> {
    for (const {outcomes} of this.scenario.service.book.records) outcomes.splice(0, 1, {leadsTo: 'success'})
    return await super.lookAfterKill(left)
  }

  /** Not as without a kill: there the server stays down, and five failures in a row end it. */
  override async judge(_whole: WholeResend, outcome: Outcome): Promise<Judgement> {
    const {records} = readDocument<Resent>(outcome)
    const states = new Map(records.map(({merchant_order_id: orderNo, state}) => [orderNo, state]))
    const unsent = this.scenario.service.book.records
      .filter(({arrivals, fields}) => arrivals === 0 && states.get(fields.merchant_order_id) !== 'unknown')
      .map(({fields}) => `${fields.merchant_order_id} was never sent`)
    return {
      doubts: [...states.values()].filter((state) => state === 'unknown').length,
      problems: [...this.resends.whyTwice(this.way), ...this.resends.whyFalse(states), ...unsent],
    }
  }
}

const always = ['--yes', '--rate', '1000', '--wait', '1s', '--json']
