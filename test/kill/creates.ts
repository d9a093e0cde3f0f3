import type {Kind} from '../fake-service/book.ts'
import type {Call} from '../fake-service/calls.ts'
import type {FakeService} from '../fake-service/service.ts'
import {differences} from './differences.ts'
import type {Left} from './left.ts'

/** What the service saw of creates of one kind, and what it has of them. */
export class Creates {
  readonly #service: FakeService
  readonly #kind: Kind
  /** How often each number the service had taken had been sent, at each kill. */
  readonly #takenAtKills: Readonly<Record<string, number>>[] = []
  readonly #intents = new Set<string>()

  constructor(service: FakeService, kind: Kind) {
    this.#service = service
    this.#kind = kind
  }

  /** P3: what was sent is in the journal, whenever the process died. To be asked before anything is sent again. */
  lookAfterKill({requests}: Left): string[] {
    this.#takenAtKills.push(this.#timesSent((number) => this.has(number)))
    for (const {orderNo, state} of requests) if (state === 'intent') this.#intents.add(orderNo)
    const recorded = new Set(requests.map(({orderNo}) => orderNo))
    return this.#calls()
      .filter(({target}) => !recorded.has(target))
      .map(({target}) => `${target} was sent, and the journal does not know`)
  }

  /** P1: the service answers a number it knows with the old order, whatever else is asked. */
  whyTwoBodies(): string[] {
    return [...Map.groupBy(this.#calls(), ({target}) => target)]
      .filter(([, calls]) => new Set(calls.map(({body}) => body)).size > 1)
      .map(([number]) => `${number} was sent under two bodies`)
  }

  /** What the service had taken at a kill is asked for, not sent again. */
  whySentAgain(): string[] {
    return this.#takenAtKills.flatMap((taken) =>
      differences(
        'how often what was taken is sent',
        taken,
        this.#timesSent((number) => number in taken),
      ),
    )
  }

  /** Whether a kill left it in doubt. */
  wasInDoubt(number: string): boolean {
    return this.#intents.has(number)
  }

  has(number: string): boolean {
    return this.#service.book.findOrder(this.#kind, number) !== undefined
  }

  #calls(): Call[] {
    return this.#service.calls.of(`${this.#kind}.create`)
  }

  #timesSent(isCounted: (number: string) => boolean): Record<string, number> {
    const times: Record<string, number> = {}
    for (const {target} of this.#calls()) if (isCounted(target)) times[target] = (times[target] ?? 0) + 1
    return times
  }
}
