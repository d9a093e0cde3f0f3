import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'

import {isAsShown} from './transcript.ts'

/** A command a page leaves running with `&`, until its `wait`. */
export class Background {
  private readonly child: ChildProcess
  private readonly ended: Promise<unknown>
  private isOver = false
  private text = ''
  private read = 0

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
    })
    this.ended = once(child, 'close').then(() => {
      this.isOver = true
    })
  }

  /** What it has printed, once that is what the page shows, or once there will be no more. */
  async begin(expected: readonly string[], shownAs: (text: string) => string): Promise<string> {
    while (!this.isOver && !isAsShown(shownAs(this.text), expected)) {
      await Promise.race([this.ended, once(this.child.stdout ?? this.child, 'data')])
    }
    this.read = this.text.length
    return this.text
  }

  /** What it printed after that, to its end. */
  async wait(): Promise<{text: string; status: number}> {
    await this.ended
    return {text: this.text.slice(this.read), status: this.child.exitCode ?? 1}
  }

  /** The whole process group, where a page broke off before its `wait`. */
  kill(): void {
    if (!this.isOver && this.child.pid !== undefined) process.kill(-this.child.pid)
  }
}
