import {createHash, randomUUID} from 'node:crypto'
import {type FileHandle, open, unlink} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {corruptFile, unreadableFile} from './corrupt-file.ts'

const fileBytesMax = 1024 ** 3

/** The unchanged bytes of one file, `-` being stdin. */
export class Source {
  private readonly path: string
  private readonly hash = createHash('sha256')

  constructor(path: string) {
    this.path = path
  }

  /** Throws `Failure` if it is not a file, empty or over 1 GiB. */
  async *bytes(): AsyncGenerator<Buffer, void> {
    let bytes = 0
    for await (const chunk of rawBytes(this.path)) {
      bytes += chunk.length
      refuseTooLarge(this.path, bytes)
      this.hash.update(chunk)
      yield chunk
    }
    if (bytes === 0) {
      throw corruptFile(this.path, 'the file is empty', 'A ledger has a header line and at least one row.')
    }
  }

  /** Digest of all bytes, byte order mark included; to be called once, after the last byte. */
  sha256(): string {
    return this.hash.digest('hex')
  }
}

/** Reads at least this many bytes of a generator, or all if it has fewer. */
export async function readStart(bytes: AsyncGenerator<Buffer, void>, atLeast: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let size = 0; size < atLeast; ) {
    const next = await bytes.next()
    if (next.done) break
    chunks.push(next.value)
    size += next.value.length
  }
  return Buffer.concat(chunks)
}

async function* rawBytes(path: string): AsyncGenerator<Buffer> {
  try {
    if (path === '-') {
      yield* stdinBytes()
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

let stdinCopy: FileHandle | null = null

/** Stdin can be read twice: the second time from an unnamed copy, which is gone with the process. */
async function* stdinBytes(): AsyncGenerator<Buffer> {
  if (stdinCopy !== null) {
    yield* stdinCopy.createReadStream({start: 0, autoClose: false})
    return
  }
  const path = join(tmpdir(), `hisab-${randomUUID()}`)
  const copy = await open(path, 'wx+', 0o600)
  await unlink(path)
  for await (const chunk of process.stdin) {
    await copy.appendFile(chunk)
    yield chunk
  }
  stdinCopy = copy
}

async function refuseUnreadable(path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat()
  if (stat.isDirectory())
    throw unreadableFile(path, 'this is a directory', 'Name the ledger files themselves.')
  refuseTooLarge(path, stat.size)
}

export function refuseTooLarge(path: string, bytes: number): void {
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
    case 'ENOSPC':
    case 'EROFS':
      return new Failure(
        'storage_failed',
        `${escapeInvisible(tmpdir())} has no space for a copy of standard input.`,
        'Free some space, or set TMPDIR to a folder on another disk.',
      )
    case 'EACCES':
    case 'EPERM':
      return unreadableFile(path, 'reading it is not permitted', 'Check the permissions of the file: ls -l')
    default:
      return unreadableFile(path, `it cannot be read (${code})`, 'Check the disk or the share it is on.')
  }
}
