import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {zstdDecompressSync} from 'node:zlib'
import {canRunHere, runHere} from '../commands/run-here.ts'
import type {FakeService} from '../fake-service/service.ts'
import {checkResult} from '../snapshot/check-result.ts'
import {environmentAt} from './home-at.ts'
import {environmentOf, killed, type Outcome, OwnHome, type Running, type RunOptions} from './own-home.ts'

/** Makes the waits of hisab short, for runs in which nothing depends on their length. */
export const hurried = {
  NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL('../hurry.cjs', import.meta.url)))}`,
}

/** Long enough for the slowest retry, short enough to say that a run which should have ended did not. */
const runTimeoutMs = 60_000

/**
 * A home that reaches the fake service, and whose runs are in this process where they can be. When the test is over it
 * searches every output and every file for secrets (P20).
 */
export class Machine extends OwnHome {
  readonly #service: FakeService
  readonly #outcomes: Outcome[] = []
  readonly #isBuilt: boolean
  #isBusy = false

  constructor(service: FakeService, {isBuilt = false} = {}) {
    super({
      ...environmentAt(service),
      PATH: '/usr/bin:/bin',
      TMPDIR: tmpdir(),
      HISAB_API_KEY: service.merchant.apiKey,
    })
    this.#service = service
    this.#isBuilt = isBuilt
  }

  /** Runs `hisab` to its end: in this process, unless the built binary is asked for. */
  override async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    if (this.#isBuilt || options.under || !canRunHere(args)) return await this.start(args, options).ended
    if (this.#isBusy) throw new Error('two at once are two processes: start them')
    this.#isBusy = true
    const env = environmentOf(this.env, options.env)
    const isHurried = env.NODE_OPTIONS === hurried.NODE_OPTIONS
    try {
      const place = {env, cwd: this.workDir, isHurried, stdin: options.stdin ?? ''}
      const {status, stdout, stderr} = await runHere(args, place)
      const outcome = {command: `hisab ${args.join(' ')}`, status, stdout, stderr}
      this.#outcomes.push(outcome)
      return outcome
    } finally {
      this.#isBusy = false
    }
  }

  override start(args: readonly string[], options: RunOptions = {}): Running {
    const running = super.start(args, {timeoutMs: runTimeoutMs, ...options})
    const ended = running.ended.then((outcome) => {
      this.#outcomes.push(outcome)
      if (outcome.status !== killed) checkResult(args, outcome.stdout)
      return outcome
    })
    return {
      ...running,
      ended,
      end: async (signal) => {
        await running.end(signal)
        return await ended
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#assertNoSecretLeft()
    } finally {
      this.remove()
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
    for (const path of await listFiles(this.dir)) places.set(path, textOf(path, await readFile(path)))
    for (const [place, content] of places) {
      for (const [secret, name] of secrets) {
        if (content.includes(secret)) throw new Error(`${name} is in ${place}`)
      }
    }
  }
}

/** Of evidence, its first 256 KiB as they were before they were compressed. */
function textOf(path: string, content: Buffer): string {
  try {
    return (path.endsWith('.zst') ? zstdDecompressSync(content) : content).toString('latin1')
  } catch {
    // Of a run that was killed.
    return content.toString('latin1')
  }
}

/** Every file below a directory, as paths; none when the directory is not there. */
export async function listFiles(dir: string): Promise<string[]> {
  if (!existsSync(dir)) return []
  const entries = await readdir(dir, {recursive: true, withFileTypes: true})
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
