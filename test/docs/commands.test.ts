import {spawnSync} from 'node:child_process'
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {listPages, readFences, readPage, readSection, root} from './pages.ts'

interface Manifest {
  readonly commands: Readonly<Record<string, {readonly flags: Readonly<Record<string, unknown>>}>>
}

/** oclif's list of what there is; `npm run build` writes it. */
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as Manifest
const words = Object.keys(commands).map((id) => id.replaceAll(':', ' '))
const ours = words.filter((id) => !/^(help|complete$)/.test(id))
const known = new Set([...words, 'help'])
const flags = new Set([
  ...Object.values(commands).flatMap((command) => Object.keys(command.flags)),
  'help',
  'version',
])

const pages = [
  ...listPages(),
  ...readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`),
]

/** What a page gives as code: spans in backticks, and its fenced blocks but for those that show output. */
function readCode(page: string): string[] {
  const fenced = readFences(page).flatMap(({language, lines}) =>
    language === 'console' ? lines.filter((line) => line.startsWith('$ ')) : lines,
  )
  const prose = readPage(page).replace(/^```[\s\S]*?^```/gm, '')
  return [...fenced, ...[...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)]
}

/** Flags of podman and docker in docs/operating.md. */
const ofContainers = new Set('rm read-only cap-drop security-opt user env-file secret build-arg'.split(' '))
const nouns = new Set(words.flatMap((id) => (id.includes(' ') ? id.split(' ').slice(0, 1) : [])))

/** Commands a table names: whole, or by the verb alone after another of the same noun. */
function commandsIn(lines: readonly string[]): Set<string> {
  let noun = ''
  const codes = lines.flatMap((line) => [...line.matchAll(/`(?:hisab )?([^` ]+) ?([^` ]*)[^`]*`/g)])
  return new Set(
    codes.flatMap(([, first = '', second = '']) => {
      if (nouns.has(first)) noun = first
      return [first, `${first} ${second}`, `${noun} ${first}`]
    }),
  )
}

test('the README lists every command', () => {
  const rows = readSection('README.md', '## Use it').filter((text) => text.startsWith('| `hisab '))
  const listed = commandsIn(rows.map((row) => row.split(' | ')[0] ?? ''))
  expect(ours.filter((id) => !listed.has(id))).toEqual([])
})

test('the contract says what the document of every command has; the sandbox has a page of its own', () => {
  const listed = commandsIn(readSection('docs/contract.md', '### 2.2 JSON'))
  expect(ours.filter((id) => !/^(sandbox|demo)/.test(id) && !listed.has(id))).toEqual([])
})

describe.each(pages)('%s', (page) => {
  const code = readCode(page)

  test('names only commands there are', () => {
    const named = code.flatMap((text) =>
      [...text.matchAll(/^\s*(?:\$ )?(?:[A-Z_]+=\S* )*hisab ((?:[a-z]+(?:-[a-z]+)* ?){1,2})/g)].map(
        ([, words = '']) => words.trim(),
      ),
    )
    const isKnown = (words: string) => known.has(words) || known.has(words.split(' ')[0] ?? '')
    expect(named.filter((words) => !isKnown(words))).toEqual([])
  })

  test('names only flags there are', () => {
    const named = code
      .filter((text) => !/^(\$ curl|npm) /.test(text))
      .flatMap((text) => [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name = '']) => name))
    expect(named.filter((name) => !flags.has(name) && !ofContainers.has(name))).toEqual([])
  })

  test('has shell that parses', () => {
    for (const {language, lines, line} of readFences(page)) {
      if (language !== 'sh') continue
      const {status, stderr} = spawnSync('sh', ['-n'], {input: lines.join('\n'), encoding: 'utf8'})
      expect({status, stderr}, `${page}:${line}`).toEqual({status: 0, stderr: ''})
    }
  })
})
