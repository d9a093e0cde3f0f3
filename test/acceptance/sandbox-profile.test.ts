import {existsSync} from 'node:fs'
import {join} from 'node:path'

import {afterEach, beforeEach, expect, it} from 'vitest'

import {openReceiver} from '../sandbox/receiver-server.ts'
import {OwnHome} from './own-home.ts'

let home: OwnHome

beforeEach(() => {
  home = new OwnHome()
})

afterEach(() => home.remove())

const words = 'status = { completed = ["PAID"], open = ["NEW"], failed = ["DEAD"] }'

/** Starts the sandbox, lets `work` use it, and ends it as Ctrl-C would. Answers what it said. */
async function withSandbox(args: readonly string[], work: (url: string) => Promise<void>) {
  const port = 20_000 + (process.pid % 20_000)
  const running = home.start(['sandbox', 'start', '--port', String(port), '--debug', ...args])
  const url = `http://127.0.0.1:${port}`
  try {
    await expect
      .poll(async () => (await fetch(`${url}/sandbox/clock`).catch(() => null))?.status, {timeout: 20_000})
      .toBe(200)
    await work(url)
  } finally {
    process.kill(running.pid, 'SIGINT')
  }
  return await running.ended
}

it('of a live profile it takes the words, and neither credentials nor addresses', async () => {
  const marker = join(home.dir, 'a-secret-was-read')
  home.writeConfig(`
[profiles.live]
merchant_id = "0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01"
base_url = "https://pay.example.com/v1"
apply_url = "https://apply.example.com/v1"
return_url = "https://shop.example.com/webhook"
api_secret = { command = ["touch", "${marker}"] }
api_key = { command = ["touch", "${marker}"] }
${words}

[profiles.rehearsal]
merchant_id = "5a9db0c5-0000-4000-8000-000000000001"
api_secret = { env = "REHEARSAL_SECRET" }
${words}
`)
  const secret = {REHEARSAL_SECRET: 'sandbox-secret-not-for-live-use'}
  const {stdout, stderr} = await withSandbox(['--profile', 'live'], async (url) => {
    const env = {...secret, HISAB_BASE_URL: `${url}/v1`, HISAB_APPLY_URL: `${url}/v1`}
    const create = ['deposit', 'create', '--profile', 'rehearsal', '--order-no', 'D-1']
    const player = [
      '--player-phone',
      '01712345678',
      '--player-ref',
      'p',
      '--return-url',
      'http://127.0.0.1:9/',
    ]
    expect((await home.runHere([...create, ...player, '--test'], env)).status).toBe(0)
    const asked = await home.runHere(['deposit', 'query', 'D-1', '--profile', 'rehearsal', '--json'], env)
    expect(JSON.parse(asked.stdout)).toMatchObject({orders: [{status: 'completed', rawStatus: 'PAID'}]})
  })
  expect(existsSync(marker)).toBe(false)
  expect(stderr).toContain('It is live, so its credentials and addresses are not used.')
  expect(stdout).toContain('5a9db0c5-0000-4000-8000-000000000001')
  expect(stdout + stderr).not.toContain('example.com')
})

it.each([
  [
    'start',
    ['sandbox', 'start', '--port', '0', '--profile', 'live'],
    'would send test webhooks to another machine',
  ],
  ['clock', ['sandbox', 'clock', '--freeze', '--profile', 'live'], 'is not a sandbox'],
  ['chaos', ['sandbox', 'chaos', 'html', '--profile', 'live'], 'is not a sandbox'],
])('%s refuses what would touch a live service', async (_, args, why) => {
  home.writeConfig(`
[profiles.live]
base_url = "https://pay.example.com/v1"
sandbox = { deliver_to = ["https://shop.example.com"] }
`)
  const {status, stderr} = await home.run(args)
  expect(stderr).toContain(why)
  expect(status).toBe(2)
})

it('delivers beyond this machine only where a profile says so', async () => {
  const receiver = await openReceiver()
  // Not a loopback name by its spelling: as far as the sandbox knows, another machine.
  const elsewhere = receiver.url.replace('127.0.0.1', '0.0.0.0')
  home.writeConfig(`[profiles.staging]\nsandbox = { deliver_to = ["${new URL(elsewhere).origin}"] }\n`)
  const play = (profile: string) =>
    withSandbox(['--profile', profile, '--data', join(home.dir, profile)], async (url) => {
      const env = {HISAB_BASE_URL: `${url}/v1`, HISAB_APPLY_URL: `${url}/v1`}
      const create = ['deposit', 'create', '--profile', 'sandbox', '--order-no', profile, '--test']
      const player = ['--player-phone', '01712345678', '--player-ref', 'p', '--return-url', elsewhere]
      expect((await home.runHere([...create, ...player], env)).status).toBe(0)
      await expect
        .poll(
          async () =>
            (await home.runHere(['webhooks', 'list', '--profile', 'sandbox', '--json'], env)).stdout,
          {timeout: 20_000},
        )
        .toMatch(/"attempts": 1/)
    })
  expect((await play('sandbox')).stderr).toContain('the sandbox delivers to this machine only')
  expect(receiver.received).toEqual([])
  await play('staging')
  expect(receiver.received).toHaveLength(1)
  await receiver.close()
})
