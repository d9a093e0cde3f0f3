import {execFileSync} from 'node:child_process'
import {cpSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {build} from 'esbuild'

/** Seconds on the clock, and of the processor. */
export interface Times {
  readonly seconds: number
  readonly cpuSeconds: number
}

/** What `reconcile-run.ts` prints. */
export interface Night extends Times {
  readonly read: Times
  readonly peakMiB: number
  /** Of its folder of evidence; 0 where it keeps none. */
  readonly evidenceBytes: number
  readonly counts: Readonly<Record<string, number>>
  readonly calls: Readonly<Record<string, number>>
}

/** A folder that is gone when the bench ends. */
export function benchFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
  process.once('exit', () => rmSync(dir, {recursive: true}))
  return dir
}

/** `reconcile-run.ts` in one file, as users get hisab. */
export async function bundleRun(dir: string): Promise<string> {
  // The report reads its styles from beside the code.
  const assets = join('report', 'html', 'assets')
  cpSync(join(import.meta.dirname, '..', '..', 'src', assets), join(dir, assets), {recursive: true})
  return await bundleOne(join(import.meta.dirname, 'reconcile-run.ts'), join(dir, 'code', 'run', 'night.mjs'))
}

/** A program of this tree in one file, which starts as fast as hisab does. */
export async function bundleOne(entry: string, outfile: string): Promise<string> {
  const requireInModule =
    "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"
  await build({
    ...{bundle: true, platform: 'node', target: 'node24', format: 'esm', logLevel: 'warning'},
    entryPoints: [entry],
    ...{outfile, banner: {js: requireInModule}, external: ['pg-native']},
  })
  return outfile
}

export function playRun(run: string, args: readonly string[]): Night {
  return JSON.parse(execFileSync(process.execPath, [run, ...args]).toString()) as Night
}
