import {describe, expect, test} from 'vitest'

import {type ExitStatus, exitStatusOf, worstStatus} from '../../src/core/failure.ts'
import {buildReport} from '../../src/report/reconcile-report.ts'
import {delivered, facts, paths} from '../report/sample.ts'
import {readSection} from './pages.ts'

const page = 'docs/contract.md'

/** The first `count` cells of each row of a section's tables, heads left out. */
function readRows(heading: string): string[][] {
  return readSection(page, heading)
    .filter((line) => /^\| `/.test(line))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
}

/** The words in backticks of a cell. */
function wordsOf(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
}

test('the codes of failures are those of the code, with their statuses', () => {
  const rows = readRows('### 2.3 Failures')
  expect(Object.fromEntries(rows.map(([code, status]) => [wordsOf(code)[0], Number(status)]))).toEqual(
    exitStatusOf,
  )
})

test('the README has every exit status', () => {
  const listed = readSection('README.md', '### Exit statuses').flatMap((line) =>
    (/^\| ([\d, ]+) \|/.exec(line)?.[1] ?? '').split(', ').filter(Boolean).map(Number),
  )
  expect(listed).toEqual([...new Set([0, ...Object.values(exitStatusOf)])].sort((a, b) => a - b))
})

test('where several statuses apply, the page says which is taken', () => {
  const text = readSection(page, '### 2.4 Exit statuses').join(' ')
  const order = (/the first of ([\d, ]+) is/.exec(text)?.[1] ?? '').split(', ').map(Number) as ExitStatus[]
  expect(order).toHaveLength(10)
  expect(order.map((_, at) => worstStatus(order.slice(at).reverse()))).toEqual(order)
})

describe('the report', () => {
  const report: Record<string, unknown> = JSON.parse(JSON.stringify(buildReport(facts([delivered]), paths)))
  const [finding] = report.findings as Record<string, unknown>[]
  const listed = readRows('### 4.4 Report').map(([keys]) => wordsOf(keys))
  const begin = listed.findIndex((keys) => keys.includes('line'))

  test('has the keys of the page, and no other', () => {
    expect(listed.slice(0, begin).flat().sort()).toEqual(Object.keys(report).sort())
  })

  test('so has a finding', () => {
    expect(listed.slice(begin).flat().sort()).toEqual(Object.keys(finding ?? {}).sort())
  })
})
