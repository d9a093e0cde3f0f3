import type {Failure} from '../core/failure.ts'
import {toFailure} from './failures.ts'
import {failureOfOutput, watchStdout} from './streams.ts'

/**
 * For what no command of ours writes or throws, oclif's help and completion among it: a lost stdout is an error
 * there, too (P16), and an error nobody caught is one sentence, never an object of a library's (P20).
 */
export function spreadLastNet(): void {
  watchStdout()
  // Notes that nobody can read stop no work: a terminal that was closed must not end a run halfway.
  process.stderr.on('error', () => {})
  process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
    const isWrite = error.syscall === 'write' && error.code !== undefined
    const failure = isWrite ? failureOfOutput(error) : toFailure(error, '')
    if (failure) say(failure)
    process.exit()
  })
  process.on('exit', () => {
    const failure = failureOfOutput()
    if (failure && !process.exitCode) say(failure)
  })
}

function say({message, hint, exitStatus}: Failure): void {
  process.exitCode = exitStatus
  process.stderr.write(`error: ${message}\n  try: ${hint}\n`)
}
