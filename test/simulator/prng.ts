import {seededRandom} from '../../src/core/prng.ts'

/** The one source of chance in a history: the same seed throws the same numbers in the same order. */
export class Prng {
  readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T
  }

  /** One of the named things, each as often as its weight says. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][]
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      at -= weight
      if (at < 0) return name
    }
    return (entries.at(-1) as [T, number])[0]
  }

  /** Another seed, so that what comes later does not depend on how often this one was thrown. */
  seed(): number {
    return Math.floor(this.next() * 2 ** 32)
  }
}
