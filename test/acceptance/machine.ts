import {type ChildProcess, spawn} from 'node:child_process'
import {existsSync} from 'node:fs'
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {fileURLToPath} from 'node:url'
import {canRunHere, runHere} from '../commands/run-here.ts'
import type {FakeService} from '../fake-service/service.ts'
import {checkResult} from '../snapshot/check-result.ts'

const binary = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const built = fileURLToPath(new URL('../../dist/hisab.cjs', import.meta.url))

/** Makes the waits of hisab short, for runs in which nothing depends on their length. */
export const hurried = {
  NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL('../hurry.cjs', import.meta.url)))}`,
}

/** Long enough for the slowest retry, short enough to say that a run which should have ended did not. */
const runTimeoutMs = 60_000

export type Environment = Readonly<Record<string, string | undefined>>

export interface Outcome {
  readonly command: string
  /** Null when the process died of a signal. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly ended: Promise<Outcome>
  /** SIGKILL runs no handler and lets nothing more be written. Settles when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGINT' | 'SIGTERM'): Promise<Outcome>
  /** Settles, with all of stderr, once the text stands there. */
  tells(text: string): Promise<string>
}

export interface RunOptions {
  /** Added to the machine's environment; undefined takes a variable away. */
  readonly env?: Environment
  readonly stdin?: string
  /** A program, with its arguments, that runs hisab; none: it is run as it is. */
  readonly under?: readonly string[]
  readonly timeoutMs?: number
}

/**
 * A merchant's machine with hisab on it: a home of its own, no terminal, and nothing in the
 * environment but what points hisab to the fake service. When the test is over it searches every output and
 * every file for secrets (P20).
 */
export class Machine {
  readonly dir: string
  readonly dataDir: string
  readonly env: Record<string, string>
  readonly #service: FakeService
  readonly #outcomes: Outcome[] = []
  readonly #children = new Set<ChildProcess>()
  readonly #isBuilt: boolean
  #isBusy = false

  constructor(service: FakeService, dir: string, isBuilt: boolean) {
    this.#service = service
    this.#isBuilt = isBuilt
    this.dir = dir
    this.dataDir = join(dir, 'data')
    this.env = {
      PATH: '/usr/bin:/bin',
      HOME: dir,
      TMPDIR: tmpdir(),
      HISAB_DATA_DIR: this.dataDir,
      HISAB_MERCHANT_ID: service.merchant.id,
      HISAB_API_SECRET: service.merchant.apiSecret,
      HISAB_API_KEY: service.merchant.apiKey,
      HISAB_BASE_URL: service.baseUrl,
      HISAB_APPLY_URL: service.applyUrl,
      HISAB_RETURN_URL: 'https://merchant.example/webhooks',
    }
  }

  /** Writes a file beside the home directory and returns its path. */
  async write(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.dir, name)
    await writeFile(path, content)
    return path
  }

  /** Runs `hisab` to its end: in this process, unless the built binary is asked for. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    if (this.#isBuilt || options.under || !canRunHere(args)) return await this.start(args, options).ended
    if (this.#isBusy) throw new Error('two at once are two processes: start them')
    this.#isBusy = true
    const env = withoutUndefined({...this.env, ...options.env})
    const isHurried = env.NODE_OPTIONS === hurried.NODE_OPTIONS
    try {
      const place = {env, cwd: this.dir, isHurried, stdin: options.stdin ?? ''}
      const {status, stdout, stderr} = await runHere(args, place)
      const outcome = {command: `hisab ${args.join(' ')}`, status, stdout, stderr}
      this.#outcomes.push(outcome)
      return outcome
    } finally {
      this.#isBusy = false
    }
  }

  /** The built binary, in a process of its own. */
  start(args: readonly string[], options: RunOptions = {}): Running {
    const [program = '', ...rest] = [...(options.under ?? []), process.execPath, binary, ...args]
    const child = spawn(program, rest, {
      cwd: this.dir,
      env: withoutUndefined({...this.env, ...options.env}),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    // A command that does not read its input may be gone before the input is written.
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
    const ended = this.#collect(child, `hisab ${args.join(' ')}`, options.timeoutMs ?? runTimeoutMs)
    return {
      ended,
      end: (signal) => {
        child.kill(signal)
        return ended
      },
      tells: (wanted) =>
        new Promise((resolve) => {
          let told = ''
          child.stderr.on('data', (chunk: Buffer) => {
            told += chunk.toString()
            if (told.includes(wanted)) resolve(told)
          })
        }),
    }
  }

  async #collect(child: ChildProcess, command: string, timeoutMs: number): Promise<Outcome> {
    const {stdout, stderr} = child
    if (stdout === null || stderr === null) throw new Error('the child has no pipes')
    const timer = setTimeout(() => child.kill('SIGABRT'), timeoutMs)
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => resolve(status))
    })
    const [status, out, err] = await Promise.all([exit, text(stdout), text(stderr)])
    clearTimeout(timer)
    this.#children.delete(child)
    if (child.signalCode === 'SIGABRT') {
      throw new Error(`${command} did not end within ${timeoutMs} ms\nstdout: ${out}\nstderr: ${err}`)
    }
    const outcome = {command, status, stdout: out, stderr: err}
    this.#outcomes.push(outcome)
    if (status !== null) checkResult(command.split(' ').slice(1), out)
    return outcome
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    try {
      await this.#assertNoSecretLeft()
    } finally {
      await rm(this.dir, {recursive: true, force: true})
    }
  }

  /** P20: no secret, key or signature that went over the wire is in any output or file. */
  async #assertNoSecretLeft(): Promise<void> {
    const {merchant, calls} = this.#service
    const secrets = new Map([
      [merchant.apiSecret, 'the API secret'],
      [merchant.apiKey, 'the API key'],
    ])
    for (const call of calls.everSeen) {
      const signature = call.headers['x-signature'] ?? /"signature"\s*:\s*"(\w+)"/.exec(call.body)?.[1]
      if (typeof signature === 'string') secrets.set(signature, `the signature of a ${call.name} request`)
    }
    const places = new Map<string, string>()
    for (const {command, stdout, stderr} of this.#outcomes) {
      places.set(`the stdout of ${command}`, stdout)
      places.set(`the stderr of ${command}`, stderr)
    }
    for (const path of await listFiles(this.dir)) places.set(path, await readFile(path, 'latin1'))
    for (const [place, content] of places) {
      for (const [secret, name] of secrets) {
        if (content.includes(secret)) throw new Error(`${name} is in ${place}`)
      }
    }
  }
}

/** A machine that knows the service; say so plainly when nobody has built the binary. */
export async function prepareMachine(service: FakeService, {isBuilt = false} = {}): Promise<Machine> {
  if (!existsSync(built)) throw new Error('acceptance tests run the built binary: run `npm run build` first')
  return new Machine(service, await mkdtemp(join(tmpdir(), 'hisab-acceptance-')), isBuilt)
}

/** Every file below a directory, as paths; none when the directory is not there. */
export async function listFiles(dir: string): Promise<string[]> {
  if (!existsSync(dir)) return []
  const entries = await readdir(dir, {recursive: true, withFileTypes: true})
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

function withoutUndefined(env: Environment): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return Object.fromEntries(given)
}
