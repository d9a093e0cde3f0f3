import {type ChildProcess, spawn, spawnSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'

import {binary, type OwnHome} from './own-home.ts'

const relay = fileURLToPath(new URL('terminal.py', import.meta.url))

/** Python's pty module opens the pseudo-terminal; Node has none of its own. */
export const hasTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0

export interface Screen {
  /** All that was shown so far, stdout and stderr as they came. */
  readonly text: string
  /** Resolves when this text has been shown; rejects where the program ends without it. */
  shows(text: string): Promise<void>
  type(keys: string): void
  /** Resolves with the exit status. */
  readonly ended: Promise<number>
}

export const keys = {enter: '\r', ctrlC: '\u0003'} as const

// A test that fails would leave its program at a question.
const started = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})

/** The built binary with a terminal on stdin, stdout and stderr. */
export function openTerminal(
  home: OwnHome,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Screen {
  const child = spawn('python3', [relay, process.execPath, binary, ...args], {
    cwd: home.workDir,
    env: {...home.env, TERM: 'xterm-256color', ...env},
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  started.add(child)
  let text = ''
  let isOver = false
  const waiting = new Set<() => void>()
  const tell = () => {
    for (const look of waiting) look()
  }
  child.stdout.setEncoding('utf8').on('data', (shown: string) => {
    text += shown
    tell()
  })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      isOver = true
      tell()
      resolve(code ?? 1)
    })
  })
  return {
    get text() {
      return text
    },
    shows(wanted) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (text.includes(wanted)) resolve()
          else if (isOver) reject(new Error(`it ended without showing "${wanted}": ${text}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      })
    },
    type: (typed) => void child.stdin.write(typed),
    ended,
  }
}
