/**
 * Text from outside, made safe to show (P24): control, bidi, zero-width and other format characters and lone
 * surrogates become a visible `\u{…}`, so that no answer can drive a terminal or hide in a log.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{VS}\u115f\u1160\u3164\uffa0]/gu

export function escapeInvisible(text: string, lengthMax = 4096): string {
  const shown = text.replace(invisible, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
  if (shown.length <= lengthMax) return shown
  // The cut may split a surrogate pair.
  const cut = shown.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
  return `${cut}… (${text.length} characters)`
}

/** Whether a cell has a placeholder that exports write for nothing. */
/** The first ones in words, and how many more there are: `a, b and 3 more`. */
export function firstOf<T>(all: readonly T[], most: number, show: (one: T) => string): string {
  const shown = all
    .slice(0, most)
    .map((one) => show(one))
    .join(', ')
  return all.length > most ? `${shown} and ${all.length - most} more` : shown
}

export function isNothing(cell: string): boolean {
  return nothing.test(cell.trim())
}

const nothing = /^(?:[^\p{L}\p{N}\p{Sc}]*|\\n|null|nil|none|n\/?a)$/iu

/** `text` without these characters at its end. A regular expression would be quadratic. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}

/**
 * JSON without invisible characters (P24): JSON escapes them, so that the text is the same to a program and harmless
 * on a terminal. `indent`: over several lines.
 */
export function jsonText(value: unknown, indent = 0): string {
  // JSON has escaped the line ends inside strings; the others are its own.
  return JSON.stringify(value, null, indent).replace(invisible, (char) =>
    char === '\n' ? char : escaped(char),
  )
}

/** A list of any length for a JSON document: walked anew each time it is read. */
export class Listing<T> implements Iterable<T> {
  private readonly walk: () => Iterable<T>

  constructor(walk: () => Iterable<T>) {
    this.walk = walk
  }

  [Symbol.iterator](): Iterator<T> {
    return this.walk()[Symbol.iterator]()
  }

  toJSON(): T[] {
    return [...this.walk()]
  }
}

/**
 * The text of `jsonText(document, 2)` in pieces: a `Listing` among the document's properties is written item by item,
 * never in memory as a whole.
 */
export function* jsonDocument(document: object): Generator<string> {
  if (!Object.values(document).some((value) => value instanceof Listing)) {
    yield `${jsonText(document, 2)}\n`
    return
  }
  let before = '{\n'
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue
    yield `${before}  ${JSON.stringify(name)}: `
    if (value instanceof Listing) yield* listText(value)
    else yield indented(jsonText(value, 2), '  ')
    before = ',\n'
  }
  yield '\n}\n'
}

function* listText(list: Iterable<unknown>): Generator<string> {
  let before = '[\n'
  for (const item of list) {
    yield `${before}    ${indented(jsonText(item, 2), '    ')}`
    before = ',\n'
  }
  yield before === '[\n' ? '[]' : '\n  ]'
}

function indented(json: string, by: string): string {
  return json.replaceAll('\n', `\n${by}`)
}

function escaped(char: string): string {
  const units = Array.from({length: char.length}, (_, at) => char.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** `01712345678` as `017****5678`: enough to recognise, not enough to use (P20). */
export function maskPhone(phone: string): string {
  return phone.length < 8 ? '****' : `${phone.slice(0, 3)}****${phone.slice(-4)}`
}

/** A person's name as its first letter: `Rahim Uddin` as `R****`. */
export function maskName(name: string): string {
  const [first] = new Intl.Segmenter('bn', {granularity: 'grapheme'}).segment(name)
  return `${first?.segment ?? ''}****`
}
