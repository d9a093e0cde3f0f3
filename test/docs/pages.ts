import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

export const root = new URL('../..', import.meta.url).pathname

/** `README.md` and the pages directly in `docs/`, by path from the root. */
export function listPages(): string[] {
  const docs = join(root, 'docs')
  const names = existsSync(docs) ? readdirSync(docs).filter((name) => name.endsWith('.md')) : []
  return ['README.md', ...names.sort().map((name) => `docs/${name}`)].filter((page) =>
    existsSync(join(root, page)),
  )
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** One fenced block of a page. */
export interface Fence {
  readonly language: string
  /** What follows the language on the fence's line. */
  readonly info: string
  /** Line of the page on which its text begins; the first line is 1. */
  readonly line: number
  readonly lines: readonly string[]
}

export function readFences(page: string): Fence[] {
  const fences: Fence[] = []
  let open: {language: string; info: string; line: number; lines: string[]} | null = null
  for (const [index, text] of readPage(page).split('\n').entries()) {
    const [, language = '', info = ''] = /^```(\S*)\s*(.*)$/.exec(text) ?? []
    if (!text.startsWith('```')) open?.lines.push(text)
    else if (open) {
      fences.push(open)
      open = null
    } else open = {language, info, line: index + 2, lines: []}
  }
  if (open) throw new Error(`${page}:${open.line - 1}: this block is never closed`)
  return fences
}

/** The lines of the section under a heading, without its sub-headings' level being looked at. */
export function readSection(page: string, heading: string): string[] {
  const lines = readPage(page).split('\n')
  const start = lines.indexOf(heading)
  if (start === -1) throw new Error(`${page} has no heading "${heading}"`)
  const level = heading.indexOf(' ')
  const end = lines.findIndex(
    (text, index) => index > start && /^#+ /.test(text) && text.indexOf(' ') <= level,
  )
  return lines.slice(start + 1, end === -1 ? undefined : end)
}

/** The words in backticks in the first cell of each table row: what the tables of a section explain. */
export function readExplained(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^\| `([^`]+)` \|/.exec(line)?.[1] ?? [])
}
