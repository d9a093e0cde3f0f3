import type {Outcome} from '../../acceptance/machine.ts'
import {beginNight, type Night} from '../../acceptance/night.ts'
import {readDocument} from '../../acceptance/outcome.ts'
import {differences} from '../differences.ts'
import {type Left, lookAtLeft} from '../left.ts'
import {Resends} from '../resends.ts'
import {type Judgement, type KillNight, night as killNight, type Scene} from '../scene.ts'
import {ServiceScene, type WayOn, waysOn, whyNotEnded} from '../service-scene.ts'

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
  readonly fill: (night: Night) => void
}

/** `webhooks resend --status failed --yes` over a setting, killed, and then resumed or simply run again. */
export function resendNights(setting: ResendSetting): KillNight[] {
  return waysOn.map((way) =>
    killNight(`${setting.name}, ${way}`, async () => {
      const night = await beginNight()
      setting.fill(night)
      return new ResendScene(night, setting, way)
    }),
  )
}

class ResendScene extends ServiceScene implements Scene<WholeResend> {
  readonly #command: readonly string[]
  readonly #way: WayOn
  readonly #resends: Resends

  constructor(night: Night, {flags = []}: ResendSetting, way: WayOn) {
    const command = ['webhooks', 'resend', '--status', 'failed', ...always, ...flags]
    super(night, command)
    this.#command = command
    this.#way = way
    this.#resends = new Resends(night.service)
  }

  async readWhole(outcome: Outcome): Promise<WholeResend> {
    const {resends, records} = readDocument<Resent>(outcome)
    return {status: outcome.status, resends, records}
  }

  async recover(whole: WholeResend, left: Left): Promise<Judgement> {
    const before = this.#resends.whyNotRecorded(left)
    const killed = left.runs.at(-1)
    const isResumed = this.#way === 'resumed' && killed !== undefined
    const outcome = await this.goOn(
      isResumed ? ['webhooks', 'resend', '--resume', killed.id, ...always] : this.#command,
    )
    const {problems, doubts} =
      isResumed || !killed
        ? this.#judgeResumed(whole, await this.readWhole(outcome), left)
        : this.#judgeSecondRun(whole, readDocument(outcome))
    const ended = isResumed ? whyNotEnded(await lookAtLeft(this.machine.dir)) : []
    return {doubts, problems: [...before, ...this.#resends.whyTwice(this.#way), ...ended, ...problems]}
  }

  /** Each record as it ends without a kill, but for what the journal called in doubt. */
  #judgeResumed(whole: WholeResend, resumed: WholeResend, left: Left): Judgement {
    const states = (one: WholeResend) =>
      new Map(one.records.map(({merchant_order_id: orderNo, state}) => [orderNo, state]))
    const {problems, doubts} = this.#resends.compareStates(states(whole), states(resumed), left)
    return doubts > 0
      ? {problems, doubts}
      : {doubts, problems: [...problems, ...differences('the result', whole, resumed)]}
  }

  /** A run of its own, which sends only what was never sent. */
  #judgeSecondRun(whole: WholeResend, second: Resent): Judgement {
    const stateNow = new Map(second.records.map((record) => [record.id, record]))
    const problems: string[] = []
    let doubts = 0
    for (const {id, state, merchant_order_id: orderNo} of whole.records) {
      if (state !== 'healed' || this.#resends.isDelivered(orderNo)) continue
      if (stateNow.get(id)?.state === 'skipped' && this.night.resendsOf(id) <= 1) doubts += 1
      else problems.push(`${orderNo} is lost: not healed, and "${stateNow.get(id)?.state}"`)
    }
    return {problems, doubts}
  }
}

const always = ['--yes', '--rate', '1000', '--settle', '1s', '--json']
