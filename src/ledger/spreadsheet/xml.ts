import {ZipProblem} from './zip.ts'

export interface XmlTaker {
  /** Names have no prefix. `attributes` is the source text after the name: use `attributeOf`. */
  readonly open: (name: string, attributes: string) => void
  readonly close: (name: string) => void
  readonly text: (text: string) => void
}

/** The largest single tag or text that is buffered. */
const pieceMax = 4 * 1024 ** 2

/**
 * Passes on the tags and texts of an XML part while its pieces arrive. It supports what spreadsheets use: no document
 * type, so no entities defined by a file.
 */
export class XmlReader {
  private rest = ''
  private readonly taker: XmlTaker
  private readonly open: string[] = []
  private isBegun = false
  /** Elements may be left open: drawings of old versions are HTML in parts. */
  private readonly isLoose: boolean

  constructor(taker: XmlTaker, isLoose = false) {
    this.taker = taker
    this.isLoose = isLoose
  }

  write(piece: string): void {
    const text = this.rest === '' ? piece : this.rest + piece
    let at = 0
    for (;;) {
      const tagAt = text.indexOf('<', at)
      if (tagAt === -1) break
      const endAt = endOfTag(text, tagAt)
      if (endAt === -1) break
      if (tagAt > at) this.taker.text(unescapeXml(text.slice(at, tagAt)))
      this.tag(text, tagAt, endAt)
      at = endAt + 1
    }
    this.rest = at === 0 ? text : text.slice(at)
    if (this.rest.length > pieceMax) throw new ZipProblem('a part of it is no XML that hisab reads')
  }

  end(): void {
    if (this.rest.trim() !== '') throw new ZipProblem('a part of it ends inside a tag')
    if (!this.isLoose && (this.open.length > 0 || !this.isBegun))
      throw new ZipProblem('a part of it is cut off')
  }

  private tag(text: string, from: number, to: number): void {
    const {taker} = this
    const first = text.charCodeAt(from + 1)
    if (first === slash) this.close(localName(text, from + 2, to))
    else if (first === questionMark) return
    else if (first === exclamationMark) {
      if (text.startsWith('<![CDATA[', from)) taker.text(text.slice(from + 9, to - 2))
      else if (!text.startsWith('<!--', from)) throw new ZipProblem('a part of it has a document type')
    } else {
      const isEmpty = text.charCodeAt(to - 1) === slash
      const end = isEmpty ? to - 1 : to
      let nameEnd = from + 1
      while (nameEnd < end && text.charCodeAt(nameEnd) > blank) nameEnd += 1
      const name = localName(text, from + 1, nameEnd)
      if (!this.isLoose && this.open.length === 0 && this.isBegun)
        throw new ZipProblem('a part of it goes on after its end')
      this.isBegun = true
      this.open.push(name)
      taker.open(name, nameEnd === end ? '' : text.slice(nameEnd, end))
      if (isEmpty) this.close(name)
    }
  }

  private close(name: string): void {
    if (this.open.pop() !== name && !this.isLoose)
      throw new ZipProblem('a part of it has an element that ends inside another')
    this.taker.close(name)
  }
}

const [blank, exclamationMark, slash, questionMark] = [0x20, 0x21, 0x2f, 0x3f]
const [doubleQuote, singleQuote, greater] = [0x22, 0x27, 0x3e]

function endOfTag(text: string, from: number): number {
  if (text.charCodeAt(from + 1) === exclamationMark) {
    if ('<![CDATA['.startsWith(text.slice(from, from + 9))) return endOf(text, ']]>', from)
    if ('<!--'.startsWith(text.slice(from, from + 4))) return endOf(text, '-->', from)
  }
  // Within an attribute's quotes `>` does not end the tag.
  let quote = 0
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === greater) return at
    else if (code === doubleQuote || code === singleQuote) quote = code
  }
  return -1
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? -1 : at + mark.length - 1
}

function localName(text: string, from: number, to: number): string {
  let end = to
  while (end > from && text.charCodeAt(end - 1) <= blank) end -= 1
  const name = text.slice(from, end)
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(colon + 1)
}

/** The value of an attribute, with or without a prefix; null if missing. */
export function attributeOf(attributes: string, name: string): string | null {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    const before = attributes.charCodeAt(at - 1)
    if (before > blank && before !== colonCode) continue
    let next = at + name.length
    while (attributes.charCodeAt(next) <= blank) next += 1
    if (attributes.charCodeAt(next) !== equals) continue
    next += 1
    while (attributes.charCodeAt(next) <= blank) next += 1
    const quote = attributes[next]
    if (quote !== '"' && quote !== "'") continue
    const end = attributes.indexOf(quote, next + 1)
    if (end !== -1) return unescapeXml(attributes.slice(next + 1, end))
  }
  return null
}

const colonCode = 0x3a
const equals = 0x3d

const named: Readonly<Record<string, string>> = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'"}

export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
