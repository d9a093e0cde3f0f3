/**
 * A night of a million rows with 20,000 open items of the night before, and the same night without them: what the open
 * items add in calls, and the peak of memory. `node test/bench/open-items.bench.ts 100000` for another size.
 */
import {join} from 'node:path'

import {benchFolder, bundleRun, playRun} from './bundled-run.ts'
import {lostOrders, writeLargeLedger} from './large-ledger.ts'

const items = 20_000
const rows = Number(process.argv[2] ?? 1_000_000)
const dir = benchFolder()
const run = await bundleRun(dir)

const [before, night] = [join(dir, 'before.csv'), join(dir, 'night.csv')]
const lost = lostOrders(1_000_000, items)
writeLargeLedger(before, items, {nameOf: (index) => lost[index] ?? '', day: '2026-11-19'})
writeLargeLedger(night, rows)

const plain = playRun(run, [night, `${rows}`, join(dir, 'plain'), '2026-11-20', `${items}`])
const folder = join(dir, 'rolling')
const first = playRun(run, [before, '0', folder, '2026-11-19', `${items}`])
const rolling = playRun(run, [night, `${rows}`, folder, '2026-11-20', `${items}`])
const sum = (calls: Readonly<Record<string, number>>) => Object.values(calls).reduce((a, b) => a + b, 0)
console.log(
  `open items: ${JSON.stringify(first.counts)} the night before; ${rows} rows with them: ${sum(rolling.calls)} calls, without: ${sum(plain.calls)}, added ${sum(rolling.calls) - sum(plain.calls)} (goal ${items}); peak ${rolling.peakMiB.toFixed(0)} MiB (goal 300), without ${plain.peakMiB.toFixed(0)}; ${rolling.seconds.toFixed(0)} s, without ${plain.seconds.toFixed(0)}`,
)
