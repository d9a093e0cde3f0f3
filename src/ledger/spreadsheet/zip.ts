import {crc32, createInflateRaw, inflateRawSync} from 'node:zlib'

/** The message is a clause that follows the name of the file. */
export class ZipProblem extends Error {}

export interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly flags: number
  readonly crc: number
  readonly packed: number
  readonly unpacked: number
  readonly headerAt: number
}

const endOfDirectory = 0x06054b50
const endOfDirectory64 = 0x06064b50
const locator64 = 0x07064b50
const centralHeader = 0x02014b50
const localHeader = 0x04034b50
const entriesMax = 10_000
const smallMax = 16 * 1024 ** 2

const damaged = 'it is damaged or cut off'

/** A zip archive in memory. Its directory is trusted for names only: sizes and checksums are verified while unpacking. */
export class ZipArchive {
  readonly entries: ReadonlyMap<string, ZipEntry>
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
    try {
      this.entries = readDirectory(bytes)
    } catch (error) {
      throw error instanceof RangeError ? new ZipProblem(damaged) : error
    }
  }

  /** A small part as text. Throws `ZipProblem` if it is missing or larger than 16 MiB. */
  text(name: string): string {
    const entry = this.find(name)
    const packed = this.packed(entry)
    try {
      const bytes = entry.method === 0 ? packed : inflateRawSync(packed, {maxOutputLength: smallMax})
      this.check(entry, crc32(bytes))
      return decodeUtf8(bytes)
    } catch (error) {
      throw problemOf(error, name)
    }
  }

  /** A large part in pieces. Throws `ZipProblem` above `bytesMax`. */
  async *unpack(name: string, bytesMax: number): AsyncGenerator<string> {
    const entry = this.find(name)
    const packed = this.packed(entry)
    const decoder = new TextDecoder('utf-8', {fatal: true})
    let size = 0
    let crc = 0
    const inflate = entry.method === 0 ? null : createInflateRaw({chunkSize: 128 * 1024})
    inflate?.end(packed)
    try {
      for await (const chunk of inflate ?? slicesOf(packed)) {
        const bytes = chunk as Buffer
        size += bytes.length
        if (size > bytesMax) {
          throw new ZipProblem(`its part ${name} is larger than ${Math.round(bytesMax / 1024 ** 2)} MiB`)
        }
        crc = crc32(bytes, crc)
        yield decoder.decode(bytes, {stream: true})
      }
      this.check(entry, crc)
      yield decoder.decode()
    } catch (error) {
      throw problemOf(error, name)
    } finally {
      inflate?.destroy()
    }
  }

  private find(name: string): ZipEntry {
    const entry = this.entries.get(name)
    if (entry === undefined) throw new ZipProblem(`its part ${name} is missing`)
    if (entry.flags % 2 === 1) throw new ZipProblem('it is protected by a password')
    if (entry.method !== 0 && entry.method !== 8) throw new ZipProblem('it is packed in an unusual way')
    return entry
  }

  private packed({headerAt, packed}: ZipEntry): Buffer {
    try {
      if (this.bytes.readUInt32LE(headerAt) !== localHeader) throw new ZipProblem(damaged)
      const at =
        headerAt + 30 + this.bytes.readUInt16LE(headerAt + 26) + this.bytes.readUInt16LE(headerAt + 28)
      if (at + packed > this.bytes.length) throw new ZipProblem(damaged)
      return this.bytes.subarray(at, at + packed)
    } catch (error) {
      throw error instanceof RangeError ? new ZipProblem(damaged) : error
    }
  }

  private check({crc, name}: ZipEntry, found: number): void {
    if (crc !== found) throw new ZipProblem(`its part ${name} is damaged`)
  }
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 128 * 1024) yield bytes.subarray(at, at + 128 * 1024)
}

/** Errors of zlib and of the decoder become a `ZipProblem`; errors of a reader of the part stay as they are. */
function problemOf(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  if (code === 'ERR_BUFFER_TOO_LARGE') return new ZipProblem(`its part ${name} is larger than 16 MiB`)
  return code.startsWith('Z_') || code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    ? new ZipProblem(`its part ${name} is damaged`)
    : error
}

function decodeUtf8(bytes: Buffer): string {
  return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
}

function readDirectory(bytes: Buffer): Map<string, ZipEntry> {
  const end = findEnd(bytes)
  let count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if ((count === 0xffff || at === 0xffffffff) && end >= 20 && bytes.readUInt32LE(end - 20) === locator64) {
    const end64 = Number(bytes.readBigUInt64LE(end - 12))
    if (bytes.readUInt32LE(end64) !== endOfDirectory64) throw new ZipProblem(damaged)
    count = Number(bytes.readBigUInt64LE(end64 + 32))
    at = Number(bytes.readBigUInt64LE(end64 + 48))
  }
  if (count > entriesMax) throw new ZipProblem(`it has more than ${entriesMax} parts`)
  const entries = new Map<string, ZipEntry>()
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== centralHeader) throw new ZipProblem(damaged)
    const [nameLength, extraLength] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const sizes = sizesOf(bytes, at, at + 46 + nameLength, extraLength)
    // Programs read two parts with the same name differently.
    if (entries.has(name)) throw new ZipProblem(`it has two parts ${name}`)
    entries.set(name, {
      name,
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      ...sizes,
    })
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32)
  }
  return entries
}

function findEnd(bytes: Buffer): number {
  const signature = Buffer.alloc(4)
  signature.writeUInt32LE(endOfDirectory)
  const at = bytes.lastIndexOf(signature)
  if (at === -1 || at < bytes.length - 22 - 0xffff) throw new ZipProblem(damaged)
  return at
}

/** The two sizes and the offset of an entry; if they need 64 bits, they are in an extra field, in this order. */
function sizesOf(bytes: Buffer, at: number, extraAt: number, extraLength: number) {
  const short = {
    unpacked: bytes.readUInt32LE(at + 24),
    packed: bytes.readUInt32LE(at + 20),
    headerAt: bytes.readUInt32LE(at + 42),
  }
  for (let field = extraAt; field + 4 <= extraAt + extraLength; ) {
    if (bytes.readUInt16LE(field) === 1) {
      let next = field + 4
      const long = (value: number) => {
        if (value !== 0xffffffff) return value
        next += 8
        return Number(bytes.readBigUInt64LE(next - 8))
      }
      return {
        unpacked: long(short.unpacked),
        packed: long(short.packed),
        headerAt: long(short.headerAt),
      }
    }
    field += 4 + bytes.readUInt16LE(field + 2)
  }
  return short
}
