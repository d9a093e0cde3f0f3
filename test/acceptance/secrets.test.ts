import {readFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, it, test} from 'vitest'

import {root} from '../docs/pages.ts'
import {expectStatus} from './outcome.ts'
import {startScenario} from './scenario.ts'

/** P20, as far as a command line goes; what a hostile service makes of it is in test/hostile. */
describe('no flag takes a secret', () => {
  const manifest = readFileSync(join(root, 'oclif.manifest.json'), 'utf8')
  const commands: Record<string, {flags: Record<string, {env?: string}>}> = JSON.parse(manifest).commands

  test.each(Object.entries(commands))('%s', (_, {flags}) => {
    const named = Object.keys(flags).filter((name) =>
      /secret|api-key|password|passphrase|token|credential/.test(name),
    )
    // These say where a secret lies, or how it is read.
    const places = /-(file|env|command)$|^exact-secret$/
    expect(named.filter((name) => !places.test(name))).toEqual([])
    // oclif would write the value of a flag's variable into its help.
    expect(Object.values(flags).flatMap(({env}) => env ?? [])).toEqual([])
  })

  it.each([
    [['deposit', 'query', '--api-secret=canary-typed', 'D-1']],
    [['webhooks', 'list', '--token', '--json', '--api-key=canary-typed']],
  ])('%j is refused with the way to give it, and not repeated', async (args) => {
    await using scenario = await startScenario({isBuilt: true})
    const outcome = await scenario.machine.run(args)
    expectStatus(outcome, 2)
    const said = `${outcome.stdout}${outcome.stderr}`
    expect(said).toContain('HISAB_API_SECRET_FILE')
    expect(said).not.toContain('canary-typed')
    expect(scenario.service.calls.all).toEqual([])
  })
})

describe('a secret by standard input', () => {
  it('signs as one from a variable does', async () => {
    await using scenario = await startScenario({isBuilt: true})
    const {apiSecret} = scenario.service.merchant
    scenario.service.book.addOrder({kind: 'deposit', number: 'D-1', status: 'completed'})
    const env = {HISAB_API_SECRET: undefined, HISAB_API_SECRET_FILE: '-'}
    const outcome = await scenario.machine.run(['deposit', 'query', 'D-1'], {env, stdin: `${apiSecret}\n`})
    expectStatus(outcome, 0)
    expect(scenario.service.calls.rejected).toEqual([])
  })

  it('that is empty is none', async () => {
    await using scenario = await startScenario({isBuilt: true})
    const env = {HISAB_API_SECRET: undefined, HISAB_API_SECRET_FILE: '-'}
    expectStatus(await scenario.machine.run(['deposit', 'query', 'D-1'], {env}), 3)
    expect(scenario.service.calls.all).toEqual([])
  })
})

it('--debug logs these fields and no others, one JSON object a line', async () => {
  await using scenario = await startScenario({isBuilt: true})
  scenario.addLost('lost')
  const {outcome} = await scenario.reconcile(['--yes', '--debug'])
  const logged = outcome.stderr.split('\n').filter((line) => line.startsWith('{'))
  expect(logged.length).toBeGreaterThan(3)
  const names = new Set(logged.flatMap((line) => Object.keys(JSON.parse(line))))
  expect([...names].sort()).toEqual(['attempt', 'httpStatus', 'operation', 'outcome'])
})
