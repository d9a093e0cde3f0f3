import {createHash, type Hash} from 'node:crypto'
import {closeSync, fsyncSync, openSync, renameSync, writeSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {constants, zstdCompressSync} from 'node:zlib'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {makePrivateDir, syncDir, writeFileAtomically} from '../files/private-files.ts'
import {storageFailure, systemCode} from '../files/storage-failure.ts'
import {documentName, manifestName, manifestText, pendingName, sha256} from './manifest.ts'

/** A part of a compressed file: it can be read, and is proven, by itself. */
export interface Block {
  readonly bytes: number
  readonly sha256: string
}

export type Blocks = Readonly<Record<string, readonly Block[]>>

const blockLength = 256 * 1_024
/** Of a name that a person reads: `zstd` reads the file as a whole. */
const suffix = '.zst'

/**
 * Writes the evidence of one run into a folder of its own: each file once, compressed block by block, never read again. A
 * disk that refuses ends the writing and not the run: `failure` says why, and no manifest is written. Without its manifest
 * a folder is no evidence.
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

  /** A line of `name`, or several; or a text as it is, with another `end`. */
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
   * All is on the disk when this returns, the manifest last and under a name for the time being. `documentOf` is given what
   * the other files came to. Sealed again, document and manifest are written anew.
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

  /** The journal has the sum: the manifest gets its name. Where the disk refuses that, the folder is proven all the same. */
  publish(): void {
    try {
      renameSync(join(this.dir, pendingName), join(this.dir, manifestName))
      syncDir(this.dir)
    } catch (error) {
      if (systemCode(error) === null) throw error
    }
  }

  /** Ends the writing: what is there says that it is no whole. */
  fail(error: unknown): void {
    this.failure ??= isStorage(error)
      ? storageFailure('write the evidence in', this.dir, error)
      : new Failure('bug', `The evidence could not be written: ${describe(error)}.`, 'Please report this.')
    this.close()
  }

  /** Keeps no file open. What was not sealed by now is no whole. */
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
      // The error that led here is the one to tell.
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
