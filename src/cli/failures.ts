import {type ExitStatus, Failure, type FailureCode} from '../core/failure.ts'
import {nearest} from '../core/nearest.ts'
import {escapeInvisible} from '../core/text.ts'

/** What `--json` prints for a failure: named fields only, never the error's own properties (P20). */
export interface FailureView {
  readonly error: {
    readonly code: FailureCode
    readonly message: string
    readonly hint: string
    readonly exitCode: ExitStatus
    readonly serviceCode?: string
  }
}

/** `named`: puts the profile into the commands of a text. */
export function viewFailure(failure: Failure, named = (text: string) => text): FailureView {
  const {code, message, hint, exitStatus: exitCode, serviceCode} = failure
  return {
    error: {
      code,
      message: named(message),
      hint: named(hint),
      exitCode,
      ...(serviceCode === undefined ? {} : {serviceCode}),
    },
  }
}

/**
 * Any thrown value as a `Failure`: our own unchanged, oclif's usage errors as `usage`, the rest as a bug. `flags` are
 * the command's.
 */
export function toFailure(error: unknown, commandId: string, flags: readonly string[] = []): Failure {
  if (error instanceof Failure) return error
  if (!(error instanceof Error)) return bugFrom(String(error))
  const help = `Run \`hisab ${commandId} --help\`.`
  if (error.name === 'ExitPromptError' || error.name === 'AbortPromptError') {
    return new Failure(
      'interrupted',
      'Interrupted at the question. Nothing was sent.',
      'Run the command again to be asked again.',
    )
  }
  if ('oclif' in error) {
    const message = usageMessage(error.message)
    const hint = /Nonexistent flag.*(secret|key|password|token)/i.test(message) ? secretHint : help
    return new Failure('usage', message, `${nearFlag(message, flags)}${hint}`)
  }
  return bugFrom(error.message)
}

/** A message that names the flag as well where the command line gave the field by one: `--player-phone (playerPhone)`. */
export function namingFlags(message: string, argv: readonly string[]): string {
  const isGiven = (flag: string) => argv.some((word) => word === flag || word.startsWith(`${flag}=`))
  return message.replace(/^The field ([a-z][A-Za-z]+)(?= )/, (field, name: string) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const given = [flag, flag.replace('--out-', '--')].find(isGiven)
    return given ? `${given} (${name})` : field
  })
}

/** The suggestion for a mistyped flag, with a space at its end. */
function nearFlag(message: string, flags: readonly string[]): string {
  const [, typed] = /Nonexistent flags?: --([^\s,]+)/.exec(message) ?? []
  const near = typed === undefined ? null : nearest(typed, flags)
  return near === null ? '' : `Did you mean --${near}? `
}

const secretHint =
  'Never give a secret as an argument: every user of the machine can read it. Put it in a file, and set HISAB_API_SECRET_FILE or HISAB_API_KEY_FILE to its path.'

// oclif's message without its pointer to the help, its colours and its line breaks.
function usageMessage(message: string): string {
  const lines = message
    .replaceAll(/\u001b\[[0-9;]*m/g, '')
    .replace(/^Parsing (--\S+)\s+/, '$1: ')
    .replace(/^The following errors? occurred:\s+/, '')
    .replace(/Missing required flag (?=[a-z])/g, 'Missing required flag --')
    .replace(/(--[\w-]+)(?:=.*)? cannot also be provided when using (--[\w-]+)/g, 'Give $1 or $2, not both.')
    // What follows an unknown flag may be a secret.
    .replace(/Nonexistent flags?:[\s\S]*/, (flags) => flags.replace(/(--?[^\s=]+)=.*/g, '$1'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'See more help with --help')
  return escapeInvisible(lines.join(' ').replace(/(?<=--\S+) Missing required flag(?= --)/g, ','), 500)
}

function bugFrom(message: string): Failure {
  return new Failure(
    'bug',
    `A defect in hisab: ${escapeInvisible(message, 300)}`,
    'Run it again with --debug and send us the output. It contains no secrets.',
  )
}
