import type inquirer from 'inquirer'

import {Failure} from '../core/failure.ts'
import {throwIfInterrupted} from './context.ts'
import {toFailure} from './failures.ts'
import {interruptSignal} from './interrupt.ts'

/** Whether a question could be asked and answered: terminals on both sides. */
export function isTerminal(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY)
}

/**
 * Asks a yes-or-no question on stderr; Enter alone is no. Null where there is nobody to ask: without a terminal
 * on both sides inquirer would read piped newlines as answers. Throws `interrupted` on Ctrl-C, `terminated` on
 * SIGTERM.
 */
export async function confirm(question: string): Promise<boolean | null> {
  if (!isTerminal()) return null
  const {yes} = await answer((ask) =>
    ask([{type: 'confirm', name: 'yes', message: question, default: false}]),
  )
  return yes === true
}

/** One row to pick from; one that may not be picked says why. */
export interface PickRow {
  readonly id: string
  readonly text: string
  /** What is left of it on the screen once the question is answered. */
  readonly short: string
  readonly whyNot: string | null
}

/**
 * Lets a person mark rows in a list on stderr, and resolves with the ids of the marked ones. Throws
 * `interrupted` on Ctrl-C, `terminated` on SIGTERM; call `requireTerminalToPick` first.
 */
export async function pick(message: string, rows: readonly PickRow[]): Promise<string[]> {
  const choices = rows.map(({id, text, short, whyNot}) => ({
    value: id,
    name: text,
    short,
    disabled: whyNot ?? false,
  }))
  const question = {type: 'checkbox', name: 'ids', message, choices, pageSize: 15, loop: false} as const
  const {ids} = await answer((ask) => ask([question]))
  return ids as string[]
}

/** Throws `confirmation_needed` where nobody could mark anything. */
export function requireTerminalToPick(): void {
  if (isTerminal()) return
  throw new Failure(
    'confirmation_needed',
    'A list to pick from needs a terminal, and there is none. Nothing was sent.',
    'Name the records by id, or choose them with --status and the filters.',
  )
}

type Ask = ReturnType<(typeof inquirer)['createPromptModule']>

async function answer<T>(questions: (ask: Ask) => Promise<T>): Promise<T> {
  const {default: prompts} = await import('inquirer')
  const signal = interruptSignal()
  try {
    return await questions(prompts.createPromptModule({output: process.stderr, signal}))
  } catch (error) {
    throwIfInterrupted(signal)
    throw toFailure(error, '')
  }
}
