import {type ChildProcess, spawn} from 'node:child_process'
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {type Ended, type Place, runHere} from '../commands/run-here.ts'
import type {ReportDocument} from '../report/report-document.ts'
import {checkResult} from '../snapshot/check-result.ts'

export type {Ended} from '../commands/run-here.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const binary = join(root, 'bin/run.js')

export interface Outcome extends Ended {
  readonly command: string
}

/** The status of a process that SIGKILL ended. */
export const killed = 137

export interface Running {
  readonly pid: number
  /** Resolves with all of stderr, or of stdout, once it has said this; rejects where the program ends without it. */
  says(text: string, stream?: 'stdout' | 'stderr'): Promise<string>
  /** Resolves when the process is gone. SIGKILL runs no handler and lets nothing more be written. */
  end(signal: 'SIGKILL' | 'SIGINT' | 'SIGTERM'): Promise<Outcome>
  readonly ended: Promise<Outcome>
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface RunOptions {
  /** Added to the home's environment; undefined takes a variable away. */
  readonly env?: Environment
  readonly stdin?: string
  /** A program, with its arguments, that runs hisab; none: it is run as it is. */
  readonly under?: readonly string[]
  /** A run that takes longer fails its test. */
  readonly timeoutMs?: number
  /** Arguments of Node itself, before the binary. */
  readonly nodeArgs?: readonly string[]
  /** Another program in place of bin/run.js. */
  readonly bin?: string
  /** No file may grow beyond this, in KiB: a disk that is full for whoever writes. */
  readonly fileKibMax?: number
}

/**
 * A user's home that nothing else lives in: HOME, HISAB_DATA_DIR, a folder for temporary files and one to work
 * in, and no variable of whoever runs the tests.
 */
export class OwnHome {
  readonly dir = mkdtempSync(join(tmpdir(), 'hisab-home-'))
  readonly dataDir = join(this.dir, 'data')
  readonly workDir = join(this.dir, 'work')
  readonly tempDir = join(this.dir, 'tmp')
  readonly env: Record<string, string>
  readonly #children = new Set<ChildProcess>()

  constructor(env: Readonly<Record<string, string>> = {}) {
    if (!existsSync(join(root, 'dist/hisab.cjs'))) {
      throw new Error('The binary is not built, and these tests run it: npm run build')
    }
    for (const dir of [this.workDir, this.tempDir]) mkdirSync(dir)
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.dir,
      TMPDIR: this.tempDir,
      HISAB_DATA_DIR: this.dataDir,
      ...env,
    }
  }

  /** Writes a file below the working folder, or at an absolute path; answers its path. */
  write(path: string, content: string | Uint8Array): string {
    const whole = path.startsWith('/') ? path : join(this.workDir, path)
    mkdirSync(dirname(whole), {recursive: true})
    writeFileSync(whole, content, {mode: 0o600})
    return whole
  }

  /** The file the profiles are read from where HISAB_CONFIG names none. */
  writeConfig(toml: string): void {
    this.write(join(this.dir, '.config/hisab/config.toml'), toml)
  }

  /** The profile `shop` of the sandbox's merchant at `baseUrl`, its credentials in files. */
  writeShop(baseUrl: string | undefined): void {
    const {apiSecret, apiKey} = sandboxCredentials
    this.writeConfig(`[profiles.shop]
merchant_id = "${sandboxMerchantId}"
base_url = "${baseUrl}"
return_url = "http://127.0.0.1:4020/webhook"
api_secret = {file = "${this.write('secret', apiSecret)}"}
api_key = {file = "${this.write('key', apiKey)}"}
`)
  }

  /** The built binary without a terminal: stdin is empty unless it is given, stdout and stderr are pipes. */
  start(args: readonly string[], options: RunOptions = {}): Running {
    const {env, stdin, under = [], timeoutMs, nodeArgs = [], bin = binary, fileKibMax} = options
    const limited =
      fileKibMax === undefined ? [] : ['sh', '-c', `ulimit -f ${fileKibMax * 2}; exec "$@"`, 'sh']
    const [program = '', ...rest] = [...under, ...limited, process.execPath, ...nodeArgs, bin, ...args]
    const child = spawn(program, rest, {
      cwd: this.workDir,
      env: environmentOf(this.env, env),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    // A command that does not read its input may be gone before the input is written.
    child.stdin.on('error', () => {}).end(stdin ?? '')
    const command = `hisab ${args.join(' ')}`
    const said = {stdout: '', stderr: ''}
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text
      })
    let isLate = false
    const late = () => {
      isLate = true
      child.kill('SIGABRT')
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
    const ended = new Promise<Outcome>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => {
        clearTimeout(timer)
        this.#children.delete(child)
        if (isLate) reject(new Error(`${command} took over ${timeoutMs} ms\n${said.stdout}\n${said.stderr}`))
        else resolve({command, status: code ?? signalStatus(signal), ...said})
      })
    })
    const says: Running['says'] = (wanted, stream = 'stderr') =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (said[stream].includes(wanted)) resolve(said[stream])
        }
        child[stream].on('data', look)
        child.once('close', () => reject(new Error(`it ended without saying "${wanted}": ${said.stderr}`)))
        look()
      })
    const end: Running['end'] = (signal) => {
      child.kill(signal)
      return ended
    }
    return {pid: child.pid ?? 0, says, end, ended}
  }

  async run(args: readonly string[], options?: RunOptions): Promise<Outcome> {
    const ended = await this.start(args, options).ended
    checkResult(args, ended.stdout)
    return ended
  }

  /** The same in this process, its waits cut short. */
  async runHere(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    waits: Pick<Place, 'isHurried' | 'sleep'> = {isHurried: true},
  ): Promise<Ended> {
    return await runHere(args, {env: {...this.env, ...env}, cwd: this.workDir, ...waits})
  }

  /** `reconcile … --json`, its document read, and the `report.json` beside it: the binary's where it has options. */
  async reconcile(args: readonly string[], options?: RunOptions): Promise<Reconciled> {
    const line = ['reconcile', ...args, '--json']
    const ended = options ? await this.run(line, options) : await this.runHere(line)
    const report = JSON.parse(ended.stdout) as ReportDocument
    if (!report.reports) throw new Error(`not a report: ${ended.stdout}`)
    return {...ended, report, written: readReport(report.reports.json)}
  }

  remove(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.dir, {recursive: true, force: true})
  }
}

export interface Reconciled extends Ended {
  readonly report: ReportDocument
  readonly written: ReportDocument
}

export function readReport(path: string): ReportDocument {
  return JSON.parse(readFileSync(path, 'utf8')) as ReportDocument
}

function signalStatus(signal: NodeJS.Signals | null): number {
  return signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : killed
}

export function environmentOf(base: Environment, more: Environment = {}): Record<string, string> {
  const all = Object.entries({...base, ...more})
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
