import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {Failure} from '../../../src/core/failure.ts'
import {encode} from '../../../src/evidence/codec.ts'
import {EvidenceFolder} from '../../../src/evidence/folder.ts'
import {Staging} from '../../../src/staging/staging.ts'
import {linesOf} from '../../../src/workflows/evidence/document.ts'
import {EvidenceRecorder} from '../../../src/workflows/evidence/record.ts'
import {replayOf} from '../../../src/workflows/evidence/replay.ts'
import {runReconcile} from '../../../src/workflows/reconcile/run.ts'
import type {RunPorts} from '../../../src/workflows/reconcile/types.ts'
import {readScenario} from '../../scenarios/read-scenario.ts'
import {ScenarioBench} from '../scenario-run.ts'

/** Makes every run of a bench keep its evidence. */
function recording(bench: ScenarioBench): void {
  bench.play = async (request, ports) => {
    const folder = new EvidenceFolder(join(bench.dir, 'evidence', ports.runId))
    const recorder = new EvidenceRecorder(folder, request, ports)
    const {request: asked, ports: recorded} = recorder.recorded()
    const result = await runReconcile(asked, recorded)
    const facts = recorder.finish(result, '0.1.0')
    folder.seal((blocks) => encode({...facts, folder: ports.runId, previous: null, removed: [], blocks}))
    folder.publish()
    expect(folder.failure).toBeNull()
    return result
  }
}

/** The findings of a run of a bench, played again. */
async function playedAgain(bench: ScenarioBench, runId: string): Promise<string> {
  const staging = new Staging()
  const reportDir = join(bench.dir, 'again', runId)
  const replay = replayOf(join(bench.dir, 'evidence', runId), staging, reportDir)
  try {
    await runReconcile(replay.request, replay.ports)
    // Nobody books from a run that is played again.
    expect(readdirSync(reportDir).filter((name) => /booking|eml/.test(name))).toEqual([])
    return readFileSync(join(reportDir, 'findings.csv'), 'utf8')
  } finally {
    replay.close()
    staging.close()
  }
}

const scenarios = fileURLToPath(new URL('../../scenarios/', import.meta.url))

test.each(readdirSync(scenarios).filter((name) => name.endsWith('.txt')))(
  '%s gives the same findings from its evidence',
  async (name) => {
    const bench = new ScenarioBench(readScenario(`${scenarios}${name}`))
    onTestFinished(() => bench.journal.close())
    recording(bench)
    for (let run = 1; run <= bench.options.runs; run++) {
      if (run > 1) bench.clock.ms += bench.options.hoursBetween * 3_600_000
      await bench.run(`run-${run}`)
      if (bench.options.stopAt) return
      // A run that is recorded has both.
      const ofRun = readdirSync(join(bench.dir, 'report', `run-${run}`))
      expect(ofRun).toEqual(expect.arrayContaining(['booking.csv', 'report.eml']))
      const written = readFileSync(join(bench.dir, 'report', `run-${run}`, 'findings.csv'), 'utf8')
      expect(await playedAgain(bench, `run-${run}`)).toBe(written)
    }
  },
)

test('a booking of an earlier ledger, known by its player, is found in the evidence too', async () => {
  const header = 'order_no,status,amount,created_at,player_ref\n'
  const sections = new Map([
    ['ledger.csv', `${header}X-1,completed,120.00,2026-11-20T11:00:00Z,p-9\n`],
    ['service.json', '[{"orderNo":"D-1"},{"orderNo":"D-9"}]'],
    ['deliveries.json', '[{"orderNo":"D-9","createdAt":"2026-11-20T09:05:00Z"}]'],
    ['options.json', '{"yes":true}'],
  ])
  const bench = new ScenarioBench({path: 'players', sections})
  onTestFinished(() => bench.journal.close())
  recording(bench)
  bench.rename('first.csv')
  await bench.run('run-1')
  bench.rewrite(`${header}D-9,open,500.00,2026-11-20T09:00:00Z,p-9\n`)
  bench.rename('ledger.csv')
  const {report} = await bench.run('run-2')
  expect(report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation).toContain('("X-1")')
  const written = readFileSync(join(bench.dir, 'report', 'run-2', 'findings.csv'), 'utf8')
  expect(await playedAgain(bench, 'run-2')).toBe(written)
})

test('what earlier ledgers had is taken down some at a time, and played again as it was, also where nobody read to the end', async () => {
  const bench = new ScenarioBench({path: 'rows', sections: new Map([['ledger.csv', 'order_no\nD-1\n']])})
  onTestFinished(() => bench.journal.close())
  const rows = Array.from({length: 2_500}, (_, at) => ({orderNo: `D-${at}`}))
  let [held, heldMax] = [0, 0]
  bench.journal.rowsSeen = async function* () {
    for (const row of rows) {
      held += 1
      yield row as never
    }
  }
  const put = EvidenceFolder.prototype.put
  const readAll = async (ports: RunPorts, most: number) => {
    const seen: unknown[] = []
    for await (const row of ports.journal.rowsSeen('run-1')) {
      if (seen.push(row) === most) break
    }
    return seen
  }
  bench.play = async (request, ports) => {
    const folder = new EvidenceFolder(join(bench.dir, 'evidence', ports.runId))
    folder.put = (name, line, end) => {
      if (name === linesOf.reads) [heldMax, held] = [Math.max(heldMax, held), 0]
      put.call(folder, name, line, end)
    }
    const recorder = new EvidenceRecorder(folder, request, ports)
    const {request: asked, ports: recorded} = recorder.recorded()
    const result = await runReconcile(asked, recorded)
    expect(await readAll(recorded, 1_700)).toHaveLength(1_700)
    expect(await readAll(recorded, 9_999)).toEqual(rows)
    const facts = recorder.finish(result, '0.1.0')
    folder.seal((blocks) => encode({...facts, folder: 'run-1', previous: null, removed: [], blocks}))
    return result
  }
  await bench.run('run-1')
  expect(heldMax).toBeLessThanOrEqual(1_000)
  const staging = new Staging()
  const replay = replayOf(join(bench.dir, 'evidence', 'run-1'), staging, bench.dir)
  expect(await readAll(replay.ports, 1_700)).toHaveLength(1_700)
  expect(await readAll(replay.ports, 9_999)).toEqual(rows)
  replay.close()
  staging.close()
})

test('whom the service names as the player is kept: rows of another player are told again', async () => {
  const rows = ['D-1', 'D-2', 'D-3'].map((orderNo) => `${orderNo},paid,500.00,u-${orderNo}\n`).join('')
  const sections = new Map([
    ['ledger.csv', `order_no,status,amount,player_ref\n${rows}`],
    ['service.json', JSON.stringify(['D-1', 'D-2', 'D-3'].map((orderNo) => ({orderNo})))],
  ])
  const bench = new ScenarioBench({path: 'players', sections})
  onTestFinished(() => bench.journal.close())
  recording(bench)
  for (const [key, one] of bench.client.orders) {
    if (one instanceof Failure) continue
    bench.client.orders.set(key, {...one, playerRef: one.orderNo === 'D-2' ? 'u-9' : `u-${one.orderNo}`})
  }
  const {report} = await bench.run('run-1')
  expect(report.incompleteBecause.join()).toMatch(/D-2/)
  const staging = new Staging()
  const replay = replayOf(join(bench.dir, 'evidence', 'run-1'), staging, join(bench.dir, 'again'))
  const again = await runReconcile(replay.request, replay.ports)
  expect(again.report.incompleteBecause).toEqual(report.incompleteBecause)
  replay.close()
  staging.close()
})
