import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

const names = ['report.json', 'findings.csv', 'report.html'] as const

/** The files of a report as they stand, by name; null for one that is not there. */
export type ReportFiles = Readonly<Record<(typeof names)[number], string | null>> & {
  /** What else lies there: drafts of processes that were killed. */
  readonly drafts: readonly string[]
}

export function readFiles(dir: string): ReportFiles {
  const read = (name: string) => {
    const path = join(dir, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
  const known: readonly string[] = names
  const drafts = existsSync(dir) ? readdirSync(dir).filter((name) => !known.includes(name)) : []
  return {
    'report.json': read(names[0]),
    'findings.csv': read(names[1]),
    'report.html': read(names[2]),
    drafts,
  }
}

/** What is wrong with a report whose writing may have failed: each file is the old one or a whole new one (P16). */
export function judgeFiles(dir: string, before: ReportFiles, wasKilled: boolean): string[] {
  const problems: string[] = []
  const now = readFiles(dir)
  for (const name of names) {
    const text = now[name]
    if (text === before[name]) continue
    if (text === null) problems.push(`${name} is gone (P16)`)
    else if (!isWhole(name, text)) problems.push(`${name} is neither the old one nor whole (P16)`)
  }
  const left = now.drafts.filter((name) => !before.drafts.includes(name))
  if (left.length > 0 && !wasKilled) problems.push(`${left.length} drafts were left behind (P16)`)
  return problems
}

function isWhole(name: (typeof names)[number], text: string): boolean {
  if (name === 'findings.csv') return text.startsWith('\ufeff') && text.endsWith('\r\n')
  if (name === 'report.html') return text.trimEnd().endsWith('</html>')
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}
