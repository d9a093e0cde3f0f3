/**
 * The local part of `hisab reconcile` (read, match, decide, journal, write) at a million rows, beside csv-parse on the same
 * file, the two in turn and each at its best; and at ten million with `node test/bench/reconcile.bench.ts 10000000`, for its
 * memory. Each run is a process of its own, bundled as users get it. No network: the service is a function. Processor time
 * stands beside the time on the clock, which other work on the machine stretches.
 */
import {execFileSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {join} from 'node:path'

import {benchFolder, bundleRun, type Night, playRun, type Times} from './bundled-run.ts'
import {writeLargeLedger} from './large-ledger.ts'

const million = 1_000_000
const sizes = process.argv.slice(2).map(Number)
const dir = benchFolder()
const night = await bundleRun(dir)

/** How often the two are played in turn. */
const rounds = 3

const peaks: number[] = []
for (const rows of [million, ...sizes]) {
  const ledger = join(dir, `${rows}.csv`)
  writeLargeLedger(ledger, rows)
  const isMeasured = rows === million
  const parses: Times[] = []
  const nights: Night[] = []
  for (let round = 0; round < (isMeasured ? rounds : 1); round++) {
    if (isMeasured) parses.push(parseAlone(ledger))
    nights.push(play(ledger, 0))
  }
  const {seconds} = bestOf(nights)
  const peakMiB = Math.max(...nights.map((night) => night.peakMiB))
  peaks.push(peakMiB)
  console.log(
    `reconcile ${rows} rows: ${Math.round(rows / seconds)} rows a second (goal 100,000), peak ${peakMiB.toFixed(0)} MiB (goal 300)`,
  )
  if (isMeasured) {
    const [parse, read, all] = [bestOf(parses), bestOf(nights.map((night) => night.read)), bestOf(nights)]
    for (const [what, of] of [
      ['clock', 'seconds'],
      ['processor', 'cpuSeconds'],
    ] as const)
      console.log(
        `  ${what}: reading and typing ÷ csv-parse at its best: ${(read[of] / parse[of]).toFixed(2)} (goal 2.5); all of it ÷ that: ${(all[of] / parse[of]).toFixed(2)} (${parse[of].toFixed(2)} s)`,
      )
    const kept = [play(ledger, 0, true), play(ledger, 0, true), play(ledger, 0, true)]
    const sizeOf = ({evidenceBytes}: Night) => `${(evidenceBytes / 1e6).toFixed(0)} MB`
    const more = bestOf(kept)
    console.log(
      `  with its evidence: clock × ${(more.seconds / all.seconds).toFixed(2)}, processor × ${(more.cpuSeconds / all.cpuSeconds).toFixed(2)} (goal 1.25), ${sizeOf(kept[0] as Night)} (goal 400), peak ${Math.max(...kept.map((one) => one.peakMiB)).toFixed(0)} MiB`,
    )
    const whole = play(ledger, rows)
    console.log(
      `  with a list of as many delivery records: ${Math.round(rows / whole.seconds)} rows a second, peak ${whole.peakMiB.toFixed(0)} MiB`,
    )
    const proven = play(ledger, rows, true)
    console.log(
      `  the same with its evidence: clock × ${(proven.seconds / whole.seconds).toFixed(2)}, processor × ${(proven.cpuSeconds / whole.cpuSeconds).toFixed(2)} (goal 1.25), ${sizeOf(proven)} (goal 400), peak ${proven.peakMiB.toFixed(0)} MiB`,
    )
  } else {
    console.log(
      `  peak ÷ that at ${million} rows: ${(peakMiB / (peaks[0] ?? peakMiB)).toFixed(2)} (goal 1.2)`,
    )
  }
  rmSync(ledger)
}

function bestOf(times: readonly Times[]): Times {
  const least = (of: keyof Times) => Math.min(...times.map((one) => one[of]))
  return {seconds: least('seconds'), cpuSeconds: least('cpuSeconds')}
}

function play(ledger: string, records: number, keepsEvidence = false): Night {
  const folder = mkdtempSync(join(dir, 'night-'))
  const played = playRun(night, [ledger, String(records), folder, '', '0', keepsEvidence ? 'evidence' : ''])
  rmSync(folder, {recursive: true})
  return played
}

/** csv-parse alone with the options that make it fastest, the cells thrown away. */
function parseAlone(ledger: string): Times {
  const script = `
    import {createReadStream} from 'node:fs'
    import {pipeline} from 'node:stream/promises'
    import {Parser} from 'csv-parse'
    const [startedMs, cpu] = [performance.now(), process.cpuUsage()]
    const parser = new Parser({record_delimiter: '\\n', on_record: () => null})
    await pipeline(createReadStream(${JSON.stringify(ledger)}), parser, async (rows) => { for await (const _ of rows); })
    const {user, system} = process.cpuUsage(cpu)
    console.log(JSON.stringify({seconds: (performance.now() - startedMs) / 1e3, cpuSeconds: (user + system) / 1e6}))`
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
  })
  return JSON.parse(out.toString()) as Times
}
