import {spawn} from 'node:child_process'
import {once} from 'node:events'

import type {Held} from '../fake-service/calls.ts'
import type {Machine, Outcome} from './machine.ts'
import {binary} from './own-home.ts'

/** A run that can be read while it is at work. */
export interface LiveRun {
  readonly outcome: Promise<Outcome>
  /** Resolves when the stream has said this; rejects where the program ends without it. */
  says(stream: 'stdout' | 'stderr', text: string): Promise<void>
  interrupt(): void
}

/** The built binary on a machine, without a terminal. */
export function runLive(machine: Machine, args: readonly string[]): LiveRun {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: machine.dir,
    env: machine.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = {stdout: '', stderr: ''}
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
    })
  }
  const outcome = once(child, 'close').then(([status]) => ({
    ...said,
    command: `hisab ${args.join(' ')}`,
    status: status as number | null,
  }))
  return {
    outcome,
    says: (stream, text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (said[stream].includes(text)) resolve()
        }
        child[stream].on('data', look)
        child.once('close', () => reject(new Error(`it ended without saying "${text}": ${said.stderr}`)))
        look()
      }),
    interrupt: () => void child.kill('SIGINT'),
  }
}

/** Ctrl-C while the service holds a call, which is answered only after the program has said that it stops. */
export async function interruptWhile(
  held: Held,
  machine: Machine,
  args: readonly string[],
): Promise<Outcome> {
  const run = runLive(machine, args)
  await held.seen
  run.interrupt()
  await run.says('stderr', 'Stopping:')
  held.letGo()
  return await run.outcome
}
