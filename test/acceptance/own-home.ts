import {spawn} from 'node:child_process'
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

import {type Ended, type Place, runHere} from '../commands/run-here.ts'
import type {ReportDocument} from '../report/report-document.ts'
import {checkResult} from '../snapshot/check-result.ts'

export type {Ended} from '../commands/run-here.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const binary = join(root, 'bin/run.js')

export interface Running {
  readonly pid: number
  /** Resolves with all of stderr once it has said this; rejects where the program ends without it. */
  says(text: string): Promise<string>
  readonly ended: Promise<Ended>
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
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

  /** The built binary without a terminal: stdin is empty, stdout and stderr are pipes. */
  start(
    args: readonly string[],
    {env = {}, nodeArgs = [], bin = binary, fileKibMax}: RunOptions = {},
  ): Running {
    const limited =
      fileKibMax === undefined ? [] : ['sh', '-c', `ulimit -f ${fileKibMax * 2}; exec "$@"`, 'sh']
    const [program = '', ...rest] = [...limited, process.execPath, ...nodeArgs, bin, ...args]
    const child = spawn(program, rest, {
      cwd: this.workDir,
      env: {...this.env, ...env},
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve({status: code ?? signalStatus(signal), stdout, stderr}))
    })
    const says = (wanted: string) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          if (stderr.includes(wanted)) resolve(stderr)
        }
        child.stderr.on('data', look)
        child.once('close', () => reject(new Error(`it ended without saying "${wanted}": ${stderr}`)))
        look()
      })
    return {pid: child.pid ?? 0, says, ended}
  }

  async run(args: readonly string[], options?: RunOptions): Promise<Ended> {
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
  return signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 137
}
