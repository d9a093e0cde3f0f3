import {styleText} from 'node:util'
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'

import type {ExitStatus} from '../core/failure.ts'
import {jsonDocument, jsonText} from '../core/text.ts'
import {Context} from './context.ts'
import {toFailure, viewFailure} from './failures.ts'
import {ReaderGone, writeStdout} from './streams.ts'

/**
 * The one place where a result becomes text or JSON, and a failure text, JSON and an exit status. oclif's own
 * handling loses the status under `--json` and prints its parser's state, environment values included.
 *
 * A command's `run` returns plain data (no `bigint`, no `Date`) of a named type, from which its JSON Schema is made;
 * what it shows is made from the same data. `undefined`: there is no `--json`, and the rows were written as they came.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true

  static override baseFlags = {
    profile: Flags.string({
      summary: 'Profile to use. `sandbox` needs no configuration.',
      helpGroup: 'GLOBAL',
    }),
    debug: Flags.boolean({
      summary: 'Log each call to stderr, without secrets and bodies.',
      helpGroup: 'GLOBAL',
    }),
  }

  /** Profile, credentials and the rooms below, made when first asked for. */
  protected readonly context = new Context(this.config, this.argv)

  abstract override run(): Promise<object | undefined>

  /** The status of a run that succeeded and still has something to say: 7 the answer is no, 8 incomplete, 6 unknown. */
  protected endWith(status: ExitStatus): void {
    if (status !== 0) process.exitCode = status
  }

  /** The result, to stdout; nothing under `--json`, where the returned data is the result. No lines stay no lines. */
  protected async show(text: string): Promise<void> {
    if (!this.jsonEnabled()) await writeStdout(text === '' || text.endsWith('\n') ? text : `${text}\n`)
  }

  protected tell(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  protected override async _run<T>(): Promise<T> {
    let result: object | undefined
    try {
      result = await this.run()
      if (result && this.jsonEnabled()) for (const piece of jsonDocument(result)) await writeStdout(piece)
    } catch (error) {
      await this.fail(error)
    } finally {
      await this.context.close()
    }
    return result as T
  }

  private async fail(error: unknown): Promise<void> {
    if (error instanceof ReaderGone) return
    const failure = toFailure(error, (this.id ?? '').replaceAll(':', ' '))
    process.exitCode = failure.exitStatus
    if (failure.code === 'bug' && this.argv.includes('--debug') && error instanceof Error) {
      this.tell(error.stack ?? '')
    }
    if (this.jsonEnabled()) {
      const isWritten = await writeStdout(`${jsonText(viewFailure(failure), 2)}\n`).then(
        () => true,
        () => false,
      )
      // A lost stdout must not take the reason with it.
      if (isWritten) return
    }
    const label = styleText(['bold', 'red'], 'error:', {stream: process.stderr})
    this.tell(
      `${label} ${failure.message}\n  ${styleText('dim', 'try:', {stream: process.stderr})} ${failure.hint}`,
    )
  }
}
