import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {encode} from '../../../src/evidence/codec.ts'
import {EvidenceFolder} from '../../../src/evidence/folder.ts'
import {Staging} from '../../../src/staging/staging.ts'
import {EvidenceRecorder} from '../../../src/workflows/evidence/record.ts'
import {replayOf} from '../../../src/workflows/evidence/replay.ts'
import {runReconcile} from '../../../src/workflows/reconcile/run.ts'
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
    for (let night = 1; night <= bench.options.nights; night++) {
      if (night > 1) bench.clock.ms += bench.options.hoursBetween * 3_600_000
      await bench.run(`run-${night}`)
      if (bench.options.stopAt) return
      const written = readFileSync(join(bench.dir, 'report', `run-${night}`, 'findings.csv'), 'utf8')
      expect(await playedAgain(bench, `run-${night}`)).toBe(written)
    }
  },
)
