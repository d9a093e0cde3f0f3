import {createHash} from 'node:crypto'
import {closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, readSync} from 'node:fs'
import {join} from 'node:path'
import {zstdDecompressSync} from 'node:zlib'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {readIfThere} from '../files/private-files.ts'
import {storageFailure} from '../files/storage-failure.ts'
import {decode} from './codec.ts'
import type {Block} from './folder.ts'
import {documentName, manifestName, manifestText, pendingName, readManifest, sha256} from './manifest.ts'

/** A problem of a run's folder. `place`: bytes of the file, or null for all of it. */
export interface EvidenceFault {
  readonly file: string
  readonly what: 'changed' | 'removed' | 'added'
  readonly place: string | null
}

/** What a run's document says about its place among the runs. */
export interface EvidenceFacts {
  /** Its own name. */
  readonly folder: string
  /** The sum of the manifest before; null for the first. */
  readonly previous: string | null
  /** Folders whose files the run removed by age. */
  readonly removed: readonly string[]
}

export interface CheckedFolder {
  /** The sum of its manifest; null if the run did not finish its evidence. */
  readonly sha256: string | null
  /** The journal did not have the sum when the manifest was written. */
  readonly isPending: boolean
  /** Null if its document cannot be read. */
  readonly facts: EvidenceFacts | null
  readonly faults: readonly EvidenceFault[]
  readonly bytes: number
}

export interface FolderCheck {
  /** Whether the journal or the next run knows the manifest's sum. */
  readonly isKnown?: (sha256: string) => boolean
  /** The other files may have been removed by age. */
  readonly mayLack?: boolean
}

export function checkFolder(dir: string, check: FolderCheck = {}): CheckedFolder {
  const {isKnown = () => false, mayLack = false} = check
  const entries = entriesOf(dir)
  const isPending = !entries.has(manifestName) && entries.has(pendingName)
  const name = isPending ? pendingName : manifestName
  const nothing = {sha256: null, isPending, facts: null, faults: [], bytes: 0}
  if (!entries.has(name)) return nothing
  const path = join(dir, name)
  if (!entries.get(name) || sizeOf(path) > manifestMax)
    return {...nothing, faults: [fault(manifestName, 'changed')]}

  const text = readFile(path)
  const sum = sha256(text)
  const facts = documentFacts(dir)
  const files = new Map<string, FileSum | null>()
  for (const [file, isFile] of entries)
    if (file !== name) files.set(file, isFile ? sumOf(join(dir, file), facts?.blocks.get(file)) : null)
  const bytes = text.length + [...files.values()].reduce((all, file) => all + (file?.bytes ?? 0), 0)
  const sums = readManifest(text.toString('utf8'))
  const rebuilt = isKnown(sum) ? null : rebuiltManifest(sums, files, facts)
  if (facts && rebuilt !== null && isKnown(rebuilt.sha256)) {
    const more = [...files.keys()].filter((file) => !rebuilt.names.has(file))
    const faults = [fault(manifestName, 'changed'), ...more.map((file) => fault(file, 'added'))]
    return {sha256: rebuilt.sha256, isPending, facts, faults, bytes}
  }
  if (sums === null)
    return {sha256: sum, isPending, facts: null, faults: [fault(manifestName, 'changed')], bytes}
  const isDocumentRight = files.get(documentName)?.sha256 === sums.get(documentName)
  const faults = faultsOf(sums, files, {blocks: isDocumentRight ? facts?.blocks : undefined, mayLack})
  const isEither = files.get(documentName) && !isDocumentRight && !isKnown(sum)
  return {
    ...{sha256: sum, isPending, bytes, facts: isDocumentRight ? facts : null},
    faults: isEither ? [...faults, fault(manifestName, 'changed')] : faults,
  }
}

const manifestMax = 1_048_576

/**
 * Compares each file with the manifest; if the document shows that the manifest is wrong, the manifest is named
 * instead.
 */
function faultsOf(
  sums: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, FileSum | null>,
  {blocks, mayLack}: {readonly blocks: ReadonlyMap<string, unknown> | undefined; readonly mayLack: boolean},
): EvidenceFault[] {
  const isNoneOfIts = (file: string) => blocks !== undefined && file !== documentName && !blocks.has(file)
  const faults = [...sums].flatMap(([file, expected]): EvidenceFault[] => {
    const found = files.get(file)
    if (found === undefined && isNoneOfIts(file)) return [fault(manifestName, 'changed')]
    if (found === undefined) return mayLack && file !== documentName ? [] : [fault(file, 'removed')]
    if (found?.sha256 === expected) return []
    return found?.isAsWritten && blocks
      ? [fault(manifestName, 'changed')]
      : [{...fault(file, 'changed'), place: found?.place ?? null}]
  })
  for (const file of files.keys())
    if (!sums.has(file))
      faults.push(blocks?.has(file) ? fault(manifestName, 'changed') : fault(file, 'added'))
  return faults.filter(
    ({file, what}, at) => faults.findIndex((one) => one.file === file && one.what === what) === at,
  )
}

/** The manifest as the other files would have it; null if one is missing and the manifest does not name it. */
function rebuiltManifest(
  sums: ReadonlyMap<string, string> | null,
  files: ReadonlyMap<string, FileSum | null>,
  facts: KnownFacts | null,
): {readonly sha256: string; readonly names: ReadonlySet<string>} | null {
  if (!facts) return null
  const names = new Set([documentName, ...facts.blocks.keys()])
  const all = new Map<string, string>()
  for (const name of names) {
    const sum = files.get(name)?.sha256 ?? sums?.get(name)
    if (sum === undefined) return null
    all.set(name, sum)
  }
  return {sha256: sha256(manifestText(all)), names}
}

function fault(file: string, what: EvidenceFault['what']): EvidenceFault {
  return {file: escapeInvisible(file, 80), what, place: null}
}

/** The names in a folder, and whether each is a regular file. Throws `storage_failed`. */
function entriesOf(dir: string): ReadonlyMap<string, boolean> {
  return reading(
    dir,
    () => new Map(readdirSync(dir, {withFileTypes: true}).map((one) => [one.name, one.isFile()])),
  )
}

type FileSum = ReturnType<typeof sumOf>

function sumOf(path: string, blocks: readonly Block[] = []) {
  const whole = createHash('sha256')
  let place: string | null = null
  let at = 0
  const sizes = [...blocks.map(({bytes}) => bytes), Number.POSITIVE_INFINITY]
  return reading(path, () => {
    const fd = openSync(path, 'r')
    try {
      for (const [index, size] of sizes.entries()) {
        const part = createHash('sha256')
        let read = 0
        while (read < size) {
          const buffer = Buffer.allocUnsafe(Math.min(65_536, size - read))
          const got = readSync(fd, buffer, 0, buffer.length, null)
          if (got === 0) break
          part.update(buffer.subarray(0, got))
          whole.update(buffer.subarray(0, got))
          read += got
        }
        const block = blocks[index]
        const isRight = block ? read === block.bytes && part.digest('hex') === block.sha256 : read === 0
        if (!isRight) place ??= `bytes ${at + 1} to ${at + Math.max(read, block?.bytes ?? 0)}`
        at += read
      }
    } finally {
      closeSync(fd)
    }
    const isAsWritten = place === null
    return {sha256: whole.digest('hex'), bytes: at, isAsWritten, place}
  })
}

interface KnownFacts extends EvidenceFacts {
  readonly blocks: ReadonlyMap<string, readonly Block[]>
}

/** A document's facts, right or not; null if there is no document. */
export function documentFacts(dir: string): KnownFacts | null {
  try {
    const path = join(dir, documentName)
    if (!lstatSync(path).isFile()) return null
    const facts = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    const {folder, previous, removed, blocks} = facts
    const isText = (value: unknown) => typeof value === 'string'
    if (!isText(folder) || !(previous === null || isText(previous)) || typeof blocks !== 'object') return null
    if (!Array.isArray(removed) || !removed.every(isText)) return null
    const all = Object.entries(blocks ?? {})
    return all.every(([, some]) => areBlocks(some))
      ? ({folder, previous, removed, blocks: new Map(all)} as KnownFacts)
      : null
  } catch {
    return null
  }
}

function areBlocks(blocks: unknown): blocks is readonly Block[] {
  return (
    Array.isArray(blocks) &&
    blocks.every(
      (block) => Number.isSafeInteger(block?.bytes) && block.bytes > 0 && typeof block.sha256 === 'string',
    )
  )
}

/** The document of a folder whose sums were checked. Throws `file_unreadable`. */
export function evidenceDocument<Document>(dir: string): Document {
  const content = readIfThere(join(dir, documentName))
  if (content !== null) return decode(content.toString('utf8')) as Document
  throw new Failure(
    'file_unreadable',
    `${escapeInvisible(dir)} has no ${documentName}, so it is not the evidence of a run.`,
    'Give the folder of one run. `hisab runs show` names it.',
  )
}

/** The lines of a compressed file, block by block; none if the run wrote nothing. */
export function* evidenceLines(
  dir: string,
  name: string,
  blocks: Readonly<Record<string, readonly Block[]>>,
) {
  const path = join(dir, `${name}.zst`)
  const sizes = blocks[`${name}.zst`]
  if (sizes === undefined) return
  const fd = openSync(path, 'r')
  try {
    for (const {bytes} of sizes) {
      const buffer = Buffer.allocUnsafe(bytes)
      readSync(fd, buffer, 0, bytes, null)
      yield* zstdDecompressSync(buffer).toString('utf8').split('\n').slice(0, -1)
    }
  } finally {
    closeSync(fd)
  }
}

/** The names of runs in a folder, and of other things; empty without the folder. Throws `storage_failed`. */
export function runFolders(dir: string): {
  readonly runs: readonly string[]
  readonly others: readonly string[]
} {
  const entries = reading(dir, () => (existsSync(dir) ? readdirSync(dir, {withFileTypes: true}) : []))
  const names = (isRun: boolean) =>
    entries.flatMap((entry) => (entry.isDirectory() === isRun ? entry.name : [])).sort()
  return {runs: names(true), others: names(false)}
}

function readFile(path: string): Buffer {
  return reading(path, () => readFileSync(path))
}

function sizeOf(path: string): number {
  return reading(path, () => lstatSync(path).size)
}

function reading<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storageFailure('read', path, error)
  }
}
