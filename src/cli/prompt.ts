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
  const {default: inquirer} = await import('inquirer')
  const signal = interruptSignal()
  const ask = inquirer.createPromptModule({output: process.stderr, signal})
  try {
    const {yes} = await ask([{type: 'confirm', name: 'yes', message: question, default: false}])
    return yes === true
  } catch (error) {
    throwIfInterrupted(signal)
    throw toFailure(error, '')
  }
}
