import type {Machine} from '../acceptance/machine.ts'
import type {Outcome, Running, RunOptions} from '../acceptance/own-home.ts'
import type {Left} from './left.ts'
import type {Moment} from './points.ts'

/** A call that is kept where it is until the process is dead. */
export interface HeldCall {
  readonly seen: Promise<unknown>
  /** `isLost`: whoever takes it never got it. */
  letGo(isLost: boolean): void
}

/** A call that was made, and how far it came. */
export interface MadeCall {
  readonly call: string
  readonly moments: readonly Moment[]
}

/** How a command that was killed and gone on with ended, next to one that was left alone. */
export interface Judgement {
  readonly problems: readonly string[]
  /** What it says it does not know, and the one that was left alone does. */
  readonly doubts: number
}

/** One machine, whoever it talks to, and a command: everything is made anew for each kill. */
export interface Scene<Whole> extends AsyncDisposable {
  readonly machine: Machine
  start(options: RunOptions): Running
  /** What a person types after a kill. */
  goOn(left: Left, options: RunOptions): Running
  /** Those of the newest process. */
  callsMade(): MadeCall[]
  /** `nth` of the process that comes next. */
  holdCall(call: string, nth: number, moment: Moment): HeldCall
  /** What an uninterrupted run came to. */
  readWhole(outcome: Outcome): Promise<Whole>
  /** Told of each kill before anything goes on; says what is wrong already. */
  lookAfterKill(left: Left): Promise<string[]>
  /** Compares what was gone on with to its end; `left` is what the last kill left. */
  judge(whole: Whole, outcome: Outcome, left: Left): Promise<Judgement>
}

/** A command over a setting, to be killed at each of its points. */
export interface KillScenario<Whole = unknown> {
  readonly name: string
  /** What a run of it is that nobody interrupts: one for all ways to go on after a kill. */
  readonly story: string
  /** Ids and answers are the same each time. */
  begin(): Promise<Scene<Whole>>
}

/** Keeps the type of a scenario's results inside the scenario. */
export function scenario<Whole>(
  story: string,
  begin: () => Promise<Scene<Whole>>,
  name = story,
): KillScenario {
  return {name, story, begin: begin as () => Promise<Scene<unknown>>}
}
