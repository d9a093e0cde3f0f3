import {createHash} from 'node:crypto'
import {closeSync, existsSync, openSync, readdirSync, readSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {zstdDecompressSync} from 'node:zlib'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {readIfThere} from '../files/private-files.ts'
import {storageFailure} from '../files/storage-failure.ts'
import {decode} from './codec.ts'
import type {Block} from './folder.ts'
import {documentName, manifestName, readManifest, sha256} from './manifest.ts'

/** What is wrong with a run's folder. `place`: bytes of the file, null where it is the whole of it. */
export interface EvidenceFault {
  readonly file: string
  readonly what: 'changed' | 'removed' | 'added'
  readonly place: string | null
}

export interface CheckedFolder {
  /** The sum of its manifest; null where it has none: the run did not finish writing its evidence. */
  readonly sha256: string | null
  /** The sum of the manifest that it names as the one before; undefined where its document cannot be read. */
  readonly previous: string | null | undefined
  /** The run that it says it is of; null where its document cannot be read. */
  readonly runId: string | null
  readonly faults: readonly EvidenceFault[]
  readonly bytes: number
}

/** Reads every byte of a run's folder. `onlyDocument`: the other files were removed by age (retention). */
export function checkFolder(dir: string, onlyDocument = false): CheckedFolder {
  const manifest = readIfThere(join(dir, manifestName))
  if (manifest === null) return {sha256: null, previous: undefined, runId: null, faults: [], bytes: 0}
  const sum = sha256(manifest)
  const sums = readManifest(manifest.toString('utf8'))
  if (sums === null)
    return {
      ...{sha256: sum, previous: undefined, runId: null},
      ...{faults: [fault(manifestName, 'changed')], bytes: 0},
    }
  const present = new Set(readdirSync(dir))
  const faults: EvidenceFault[] = []
  const isGood = (name: string) => !faults.some(({file}) => file === name)
  const document = readIfThere(join(dir, documentName))
  if (document === null) faults.push(fault(documentName, 'removed'))
  else if (sha256(document) !== sums.get(documentName)) faults.push(fault(documentName, 'changed'))
  const facts = document && isGood(documentName) ? readDocument(document) : null
  let bytes = manifest.length + (document?.length ?? 0)
  for (const [name, expected] of sums) {
    if (name === documentName || (onlyDocument && !present.has(name))) continue
    if (!present.has(name)) faults.push(fault(name, 'removed'))
    else {
      const path = join(dir, name)
      bytes += statSync(path).size
      const place = changedPlace(path, expected, facts?.blocks[name])
      if (place !== undefined) faults.push({file: name, what: 'changed', place})
    }
  }
  for (const name of present) if (name !== manifestName && !sums.has(name)) faults.push(fault(name, 'added'))
  return {sha256: sum, previous: facts?.previous, runId: facts?.runId ?? null, faults, bytes}
}

function fault(file: string, what: EvidenceFault['what']): EvidenceFault {
  return {file: escapeInvisible(file, 80), what, place: null}
}

/** Undefined where the file is as it was. */
function changedPlace(
  path: string,
  expected: string,
  blocks: readonly Block[] = [],
): string | null | undefined {
  const whole = createHash('sha256')
  let place: string | null = null
  let at = 0
  const sizes = [...blocks.map(({bytes}) => bytes), Number.POSITIVE_INFINITY]
  const fd = openSync(path, 'r')
  try {
    for (const [index, size] of sizes.entries()) {
      const part = createHash('sha256')
      let read = 0
      while (read < size) {
        const buffer = Buffer.allocUnsafe(Math.min(1_048_576, size - read))
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
  return whole.digest('hex') === expected ? undefined : place
}

interface KnownFacts {
  readonly runId: string
  readonly previous: string | null
  readonly blocks: Readonly<Record<string, readonly Block[]>>
}

function readDocument(content: Buffer): KnownFacts | null {
  try {
    const {
      runId = '',
      previous = null,
      blocks = {},
    } = JSON.parse(content.toString('utf8')) as Partial<KnownFacts>
    return {runId, previous, blocks}
  } catch {
    return null
  }
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

/** The lines of a compressed file, a block at a time; none where the run had nothing to write. */
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

/** The runs of a folder of evidence, by name; none where there is no such folder. Throws `storage_failed`. */
export function runFolders(dir: string): string[] {
  try {
    const entries = existsSync(dir) ? readdirSync(dir, {withFileTypes: true}) : []
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort()
  } catch (error) {
    throw storageFailure('read', dir, error)
  }
}
