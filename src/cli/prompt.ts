import {Failure} from '../core/failure.ts'
import {throwIfInterrupted} from './context.ts'
import {toFailure} from './failures.ts'
import {interruptSignal} from './interrupt.ts'

/** Both stdin and stderr are terminals. */
export function isTerminal(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY)
}

/**
 * Asks a yes-or-no question on stderr; Enter means `byEnter`. Null without a terminal, because inquirer would read
 * piped newlines as answers. Throws `interrupted` on Ctrl-C, `terminated` on SIGTERM.
 */
export async function confirm(question: string, byEnter = false): Promise<boolean | null> {
  if (!isTerminal()) return null
  return (await ask({type: 'confirm', message: question, default: byEnter})) === true
}

export interface PickRow {
  readonly id: string
  readonly text: string
  /** Shown once the question is answered. */
  readonly short: string
  readonly whyNot: string | null
}

/** Lets a person mark rows, and resolves with the ids of the marked ones. */
export async function pick(message: string, rows: readonly PickRow[]): Promise<string[]> {
  const choices = rows.map(({id, text, short, whyNot}) => ({
    value: id,
    name: text,
    short,
    disabled: whyNot ?? false,
  }))
  return (await ask({type: 'checkbox', message, choices, pageSize: 15, loop: false})) as string[]
}

/** Throws `confirmation_needed` if nobody can mark anything. */
export function requireTerminalToPick(): void {
  if (isTerminal()) return
  throw new Failure(
    'confirmation_needed',
    '--pick needs a terminal, and there is none. Nothing was sent.',
    'Give record ids, or --status with filters.',
  )
}

export interface Question {
  readonly message: string
  readonly initial?: string
  readonly check?: (text: string) => string | null
}

/** A trimmed line of text. Needs a terminal. */
export async function askText({message, initial, check}: Question): Promise<string> {
  const validate = (text: string) => check?.(text.trim()) ?? true
  const answer = await ask({type: 'input', message, validate, ...(initial && {default: initial})})
  return String(answer).trim()
}

export async function askHidden({message, check}: Question): Promise<string> {
  return String(
    await ask({type: 'password', message, mask: '*', validate: (text: string) => check?.(text) ?? true}),
  )
}

export async function choose<T extends string>(
  message: string,
  choices: readonly {readonly value: T; readonly name: string}[],
): Promise<T> {
  return (await ask({type: 'select', message, choices: [...choices], loop: false})) as T
}

async function ask(question: object): Promise<unknown> {
  const {default: inquirer} = await import('inquirer')
  const signal = interruptSignal()
  const prompt = inquirer.createPromptModule({output: process.stderr, signal})
  try {
    const {answer} = await prompt([{...question, name: 'answer'} as never])
    return answer
  } catch (error) {
    throwIfInterrupted(signal)
    throw toFailure(error, '')
  }
}
