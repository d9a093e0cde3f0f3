import {isUtf8} from 'node:buffer'
import {once} from 'node:events'
import {createGunzip, type Gunzip} from 'node:zlib'
import {corruptFile, exportAgain, saveAsUtf8} from './corrupt-file.ts'
import {readStart, refuseTooLarge} from './source.ts'

const lf = 0x0a
const cr = 0x0d

const zipStart = 'PK\x03\x04'

/** How files that are not tables start, and what to call them. */
const signatures: readonly (readonly [start: string, what: string])[] = [
  [zipStart, 'a spreadsheet or a zip archive'],
  ['\xd0\xcf\x11\xe0', 'an old Excel file (.xls), or one with a password'],
  ['\x1f\x8b', 'a gzip archive'],
  ['%PDF', 'a PDF'],
  ['<', 'HTML or XML, perhaps named .xls or .csv'],
]

export const isZip = (start: Buffer): boolean => start.toString('latin1', 0, 4) === zipStart

function refuseForeignBytes(path: string, start: Buffer): void {
  const text = start.toString('latin1', 0, 64).replace(/^\xef\xbb\xbf/, '')
  const [signature, what] = signatures.find(([one]) => text.trimStart().startsWith(one)) ?? []
  if (what === undefined) return
  const open =
    signature === zipStart ? 'Open the spreadsheet, and save its sheet as CSV.' : 'Unpack or open it.'
  throw corruptFile(path, `this is ${what}, not CSV`, `${open} ${saveAsUtf8}`)
}

export interface TextFacts {
  readonly encoding: 'UTF-8' | 'UTF-16'
  readonly isCompressed: boolean
  readonly endsMidLine: boolean
}

/** The text of one file as UTF-8, validated while it is read, once; decompressed and converted if necessary. */
export class TextSource {
  private readonly path: string
  private readonly gate: Utf8Gate
  private encoding: TextFacts['encoding'] = 'UTF-8'
  private isCompressed = false

  constructor(path: string) {
    this.path = path
    this.gate = new Utf8Gate(path)
  }

  /** Throws `Failure` if the file is not text; with `isStrict`, also for UTF-16 and compressed files. */
  async *text(source: AsyncGenerator<Buffer, void>, isStrict: boolean): AsyncGenerator<Buffer, void> {
    let bytes = source
    let start = await readStart(bytes, 512)
    if (!isStrict && start[0] === 0x1f && start[1] === 0x8b) {
      this.isCompressed = true
      bytes = unpacked(this.path, joined(start, bytes))
      start = await readStart(bytes, 512)
    }
    const order = utf16Order(start)
    if (order !== null) {
      if (isStrict) throw corruptFile(this.path, 'this is UTF-16, not UTF-8', saveAsUtf8)
      this.encoding = 'UTF-16'
      bytes = converted(this.path, order, joined(start, bytes))
    } else {
      refuseForeignBytes(this.path, start)
      bytes = joined(start, bytes)
    }
    for await (const chunk of bytes) yield this.gate.pass(chunk)
    this.gate.end()
  }

  /** To be called after the last byte. */
  facts(): TextFacts {
    const {encoding, isCompressed, gate} = this
    return {encoding, isCompressed, endsMidLine: !gate.isAtLineEnd}
  }
}

export async function* joined(
  start: Buffer,
  bytes: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  if (start.length > 0) yield start
  yield* bytes
}

async function* unpacked(path: string, bytes: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  const gunzip = createGunzip({chunkSize: 128 * 1024})
  const isOver = Promise.race([once(gunzip, 'end'), once(gunzip, 'close')]).catch(() => {})
  const feeding = feed(bytes, gunzip, isOver)
  feeding.catch((error: Error) => gunzip.destroy(error))
  let size = 0
  try {
    for await (const chunk of gunzip) {
      const piece = chunk as Buffer
      size += piece.length
      refuseTooLarge(path, size)
      yield piece
    }
    // Padding zeros are allowed. zlib stops at them without an error, whatever follows them.
    if ((await feeding) > gunzip.bytesWritten)
      throw corruptFile(path, 'there is more behind the end of this gzip archive', exportAgain)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
    throw corruptFile(path, 'this gzip archive is damaged or cut off', exportAgain)
  } finally {
    gunzip.destroy()
  }
}

/** Writes bytes until the end of the archive; returns the number of bytes up to the last non-zero one. */
async function feed(
  bytes: AsyncGenerator<Buffer, void>,
  gunzip: Gunzip,
  isOver: Promise<unknown>,
): Promise<number> {
  let size = 0
  let filled = 0
  for await (const chunk of bytes) {
    const last = chunk.findLastIndex((byte) => byte !== 0)
    if (last !== -1) filled = size + last + 1
    size += chunk.length
    if (gunzip.readableEnded || gunzip.destroyed || gunzip.write(chunk)) continue
    await Promise.race([once(gunzip, 'drain'), isOver])
  }
  gunzip.end()
  return filled
}

type ByteOrder = 'utf-16le' | 'utf-16be'

/** The byte order of UTF-16, from its mark or from the zero bytes of ASCII characters; null for other text. */
function utf16Order(start: Buffer): ByteOrder | null {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  for (const [index, byte] of start.subarray(0, 512).entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  if (Math.max(even, odd) < Math.max(4, start.length / 8) || Math.min(even, odd) > 0) return null
  return even > 0 ? 'utf-16be' : 'utf-16le'
}

async function* converted(
  path: string,
  order: ByteOrder,
  bytes: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  const decoder = new TextDecoder(order, {fatal: true})
  const decode = (chunk?: Buffer) => {
    try {
      return Buffer.from(decoder.decode(chunk, {stream: chunk !== undefined}))
    } catch {
      throw corruptFile(path, 'not valid UTF-16, or cut off', saveAsUtf8)
    }
  }
  for await (const chunk of bytes) yield decode(chunk)
  yield decode()
}

/** Passes bytes on only after checking that they are whole UTF-8 characters without a NUL. */
export class Utf8Gate {
  private readonly path: string
  private rest: Buffer = Buffer.alloc(0)
  private offset = 0
  private line = 1
  private lastByte = lf

  constructor(path: string) {
    this.path = path
  }

  get isAtLineEnd(): boolean {
    return this.lastByte === lf || this.lastByte === cr
  }

  /** The whole characters of the bytes held back before and `chunk`. */
  pass(chunk: Buffer): Buffer {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    const whole = bytes.subarray(0, wholeCharacters(bytes))
    const nulAt = whole.indexOf(0)
    if (nulAt !== -1) {
      throw corruptFile(this.path, `a NUL byte ${this.place(whole, nulAt)}: this is not text`, exportAgain)
    }
    if (!isUtf8(whole)) this.refuse(whole)
    this.rest = bytes.subarray(whole.length)
    this.offset += whole.length
    this.line += this.lineEnds(whole)
    this.lastByte = whole.at(-1) ?? this.lastByte
    return whole
  }

  /** Refuses a file that ends inside a character. */
  end(): void {
    if (this.rest.length > 0) {
      const problem = `the file ends inside a character ${this.place(this.rest, 0)}, so it is cut off`
      throw corruptFile(this.path, problem, exportAgain)
    }
  }

  private refuse(bytes: Buffer): never {
    // Decoding a prefix fails exactly if the bad byte is in it, so a binary search finds the shortest that fails.
    let good = 0
    let bad = bytes.length
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      if (isStartOfUtf8(bytes.subarray(0, middle))) good = middle
      else bad = middle
    }
    // The decoder often fails at the byte after the bad one.
    const culprit = wholeCharacters(bytes.subarray(0, good))
    throw corruptFile(this.path, `not valid UTF-8 ${this.place(bytes, culprit)}`, saveAsUtf8)
  }

  private place(bytes: Buffer, at: number): string {
    return `on line ${this.line + this.lineEnds(bytes.subarray(0, at))} (byte ${this.offset + at})`
  }

  /** LF, CRLF and CR each end one line, even if a chunk ends between CR and LF. */
  private lineEnds(bytes: Buffer): number {
    let count = 0
    if (!bytes.includes(cr) && this.lastByte !== cr) {
      // The case of most files: searching is many times faster than looking at each byte.
      for (let at = bytes.indexOf(lf); at !== -1; at = bytes.indexOf(lf, at + 1)) count += 1
      return count
    }
    let previous = this.lastByte
    for (const byte of bytes) {
      if (byte === cr || (byte === lf && previous !== cr)) count += 1
      previous = byte
    }
    return count
  }
}

function isStartOfUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(bytes, {stream: true})
    return true
  } catch {
    return false
  }
}

/** How many bytes come before a character that is incomplete at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    const isContinuation = byte >= 0x80 && byte < 0xc0
    if (isContinuation) continue
    const needed = byte >= 0xf5 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
