import type {Moment} from './points.ts'
import type {HeldCall, MadeCall} from './scene.ts'

interface Hold {
  readonly call: string
  readonly nth: number
  readonly moment: Moment
  readonly markSeen: () => void
  readonly isLost: Promise<boolean>
}

/** Where calls that are not the fake service's pass: remembers them, and keeps one of them waiting. */
export class Gate {
  readonly #made = new Map<string, {call: string; moments: Moment[]}>()
  #hold: Hold | undefined

  /** How the nth of these calls passes each moment; false: it got lost. */
  at(call: string, nth: number): (moment: Moment) => Promise<boolean> {
    return async (moment) => {
      const made = this.#made.get(`${call} ${nth}`) ?? {call, moments: []}
      made.moments.push(moment)
      this.#made.set(`${call} ${nth}`, made)
      const hold = this.#hold
      if (hold?.call !== call || hold.nth !== nth || hold.moment !== moment) return true
      hold.markSeen()
      return !(await hold.isLost)
    }
  }

  hold(call: string, nth: number, moment: Moment): HeldCall {
    const seen = Promise.withResolvers<void>()
    const isLost = Promise.withResolvers<boolean>()
    this.#hold = {call, nth, moment, markSeen: seen.resolve, isLost: isLost.promise}
    return {seen: seen.promise, letGo: isLost.resolve}
  }

  get made(): MadeCall[] {
    return [...this.#made.values()]
  }
}
