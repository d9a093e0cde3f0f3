import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import {fileURLToPath} from 'node:url'
import {beforeAll, describe, expect, test} from 'vitest'

import {describeExits, describeSets} from './closed-sets.ts'
import {describeColumns} from './columns.ts'
import {describeCommands} from './commands.ts'
import {differences} from './differences.ts'
import {makeSchemas} from './schemas.ts'

/**
 * What programs and people rely on, written down: a change of it is seen here and said, never made by accident.
 * `npm run snapshot` writes it anew, formatted; the difference belongs into the commit and docs/CHANGELOG.md.
 */
const dir = fileURLToPath(new URL('.', import.meta.url))
const isUpdate = process.env.UPDATE === '1'
const now = new Map<string, unknown>()

function kept(): string[] {
  return readdirSync(dir, {recursive: true, encoding: 'utf8'}).filter((name) => name.endsWith('.json'))
}

beforeAll(async () => {
  now.set('commands.json', await describeCommands())
  now.set('exits.json', describeExits())
  now.set('sets.json', describeSets())
  now.set('columns.json', describeColumns())
  for (const [words, schema] of Object.entries(makeSchemas())) {
    now.set(`schemas/${words.replaceAll(' ', '-')}.json`, schema)
  }
  if (!isUpdate) return
  for (const name of kept()) if (!now.has(name)) rmSync(`${dir}${name}`)
  for (const [name, document] of now) {
    mkdirSync(dirname(`${dir}${name}`), {recursive: true})
    writeFileSync(`${dir}${name}`, `${JSON.stringify(document)}\n`)
  }
}, 120_000)

test('commands, exit statuses, closed sets and JSON results are as they were written down', () => {
  const changes = [...new Set([...kept(), ...now.keys()])].sort().flatMap((name) => {
    const before = existsSync(`${dir}${name}`) ? JSON.parse(readFileSync(`${dir}${name}`, 'utf8')) : {}
    const after: unknown = JSON.parse(JSON.stringify(now.get(name) ?? {}))
    const lines = differences(before, after).map((line) => `  ${line}`)
    return lines.length === 0 ? [] : [`test/snapshot/${name}`, ...lines]
  })
  expect(
    changes.length === 0,
    `${changes.join('\n')}\n\nIf that is meant: npm run snapshot, and a line in docs/CHANGELOG.md.`,
  ).toBe(true)
})

describe('a difference is named', () => {
  test.each([
    [{a: {default: 1}}, {a: {default: 2}}, ['~ a.default: 1 is now 2']],
    [{a: {}}, {}, ['- a: {}']],
    [{}, {a: {type: 'boolean'}}, ['+ a.type: "boolean"']],
    [{options: ['a', 'b']}, {options: ['b', 'c']}, ['- options has "a"', '+ options has "c"']],
    [{required: ['a', 'b']}, {required: ['b', 'a']}, []],
    [{anyOf: [{type: 'a'}]}, {anyOf: [{type: 'b'}]}, ['~ anyOf.0.type: "a" is now "b"']],
  ])('%j, then %j', (before, after, lines) => {
    expect(differences(before, after)).toEqual(lines)
  })
})
