import {readdirSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {beforeAll, describe, expect, test} from 'vitest'

import {resendStates} from '../../src/core/reconcile/finding.ts'
import {actions, causes, deliveryCauses, verdicts} from '../../src/core/reconcile/verdict.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {readScenario, rewriteFindings, sectionOf} from '../scenarios/read-scenario.ts'
import {ScenarioBench, showRun} from './scenario-run.ts'

const folder = fileURLToPath(new URL('../scenarios/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'))
const advice = 'If the new text is right: npm run scenarios'

test.each(names)('%s', async (name) => {
  const scenario = readScenario(`${folder}${name}`)
  const bench = new ScenarioBench(scenario)
  const {runs, hoursBetween} = bench.options
  for (let run = 1; run < runs; run++) {
    await bench.run(`run-${run}`)
    bench.clock.ms += hoursBetween * hourMs
  }
  const next = scenario.sections.get('next-ledger.csv')
  if (next !== undefined) bench.rewrite(next)
  const shown = showRun(await bench.run(`run-${runs}`), bench.client.calls).replaceAll(`${bench.dir}/`, '')
  if (process.env.UPDATE) rewriteFindings(scenario, shown)
  else expect(shown, advice).toBe(scenario.sections.get('findings.txt') ?? '')
})

describe('every cell has a scenario somebody can read', () => {
  let shown = ''
  // Read once the scenarios above have written down what comes of them.
  beforeAll(() => {
    shown = names.map((name) => sectionOf(readScenario(`${folder}${name}`), 'findings.txt')).join('\n')
  })

  test.each([
    ['verdicts', verdicts],
    ['causes', causes],
    ['actions', actions],
    ['resend states', resendStates],
  ])('%s', (_what, words) => {
    const lines = shown.matchAll(/\): (\w+)(?:, (\w+))?; (\w+)(?: -> (\w+))?$/gm)
    const said = new Set([...lines].flatMap((all) => all.slice(1)))
    expect(
      words.filter((word) => !said.has(word)),
      'write a scenario that shows it',
    ).toEqual([])
  })

  const ledgerStates = ['completed', 'open', 'failed', 'no-row']
  const serviceStates = ['completed', 'other-amount', 'open', 'failed', 'absent', 'unknown-word', 'no-answer']

  // There a number says its cell, so that what a cell comes to is read off its line.
  test.each(['verdict-table.txt', 'verdict-table-of-payouts.txt'])('each cell of %s', (name) => {
    const scenario = readScenario(`${folder}${name}`)
    const numbers = [
      ...sectionOf(scenario, 'ledger.csv').split('\n').slice(1),
      ...[...sectionOf(scenario, 'deliveries.json').matchAll(/"orderNo": "([^"]*)"/g)].map(([, no]) => no),
    ].map((row) => row?.split(',')[0])
    const cells = ledgerStates.flatMap((ours) => serviceStates.map((theirs) => `${ours}.${theirs}`))
    expect(cells.filter((cell) => !numbers.includes(cell))).toEqual([])
  })

  test.each(['deposit', 'payout'])('each cause of a missing completion, %s', (kind) => {
    const seen = new Set(
      [...shown.matchAll(/\((\w+)\): missing_completion, (\w+);/g)]
        .filter(([, of]) => of === kind)
        .map(([, , cause]) => cause),
    )
    expect(deliveryCauses.filter((cause) => !seen.has(cause))).toEqual([])
  })

  // Such an order is found by its record: there is one, and it was read.
  const notOfMissing = ['resend_unavailable', 'delivery_unknown']
  test('each cause of an order missing in the ledger', () => {
    const seen = new Set([...shown.matchAll(/: missing_in_ledger, (\w+);/g)].map(([, cause]) => cause))
    expect(deliveryCauses.filter((cause) => !seen.has(cause))).toEqual(notOfMissing)
  })
})
