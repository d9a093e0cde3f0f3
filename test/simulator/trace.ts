/** What happened in a history, in words, and a digest of them: two plays of one seed must agree in it. */
export class Trace {
  readonly lines: string[] = []
  private readonly keeps: boolean
  private readonly now: () => number
  private high = 0x811c9dc5
  private low = 0x1b873593

  constructor(keeps: boolean, now: () => number) {
    this.keeps = keeps
    this.now = now
  }

  say(text: string): void {
    const line = `${clock(this.now())}  ${text}`
    for (let at = 0; at < line.length; at++) {
      const code = line.charCodeAt(at)
      this.high = Math.imul(this.high ^ code, 0x01000193)
      this.low = Math.imul(this.low + code, 0x85ebca6b) ^ (this.low >>> 13)
    }
    if (this.keeps) this.lines.push(line)
  }

  get hash(): string {
    return [this.high, this.low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
  }
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(5, 23).replace('T', ' ')
}
