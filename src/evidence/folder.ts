import {createHash, type Hash} from 'node:crypto'
import {closeSync, fsyncSync, openSync, renameSync, writeSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {constants, zstdCompressSync} from 'node:zlib'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {makePrivateDir, syncDir, writeFileAtomically} from '../files/private-files.ts'
import {storageFailure, systemCode} from '../files/storage-failure.ts'
import {documentName, manifestName, manifestText, pendingName, sha256} from './manifest.ts'

/** A part of a compressed file that can be read and proven by itself. */
export interface Block {
  readonly bytes: number
  readonly sha256: string
}

export type Blocks = Readonly<Record<string, readonly Block[]>>

const blockLength = 256 * 1_024
/** A usual suffix: `zstd` reads the whole file. */
const suffix = '.zst'

/**
 * Writes the evidence of a run into a folder: each file once, compressed in blocks, never read again. A disk error
 * ends the writing but not the run: `failure` says why, and no manifest is written. A folder without a manifest is no
 * evidence.
 */
export class EvidenceFolder {
  readonly dir: string
  failure: Failure | null = null
  private readonly files = new Map<string, LineFile>()

  constructor(dir: string) {
    this.dir = dir
    this.attempt(() => {
      makePrivateDir(dir)
      syncDir(dirname(dir))
    })
  }

  /** One or more lines of `name`; or a text with another `end`. */
  put(name: string, line: string, end = '\n'): void {
    if (this.failure) return
    this.attempt(() => {
      let file = this.files.get(name)
      if (!file) {
        file = new LineFile(join(this.dir, `${name}${suffix}`))
        this.files.set(name, file)
      }
      file.put(line, end)
    })
  }

  /**
   * Everything is on the disk when this returns, the manifest last and under a temporary name. `documentOf` gets the
   * blocks of the other files. Sealing again writes document and manifest anew.
   */
  seal(documentOf: (blocks: Blocks) => string): {readonly sha256: string; readonly bytes: number} | null {
    let sealed: {sha256: string; bytes: number} | null = null
    if (this.failure) return null
    this.attempt(() => {
      const sums = new Map<string, string>()
      const blocks: Record<string, readonly Block[]> = {}
      for (const [name, file] of this.files) {
        file.close()
        blocks[`${name}${suffix}`] = file.blocks
        sums.set(`${name}${suffix}`, file.sha256)
      }
      const document = documentOf(blocks)
      sums.set(documentName, sha256(document))
      writeFileAtomically(join(this.dir, documentName), document)
      const manifest = manifestText(sums)
      writeFileAtomically(join(this.dir, pendingName), manifest)
      const compressed = Object.values(blocks).flat()
      const bytes = compressed.reduce((sum, block) => sum + block.bytes, 0)
      sealed = {sha256: sha256(manifest), bytes: bytes + Buffer.byteLength(document + manifest)}
    })
    return sealed
  }

  /** The journal has the sum: the manifest gets its final name. If the disk refuses, the folder is still proven. */
  publish(): void {
    try {
      renameSync(join(this.dir, pendingName), join(this.dir, manifestName))
      syncDir(this.dir)
    } catch (error) {
      if (systemCode(error) === null) throw error
    }
  }

  /** Stops writing: the folder stays incomplete. */
  fail(error: unknown): void {
    this.failure ??= isStorage(error)
      ? storageFailure('write the evidence in', this.dir, error)
      : new Failure('bug', `The evidence could not be written: ${describe(error)}.`, 'Please report this.')
    this.close()
  }

  /** Closes all files. What is not sealed stays incomplete. */
  close(): void {
    for (const file of this.files.values()) file.abandon()
    this.files.clear()
  }

  private attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }
}

const isStorage = (error: unknown) => error instanceof Failure || systemCode(error) !== null
const describe = (error: unknown) => escapeInvisible(error instanceof Error ? error.message : 'unknown', 120)

class LineFile {
  readonly blocks: Block[] = []
  private readonly fd: number
  private readonly hash: Hash = createHash('sha256')
  private lines: string[] = []
  private length = 0
  private isClosed = false

  constructor(path: string) {
    this.fd = openSync(path, 'wx', 0o600)
  }

  get sha256(): string {
    return this.hash.copy().digest('hex')
  }

  put(line: string, end: string): void {
    this.lines.push(line, end)
    this.length += line.length + end.length
    if (this.length >= blockLength) this.flush()
  }

  close(): void {
    if (this.isClosed) return
    this.flush()
    fsyncSync(this.fd)
    closeSync(this.fd)
    this.isClosed = true
  }

  abandon(): void {
    try {
      if (!this.isClosed) closeSync(this.fd)
    } catch {
      // The first error is the one to report.
    }
  }

  private flush(): void {
    if (this.length === 0) return
    const block = zstdCompressSync(this.lines.join(''), {
      params: {[constants.ZSTD_c_compressionLevel]: 1},
    })
    this.lines = []
    this.length = 0
    for (let at = 0; at < block.length; ) at += writeSync(this.fd, block, at)
    this.hash.update(block)
    this.blocks.push({bytes: block.length, sha256: sha256(block)})
  }
}
