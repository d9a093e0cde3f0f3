import {join} from 'node:path'

import {
  type EvidenceSettings,
  type RunWithEvidence,
  runWithEvidence,
} from '../../../src/workflows/evidence/keep.ts'
import type {Scenario} from '../../scenarios/read-scenario.ts'
import {ScenarioBench} from '../scenario-run.ts'

/** A merchant whose runs keep their evidence. */
export class EvidenceBench extends ScenarioBench {
  readonly settings: EvidenceSettings & {dir: string}
  readonly kept: RunWithEvidence['evidence'][] = []

  constructor(scenario: Scenario, change: Partial<EvidenceSettings> = {}) {
    super(scenario)
    const dir = join(this.dir, 'evidence')
    this.settings = {dir, hisab: '0.1.0', keepMs: 400 * 86_400_000, keepRuns: 400, ...change}
    this.play = async (request, ports) => {
      const result = await runWithEvidence(request, ports, this.settings)
      this.kept.push(result.evidence)
      return result
    }
  }
}
