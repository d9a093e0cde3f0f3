import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

const src = join(import.meta.dirname, '../../../src')
const statement = /^(?:import|export)\s(?!type\s)[^']*?from '(?:pg|[^']*\/postgres\/[^']*)'/m

test('nothing loads the driver of the shared journal, but what was asked for one', () => {
  const outside = globSync('**/*.ts', {cwd: src}).filter((path) => !path.startsWith('journal/postgres/'))
  const loads = outside.filter((path) =>
    readFileSync(join(src, path), 'utf8')
      .split(/^(?=import|export)/m)
      .some((text) => statement.test(text)),
  )
  expect(loads).toEqual([])
})
