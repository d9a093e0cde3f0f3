import {existsSync, readdirSync, rmSync} from 'node:fs'
import {hostname} from 'node:os'
import {join} from 'node:path'

import {asFailure, Failure} from '../../core/failure.ts'
import {encode} from '../../evidence/codec.ts'
import {EvidenceFolder} from '../../evidence/folder.ts'
import {documentName, manifestName} from '../../evidence/manifest.ts'
import {runFolders} from '../../evidence/read.ts'
import {clearDeadDrafts} from '../../files/private-files.ts'
import {storageFailure} from '../../files/storage-failure.ts'
import type {EvidenceRow} from '../../journal/evidence.ts'
import {lastSealed} from '../../journal/evidence.ts'
import type {Journal} from '../../journal/journal.ts'
import {comparingOrders} from '../orders/doubts.ts'
import {type RunResult, runReconcile} from '../reconcile/run.ts'
import type {RunEnd, RunPorts, RunRequest} from '../reconcile/types.ts'
import type {EvidenceDocument, SealedFacts} from './document.ts'
import {EvidenceRecorder} from './record.ts'

export interface EvidenceSettings {
  /** The folder for the evidence of all the merchant's runs. */
  readonly dir: string
  /** The version of hisab. */
  readonly hisab: string
  readonly keepMs: number
  readonly keepRuns: number
}

export interface KeptEvidence {
  readonly dir: string
  /** The checksum of its manifest; null if it could not be finished. */
  readonly sha256: string | null
  readonly bytes: number
  /** Why it could not be finished. */
  readonly failure: Failure | null
  /** Number of runs whose files were removed by age; `notRemoved`: why others were not. */
  readonly removed: number
  readonly notRemoved: Failure | null
}

export interface RunWithEvidence extends RunResult {
  /** Null if no evidence was requested. */
  readonly evidence: KeptEvidence | null
}

/** Runs and keeps the evidence. A failure of the evidence changes only the exit status. */
export async function runWithEvidence(
  request: RunRequest,
  given: RunPorts,
  settings: EvidenceSettings | null,
): Promise<RunWithEvidence> {
  const ports = {...given, client: comparingOrders(given.client, given.journal, given.profile.name)}
  if (settings === null) return {...(await runReconcile(request, ports)), evidence: null}
  const {journal, runId, now} = ports
  const rows = await journal.listEvidence()
  const name = freeName(settings.dir, runId, rows)
  // Drafts of runs that were killed while writing.
  for (const row of rows) if (row.sha256 === null) clearDeadDrafts(join(settings.dir, row.folder))
  const folder = new EvidenceFolder(join(settings.dir, name))
  // The evidence is registered once the journal knows the run.
  const begin = async () => {
    const row = {folder: name, runId, host: hostname(), dir: settings.dir, begunAtMs: now()}
    await journal.beginEvidence(row)
  }
  const recorder = new EvidenceRecorder(folder, request, {...ports, journal: beginning(journal, begin)})
  const recorded = recorder.recorded()
  const {dir} = folder
  const old = async (ended: RunEnd['facts'] | null = null) =>
    await oldFolders(settings, journal, {name, nowMs: now(), ended: request.dryRun ? null : ended})
  let sealed: Sealed | null = null as Sealed | null
  const sealEvidence = async (ended: RunEnd) => {
    const finish = async () => ({
      ...recorder.finish(ended, settings.hisab),
      folder: name,
      removed: await old(ended.facts),
    })
    sealed = await seal(folder, name, finish, journal)
    return {dir, sha256: sealed?.sha256 ?? null}
  }
  const play = runReconcile(recorded.request, {...recorded.ports, sealEvidence})
  const result = await play.finally(() => folder.close())
  const {sha256, bytes} = sealed ?? {sha256: null, bytes: 0}
  const removal = sealed
    ? await removeOld(sealed.removed, old, settings.dir, journal, now())
    : {removed: 0, notRemoved: null}
  return {...result, evidence: {dir, sha256, bytes, failure: folder.failure, ...removal}}
}

/** A resumed run gets another folder. */
function freeName(dir: string, runId: string, rows: readonly EvidenceRow[]): string {
  // An unreadable folder fails later, when the evidence is written.
  const there = orNothing(() => runFolders(dir).runs) ?? []
  const taken = new Set([...rows.map(({folder}) => folder), ...there])
  for (let part = 1; ; part++) {
    const name = part === 1 ? runId : `${runId}.${part}`
    if (!taken.has(name)) return name
  }
}

/** Calls `begin` once the run is in the journal. */
function beginning(journal: Journal, begin: () => Promise<void>): Journal {
  return new Proxy(journal, {
    get: (target, name) => {
      if (name !== 'startRun' && name !== 'resumeRun') return Reflect.get(target, name)
      return async (...args: readonly unknown[]) => {
        await (Reflect.get(target, name) as (...given: readonly unknown[]) => Promise<void>)(...args)
        await begin()
      }
    },
  })
}

const triesMax = 10

interface Sealed {
  readonly sha256: string
  readonly bytes: number
  readonly removed: readonly string[]
}

/** First the folder, then the journal, then the manifest's final name: what the journal calls sealed is complete. */
async function seal(
  folder: EvidenceFolder,
  name: string,
  finish: () => Promise<Omit<EvidenceDocument, Exclude<SealedFacts, 'folder' | 'removed'>>>,
  journal: Journal,
): Promise<Sealed | null> {
  try {
    const facts = await finish()
    // Dry runs of several machines may end at once: each must name the one before it.
    for (let tries = 0; tries < triesMax; tries++) {
      const previous = lastSealed(await journal.listEvidence())?.sha256 ?? null
      const sealed = folder.seal((blocks) => `${encode({...facts, previous, blocks}, 1)}\n`)
      if (sealed === null) return null
      if (!(await journal.sealEvidence(name, {...sealed, previous}))) continue
      folder.publish()
      return {...sealed, removed: facts.removed}
    }
    throw new Failure('incomplete', 'Other runs sealed their evidence all the time.', 'Run it again.')
  } catch (error) {
    folder.fail(error)
    return null
  }
}

/** Folders here that are too old or too many when `name` is sealed, except those signed off or with open items. */
async function oldFolders(
  {dir, keepMs, keepRuns}: EvidenceSettings,
  journal: Journal,
  {
    name,
    nowMs,
    ended,
  }: {readonly name: string; readonly nowMs: number; readonly ended: RunEnd['facts'] | null},
): Promise<string[]> {
  const there = new Set(runFolders(dir).runs)
  const kept = (await journal.listEvidence()).filter(
    (row) =>
      (row.sealedSeq !== null || row.folder === name) && row.removedAtMs === null && there.has(row.folder),
  )
  const old = kept.filter((row, at) => at < kept.length - keepRuns || nowMs - row.begunAtMs > keepMs)
  if (old.length === 0) return []
  // This run is about to close some items, and may be the last that saw others.
  const ids = (some: readonly {readonly id: number}[]) => new Set(some.map(({id}) => id))
  const known = ended?.interim === null ? ended : null
  const [closed, unseen] = [ids(known?.closed ?? []), known && ids(known.notExamined)]
  const open = new Set(
    (await journal.openFindings()).flatMap((one) => {
      if (closed.has(one.id)) return []
      const isSeenAgain = unseen !== null && !unseen.has(one.id)
      return [one.firstRunId, one.openedRunId, ...(isSeenAgain ? [] : [one.lastRunId])]
    }),
  )
  const removable: string[] = []
  for (const {folder, runId} of old)
    if (folder !== name && !open.has(runId) && (await journal.signOffsOf(runId)).length === 0)
      removable.push(folder)
  return removable
}

/** Removes the files of folders that the sealed evidence lists and that are still old; manifest and document stay. */
async function removeOld(
  named: readonly string[],
  old: () => Promise<readonly string[]>,
  dir: string,
  journal: Journal,
  nowMs: number,
): Promise<Pick<KeptEvidence, 'removed' | 'notRemoved'>> {
  let removed = 0
  try {
    const still = new Set(named.length === 0 ? [] : await old())
    for (const folder of named.filter((one) => still.has(one))) {
      // The journal first, so that a folder without files is always explained by it.
      await journal.recordEvidenceRemoved(folder, nowMs)
      removeFiles(join(dir, folder))
      removed += 1
    }
    return {removed, notRemoved: null}
  } catch (thrown) {
    return {removed, notRemoved: asFailure(thrown)}
  }
}

function removeFiles(dir: string): void {
  try {
    for (const name of existsSync(dir) ? readdirSync(dir) : [])
      if (name !== manifestName && name !== documentName) rmSync(join(dir, name), {force: true})
  } catch (error) {
    throw storageFailure('remove old evidence in', dir, error)
  }
}

function orNothing<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    asFailure(error)
    return undefined
  }
}
