import {expect, it} from 'vitest'

import SandboxChaos from '../../../src/commands/sandbox/chaos.ts'
import {writeFileAtomically} from '../../../src/files/private-files.ts'
import {startSandbox} from '../../../src/sandbox/start.ts'
import {askAt, post, signed} from '../acting-merchant.ts'
import {shellWithChaos} from './played.ts'

/** Which of 200 calls are answered with HTML, under a seed. */
async function befallen(seed: number): Promise<string> {
  const sandbox = await startSandbox({port: 0, dataDir: null, faults: {chaos: ['html=0.1'], seed}})
  let fates = ''
  for (let n = 0; n < 200; n += 1) {
    const {body} = await post(askAt(sandbox.baseUrl), '/pay/order/query', signed({orderNo: 'D-1'}))
    fates += typeof body === 'string' ? 'x' : '.'
  }
  await sandbox.close()
  return fates
}

it('a seed plays the same faults again, another seed others, and a rate is a rate', async () => {
  const first = await befallen(7)
  expect(await befallen(7)).toBe(first)
  expect(await befallen(8)).not.toBe(first)
  expect(first.split('x').length - 1).toBeGreaterThan(8)
  expect(first.split('x').length - 1).toBeLessThan(36)
})

it('faults are set, told and ended while the sandbox runs', async () => {
  const {sandbox, shell} = await shellWithChaos()
  expect((await shell.run(SandboxChaos)).stdout).toBe('No faults are active.\n')
  const script = `${shell.dataDir}/morning.chaos`
  writeFileAtomically(script, '# a bad morning\nhtml=#1\n')
  await shell.run(SandboxChaos, 'drip=#9', '--chaos-file', script, '--seed', '7')
  await post(askAt(sandbox.baseUrl), '/pay/order/query', signed({orderNo: 'D-1'}))
  expect((await shell.run(SandboxChaos)).stdout).toBe(
    'drip=#9\nhtml=#1\n\nseed 7 (--seed 7 plays the same again)\nplayed html 1\n',
  )
  await shell.run(SandboxChaos, '--off')
  expect(sandbox.faults.state()).toMatchObject({chaos: [], played: {}})
})

it.each([
  [['htlm=0.1'], 2, 'There is no fault "htlm". Did you mean html?'],
  [['html=2'], 2, 'html=2: give a rate (0.05) or calls (#2 or #1,#4). A fault is written'],
  [['--chaos-file', '/nowhere/at/all'], 2, 'cannot be read'],
  [['--seed', '7'], 2, 'needs a fault'],
  [['html', '--off'], 2, 'one or the other'],
])('%s is refused, and the faults before stay', async (argv, exitStatus, why) => {
  const {sandbox, shell} = await shellWithChaos('html=#1')
  const {status, stderr} = await shell.run(SandboxChaos, ...argv)
  expect([status, stderr]).toEqual([exitStatus, expect.stringContaining(why)])
  expect(sandbox.faults.state().chaos).toEqual(['html=#1'])
})

it.each([{}, {chaos: 'html'}, {chaos: [7]}, {chaos: ['html'], seed: -1}, {chaos: ['html'], seed: 'x'}])(
  'the address refuses %j',
  async (body) => {
    const {sandbox} = await shellWithChaos()
    expect(await post(askAt(sandbox.url), '/sandbox/faults', body)).toMatchObject({status: 400})
  },
)
