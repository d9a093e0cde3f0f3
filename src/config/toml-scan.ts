import {parse} from 'smol-toml'

/** One `key = value` of a TOML text, in a table or in an inline table. */
export interface TomlPair {
  readonly path: readonly string[]
  readonly keyStart: number
  readonly valueStart: number
  readonly valueEnd: number
  readonly isInline: boolean
}

/** The text under one `[header]`; the first section has none and an empty path. */
export interface TomlSection {
  readonly path: readonly string[]
  /** End of the header's brackets; 0 for the first section. */
  readonly headerEnd: number
  readonly pairs: TomlPair[]
}

/** The positions of keys and values in a TOML text, which must be valid. */
export function scanToml(text: string): TomlSection[] {
  return new Scanner(text).sections()
}

class Scanner {
  private at = 0
  private readonly text: string
  private section: TomlSection = {path: [], headerEnd: 0, pairs: []}

  constructor(text: string) {
    this.text = text
  }

  sections(): TomlSection[] {
    const found = [this.section]
    for (;;) {
      this.skip()
      if (this.at >= this.text.length) return found
      if (this.text[this.at] === '[') {
        this.at += 1
        const path = this.key()
        this.at = this.text.indexOf(']', this.at) + 1
        this.section = {path, headerEnd: this.at, pairs: []}
        found.push(this.section)
      } else this.pair(this.section.path, false)
    }
  }

  private pair(parent: readonly string[], isInline: boolean): void {
    const keyStart = this.at
    const path = [...parent, ...this.key()]
    this.at = this.text.indexOf('=', this.at) + 1
    this.skip()
    const valueStart = this.at
    // Reserved first, so that an inline table comes before its content.
    const index = this.section.pairs.length
    this.value(path)
    this.section.pairs.splice(index, 0, {path, keyStart, valueStart, valueEnd: this.at, isInline})
  }

  /** A key, dotted or not; the TOML reader interprets its quotes and escapes. */
  private key(): string[] {
    const raw = this.match(/[ \t]*(?:(?:"(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*\.?[ \t]*)+/y)
    const steps: string[] = []
    let tree: unknown = parse(`${raw.trim()} = 0`)
    while (typeof tree === 'object' && tree !== null) {
      const [entry] = Object.entries(tree)
      if (!entry) break
      steps.push(entry[0])
      tree = entry[1]
    }
    return steps
  }

  private value(path: readonly string[]): void {
    const {text} = this
    if (text.startsWith('"""', this.at)) this.match(/"""(?:\\[\s\S]|[^\\])*?"{3,5}/y)
    else if (text.startsWith("'''", this.at)) this.match(/'''[\s\S]*?'{3,5}/y)
    else if (text[this.at] === '"') this.match(/"(?:\\.|[^"\\])*"/y)
    else if (text[this.at] === "'") this.match(/'[^']*'/y)
    else if (text[this.at] === '[') this.items(']', () => this.value([...path, '[]']))
    else if (text[this.at] === '{') this.items('}', () => this.pair(path, true))
    else this.match(/[^,\]}#\r\n]*[^,\]}#\s]/y)
  }

  private items(close: string, item: () => void): void {
    this.at += 1
    for (this.skip(); this.at < this.text.length && this.text[this.at] !== close; this.skip()) {
      if (this.text[this.at] === ',') this.at += 1
      else item()
    }
    this.at += 1
  }

  private skip(): void {
    this.match(/(?:\s|#[^\n]*)*/y)
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [found = ''] = pattern.exec(this.text) ?? []
    this.at += found.length
    return found
  }
}
