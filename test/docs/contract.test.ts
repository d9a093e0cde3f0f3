import {describe, expect, test} from 'vitest'

import {exitStatusOf} from '../../src/core/failure.ts'
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
