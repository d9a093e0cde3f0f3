import {join} from 'node:path'

import type {LoadedProfile} from '../config/load-profile.ts'
import {ownedFileName} from '../files/owned-database.ts'
import type {EvidenceSettings, KeptEvidence} from '../workflows/evidence/keep.ts'
import type {Context} from './context.ts'

export function evidenceDir({dataDir}: Context, {profile, evidence}: LoadedProfile): string {
  const account = ownedFileName(profile).replace(/\.db$/, '')
  return join(evidence.dir ?? join(dataDir, 'evidence'), account)
}

export function evidenceSettings(context: Context, loaded: LoadedProfile): EvidenceSettings | null {
  const {keepMs, runs: keepRuns} = loaded.evidence
  return keepMs === null
    ? null
    : {dir: evidenceDir(context, loaded), hisab: context.version, keepMs, keepRuns}
}

/** Notes for the user if something about a run's evidence is unusual. */
export function evidenceLines({failure, removed, notRemoved}: KeptEvidence): string[] {
  return [
    ...(failure
      ? [`warning: this run is recorded, but its evidence is incomplete: ${failure.clause}. ${failure.hint}`]
      : []),
    ...(notRemoved ? [`warning: old evidence was not removed: ${notRemoved.clause}.`] : []),
    ...(removed > 0
      ? [`note: the evidence of ${removed} old runs was removed (evidence.keep, evidence.runs).`]
      : []),
  ]
}
