import {type ChildProcess, spawn, spawnSync} from 'node:child_process'
import {once} from 'node:events'
import {createInterface} from 'node:readline'

import {onTestFinished} from 'vitest'

const script = new URL('child.ts', import.meta.url).pathname

/** Starts `child.ts` and returns it with the first line it says. */
export async function startChild(
  action: string,
  dataDir: string,
): Promise<{child: ChildProcess; said: Record<string, unknown>}> {
  const child = spawn(process.execPath, [script, action, dataDir], {stdio: ['ignore', 'pipe', 'inherit']})
  // A test that fails before it ends the child must not keep the whole suite from ending.
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface({input: child.stdout}), 'line')
  return {child, said: JSON.parse(line)}
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Runs shell text that may use "$NODE", "$CHILD" and "$DATA"; the answer is the last line of its stdout. */
export function runShell(text: string, dataDir: string): {status: number | null; said: string} {
  const done = spawnSync('sh', ['-c', text], {
    encoding: 'utf8',
    env: {...process.env, NODE: process.execPath, CHILD: script, DATA: dataDir},
  })
  return {status: done.status, said: done.stdout.trim().split('\n').at(-1) ?? ''}
}

/** Whether shell text succeeds here: how a test finds out that it cannot run, and is shown as skipped. */
export function isPossible(text: string): boolean {
  return spawnSync('sh', ['-c', text]).status === 0
}
