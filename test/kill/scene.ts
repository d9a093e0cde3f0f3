import type {Machine, Outcome, Running, RunOptions} from '../acceptance/machine.ts'
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
  callsMade(): MadeCall[]
  holdCall(call: string, nth: number, moment: Moment): HeldCall
  /** What an uninterrupted run came to. */
  readWhole(outcome: Outcome): Promise<Whole>
  /** Goes on after a kill as a person would, and compares. */
  recover(whole: Whole, left: Left): Promise<Judgement>
}

/** A command over a setting, to be killed at each of its points. */
export interface KillNight<Whole = unknown> {
  readonly name: string
  /** Ids and answers are the same each time. */
  begin(): Promise<Scene<Whole>>
}

/** Keeps the type of what a night comes to inside the night. */
export function night<Whole>(name: string, begin: () => Promise<Scene<Whole>>): KillNight {
  return {name, begin: begin as () => Promise<Scene<unknown>>}
}
