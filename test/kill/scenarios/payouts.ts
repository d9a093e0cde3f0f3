import type {PayoutsReport} from '../../../src/report/payouts-report.ts'
import {listFiles} from '../../acceptance/machine.ts'
import {readDocument} from '../../acceptance/outcome.ts'
import type {Outcome} from '../../acceptance/own-home.ts'
import {beginPayDay, numbers, type PayDay} from '../../acceptance/payout-file.ts'
import {type Scenario, startScenario} from '../../acceptance/scenario.ts'
import type {Kind} from '../../fake-service/book.ts'
import {Creates} from '../creates.ts'
import {differences} from '../differences.ts'
import type {Left} from '../left.ts'
import {type Judgement, type KillScenario, scenario as killScenario, type Scene} from '../scene.ts'
import {ServiceScene, type WayOn} from '../service-scene.ts'

/** `payout create --from`, killed, and the same command again. */
export function payoutFileScenario(
  name: string,
  trouble: (day: PayDay) => void = () => {},
  way: WayOn = 'run again',
): KillScenario {
  const begin = async () => {
    const day = await beginPayDay()
    trouble(day)
    return new PayoutFileScene(day, way)
  }
  return killScenario(name, begin, `${name}, ${way}`)
}

/** `deposit create` or `payout create` of one order, killed, and the same command again. */
export function createScenario(kind: Kind, flags: readonly string[]): KillScenario {
  const command = [kind, 'create', ...flags, '--json']
  return killScenario(`one ${kind}`, async () => new CreateScene(await startScenario(), kind, command))
}

interface WholeFile {
  readonly status: number | null
  /** `P-1 accepted`. */
  readonly states: readonly string[]
  /** The same from the result file. */
  readonly result: readonly string[]
}

class PayoutFileScene extends ServiceScene implements Scene<WholeFile> {
  readonly #day: PayDay
  readonly #creates: Creates

  constructor(day: PayDay, way: WayOn) {
    super(day.scenario, day.command, way)
    this.#day = day
    this.#creates = new Creates(day.scenario.service, 'payout')
  }

  async readWhole(outcome: Outcome): Promise<WholeFile> {
    const states = this.#day.states(readDocument<PayoutsReport>(outcome))
    return {status: outcome.status, states, result: await this.#day.result()}
  }

  override async lookAfterKill(left: Left): Promise<string[]> {
    return [
      ...(await super.lookAfterKill(left)),
      ...this.#creates.lookAfterKill(left),
      ...(await this.#whyFilesFalse()),
    ]
  }

  /** Every result on the disk, an interim one too: what was paid is not called unsent or refused. */
  async #whyFilesFalse(): Promise<string[]> {
    const files = (await listFiles(this.machine.dir)).filter((path) => /\.result\S*\.csv$/.test(path))
    const rows = await Promise.all(files.map(async (path) => await this.#day.readResult(path)))
    return rows
      .flat()
      .filter(([number, state]) => this.#creates.has(number) && /^(not_sent|refused)$/.test(state))
      .map(([number, state]) => `a result calls ${number} ${state}, and the service has it`)
  }

  async judge(whole: WholeFile, outcome: Outcome): Promise<Judgement> {
    const again = await this.readWhole(outcome)
    const {problems, doubts, isSame} = this.#compareStates(whole, again)
    return {
      doubts,
      problems: [
        ...this.#creates.whyTwoBodies(),
        ...this.#creates.whySentAgain(),
        ...problems,
        ...(await this.#whyFilesFalse()),
        ...differences('the result file', again.states, again.result),
        ...(isSame ? differences('the exit status', whole.status, again.status) : []),
      ],
    }
  }

  /**
   * The next run asks for what the one before left in doubt, so it may know more of it. And what was on its way at a
   * kill and got lost stays in doubt even where a second try is refused: a refusal takes nothing back (P6).
   */
  #compareStates(whole: WholeFile, again: WholeFile) {
    const differing = numbers.filter((_, index) => whole.states[index] !== again.states[index])
    const is = (file: WholeFile, number: string, state: string) => file.states.includes(`${number} ${state}`)
    const learned = differing.filter(
      (number) => is(whole, number, 'unknown') && is(again, number, 'accepted') && this.#creates.has(number),
    )
    const inDoubt = differing.filter(
      (number) =>
        this.#creates.wasInDoubt(number) && is(again, number, 'unknown') && !this.#creates.has(number),
    )
    const wrong = differing.filter((number) => !learned.includes(number) && !inDoubt.includes(number))
    return {
      isSame: differing.length === 0,
      doubts: inDoubt.length,
      problems: wrong.map((number) => `${number} is not as without a kill: ${again.states.join(', ')}`),
    }
  }
}

interface WholeCreate {
  readonly status: number | null
  readonly order: object
}

class CreateScene extends ServiceScene implements Scene<WholeCreate> {
  readonly #creates: Creates

  constructor(scenario: Scenario, kind: Kind, command: readonly string[]) {
    super(scenario, command)
    this.#creates = new Creates(scenario.service, kind)
  }

  async readWhole(outcome: Outcome): Promise<WholeCreate> {
    const {existing: _, ...order} = readDocument<{existing?: true}>(outcome)
    return {status: outcome.status, order}
  }

  override async lookAfterKill(left: Left): Promise<string[]> {
    return [...(await super.lookAfterKill(left)), ...this.#creates.lookAfterKill(left)]
  }

  async judge(whole: WholeCreate, outcome: Outcome): Promise<Judgement> {
    const again = await this.readWhole(outcome)
    return {doubts: 0, problems: [...this.#creates.whyTwoBodies(), ...differences('the order', whole, again)]}
  }
}
