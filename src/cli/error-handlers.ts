import type {Failure} from '../core/failure.ts'
import {toFailure} from './failures.ts'
import {failureOfOutput, lostOutput, watchStdout} from './streams.ts'

/**
 * For what no command of ours writes or throws, oclif's help and completion among it: a lost stdout is an error
 * there, too (P16), and an error nobody caught is one sentence, never an object of a library's (P20).
 */
export function installErrorHandlers(): void {
  watchStdout()
  // Notes that nobody can read stop no work: a terminal that was closed must not end a run halfway.
  process.stderr.on('error', () => {})
  process.on('uncaughtException', (error) => {
    tell(error === lostOutput() ? failureOfOutput(error) : toFailure(error, ''))
    process.exit()
  })
  process.on('exit', () => {
    if (!process.exitCode) tell(failureOfOutput(lostOutput()))
  })
}

/** Says what a failed write to stdout comes to, as its exit status and in a sentence. */
export function tellLostOutput(error: unknown): void {
  tell(failureOfOutput(error as NodeJS.ErrnoException))
}

export function tell(failure: Failure | null): void {
  if (!failure) return
  const {message, hint, exitStatus} = failure
  process.exitCode = exitStatus
  process.stderr.write(`error: ${message}\n  try: ${hint}\n`)
}
