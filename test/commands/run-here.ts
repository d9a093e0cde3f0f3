import {AsyncLocalStorage} from 'node:async_hooks'
import {createRequire, syncBuiltinESMExports} from 'node:module'
import {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'
import type {Command} from '@oclif/core/command'
import {Config} from '@oclif/core/config'

import {setUserFolders} from '../../src/cli/start.ts'
import {checkResult} from '../snapshot/check-result.ts'
import {commandFiles} from '../snapshot/command-files.ts'

export interface Ended {
  /** 128 and the signal's number where a signal ended it, as a shell has it. */
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Of a command in this process, both streams as they came, too. */
export interface EndedHere extends Ended {
  readonly text: string
}

export interface Place {
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
  /** Its working folder; this process's own where it is left out. */
  readonly cwd?: string
  readonly stdin?: string | Uint8Array
  /** Its waits are 50 times as short: nothing happens in them. */
  readonly isHurried?: boolean
  /** Its waits are this instead: time that a test moves. */
  readonly sleep?: (ms: number) => Promise<void>
}

type CommandClass = typeof Command & (new (argv: string[], config: Config) => Command)

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = new Map(commandFiles().map(({words, file}) => [words, file]))

/** They go on until somebody stops them, or start processes of hisab. */
const ownProcess = new Set(['demo', 'sandbox start', 'webhooks listen'])

/** Whether `runHere` runs these words: a command that ends by itself, and no help. */
export function canRunHere(args: readonly string[]): boolean {
  const words = commandOf(args)
  return words !== undefined && !ownProcess.has(words) && !args.some((word) => /^(?:--help|-h)$/.test(word))
}

/** Runs a command line of hisab in this process, which takes a tenth of the time of another one. */
export async function runHere(args: readonly string[], place: Place): Promise<EndedHere> {
  const words = commandOf(args)
  const file = words && files.get(words)
  if (!file) throw new Error(`not a command: hisab ${args.join(' ')}`)
  const {default: command} = (await import(new URL(`../../${file}`, import.meta.url).href)) as {
    default: CommandClass
  }
  command.id = words.replaceAll(' ', ':')
  return await runCommand(command, args.slice(words.split(' ').length), place)
}

/** The same of a command that is loaded. Environment, folder and output are the process's: one runs at a time. */
export async function runCommand(
  command: CommandClass,
  argv: readonly string[],
  place: Place,
): Promise<EndedHere> {
  const before = last
  const {promise, resolve} = Promise.withResolvers<void>()
  last = promise
  await before
  try {
    const ended = await runAlone(command, argv, place)
    checkResult([...command.id.split(':'), ...argv], ended.stdout)
    return ended
  } finally {
    resolve()
  }
}
let last = Promise.resolve()
let plugins: Config['plugins'] | undefined

async function runAlone(command: CommandClass, argv: readonly string[], place: Place): Promise<EndedHere> {
  const {env, exitCode} = process
  const [cwd, umask] = [process.cwd(), process.umask(0o077)]
  const own = {...place.env}
  setUserFolders(own)
  process.env = own
  process.exitCode = undefined
  if (place.cwd !== undefined) process.chdir(place.cwd)
  let text = ''
  const hear = (chunk: string) => {
    text += chunk
  }
  const [out, err] = [capture(process.stdout, hear), capture(process.stderr, hear)]
  const giveStdin = (value: object) => Object.defineProperty(process, 'stdin', {value, configurable: true})
  const {stdin} = process
  giveStdin(Readable.from([Buffer.from(place.stdin ?? '')]))
  try {
    const config = new Config({root, ...(plugins && {plugins})})
    await config.load()
    plugins ??= config.plugins
    const hurry: typeof sleep = (ms = 0, ...rest) => sleep(isLimit(rest[1]) ? ms : ms / 50, ...rest)
    const sleepOf = (ms = 0) => place.sleep?.(ms) ?? Promise.resolve()
    await waits.run(place.sleep ? sleepOf : place.isHurried ? hurry : sleep, () =>
      command.run([...argv], config),
    )
    return {status: Number(process.exitCode ?? 0), stdout: out.text(), stderr: err.text(), text}
  } finally {
    out.restore()
    err.restore()
    giveStdin(stdin)
    Object.assign(process, {env, exitCode})
    process.chdir(cwd)
    process.umask(umask)
  }
}

function commandOf([first = '', second = '']: readonly string[]): string | undefined {
  return [`${first} ${second}`, first].find((words) => files.has(words))
}

/** A timer that keeps no process is a limit on other work: a busy machine must not reach it sooner. */
const isLimit = (options: unknown) => (options as {ref?: boolean} | undefined)?.ref === false

const timers = createRequire(import.meta.url)('node:timers/promises') as {
  setTimeout(ms?: number, ...rest: unknown[]): Promise<unknown>
}
const {setTimeout: sleep} = timers
const waits = new AsyncLocalStorage<typeof sleep>()
timers.setTimeout = (ms, ...rest) => (waits.getStore() ?? sleep)(ms, ...rest)
syncBuiltinESMExports()

function capture(stream: NodeJS.WriteStream, hear: (chunk: string) => void) {
  const {write} = stream
  let text = ''
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const words = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    text += words
    hear(words)
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }) as typeof stream.write
  return {
    text: () => text,
    restore() {
      stream.write = write
    },
  }
}
