import {spawn} from 'node:child_process'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {type Environment, environmentOfOthers} from './others-environment.ts'

export const secretCommandTimeoutMs = 10_000
const outputMax = 64 * 1024

/**
 * Runs the command of a secret and returns its stdout. No shell, a minimal environment, at most `timeoutMs`. Throws
 * `credentials_missing` naming the program, never its arguments or output.
 */
export function runSecretCommand(
  argv: readonly string[],
  options: {place: string; env: Environment; timeoutMs: number},
): Promise<Buffer> {
  const [program = '', ...args] = argv
  const {promise, resolve, reject} = Promise.withResolvers<Buffer>()
  const fail = (what: string) =>
    reject(
      new Failure(
        'credentials_missing',
        `The command of ${options.place}, ${escapeInvisible(program, 200)}, ${what}.`,
        'Run it by hand. It must write only the secret to stdout.',
      ),
    )
  const child = spawn(program, args, {
    env: environmentOfOthers(options.env),
    shell: false,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  let size = 0
  const stop = (what: string) => {
    child.kill('SIGKILL')
    // A grandchild may still hold the pipe: do not wait for it.
    child.stdout.destroy()
    fail(what)
  }
  const timer = setTimeout(() => stop(`did not end within ${options.timeoutMs / 1000} s`), options.timeoutMs)
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > outputMax) stop('wrote more than 64 KiB')
    else chunks.push(chunk)
  })
  child.on('error', (error) => {
    clearTimeout(timer)
    fail(`could not be started (${'code' in error ? String(error.code) : 'unknown error'})`)
  })
  child.on('close', (status, signal) => {
    clearTimeout(timer)
    if (status === 0) resolve(Buffer.concat(chunks))
    else fail(status === null ? `was ended by ${signal}` : `ended with status ${status}`)
  })
  return promise
}
