/**
 * The local part of `hisab reconcile` (read, match, decide, journal, write) at a million rows, beside csv-parse at its
 * best on the same file; and at ten million with `node test/bench/reconcile.bench.ts 10000000`, for its memory. Each run
 * is a process of its own, bundled as users get it. No network: the service is a function.
 */
import {execFileSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {build} from 'esbuild'

import {writeLargeLedger} from './large-ledger.ts'

const million = 1_000_000
const sizes = process.argv.slice(2).map(Number)
const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const night = join(dir, 'night.mjs')
const requireInModule =
  "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"
await build({
  ...{bundle: true, platform: 'node', target: 'node24', format: 'esm', logLevel: 'warning'},
  entryPoints: [join(import.meta.dirname, 'reconcile-run.ts')],
  outfile: night,
  banner: {js: requireInModule},
})

interface Night {
  readonly readSeconds: number
  readonly seconds: number
  readonly peakMiB: number
}

const peaks: number[] = []
for (const rows of [million, ...sizes]) {
  const ledger = join(dir, `${rows}.csv`)
  writeLargeLedger(ledger, rows)
  const best = rows === million ? parseAtBest(ledger) : null
  const {readSeconds, seconds, peakMiB} = play(ledger, 0)
  peaks.push(peakMiB)
  console.log(
    `reconcile ${rows} rows: ${Math.round(rows / seconds)} rows a second (goal 100,000), peak ${peakMiB.toFixed(0)} MiB (goal 300)`,
  )
  if (best !== null) {
    console.log(
      `  reading and typing ÷ csv-parse at its best: ${(readSeconds / best).toFixed(2)}; all of it ÷ that: ${(seconds / best).toFixed(2)} (${best.toFixed(2)} s)`,
    )
    const whole = play(ledger, rows)
    console.log(
      `  with a list of as many delivery records: ${Math.round(rows / whole.seconds)} rows a second, peak ${whole.peakMiB.toFixed(0)} MiB`,
    )
  } else {
    console.log(
      `  peak ÷ that at ${million} rows: ${(peakMiB / (peaks[0] ?? peakMiB)).toFixed(2)} (goal 1.2)`,
    )
  }
  rmSync(ledger)
}
rmSync(dir, {recursive: true, force: true})

function play(ledger: string, records: number): Night {
  const folder = mkdtempSync(join(dir, 'night-'))
  const out = execFileSync(process.execPath, [night, ledger, String(records), folder])
  rmSync(folder, {recursive: true})
  return JSON.parse(out.toString()) as Night
}

/** Seconds of csv-parse alone with the options that make it fastest, the cells thrown away. */
function parseAtBest(ledger: string): number {
  const script = `
    import {createReadStream} from 'node:fs'
    import {pipeline} from 'node:stream/promises'
    import {Parser} from 'csv-parse'
    const startedMs = performance.now()
    const parser = new Parser({record_delimiter: '\\n', on_record: () => null})
    await pipeline(createReadStream(${JSON.stringify(ledger)}), parser, async (rows) => { for await (const _ of rows); })
    console.log((performance.now() - startedMs) / 1000)`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {cwd: import.meta.dirname}),
  )
}
