import {readdirSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

import {readScenario, rewriteFindings, sectionOf} from '../scenarios/read-scenario.ts'
import {ScenarioBench, showRun} from './scenario-run.ts'

const folder = fileURLToPath(new URL('../scenarios/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'))
const advice =
  'If the new text is right: UPDATE=1 npx vitest run --config test/vitest.config.ts test/workflows/scenarios'

test.each(names)('%s', async (name) => {
  const scenario = readScenario(`${folder}${name}`)
  const bench = new ScenarioBench(scenario)
  const shown = showRun(await bench.run('run-1'), bench.client.calls).replaceAll(`${bench.dir}/`, '')
  if (process.env.UPDATE) rewriteFindings(scenario, shown)
  else expect(shown, advice).toBe(sectionOf(scenario, 'findings.txt'))
})
