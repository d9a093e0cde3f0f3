import {existsSync} from 'node:fs'
import {join} from 'node:path'

import {expect, test} from 'vitest'

import {readSection, root} from './pages.ts'

test('each row of the threat model names the tests that carry the attack out', () => {
  const rows = readSection('SECURITY.md', '## What is protected, and against whom').filter((line) =>
    /^\| (?!Against|---)/.test(line),
  )
  expect(rows.length).toBeGreaterThan(14)
  for (const row of rows) {
    const tests = [...(row.split('|').at(-2) ?? '').matchAll(/`(test\/[^`]+)`/g)].map(
      ([, path]) => path ?? '',
    )
    expect(tests.length, row).toBeGreaterThan(0)
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([])
  }
})
