import {expect, test} from 'vitest'

import {blockText, fieldsText} from '../../src/report/fields-text.ts'

test('an answer of a megabyte is shown in a page, and how much more there is', () => {
  const wide = Object.fromEntries(Array.from({length: 130_000}, (_, n) => [`f${n}`, 1]))
  const shown = fieldsText({['n'.repeat(500_000)]: 'x'.repeat(500_000), ...wide})
  expect(shown.length).toBeLessThan(50_000)
  expect(shown).toMatch(/… and 129801 fields more; --json shows them\.$/)
  let deep: unknown = wide
  for (let depth = 0; depth < 30; depth += 1) deep = [deep]
  expect(blockText(deep).length).toBeLessThan(300_000)
})
