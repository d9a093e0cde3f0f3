import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'

/** A sandbox in a process of its own, to be killed; its clock is real, its deposits never expire. */
export async function startProcess(dataDir: string, port = 0): Promise<{child: ChildProcess; url: string}> {
  const script = new URL('sandbox-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, dataDir, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout ?? child, 'data')
  return {child, url: String(line).trim()}
}
