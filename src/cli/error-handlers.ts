import type {Failure} from '../core/failure.ts'
import {toFailure} from './failures.ts'
import {failureOfOutput, lostOutput, watchStdout} from './streams.ts'

/**
 * Handles output and errors outside our commands (help, completion): a lost stdout is an error there too (P16), and
 * an uncaught error is one sentence, never a library's object (P20).
 */
export function installErrorHandlers(): void {
  watchStdout()
  // A closed terminal must not end a run halfway.
  process.stderr.on('error', () => {})
  process.on('uncaughtException', (error) => {
    tell(error === lostOutput() ? failureOfOutput(error) : toFailure(error, ''))
    process.exit()
  })
  process.on('exit', () => {
    if (!process.exitCode) tell(failureOfOutput(lostOutput()))
  })
}

/** Reports a failed write to stdout and sets the exit status. */
export function tellLostOutput(error: unknown): void {
  tell(failureOfOutput(error as NodeJS.ErrnoException))
}

export function tell(failure: Failure | null): void {
  if (!failure) return
  const {message, hint, exitStatus} = failure
  process.exitCode = exitStatus
  process.stderr.write(`error: ${message}\n  try: ${hint}\n`)
}
