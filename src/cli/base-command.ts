import {styleText} from 'node:util'
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'

import type {ExitStatus} from '../core/failure.ts'
import {jsonDocument, jsonText} from '../core/text.ts'
import {noteText} from '../report/wrap.ts'
import {Context} from './context.ts'
import {namingFlags, toFailure, viewFailure} from './failures.ts'
import {profileIn, withProfile} from './named-commands.ts'
import {isQuiet, ReaderGone, writeStdout} from './streams.ts'
import {styleFor} from './style.ts'

/** Lines that --quiet still shows. */
const isOfWeight = /^(warning|error|PARTIAL|Stopped)\b/

/**
 * The one place that turns a result into text or JSON, and a failure into text, JSON and an exit status. oclif's own
 * handling loses the status under `--json` and prints the state of its parser, with environment values.
 *
 * A command's `run` returns plain data (no `bigint`, no `Date`) of a named type, from which its JSON Schema is made;
 * the text is made from the same data. `undefined`: there is no `--json`, and the rows were already written.
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
    quiet: Flags.boolean({
      char: 'q',
      summary: 'No progress and no notes on stderr. Warnings, questions and errors stay.',
      helpGroup: 'GLOBAL',
    }),
    'no-color': Flags.boolean({
      summary: 'No colours. NO_COLOR=1 in the environment does the same.',
      helpGroup: 'GLOBAL',
    }),
  }

  /** The profile, the credentials and what is opened with them, each on first use. */
  protected readonly context = new Context(this.config, this.argv, this.id)

  /** For text on stdout. */
  protected readonly style = styleFor(process.stdout)

  abstract override run(): Promise<object | undefined>

  protected endWith(status: ExitStatus): void {
    if (status !== 0) process.exitCode = status
  }

  /** Writes the result to stdout; under `--json` nothing, because the returned data is the result. */
  protected async show(text: string): Promise<void> {
    if (!this.jsonEnabled()) await writeStdout(text === '' || text.endsWith('\n') ? text : `${text}\n`)
  }

  /** A text whose commands are of the profile of this one. */
  protected named(text: string): string {
    return withProfile(text, profileIn(this.argv))
  }

  protected tell(said: string): void {
    const {isTTY, columns} = process.stderr
    const text = this.named(said)
    const shown = isTTY ? noteText(text, columns ?? Number.POSITIVE_INFINITY) : text
    if (!isQuiet(this.argv) || isOfWeight.test(text)) process.stderr.write(`${shown}\n`)
  }

  protected override async _run<T>(): Promise<T> {
    let result: object | undefined
    try {
      result = await this.runOrBegin()
      if (result && this.jsonEnabled()) for (const piece of jsonDocument(result)) await writeStdout(piece)
    } catch (error) {
      await this.fail(error)
    } finally {
      await this.context.close()
    }
    return result as T
  }

  /** With no profile configured and a person at the terminal, a profile is made first. */
  private async runOrBegin(): Promise<object | undefined> {
    try {
      return await this.run()
    } catch (error) {
      const {NoProfile} = await import('../config/choose-profile.ts')
      if (!(error instanceof NoProfile) || this.jsonEnabled()) throw error
      const {confirm} = await import('./prompt.ts')
      if ((await confirm('No profile is configured. Make one now?', true)) !== true) throw error
      const {runHisab} = await import('./run-hisab.ts')
      const status = await runHisab(['config', 'init'], {cwd: process.cwd(), env: {}}, 'stderr', 'inherit')
      if (status !== 0) throw error
      return await this.run()
    }
  }

  private async fail(error: unknown): Promise<void> {
    if (error instanceof ReaderGone) return
    const {baseFlags = {}, flags} = this.ctor
    const known = Object.keys({...baseFlags, ...flags})
    const failure = toFailure(error, (this.id ?? '').replaceAll(':', ' '), known)
    process.exitCode = failure.exitStatus
    const named = (text: string) => this.named(namingFlags(text, this.argv))
    if (failure.code === 'bug' && this.argv.includes('--debug') && error instanceof Error) {
      process.stderr.write(`${error.stack ?? ''}\n`)
    }
    if (this.jsonEnabled()) {
      const isWritten = await writeStdout(`${jsonText(viewFailure(failure, named), 2)}\n`).then(
        () => true,
        () => false,
      )
      // When stdout is lost, the reason must still reach stderr.
      if (isWritten) return
    }
    const label = styleText(['bold', 'red'], 'error:', {stream: process.stderr})
    const hint = styleText('dim', 'try:', {stream: process.stderr})
    process.stderr.write(`${label} ${named(failure.message)}\n  ${hint} ${named(failure.hint)}\n`)
  }
}
