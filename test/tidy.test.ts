import {describe, expect, test} from 'vitest'

import {codeOf, type SourceFile, sourceFiles} from './source-files.ts'

const linesMax = 400
const bannedNames = [
  'utils',
  'util',
  'helpers',
  'helper',
  'common',
  'misc',
  'manager',
  'shared',
  'service',
  'services',
  'lib',
]
const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Folders whose code is a function of its arguments: a clock, a random source or a process is passed in. */
const pure = /^(?:core|report|workflows)\//
const impure: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Date.now', /\bDate\.now\b/],
  ['new Date()', /\bnew Date(?:\s*\(\s*\)|(?!\s*\())|(?<!new )\bDate\(/],
  ['performance.now', /\bperformance\b/],
  ['Math.random', /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/],
  ['a timer', /\bset(?:Timeout|Interval|Immediate)\b|node:timers/],
  ['process', /\bprocess\b/],
  ['console', /\bconsole\b/],
  ['fetch', /\bfetch\s*\(/],
]

const files = sourceFiles()

function impurities({path, text}: SourceFile): string[] {
  const code = codeOf(text)
  return impure.filter(([, pattern]) => pattern.test(code)).map(([name]) => `${path}: ${name}`)
}

test('core, report and workflows have no clock, no randomness and no process of their own', () => {
  expect(files.filter(({path}) => pure.test(path)).flatMap(impurities)).toEqual([])
})

describe('the test sees', () => {
  test.each([
    'const a = Date.now()',
    'const a = new Date()',
    'const a = new Date',
    'const a = Date()',
    'const a = Math.random()',
    'const a = randomUUID()',
    'setTimeout(a, 5)',
    'process.stderr.write(a)',
    'const {env} = process',
    'console.log(a)',
    'await fetch(a)',
  ])('%s', (text) => {
    expect(impurities({path: 'core/a.ts', text})).toHaveLength(1)
  })

  test.each([
    'new Date(ms).toISOString()',
    '// Date.now() is handed in',
    "a('process')",
    'const processed = 1',
  ])('nothing wrong in: %s', (text) => {
    expect(impurities({path: 'core/a.ts', text})).toEqual([])
  })
})

test(`no file is longer than ${linesMax} lines`, () => {
  const long = files.map(({path, text}) => ({path, lines: text.split('\n').length - 1}))
  expect(long.filter(({lines}) => lines > linesMax)).toEqual([])
})

test('names are kebab-case and say what is in them', () => {
  const names = files.flatMap(({path}) =>
    path
      .replace(/\.ts$/, '')
      .split('/')
      .map((name) => ({path, name})),
  )
  expect(names.filter(({name}) => !kebab.test(name) || bannedNames.includes(name))).toEqual([])
})

const commands = files.filter(({path}) => path.startsWith('commands/'))

test.each(commands.map(({path}) => path))('src/%s says what it does, with an example', async (path) => {
  const {default: Command} = await import(new URL(`../src/${path}`, import.meta.url).href)
  expect(Command.summary).toMatch(/^[A-Z].*\.$/)
  expect(Command.description?.trim().length ?? 0, 'its description').toBeGreaterThan(20)
  expect(Command.examples?.length ?? 0, 'its examples').toBeGreaterThan(0)
  for (const [name, {summary, description, hidden}] of Object.entries<Record<string, unknown>>(
    Command.flags ?? {},
  )) {
    expect(hidden || summary || description, `--${name} has no summary`).toBeTruthy()
  }
})
