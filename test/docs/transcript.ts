import type {Fence} from './pages.ts'

/** One command of a `console` block and what the page says it prints. */
export interface Step {
  readonly command: string
  /** Line of the page. */
  readonly line: number
  readonly expected: readonly string[]
}

/** The commands of a block: `$ ` begins one, a backslash at the end of its line carries it on. */
export function readSteps({line, lines}: Fence): Step[] {
  const steps: {command: string; line: number; expected: string[]}[] = []
  let isCarriedOn = false
  for (const [index, text] of lines.entries()) {
    const last = steps.at(-1)
    if (isCarriedOn && last) last.command += `\n${text}`
    else if (text.startsWith('$ ')) steps.push({command: text.slice(2), line: line + index, expected: []})
    else if (last) last.expected.push(text)
    else if (text.trim() !== '') throw new Error(`line ${line + index}: output before any command`)
    isCarriedOn = (isCarriedOn || text.startsWith('$ ')) && text.endsWith('\\')
  }
  return steps
}

/** Whether what was printed is what a page shows: `…` stands for any text in a line, alone for any lines. */
export function isAsShown(printed: string, expected: readonly string[]): boolean {
  const pattern = tidy(expected.join('\n'))
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:[^\\n]*\\n)*?'
        : `${line
            .split('…')
            .map((part) => RegExp.escape(part))
            .join('[^\\n]*?')}\\n`,
    )
  return new RegExp(`^${pattern.join('')}$`).test(`${tidy(printed)}\n`)
}

/** Blanks at the ends of lines, and blank lines at both ends, are nothing a reader sees. */
export function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
}

/** A `curl` line as the request it makes. Known: `-s`, `-X`, `-H`, `-d`, `--json`. */
export function readCurl(command: string): {url: string; init: RequestInit} {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|[^\s\\]+/g)].map(
    ([whole, single, double]) => single ?? double ?? whole,
  )
  let url = ''
  let method = ''
  let body: string | null = null
  const headers = new Headers()
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const value = words[at + 1] ?? ''
    if (word === '-s') continue
    if (!word.startsWith('-')) url = word
    else {
      at += 1
      if (word === '-X') method = value
      else if (word === '-H') headers.set(value.split(':')[0] ?? '', value.replace(/^[^:]*:\s*/, ''))
      else if (word === '-d' || word === '--json') body = value
      else throw new Error(`curl ${word}: the transcripts know no such option`)
      if (word === '--json') headers.set('content-type', 'application/json')
    }
  }
  method ||= body === null ? 'GET' : 'POST'
  return {url, init: {method, headers, body}}
}
