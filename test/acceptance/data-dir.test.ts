import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {expectStatus} from './outcome.ts'
import {startScenario} from './scenario.ts'

const payout = (number: string) => [
  ...['payout', 'create', '--order-no', number, '--amount', '500.00', '--bank-type', 'BKASH', '--yes'],
  ...['--user-name', 'Rahim Uddin', '--account', '01712345678'],
]

describe.concurrent('a data directory that is not a whole path (P14)', () => {
  it('HISAB_DATA_DIR: refused, with the path to write, and nothing is sent', async () => {
    await using scenario = await startScenario({isBuilt: true})
    const {machine, service} = scenario
    const ran = await machine.run(payout('P-1'), {env: {HISAB_DATA_DIR: 'data'}})
    expect([ran.status, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/Write the full path: HISAB_DATA_DIR=\/.*data/),
    ])
    expect(service.book.orders.size).toBe(0)
  })

  it('XDG_DATA_HOME: ignored, so that two working folders have one memory', async () => {
    await using scenario = await startScenario({isBuilt: true})
    const {machine, service} = scenario
    const env = {HISAB_DATA_DIR: undefined, XDG_DATA_HOME: 'share', HOME: machine.dataDir}
    const script = (number: string, cwd: string) =>
      machine.run(payout(number), {env, under: ['sh', '-c', 'cd "$0" && exec "$@"', cwd]})
    expectStatus(await script('P-1', machine.workDir), 0)
    expectStatus(await script('P-2', '/'), 2)
    expect(service.book.orders.size).toBe(1)
    expect(readdirSync(join(machine.dataDir, '.local/share/hisab'))).toContain('journal')
    expect(existsSync(join(machine.workDir, 'share'))).toBe(false)
  })
})
