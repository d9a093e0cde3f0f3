import {setTimeout as delay} from 'node:timers/promises'

import {type ExitStatus, exitStatusOf, Failure} from '../core/failure.ts'

let controller: AbortController | undefined

/** One signal for the process: handlers are installed on first use. */
export function interruptSignal(): AbortSignal {
  if (!controller) {
    controller = new AbortController()
    listen('SIGINT', 'interrupted', controller)
    listen('SIGTERM', 'terminated', controller)
  }
  return controller.signal
}

function listen(name: 'SIGINT' | 'SIGTERM', code: 'interrupted' | 'terminated', stop: AbortController): void {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(exitStatusOf[code])
    process.stderr.write(
      '\nStopping: the calls under way finish, no new one starts. Once more to stop at once.\n',
    )
    const hint = 'Run it again: what was done is remembered, and nothing is sent twice.'
    stop.abort(new Failure(code, 'Interrupted before the end.', hint))
  })
}

/** Resolves at the first Ctrl-C or SIGTERM. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), {once: true}))
}

/** Waits, but not past a Ctrl-C or SIGTERM. */
export async function sleepUnlessStopped(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  await delay(ms, undefined, {signal}).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** The exit status of a run that was stopped by a signal but has a result; null if it was not stopped. */
export function statusIfStopped({aborted, reason}: AbortSignal): ExitStatus | null {
  if (!aborted) return null
  return reason instanceof Failure ? reason.exitStatus : exitStatusOf.interrupted
}
