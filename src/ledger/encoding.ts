import {isUtf8} from 'node:buffer'
import {corruptFile, exportAgain, saveAsUtf8} from './corrupt-file.ts'

const lf = 0x0a
const cr = 0x0d

/** What a file that is no CSV starts with, and what to call it. */
const signatures: readonly (readonly [start: string, what: string])[] = [
  ['PK\x03\x04', 'a spreadsheet or a zip archive'],
  ['\xd0\xcf\x11\xe0', 'an old Excel or Office file'],
  ['\x1f\x8b', 'a gzip archive'],
  ['%PDF', 'a PDF'],
  ['<', 'HTML or XML, perhaps named .xls or .csv'],
]

/** Refuses, by their first bytes, spreadsheets, archives, HTML and UTF-16. */
export function refuseForeignBytes(path: string, start: Buffer): void {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 2)) || looksLikeUtf16(start)) {
    throw corruptFile(path, 'this is UTF-16, not UTF-8', saveAsUtf8)
  }
  const text = start.toString('latin1', 0, 64).replace(/^\xef\xbb\xbf/, '')
  const what = signatures.find(([signature]) => text.trimStart().startsWith(signature))?.[1]
  if (what !== undefined)
    throw corruptFile(path, `this is ${what}, not CSV`, `Unpack or open it. ${saveAsUtf8}`)
}

/** UTF-16 without its mark: the zero bytes of its ASCII stand at every second place, all even or all odd. */
function looksLikeUtf16(start: Buffer): boolean {
  const zeros = [0, 0]
  for (const [index, byte] of start.subarray(0, 512).entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  return Math.max(even, odd) >= 4 && Math.min(even, odd) === 0
}

/** Hands bytes on only once they are known to be whole UTF-8 characters without a NUL. */
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

  /** The whole characters of what was kept back and `chunk`. */
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
    // Decoding a prefix fails exactly when the bad byte is in it, so the shortest that fails can be halved for.
    let good = 0
    let bad = bytes.length
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      if (isStartOfUtf8(bytes.subarray(0, middle))) good = middle
      else bad = middle
    }
    // The byte that proves it is often the one after the culprit.
    const culprit = wholeCharacters(bytes.subarray(0, good))
    throw corruptFile(this.path, `not valid UTF-8 ${this.place(bytes, culprit)}`, saveAsUtf8)
  }

  private place(bytes: Buffer, at: number): string {
    return `on line ${this.line + this.lineEnds(bytes.subarray(0, at))} (byte ${this.offset + at})`
  }

  /** LF, CRLF and CR each end one line, also where a chunk ends between CR and LF. */
  private lineEnds(bytes: Buffer): number {
    let count = 0
    if (!bytes.includes(cr) && this.lastByte !== cr) {
      // Most files; searching is many times faster than looking at each byte.
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

/** How many bytes at the start are not part of a character that goes on after the end. */
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
