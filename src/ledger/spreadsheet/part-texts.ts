import {unescapeXml, XmlReader} from './xml.ts'

/** What stands in a workbook beside the cells that are read. */
export interface Note {
  readonly text: string
  /** The row that it belongs to, of a sheet by its place; null of what belongs to none. */
  readonly at: {readonly sheet: number; readonly row: number} | null
  /** Somebody wrote it as a text. */
  readonly isSentence: boolean
  /** What stands together. */
  readonly part: string
}

/** Follows a reading: what is to be left out there, and which row it is in. */
export interface Follower {
  /** Returns where a link leads to. */
  open(name: string, attributes: string): string | null
  close(name: string): void
  /** Cells, read elsewhere, or a copy of them. */
  readonly isCell: boolean
  readonly at: Note['at']
}

/** Elements within a text: what stands in several of them is one text. */
const inline = new Set(['t', 'r', 'rPr', 'span', 'a', 's', 'tab', 'line-break', 'br', 'mention'])
const blanks = new Set(['s', 'tab', 'line-break', 'br'])
const formulas = new Set(['f', 'formula', 'formula1', 'formula2', 'definedName'])
/** Attributes that people write, or that a link leads to. */
const written =
  /(?<!\S)(?:(?:\w+:)?(prompt|promptTitle|error|errorTitle|tooltip|display|location|descr|title|comment|alt|caption|text|string|summary|href|label)|name)\s*=\s*("[^"]*"|'[^']*')/giu
const sentences = new Set(['descr', 'comment'])
const textMax = 64 * 1024

/** The texts of an XML part, one for each of its paragraphs, and its attributes that are texts. */
export async function* textsOf(
  part: string,
  pieces: AsyncIterable<string>,
  follower: Follower,
): AsyncGenerator<Note> {
  let done: Note[] = []
  let text = ''
  let formulaDepth = 0
  const add = (found: string, isSentence: boolean) => {
    if (found.trim() !== '') done.push({text: found, at: follower.at, isSentence, part})
  }
  const flush = () => {
    // Of a formula its texts; the rest names cells.
    add(
      formulaDepth > 0 ? [...text.matchAll(/"([^"]*)"/g)].map(([, quoted]) => quoted).join(' ') : text,
      formulaDepth === 0,
    )
    text = ''
  }
  const xml = new XmlReader({
    open: (name, attributes) => {
      if (blanks.has(name)) text += ' '
      else if (!inline.has(name)) flush()
      const link = follower.open(name, attributes)
      if (link !== null) add(link, false)
      if (formulas.has(name)) formulaDepth += 1
      if (follower.isCell && name !== 'a') return
      for (const [, attribute = '', value = ''] of attributes.matchAll(written))
        add(unescapeXml(value.slice(1, -1)), sentences.has(attribute))
    },
    close: (name) => {
      if (!inline.has(name)) flush()
      if (formulas.has(name)) formulaDepth -= 1
      follower.close(name)
    },
    text: (piece) => {
      if (!follower.isCell && text.length < textMax) text += piece
    },
  })
  for await (const piece of pieces) {
    xml.write(piece)
    yield* done
    done = []
  }
  flush()
  yield* done
}
