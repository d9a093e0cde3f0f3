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
  readonly #counts = new Map<string, number>()
  #hold: Hold | undefined

  /** Another process comes: its calls are counted anew. */
  beginAnew(): void {
    this.#made.clear()
    this.#counts.clear()
    this.#hold = undefined
  }

  /** How the nth of these calls passes each moment, the next one where none is said; false: it got lost. */
  at(call: string, nth = this.#count(call)): (moment: Moment) => Promise<boolean> {
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

  #count(call: string): number {
    const nth = (this.#counts.get(call) ?? 0) + 1
    this.#counts.set(call, nth)
    return nth
  }

  get made(): MadeCall[] {
    return [...this.#made.values()]
  }
}
