import {readdirSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'

import {resendStates} from '../../src/core/reconcile/finding.ts'
import {actions, causes, verdicts} from '../../src/core/reconcile/verdict.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {readScenario, rewriteFindings, sectionOf} from '../scenarios/read-scenario.ts'
import {ScenarioBench, showRun} from './scenario-run.ts'

const folder = fileURLToPath(new URL('../scenarios/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'))
const advice =
  'If the new text is right: UPDATE=1 npx vitest run --config test/vitest.config.ts test/workflows/scenarios'

test.each(names)('%s', async (name) => {
  const scenario = readScenario(`${folder}${name}`)
  const bench = new ScenarioBench(scenario)
  const {nights, hoursBetween} = bench.options
  for (let night = 1; night < nights; night++) {
    await bench.run(`run-${night}`)
    bench.clock.ms += hoursBetween * hourMs
  }
  const shown = showRun(await bench.run(`run-${nights}`), bench.client.calls).replaceAll(`${bench.dir}/`, '')
  if (process.env.UPDATE) rewriteFindings(scenario, shown)
  else expect(shown, advice).toBe(sectionOf(scenario, 'findings.txt'))
})

describe('every cell has a scenario somebody can read', () => {
  const shown = names.map((name) => sectionOf(readScenario(`${folder}${name}`), 'findings.txt')).join('\n')
  const said = new Set(
    [...shown.matchAll(/\): (\w+)(?:, (\w+))?; (\w+)(?: -> (\w+))?$/gm)].flatMap((all) => all.slice(1)),
  )

  test.each([
    ['verdicts', verdicts],
    ['causes', causes],
    ['actions', actions],
    ['resend states', resendStates],
  ])('%s', (_what, words) => {
    expect(
      words.filter((word) => !said.has(word)),
      'write a scenario that shows it',
    ).toEqual([])
  })
})
