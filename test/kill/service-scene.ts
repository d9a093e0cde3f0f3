import type {Machine, Outcome, Running, RunOptions} from '../acceptance/machine.ts'
import type {Night} from '../acceptance/night.ts'
import type {Call} from '../fake-service/calls.ts'
import type {Left} from './left.ts'
import {type Moment, moments, trapped} from './points.ts'
import type {HeldCall, MadeCall} from './scene.ts'

/** What a person does after the crash. */
export const waysOn = ['resumed', 'run again'] as const
export type WayOn = (typeof waysOn)[number]

/** A command that talks to the fake service. */
export class ServiceScene implements AsyncDisposable {
  readonly night: Night
  readonly #command: readonly string[]

  constructor(night: Night, command: readonly string[]) {
    this.night = night
    this.#command = command
  }

  get machine(): Machine {
    return this.night.machine
  }

  start(options: RunOptions): Running {
    return this.machine.start(this.#command, options)
  }

  /** What a person types after the crash. */
  goOn(command: readonly string[]): Promise<Outcome> {
    return this.machine.run(command, {env: trapped()})
  }

  callsMade(): MadeCall[] {
    const {calls} = this.night.service
    return calls.all.map((call) => ({
      call: call.name,
      moments: calls.answered.has(call) ? moments : moments.slice(0, 2),
    }))
  }

  holdCall(name: string, nth: number, when: Moment): HeldCall {
    const {calls} = this.night.service
    const isIt = (call: Call) =>
      call.name === name && calls.all.filter((one) => one.name === name).indexOf(call) === nth - 1
    const held = calls.hold(isIt, when)
    return {seen: held.seen, letGo: (isLost) => (isLost ? held.lose() : held.letGo())}
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.night[Symbol.asyncDispose]()
  }
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
