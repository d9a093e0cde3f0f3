import {unescapeXml, XmlReader} from './xml.ts'

/** A text of a workbook outside of the cells that are read. */
export interface Note {
  readonly text: string
  /** Its row; `sheet` is the index of the sheet. Null if it belongs to no row. */
  readonly at: {readonly sheet: number; readonly row: number} | null
  /** Somebody wrote it as text, so it may be a sentence. */
  readonly isSentence: boolean
  /** The same for texts that belong together. */
  readonly part: string
}

/** Follows the reading of a part: which elements are cells, and the current row. */
export interface Follower {
  /** Returns the address if the element is a link. */
  open(name: string, attributes: string): string | null
  close(name: string): void
  /** Inside of cells, which are read elsewhere, or of a copy of them. */
  readonly isCell: boolean
  readonly at: Note['at']
}

/** Elements within a text: they do not split it. */
const inline = new Set(['t', 'r', 'rPr', 'span', 'a', 's', 'tab', 'line-break', 'br', 'mention'])
const blanks = new Set(['s', 'tab', 'line-break', 'br'])
const formulas = new Set(['f', 'formula', 'formula1', 'formula2', 'definedName'])
/** Attributes with text written by people, or with the address of a link. */
const written =
  /(?<!\S)(?:(?:\w+:)?(prompt|promptTitle|error|errorTitle|tooltip|display|location|descr|title|comment|alt|caption|text|string|summary|href|label)|name)\s*=\s*("[^"]*"|'[^']*')/giu
const sentences = new Set(['descr', 'comment'])
const textMax = 64 * 1024

/** Yields the texts of an XML part, one for each paragraph, and the attributes that are texts. */
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
    // Of a formula only its quoted texts: the rest names cells.
    add(
      formulaDepth > 0 ? [...text.matchAll(/"([^"]*)"/g)].map(([, quoted]) => quoted).join(' ') : text,
      formulaDepth === 0,
    )
    text = ''
  }
  const taker = {
    open: (name: string, attributes: string) => {
      if (blanks.has(name)) text += ' '
      else if (!inline.has(name)) flush()
      const link = follower.open(name, attributes)
      if (link !== null) add(link, false)
      if (formulas.has(name)) formulaDepth += 1
      if (follower.isCell && name !== 'a') return
      for (const [, attribute = '', value = ''] of attributes.matchAll(written))
        add(unescapeXml(value.slice(1, -1)), sentences.has(attribute))
    },
    close: (name: string) => {
      if (!inline.has(name)) flush()
      if (formulas.has(name)) formulaDepth -= 1
      follower.close(name)
    },
    text: (piece: string) => {
      if (!follower.isCell && text.length < textMax) text += piece
    },
  }
  const xml = new XmlReader(taker, /\.vml$/i.test(part))
  for await (const piece of pieces) {
    xml.write(piece)
    yield* done
    done = []
  }
  xml.end()
  flush()
  yield* done
}
