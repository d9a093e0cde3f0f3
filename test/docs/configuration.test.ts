import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

import {parse} from 'smol-toml'
import {describe, expect, test} from 'vitest'
import {z} from 'zod'

import {defaultLimits, limitsOf} from '../../src/api/limits.ts'
import {configSchema} from '../../src/config/schema.ts'
import {assumptionsOf, defaultDialect} from '../../src/core/dialect.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import {load} from '../config/load.ts'
import {readFences, readPage, root} from './pages.ts'

const page = 'docs/configuration.md'
const blocks = readFences(page).filter(({language}) => language === 'toml')
const reference = blocks[0]?.lines.join('\n') ?? ''

/** Every key of the file's shape as a path; the name of a profile is `live`. */
function pathsOf(schema: unknown, path: string): string[] {
  if (schema instanceof z.ZodOptional) return pathsOf(schema.unwrap(), path)
  if (schema instanceof z.ZodRecord) return pathsOf(schema.valueType, `${path}.live`)
  if (!(schema instanceof z.ZodObject)) return [path]
  return Object.entries(schema.shape).flatMap(([key, inner]) => pathsOf(inner, `${path}.${key}`))
}

function valueAt(tree: unknown, path: string): unknown {
  let at = tree
  for (const step of path.split('.').slice(1)) at = (at as Record<string, unknown> | undefined)?.[step]
  return at
}

describe('the reference block', () => {
  test.each(pathsOf(configSchema, ''))('has %s', (path) => {
    expect(valueAt(parse(reference), path)).toBeDefined()
  })

  test('states the defaults: read, it changes nothing', async () => {
    const {profile} = await load({toml: reference})
    expect(profile.dialect).toEqual(defaultDialect)
    const words = (lists: Readonly<Record<string, readonly string[]>>) =>
      Object.entries(lists).map(([state, list]) => [state, [...new Set(list)].sort()])
    expect(words(profile.ledger.status)).toEqual(words(defaultLedgerMapping.status))
    expect(profile.ledger.timeZone).toBe(defaultLedgerMapping.timeZone)
    expect(limitsOf(profile.timeouts)).toEqual(defaultLimits)
    for (const [column, header] of Object.entries(profile.ledger.columns)) expect(header).toBe(column)
  })
})

test.each(blocks.map(({line, lines}) => ({line, toml: lines.join('\n')})))(
  'the TOML of line $line loads',
  async ({toml}) => {
    const [name] = Object.keys((parse(toml).profiles ?? {}) as object)
    const {profile, warnings} = await load({toml, profileFlag: name ?? 'none', needs: 'signing'})
    expect(profile.name).toBe(name)
    expect(warnings).toEqual([])
  },
)

test('the assumptions are those of the code, in its words', () => {
  const rows = [...readPage('docs/assumptions.md').matchAll(/^\| (A\d+b?) \| (.+?) \| (.+?) \| [^|]+ \|$/gm)]
  expect(rows.map(([, id, what, value = '']) => ({id, what, value: value.replaceAll('\\|', '|')}))).toEqual(
    assumptionsOf(defaultDialect),
  )
})

test('the variables are those the code reads, and the folder oclif reads', () => {
  const sources = readdirSync(join(root, 'src'), {recursive: true, encoding: 'utf8'})
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
  const namesIn = (text: string) => [...text.matchAll(/\bHISAB_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  const listed = [...readPage(page).matchAll(/^\| `(HISAB_[A-Z_]+)` \|/gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual([...new Set([...sources.flatMap(namesIn), 'HISAB_CONFIG_DIR'])].sort())
})
