import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {dirname, join, normalize} from 'node:path'

import {root} from './pages.ts'

/** One place in the repository that sends a reader to another. */
export interface Reference {
  readonly kind: 'number' | 'section' | 'page' | 'link' | 'file' | 'decision' | 'history'
  /** As it stands there. */
  readonly text: string
  /** Null where it resolves, else what is wrong. */
  readonly wrong: string | null
}

const readable = /\.(?:ts|js|cjs|mjs|css|sh|py|md)$|^\.ci\//
/** Published texts of others, and data. */
const foreign = /^(?:test\/vectors\/|docs\/images\/)/
const folders = ['src', 'test', 'docs', 'build', 'bin', '.ci']

/** Every file whose references are looked at, by path from the root. */
export function listReferringFiles(): string[] {
  const below = folders.flatMap((folder) =>
    readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
  )
  return ['README.md', ...below].filter((path) => readable.test(path) && !foreign.test(path)).sort()
}

/** All references of one file. `path` is from the root. */
export function readReferences(path: string, text: string): Reference[] {
  const isPage = path.endsWith('.md')
  const prose = isPage ? proseOf(text) : commentsOf(path, text)
  return [
    ...numbersIn(isPage ? prose.replaceAll(/`[^`\n]*`/g, '') : prose),
    ...(isPage ? [] : citationsIn(text)),
    ...sectionsIn(isPage ? prose.replaceAll(/\[[^\]]*\](?=\()/g, '') : joinLines(text)),
    ...(isPage ? linksIn(path, prose) : pagesIn(path, prose)),
    ...filesIn(path, isPage ? spansOf(prose) : prose),
    ...[...prose.matchAll(/\bdecision (\d{4})\b/g)].map(([whole, number = '']) =>
      reference(
        'decision',
        whole,
        decisions.some((name) => name.startsWith(number)),
        'no such decision',
      ),
    ),
    ...[...prose.matchAll(/\b[Hh]istory ([A-Z]\d+\.\d+)\b/g)].map(([whole, name = '']) =>
      reference('history', whole, histories.includes(`\n| ${name} |`), 'no such history in the simulator'),
    ),
  ]
}

const decisions = readdirSync(join(root, 'docs/decisions'))
const histories = read('test/simulator/README.md')

function reference(kind: Reference['kind'], text: string, isRight: boolean, wrong: string): Reference {
  return {kind, text, wrong: isRight ? null : wrong}
}

/** A page without its fenced blocks. */
function proseOf(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```/gm, '')
}

/** The spans in backticks of a page, one a line. */
function spansOf(prose: string): string {
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span).join('\n')
}

/** What stands in a file's comments, a comment of several lines as one. */
function commentsOf(path: string, text: string): string {
  const hash = /\.(?:sh|py)$|^\.ci\//.test(path)
  const pattern = hash ? /^\s*#.*$/gm : /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm
  return joinLines([...text.matchAll(pattern)].map(([comment]) => comment.trim()).join('\n'))
}

/** A reference may go on in the next line of its comment. */
function joinLines(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\*|\/\/)[ \t]/g, ' ')
}

const numbered = /(?<![\w-])[PAI]\d{1,2}[a-z]?(?![\w-]|\.\d)/g

const known: ReadonlySet<string> = new Set(
  ['docs/promises.md', 'docs/assumptions.md', 'docs/ARCHITECTURE.md'].flatMap((page) =>
    [...read(page).matchAll(/^\| ([PAI]\d{1,2}[a-z]?) \|/gm)].map(([, number = '']) => number),
  ),
)

/** Promises, assumptions and invariants by number: P6, A5b, I2. */
function numbersIn(prose: string): Reference[] {
  return [...prose.matchAll(numbered)].map(([number]) =>
    reference('number', number, known.has(number), 'no promise, assumption or invariant has this number'),
  )
}

/** The same in the titles of tests and in what a planted change breaks, where it stands in brackets or quotes alone. */
function citationsIn(code: string): Reference[] {
  const groups = code.matchAll(/\(([PA]\d{1,2}[a-z]?(?:, [PA]\d{1,2}[a-z]?)*)\)|breaks: '(P[^']*)'/g)
  return [...groups].flatMap(([, bracketed, broken]) => numbersIn(bracketed ?? broken ?? ''))
}

const sectionsOf = {
  service: numbersOfHeadings('docs/service.md'),
  document: numbersOfHeadings('docs/service.md'),
  contract: numbersOfHeadings('docs/contract.md'),
}

function numbersOfHeadings(page: string): ReadonlySet<string> {
  return new Set([...read(page).matchAll(/^#+ (\d+(?:\.\d+)?)\b/gm)].map(([, number = '']) => number))
}

/** Sections by number: "service §4.5", "contract §2.4, §4.1", and those of standards, which stand elsewhere. */
function sectionsIn(text: string): Reference[] {
  const lists = text.matchAll(/(\w+ ?)?(§\d+(?:\.\d+)*)((?:(?:,| and| to)? §\d+(?:\.\d+)*)*)/g)
  return [...lists].flatMap(([whole, word = '', first = '', others = '']) => {
    if (/^(?:\d+|Standard) $/.test(word)) return []
    const sections = sectionsOf[word.trim().toLowerCase() as keyof typeof sectionsOf]
    if (!sections) return reference('section', whole, false, 'of which page? say service or contract')
    return [...`${first}${others}`.matchAll(/§(\d+(?:\.\d+)?)/g)].map(([section, number = '']) =>
      reference('section', `${word}${section}`, sections.has(number), 'the page has no such section'),
    )
  })
}

/** Pages that a comment names. */
function pagesIn(path: string, prose: string): Reference[] {
  return [...prose.matchAll(/(?<![\w/.*-])((?:[\w.-]+\/)*[\w-]+\.md)(#[\w-]+)?/g)].map(
    ([whole, page = '', anchor]) => {
      const places = [page, join(dirname(path), page)]
      const found = places.find((place) => existsSync(join(root, place)))
      return resolved('page', whole, found, anchor)
    },
  )
}

/** Links between pages, with their anchors. */
function linksIn(path: string, prose: string): Reference[] {
  return [...prose.matchAll(/\]\(([^)#:\s]*)(#[^)\s]*)?\)/g)].map(([whole, target = '', anchor]) => {
    const page = target === '' ? path : normalize(join(dirname(path), target))
    return resolved('link', whole, existsSync(join(root, page)) ? page : undefined, anchor)
  })
}

function resolved(
  kind: 'page' | 'link',
  text: string,
  page: string | undefined,
  anchor: string | undefined,
): Reference {
  if (page === undefined) return reference(kind, text, false, 'there is no such page')
  const isThere = anchor === undefined || anchorsOf(page).has(anchor)
  return reference(kind, text, isThere, `${page} has no such heading`)
}

/** What GitHub makes of the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...proseOf(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  const slugs = headings.map((heading) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(slugs.map((slug) => `#${slug}`))
}

const ours = /(?<![\w./-])(?:src|test|build|bin|\.ci)\/[\w./-]*[\w/]/g
const files = listReferringFiles()

/** Files of the repository: a whole path has to be there; a part of a path in a page has to end some file's. */
function filesIn(path: string, text: string): Reference[] {
  const paths = [...text.matchAll(ours)].map(([file]) =>
    reference('file', file, existsSync(join(root, file)), 'there is no such file'),
  )
  if (!path.endsWith('.md')) return paths
  const names = [...text.matchAll(/(?<![\w./*-])(?!dist\/)(?:[\w-]+\/)*[\w-]+(?:\.test)?\.(?:ts|cjs|mjs)$/gm)]
  return [
    ...paths,
    ...names.map(([whole]) =>
      reference(
        'file',
        whole,
        files.some((file) => `/${file}`.endsWith(`/${whole}`)),
        'no file has this name',
      ),
    ),
  ]
}

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}
