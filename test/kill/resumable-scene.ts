import type {Scenario} from '../acceptance/scenario.ts'
import type {Left} from './left.ts'
import {Resends} from './resends.ts'
import {ServiceScene, type WayOn} from './service-scene.ts'

interface Commands {
  readonly begin: readonly string[]
  /** Goes on with a run that was killed. */
  readonly resume: (runId: string) => readonly string[]
}

/** A command that resends, and that a person resumes after a kill or simply runs again. */
export class ResumableScene extends ServiceScene {
  protected readonly way: WayOn
  protected readonly resends: Resends
  readonly #resume: Commands['resume']

  constructor(scenario: Scenario, way: WayOn, {begin, resume}: Commands) {
    super(scenario, begin, way)
    this.way = way
    this.resends = new Resends(scenario.service)
    this.#resume = resume
  }

  override async lookAfterKill(left: Left): Promise<string[]> {
    return [...(await super.lookAfterKill(left)), ...this.resends.lookAfterKill(left)]
  }

  protected override commandAfter(left: Left): readonly string[] {
    const runId = this.resumable(left)
    return runId === undefined ? super.commandAfter(left) : this.#resume(runId)
  }

  /** The run to go on with; undefined where the same command is run again, or no run began. */
  protected resumable({runs}: Left): string | undefined {
    return this.way === 'resumed' ? runs.at(-1)?.id : undefined
  }
}
