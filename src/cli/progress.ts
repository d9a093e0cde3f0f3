import {spanText} from '../core/time.ts'
import {counted} from '../report/figures.ts'
import {monotonic} from './context.ts'
import {isQuiet} from './streams.ts'

export interface ProgressPorts {
  readonly stream: {
    readonly isTTY?: boolean
    readonly columns?: number
    write(text: string): unknown
  }
  readonly monotonic: () => number
  /** The wall clock, for the lines of a log. */
  readonly now: () => number
}

const silence = {write: () => true}
const quietMs = 1_000
const redrawMs = 100
const lineEveryMs = 10_000
const eraseLine = '\r\u001b[2K'

/**
 * Progress of long work on stderr: a redrawn line on a terminal, a line every ten seconds in a log, nothing for less
 * than a second.
 */
export class Progress {
  private readonly ports: ProgressPorts
  private readonly startedMs: number
  private stage = ''
  private stageStartedMs = 0
  private shownMs: number
  private isDrawn = false

  constructor(
    ports: ProgressPorts = {stream: isQuiet() ? silence : process.stderr, monotonic, now: Date.now},
  ) {
    this.ports = ports
    this.startedMs = ports.monotonic()
    this.shownMs = this.startedMs
  }

  /** `breaks`: found so far, undefined if not known yet. */
  update(stage: string, done: number, total: number, breaks?: number): void {
    const nowMs = this.ports.monotonic()
    if (stage !== this.stage) {
      this.stage = stage
      this.stageStartedMs = nowMs
    }
    this.show(() => describe(stage, done, total, nowMs - this.stageStartedMs, breaks), nowMs)
  }

  tell(text: string): void {
    this.show(() => text, this.ports.monotonic())
  }

  wait(what: string, leftMs: number): void {
    this.show(() => `${what}, ${spanText(leftMs / 1_000)} left`, this.ports.monotonic())
  }

  private show(describeNow: () => string, nowMs: number): void {
    const {stream, now} = this.ports
    if (nowMs - this.startedMs < quietMs) return
    if (nowMs - this.shownMs < (stream.isTTY ? redrawMs : lineEveryMs)) return
    this.shownMs = nowMs
    const line = describeNow()
    if (stream.isTTY) stream.write(`${eraseLine}${line.slice(0, (stream.columns ?? 80) - 1)}`)
    else stream.write(`${new Date(now()).toISOString()} ${line}\n`)
    this.isDrawn = true
  }

  /** Clears the line, before anything else is written to the terminal. */
  end(): void {
    if (this.isDrawn && this.ports.stream.isTTY) this.ports.stream.write(eraseLine)
    this.isDrawn = false
  }
}

function describe(stage: string, done: number, total: number, elapsedMs: number, breaks?: number): string {
  const worked = `${stage}  ${done} of ${total}`
  const found = breaks === undefined ? '' : `, ${counted(breaks, 'break', 'breaks')} so far`
  if (done === 0 || elapsedMs < quietMs) return `${worked}${found}`
  const perSecond = (done * 1_000) / elapsedMs
  const rate = perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)
  return `${worked}, ${rate}/s, ${spanText((total - done) / perSecond)} left${found}`
}
