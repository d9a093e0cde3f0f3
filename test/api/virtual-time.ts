/** A clock that jumps from one waiting promise to the next, so that an hour of calls takes a second. */
export class VirtualTime {
  nowMs = 0
  private readonly waiting: {atMs: number; order: number; wake: () => void}[] = []
  private order = 0

  readonly now = () => this.nowMs
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      const item = {atMs: this.nowMs + ms, order: this.order++, wake}
      let at = this.waiting.length
      while (at > 0 && (this.waiting[at - 1]?.atMs ?? 0) > item.atMs) at -= 1
      this.waiting.splice(at, 0, item)
    })

  async run(untilMs: number): Promise<void> {
    for (;;) {
      await new Promise(setImmediate)
      const next = this.waiting.shift()
      if (next === undefined || next.atMs > untilMs) return
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.wake()
    }
  }
}
