import {type ListColumn, streamHead, streamPartial, streamRows} from '../report/list-text.ts'
import {streamStdout} from './streams.ts'

const charactersAtOnce = 16_384
const heldBackMs = 200

/**
 * Writes rows to stdout as they come, so that a reader has them early, a long list needs no memory, and a stopped run
 * keeps what it wrote.
 */
export class RowWriter<Row extends object> {
  private readonly format: 'csv' | 'ndjson'
  private readonly columns: readonly ListColumn<Row>[]
  private text: string
  private timer: NodeJS.Timeout | undefined
  private lost: unknown

  constructor(format: 'csv' | 'ndjson', columns: readonly ListColumn<Row>[]) {
    this.format = format
    this.columns = columns
    this.text = streamHead(format, columns)
  }

  /** A promise only if stdout is full. */
  add(row: Row): Promise<void> | undefined {
    this.text += streamRows(this.format, this.columns, [row])
    if (this.text.length >= charactersAtOnce || this.lost !== undefined) return this.flush()
    this.timer ??= setTimeout(() => {
      this.flush().catch((error: unknown) => {
        this.lost = error
      })
    }, heldBackMs)
    return undefined
  }

  /** Writes after the rows why some are missing. */
  addPartial(because: string): void {
    this.text += streamPartial(this.format, because, this.columns.length)
  }

  /** Throws `storage_failed` if stdout fails, and `ReaderGone` if the reader has closed it (`| head`). */
  async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.lost !== undefined) throw this.lost
    const {text} = this
    this.text = ''
    await streamStdout(text)
  }
}
