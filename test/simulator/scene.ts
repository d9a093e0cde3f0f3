import {cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

import type {Command} from '@oclif/core/command'
import {Config} from '@oclif/core/config'

import {BaseCommand} from '../../src/cli/base-command.ts'
import {Context} from '../../src/cli/context.ts'
import DepositCreate from '../../src/commands/deposit/create.ts'
import DepositQuery from '../../src/commands/deposit/query.ts'
import IgnoresAdd from '../../src/commands/ignores/add.ts'
import ItemsClose from '../../src/commands/items/close.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import RunsList from '../../src/commands/runs/list.ts'
import WebhooksList from '../../src/commands/webhooks/list.ts'
import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import {Counts} from './counts.ts'
import {Judge} from './judge.ts'
import {
  currentProcess,
  type Interruption,
  type Machine,
  runAs,
  SimulatedProcess,
  simulateMachine,
} from './machine.ts'
import {Network} from './network.ts'
import {Prng} from './prng.ts'
import {apiKey, merchantId, secret} from './service.ts'
import {Trace} from './trace.ts'
import {VirtualTime} from './virtual-time.ts'
import {type Deployment, plainDeployment, World} from './world.ts'

const commands = {
  reconcile: Reconcile,
  'webhooks resend': WebhooksResend,
  'webhooks list': WebhooksList,
  'payout create': PayoutCreate,
  'payout query': PayoutQuery,
  'deposit create': DepositCreate,
  'deposit query': DepositQuery,
  'ignores add': IgnoresAdd,
  'items close': ItemsClose,
  'runs list': RunsList,
} as const
export type CommandName = keyof typeof commands

/** What a person typed, and what befalls it. */
export interface Typed {
  readonly command: CommandName
  readonly argv: readonly string[]
  /** Processes that go on with one another's run share its name. */
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly interruption?: Interruption
}

/** How a process ended, as whoever started it sees it: status, output, and what it left in files. */
export interface Ended {
  readonly typed: Typed
  readonly run: string
  /** Null: killed. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** stdout as JSON; null where there is none. */
  readonly json: Json | null
  readonly startedMs: number
  readonly endedMs: number
  readonly hitFullDisk: boolean
}

// What a program of the merchant's reads; nothing is known of its shape.
// biome-ignore lint/suspicious/noExplicitAny: a document from outside.
export type Json = any

export const startMs = Date.UTC(2026, 10, 21, 3)
/** No run of so few orders is still at it after this long. */
const runMsMax = 6 * 3_600_000

/** Whether this hisab has a flag: histories are played on older ones, too. */
export function knows(command: CommandName, flag: string): boolean {
  return flag in ((commands[command] as unknown as {flags: object}).flags ?? {})
}

let config: Config | undefined
const runs = new WeakMap<SimulatedProcess, string>()
const networks = new WeakMap<Machine, Network>()

/** A folder all histories of this process are played in, in memory where the system has such a place. */
export interface Ground {
  readonly root: string
  remove(): void
}

/** Prepares this process of Node for playing: everything is loaded, and hisab's code reaches what is simulated alone. */
export async function prepare(): Promise<Ground> {
  if (config) throw new Error('it is prepared')
  const root = fileURLToPath(new URL('../..', import.meta.url))
  // Not loaded: that would look for commands in dist, which need not be built.
  config = Object.assign(new Config({root}), {
    bin: 'hisab',
    pjson: {oclif: {}},
    runHook: async () => ({successes: [], failures: []}),
  })
  // Loaded beforehand: what is loaded later would take real time.
  const rooms = globSync('{core,files,api,config,journal,ledger,report,staging,workflows,cli}/**/*.ts', {
    cwd: join(root, 'src'),
  })
  await Promise.all(rooms.map((path) => import(join(root, 'src', path))))
  simulateMachine()
  const context = Context.prototype as unknown as Record<string, unknown>
  const {client} = context as {client: (loaded: unknown, options?: object) => unknown}
  context.client = function (this: unknown, loaded: unknown, options = {}) {
    const process = currentProcess()
    const network = process && networks.get(process.machine)
    if (!process || !network) return client.call(this, loaded, options)
    const dispatcher = network.dispatcherOf(process, () => runs.get(process) ?? process.name)
    return client.call(this, loaded, {...options, dispatcher})
  }
  Object.defineProperty(Context.prototype, 'signal', {get: () => currentProcess()?.stop.signal})
  const command = BaseCommand.prototype as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of ['endWith', 'fail']) {
    const real = command[name] as (...args: unknown[]) => unknown
    // Processes share Node's own exit status, and each has one.
    command[name] = function (this: unknown, ...args: unknown[]) {
      process.exitCode = undefined
      const result = real.apply(this, args)
      const owner = currentProcess()
      if (owner && process.exitCode !== undefined) owner.status = Number(process.exitCode)
      process.exitCode = undefined
      return result
    }
  }
  const memory = '/dev/shm'
  const ground = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'hisab-simulator-'))
  // A data directory with an empty journal in it, for each history to begin with: most of its cost is the schema.
  const scene = new Scene(ground)
  await scene.hisab({
    command: 'ignores add',
    argv: ['X', '--reason', 'none', '--until', '2027-01-01', '--json'],
  })
  cpSync(join(scene.dir, 'data'), join(ground, 'template'), {recursive: true})
  return {root: ground, remove: () => rmSync(ground, {recursive: true, force: true})}
}

const configText = (ceiling: string | null) => {
  const profile = (name: string) => `
[profiles.${name}]
merchant_id = "${merchantId}"
base_url = "https://pay.example/v1"
apply_url = "https://apply.example/v1"
legacy_url = "https://pay.example"
return_url = "https://shop.example/hook"
api_secret = { env = "SHOP_SECRET" }
api_key = { env = "SHOP_KEY" }
${ceiling === null ? '' : `[profiles.${name}.payouts]\ndaily_ceiling = "${ceiling}"\n`}`
  return `default_profile = "live"\n${profile('live')}${profile('other')}`
}

export interface SceneOptions {
  readonly seed?: number
  readonly deployment?: Partial<Deployment>
  readonly ceiling?: string
  readonly keepsLines?: boolean
}

/** One merchant with a machine and a service, and a judge who reads the books of both. */
export class Scene {
  readonly time = new VirtualTime(startMs)
  readonly world: World
  readonly network: Network
  readonly machine: Machine
  readonly prng: Prng
  readonly trace: Trace
  readonly counts = new Counts()
  readonly judge: Judge
  readonly dir: string
  readonly ceiling: bigint | null
  private readonly baseEnv: Readonly<Record<string, string>>
  private runCount = 0

  constructor(root: string, {seed = 1, deployment = {}, ceiling, keepsLines = false}: SceneOptions = {}) {
    this.prng = new Prng(seed)
    this.dir = join(root, 'history')
    rmSync(this.dir, {recursive: true, force: true})
    for (const folder of ['data', 'work']) mkdirSync(join(this.dir, folder), {recursive: true, mode: 0o700})
    const template = join(root, 'template')
    if (existsSync(template)) cpSync(template, join(this.dir, 'data'), {recursive: true})
    writeFileSync(join(this.dir, 'config.toml'), configText(ceiling ?? null), {mode: 0o600})
    writeFileSync(join(this.dir, 'empty.toml'), '', {mode: 0o600})
    this.ceiling = ceiling === undefined ? null : BigInt(ceiling.replace('.', ''))
    this.world = new World({...plainDeployment, ...deployment}, startMs)
    this.time.onMove = (toMs) => this.world.moveTo(toMs)
    this.trace = new Trace(keepsLines, () => Math.floor(this.time.nowMs))
    this.network = new Network(this.world, new Prng(this.prng.seed()))
    this.machine = {
      ...{time: this.time, trace: this.trace, counts: this.counts, prng: new Prng(this.prng.seed())},
      ...{dir: this.dir, wallMs: 0, network: () => null as never},
    }
    networks.set(this.machine, this.network)
    this.baseEnv = {
      ...{HISAB_CONFIG: join(this.dir, 'config.toml'), HISAB_DATA_DIR: join(this.dir, 'data')},
      ...{SHOP_SECRET: secret, SHOP_KEY: apiKey, HOME: this.dir, PATH: '', TZ: 'UTC', NO_COLOR: '1'},
    }
    this.judge = new Judge(this)
  }

  /** The environment variables that name the same merchant, and a configuration that names nobody. */
  get environmentOnly(): Readonly<Record<string, string>> {
    return {
      ...{HISAB_CONFIG: join(this.dir, 'empty.toml'), HISAB_MERCHANT_ID: merchantId},
      ...{HISAB_API_SECRET: secret, HISAB_API_KEY: apiKey, HISAB_RETURN_URL: 'https://shop.example/hook'},
      ...{HISAB_BASE_URL: 'https://pay.example/v1', HISAB_APPLY_URL: 'https://apply.example/v1'},
      HISAB_LEGACY_URL: 'https://pay.example',
    }
  }

  /** Where a file of the merchant's lies. */
  path(name: string): string {
    return join(this.dir, 'work', name)
  }

  write(name: string, text: string): string {
    mkdirSync(dirname(this.path(name)), {recursive: true})
    writeFileSync(this.path(name), text)
    return this.path(name)
  }

  say(text: string): void {
    this.trace.say(text)
  }

  /** Time passes, and the world goes on. */
  wait(ms: number): void {
    this.time.moveTo(this.time.nowMs + ms)
  }

  async hisab(typed: Typed): Promise<Ended> {
    const [ended] = await this.together([typed])
    return ended as Ended
  }

  /** Several processes at the same moment. */
  async together(all: readonly Typed[]): Promise<Ended[]> {
    this.time.limitMs = this.time.nowMs + runMsMax
    const ended = await this.time.play(Promise.all(all.map((typed) => this.live(typed))))
    this.time.clear()
    return ended
  }

  private async live(typed: Typed): Promise<Ended> {
    this.runCount += 1
    const run = typed.run ?? `run ${this.runCount}`
    const name = `${typed.command} ${this.runCount}`
    this.say(
      `$ hisab ${typed.command} ${typed.argv.map((word) => word.replace(this.dir, '')).join(' ')}  (${run})`,
    )
    const process = new SimulatedProcess(
      this.machine,
      name,
      {...this.baseEnv, ...typed.env},
      typed.interruption,
    )
    runs.set(process, run)
    const startedMs = this.time.nowMs
    await runAs(process, async () => {
      // What is thrown by a dead process is for nobody, and a living one's is a defect that the status tells.
      const work = Promise.try(() => {
        const Class = commands[typed.command] as unknown as new (argv: string[], config: Config) => Command
        const command = new Class([...typed.argv], config as Config) as unknown as {_run(): Promise<unknown>}
        return command._run()
      }).catch((error: unknown) => {
        if (process.isDead) return
        process.status = 1
        process.stderr += String(error instanceof Error ? error.stack : error)
      })
      await Promise.race([work, process.death.promise])
    })
    const status = process.isDead ? null : (process.status ?? 0)
    process.end()
    const {stdout, stderr, hitFullDisk} = process
    this.say(
      `  ${name}: exit ${status ?? 'killed'}${status === 1 || status === 9 ? `: ${stdout} ${stderr}` : ''}`,
    )
    this.counts.add(`${typed.command}: exit ${status ?? 'killed'}`)
    const json = jsonOf(stdout)
    return {typed, run, status, stdout, stderr, json, startedMs, endedMs: this.time.nowMs, hitFullDisk}
  }
}

function jsonOf(text: string): Json | null {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
