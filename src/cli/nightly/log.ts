import {appendFileSync} from 'node:fs'

import {formatInstant} from '../../core/time.ts'
import {storageFailure} from '../../files/storage-failure.ts'
import {scrub} from '../streams.ts'

/** The job's JSON log. Each line has its time, the day, the run and what happened. */
export class NightlyLog {
  private readonly path: string | null
  private readonly timeZone: string
  private fields: Record<string, unknown>
  private restore: (() => void) | null = null
  private isLost = false

  constructor(path: string | null, timeZone: string, fields: Readonly<Record<string, unknown>>) {
    this.path = path
    this.timeZone = timeZone
    this.fields = {...fields}
    if (path === null) return
    try {
      // A log that cannot be written must fail before anything is sent.
      appendFileSync(path, '', {mode: 0o600})
    } catch (error) {
      throw storageFailure('write', path, error)
    }
  }

  /** Added to every later line. */
  add(fields: Readonly<Record<string, unknown>>): void {
    Object.assign(this.fields, fields)
  }

  write(event: string, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const line = this.line(event, text, fields)
    this.restore === null || this.toStderr(line)
    if (this.path === null) return
    try {
      appendFileSync(this.path, scrub(line), {mode: 0o600})
    } catch {
      if (!this.isLost) process.stderr.write('warning: --log-file cannot be written to any more.\n')
      this.isLost = true
    }
  }

  /** From here on, everything on stderr is written as JSON lines. */
  takeStderr(): void {
    const {stderr} = process
    const {write} = stderr
    this.toStderr = (line) => void write.call(stderr, line)
    let begun = ''
    stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const lines = (begun + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).split('\n')
      begun = lines.pop() ?? ''
      for (const text of lines) if (text.trim() !== '') this.toStderr(this.line('note', text.trim(), {}))
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }) as typeof stderr.write
    this.restore = () => {
      stderr.write = write
      if (begun !== '') this.toStderr(this.line('note', begun.trim(), {}))
    }
  }

  close(): void {
    this.restore?.()
    this.restore = null
  }

  private toStderr: (line: string) => void = () => {}

  private line(event: string, text: string, fields: Readonly<Record<string, unknown>>): string {
    const time = formatInstant(Date.now(), this.timeZone)
    return `${JSON.stringify({time, event, ...this.fields, text, ...fields})}\n`
  }
}
