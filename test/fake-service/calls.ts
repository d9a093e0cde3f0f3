import type {IncomingHttpHeaders} from 'node:http'

/** A name for each documented operation (service §4); `other` is everything else. */
export type CallName =
  | 'deposit.create'
  | 'deposit.query'
  | 'payout.create'
  | 'payout.query'
  | 'list'
  | 'get'
  | 'resend'
  | 'other'

export interface Call {
  readonly name: CallName
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  readonly headers: IncomingHttpHeaders
  /** The order number or the record's id the call is about; empty for a list. */
  readonly target: string
  /** The host the call came to: the two APIs have different ones. */
  readonly host: 'deposit' | 'payout'
}

/** Calls kept waiting by a test, so that it can act while one is in flight. */
export interface Held {
  /** Settles when the first such call has arrived. */
  readonly seen: Promise<Call>
  /** Answers it, and every later one at once. */
  letGo(): void
  /** What has arrived got lost on its way: the service does not act on it and says nothing. Later ones are answered. */
  lose(): void
}

interface Hold extends Held {
  readonly matches: (call: Call) => boolean
  /** What the client has not got then: anything, the answer, or nothing any more: the answer is on its way. */
  readonly when: 'before acting' | 'before answering' | 'after answering'
  readonly released: Promise<'goes on' | 'is lost'>
  isOver: boolean
  readonly markSeen: (call: Call) => void
}

/** Every call the service received, in the order of arrival, and the ones it is told to keep waiting. */
export class CallLog {
  readonly all: Call[] = []
  /** The same, but never cleared: every signature that ever went over the wire is in here. */
  readonly everSeen: Call[] = []
  /** Those whose answer was handed to the network. */
  readonly answered = new Set<Call>()
  /** Calls whose credentials or signature were wrong: answered with 401 and not acted upon. */
  readonly rejected: Call[] = []
  readonly #holds: Hold[] = []

  add(call: Call): void {
    this.all.push(call)
    this.everSeen.push(call)
  }

  of(name: CallName): Call[] {
    return this.all.filter((call) => call.name === name)
  }

  count(...names: CallName[]): number {
    return this.all.filter((call) => names.includes(call.name)).length
  }

  /** How many resend requests reached the service for one record, answered or not. */
  resendsOf(recordId: string): number {
    return this.of('resend').filter((call) => call.target === recordId).length
  }

  /** Forgets the calls so far, so that a second run can be counted by itself. */
  clear(): void {
    this.all.length = 0
    this.rejected.length = 0
  }

  hold(matches: (call: Call) => boolean, when: Hold['when'] = 'before acting'): Held {
    const seen = Promise.withResolvers<Call>()
    const released = Promise.withResolvers<'goes on' | 'is lost'>()
    const release = (how: 'goes on' | 'is lost') => {
      hold.isOver = true
      released.resolve(how)
    }
    const hold: Hold = {
      ...{matches, when, isOver: false},
      seen: seen.promise,
      released: released.promise,
      markSeen: seen.resolve,
      letGo: () => release('goes on'),
      lose: () => release('is lost'),
    }
    this.#holds.push(hold)
    return hold
  }

  /** False where the call got lost meanwhile. */
  async waitWhileHeld(call: Call, when: Hold['when']): Promise<boolean> {
    for (const hold of this.#holds) {
      if (hold.isOver || hold.when !== when || !hold.matches(call)) continue
      hold.markSeen(call)
      if ((await hold.released) === 'is lost') return false
    }
    return true
  }

  letGoOfAll(): void {
    for (const hold of this.#holds) hold.letGo()
  }
}
