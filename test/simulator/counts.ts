/** How often each kind of thing occurred: what never occurs is not tried, whatever the number of histories. */
export class Counts {
  readonly of = new Map<string, number>()

  add(name: string, times = 1): void {
    if (times > 0) this.of.set(name, (this.of.get(name) ?? 0) + times)
  }

  take(others: Iterable<readonly [string, number]>): void {
    for (const [name, times] of others) this.add(name, times)
  }
}
