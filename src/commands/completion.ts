import {appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {homedir} from 'node:os'
import {basename, dirname, join} from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {places, type Shell, scripts, shells} from '../cli/completion/scripts.ts'
import {unwrap} from '../cli/unwrap.ts'
import {Failure} from '../core/failure.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {storageFailure} from '../files/storage-failure.ts'
import {requireTrusted} from '../files/trust.ts'

export interface Completion {
  readonly shell: Shell
  readonly script: string
  readonly written: readonly string[]
}

export default class CompletionCommand extends BaseCommand {
  static override summary = 'Complete commands, flags, profiles, runs and order numbers with Tab.'

  static override description = unwrap(`
    Prints the script for a shell. --install puts it where your shell finds it: for bash and zsh it adds one line to
    ~/.bashrc or ~/.zshrc, once. Then open a new terminal. Order numbers and runs are those in the journal of this
    machine; the service is not asked.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --install',
    '<%= config.bin %> <%= command.id %> fish',
  ]

  static override args = {
    shell: Args.string({
      description: 'The shell. Default: that of $SHELL.',
      options: shells,
      ignoreStdin: true,
    }),
  }

  static override flags = {
    install: Flags.boolean({default: false, summary: 'Put the script where the shell finds it.'}),
  }

  async run(): Promise<Completion> {
    const {args, flags} = await this.parse(CompletionCommand)
    const shell = shells.find((one) => one === (args.shell ?? basename(process.env.SHELL ?? '')))
    if (!shell) {
      throw new Failure('usage', 'hisab does not know which shell you use.', `Give it: ${shells.join(', ')}.`)
    }
    const script = scripts[shell]
    if (!flags.install) {
      await this.show(script)
      return {shell, script, written: []}
    }
    const written = install(shell)
    await this.show(
      [...written.map((path) => `Written: ${escapeInvisible(path)}`), 'Open a new terminal to use it.'].join(
        '\n',
      ),
    )
    return {shell, script, written}
  }
}

function install(shell: Shell): string[] {
  const {script, startFile} = places[shell]
  const path = join(homedir(), script)
  try {
    mkdirSync(dirname(path), {recursive: true})
    // The shell will run the file.
    requireTrusted(path, `The place of the completion script, ${escapeInvisible(path)},`)
    writeFileSync(path, scripts[shell])
    if (startFile === null) return [path]
    const start = join(homedir(), startFile)
    const line = `. ${quoteForShell(path)}\n`
    const text = existsSync(start) ? readFileSync(start, 'utf8') : ''
    if (text.includes(line)) return [path]
    appendFileSync(start, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`)
    return [path, start]
  } catch (error) {
    throw storageFailure('write', path, error)
  }
}
