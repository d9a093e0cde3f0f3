const windowMs = 10_000
const linesMax = 20

/** Lines that strangers can cause, at most 20 in ten seconds; how many more there were is said afterwards. */
export class LineLimit {
  private readonly write: (line: string) => void
  private windowEndsMs = 0
  private lines = 0
  private held = 0

  constructor(write: (line: string) => void) {
    this.write = write
  }

  tell(line: string, nowMs: number): void {
    if (nowMs >= this.windowEndsMs) {
      this.end()
      this.windowEndsMs = nowMs + windowMs
      this.lines = 0
    }
    this.lines += 1
    if (this.lines <= linesMax) this.write(line)
    else this.held += 1
  }

  end(): void {
    if (this.held > 0) this.write(`          and ${this.held} more refused`)
    this.held = 0
  }
}
