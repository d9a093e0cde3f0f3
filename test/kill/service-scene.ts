import type {Machine} from '../acceptance/machine.ts'
import type {Environment, Running, RunOptions} from '../acceptance/own-home.ts'
import type {Scenario} from '../acceptance/scenario.ts'
import type {Call} from '../fake-service/calls.ts'
import type {Left} from './left.ts'
import {type Moment, moments} from './points.ts'
import type {HeldCall, MadeCall} from './scene.ts'

/** What a person does after the crash. */
export const waysOn = ['resumed', 'run again'] as const
/** The merchant goes by two names: whoever goes on uses the other one. */
export const underAnotherName = 'run again under another name'
export type WayOn = (typeof waysOn)[number] | typeof underAnotherName

/** A command that talks to the fake service. */
export class ServiceScene implements AsyncDisposable {
  readonly scenario: Scenario
  readonly #command: readonly string[]
  readonly #way: WayOn
  /** Of the processes that were killed. */
  #callsBefore = 0
  #nameToGoOn: Environment = {}

  constructor(scenario: Scenario, command: readonly string[], way: WayOn = 'run again') {
    this.scenario = scenario
    this.#command = command
    this.#way = way
  }

  get machine(): Machine {
    return this.scenario.machine
  }

  start(options: RunOptions): Running {
    return this.machine.start(this.#command, options)
  }

  goOn(left: Left, options: RunOptions): Running {
    return this.machine.start(this.commandAfter(left), {
      ...options,
      env: {...options.env, ...this.#nameToGoOn},
    })
  }

  /** What a person types after a kill: the same command, unless a scenario has another. */
  protected commandAfter(_left: Left): readonly string[] {
    return this.#command
  }

  async lookAfterKill(_left: Left): Promise<string[]> {
    this.#callsBefore = this.scenario.service.calls.all.length
    if (this.#way === underAnotherName) this.#nameToGoOn = await anotherName(this.scenario)
    return []
  }

  callsMade(): MadeCall[] {
    const {calls} = this.scenario.service
    return calls.all.slice(this.#callsBefore).map((call) => ({
      call: call.name,
      moments: calls.answered.has(call) ? moments : moments.slice(0, 2),
    }))
  }

  holdCall(name: string, nth: number, when: Moment): HeldCall {
    const {calls} = this.scenario.service
    const before = this.#callsBefore
    const those = () => calls.all.slice(before).filter((call) => call.name === name)
    const isIt = (call: Call) => those().indexOf(call) === nth - 1
    const held = calls.hold(isIt, when)
    return {seen: held.seen, letGo: (isLost) => (isLost ? held.lose() : held.letGo())}
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scenario[Symbol.asyncDispose]()
  }
}

/** A profile of a file, in place of the variables the merchant went by. */
async function anotherName({machine, service}: Scenario): Promise<Environment> {
  const path = await machine.write(
    'config.toml',
    `[profiles.nightly]
merchant_id = "${service.merchant.id}"
base_url = "${service.baseUrl}"
apply_url = "${service.applyUrl}"
return_url = "https://merchant.example/webhooks"
`,
  )
  const unset = {HISAB_MERCHANT_ID: undefined, HISAB_BASE_URL: undefined, HISAB_APPLY_URL: undefined}
  return {...unset, HISAB_CONFIG: path, HISAB_PROFILE: 'nightly'}
}

/** After a resumed run nothing is half done in the journal. */
export function whyNotEnded({runs, resends}: Left): string[] {
  const open = runs.filter(({status}) => status !== 'finished')
  const intents = resends.filter(({state}) => state === 'intent')
  return [
    ...open.map(({id, status}) => `the run ${id} is still "${status}"`),
    ...intents.map(({deliveryId}) => `the resend of ${deliveryId} is still an intent`),
  ]
}
