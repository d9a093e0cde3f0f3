import type {Held} from '../fake-service/calls.ts'
import type {Outcome, OwnHome} from './own-home.ts'

/** Ctrl-C while the service holds a call, which is answered only after the program has said that it stops. */
export async function interruptWhile(held: Held, home: OwnHome, args: readonly string[]): Promise<Outcome> {
  const run = home.start(args)
  await held.seen
  const stopping = run.says('Stopping:')
  const ended = run.end('SIGINT')
  await stopping
  held.letGo()
  return await ended
}
