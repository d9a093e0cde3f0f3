import {XmlReader} from './xml.ts'

/** Elements within a text: what stands in several of them is one text. */
const inline = new Set(['t', 'r', 'rPr', 'span', 'a', 's', 'tab', 'line-break', 'br', 'mention'])
const blanks = new Set(['s', 'tab', 'line-break', 'br'])
const textMax = 64 * 1024

/** The texts of an XML part, one for each of its paragraphs; of those `within` some elements alone, where they are named. */
export async function* textsOf(
  pieces: AsyncIterable<string>,
  within: ReadonlySet<string> | null = null,
): AsyncGenerator<string> {
  let done: string[] = []
  let text = ''
  let depth = 0
  const flush = () => {
    if (text.trim() !== '') done.push(text)
    text = ''
  }
  const xml = new XmlReader({
    open: (name) => {
      if (within?.has(name)) depth += 1
      if (blanks.has(name)) text += ' '
      else if (!inline.has(name)) flush()
    },
    close: (name) => {
      if (!inline.has(name)) flush()
      if (within?.has(name)) depth -= 1
    },
    text: (piece) => {
      if ((within === null || depth > 0) && text.length < textMax) text += piece
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
