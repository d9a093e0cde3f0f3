import {createHash} from 'node:crypto'
import {type FileHandle, open} from 'node:fs/promises'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {corruptFile, unreadableFile} from './corrupt-file.ts'
import {refuseForeignBytes, Utf8Gate} from './encoding.ts'

const fileBytesMax = 1024 ** 3

/** What is known of a file's bytes once they were all read. */
export interface SourceFacts {
  /** Digest of the bytes of the file, byte order mark included. */
  readonly sha256: string
  readonly endsMidLine: boolean
}

/** The text of one file, `-` being stdin: checked to be UTF-8 as its bytes pass, once. */
export class TextSource {
  private readonly path: string
  private readonly hash = createHash('sha256')
  private readonly gate: Utf8Gate

  constructor(path: string) {
    this.path = path
    this.gate = new Utf8Gate(path)
  }

  /** Throws `Failure` for whatever is no file, no text, empty or over 1 GiB. */
  async *bytes(): AsyncGenerator<Buffer, void> {
    let bytes = 0
    for await (const chunk of rawBytes(this.path)) {
      if (bytes === 0) refuseForeignBytes(this.path, chunk)
      bytes += chunk.length
      refuseTooLarge(this.path, bytes)
      this.hash.update(chunk)
      yield this.gate.pass(chunk)
    }
    if (bytes === 0) {
      throw corruptFile(this.path, 'the file is empty', 'A ledger has a header line and at least one row.')
    }
    this.gate.end()
  }

  /** To be asked once, after the last byte. */
  facts(): SourceFacts {
    return {sha256: this.hash.digest('hex'), endsMidLine: !this.gate.isAtLineEnd}
  }
}

async function* rawBytes(path: string): AsyncGenerator<Buffer> {
  try {
    if (path === '-') {
      yield* process.stdin
      return
    }
    const file = await open(path)
    try {
      await refuseUnreadable(path, file)
      yield* file.createReadStream({autoClose: false})
    } finally {
      await file.close()
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreadableBecause(path, error)
  }
}

async function refuseUnreadable(path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat()
  if (stat.isDirectory())
    throw unreadableFile(path, 'this is a directory', 'Name the ledger files themselves.')
  refuseTooLarge(path, stat.size)
}

function refuseTooLarge(path: string, bytes: number): void {
  if (bytes > fileBytesMax) {
    const hint = 'Export fewer days at a time, or split the file. Each part needs the header line.'
    throw new Failure('input_invalid', `${escapeInvisible(path)}: larger than 1 GiB`, hint)
  }
}

function unreadableBecause(path: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  switch (code) {
    case 'ENOENT':
      return unreadableFile(path, 'there is no such file', 'Check the spelling and the working directory.')
    case 'EACCES':
    case 'EPERM':
      return unreadableFile(path, 'reading it is not permitted', 'Check the permissions of the file: ls -l')
    default:
      return unreadableFile(path, `it cannot be read (${code})`, 'Check the disk or the share it is on.')
  }
}
