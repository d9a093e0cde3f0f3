import {spawn} from 'node:child_process'

export interface ShellRun {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  /** An open file for its standard output; null: our stderr. */
  readonly output: number | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
}

/** Runs a shell command with all its processes for a limited time. Returns the problem as a clause, or null. */
export async function runShell({
  command,
  env,
  input,
  output,
  timeoutMs,
  signal,
}: ShellRun): Promise<string | null> {
  const child = spawn(command, {
    ...{shell: true, env, detached: process.platform !== 'win32'},
    stdio: ['pipe', output ?? 'pipe', 'pipe'],
  })
  for (const said of [child.stdout, child.stderr])
    said?.on('data', (chunk: Buffer) => process.stderr.write(chunk))
  const {promise, resolve} = Promise.withResolvers<string | null>()
  const stop = () => {
    if (child.pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {
      // Already over.
    }
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, timeoutMs)
  signal?.addEventListener('abort', stop, {once: true})
  child.on('error', () => resolve('it could not be started'))
  child.on('close', (status, by) => {
    if (isLate) resolve(`it did not end within ${Math.round(timeoutMs / 1000)} s`)
    else if (status === 0) resolve(null)
    else resolve(status === null ? `it was ended by ${by}` : `it ended with status ${status}`)
  })
  // A command that reads no input may end before it is written.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
