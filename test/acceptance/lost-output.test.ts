import {spawnSync} from 'node:child_process'
import {closeSync, existsSync, openSync} from 'node:fs'

import {afterAll, beforeAll, describe, expect, it} from 'vitest'

import {binary, OwnHome} from './own-home.ts'

let home: OwnHome
beforeAll(() => {
  home = new OwnHome({HISAB_API_SECRET: 'a secret'})
})
afterAll(() => home.remove())

const ended = 'ended with'
/** Also what oclif and its plugins write themselves. */
const commands: [args: string][] = [
  ['--help'],
  ['help payout'],
  ['deposit create --help'],
  ['--version'],
  ['completion bash'],
  ['sign a=1'],
  ['sign a=1 --json'],
]

/** Runs the binary with one stream on a device that is always full. */
function runFull(args: string, full: 'stdout' | 'stderr') {
  const device = openSync('/dev/full', 'w')
  const {status, stdout, stderr} = spawnSync(process.execPath, [binary, ...args.split(' ')], {
    cwd: home.workDir,
    env: home.env,
    stdio: ['ignore', full === 'stdout' ? device : 'pipe', full === 'stderr' ? device : 'pipe'],
    encoding: 'utf8',
  })
  closeSync(device)
  return {status, stdout, stderr}
}

describe.skipIf(!existsSync('/dev/full'))('a full device', () => {
  it.each(commands)('as stdout of hisab %s is 8 and one sentence (P16)', (args) => {
    const {status, stderr} = runFull(args, 'stdout')
    expect(stderr).toContain('error: The result could not be written to standard output (ENOSPC).\n  try: ')
    expect(stderr).not.toMatch(/^ +at /m)
    expect(status).toBe(8)
  })

  it('as stderr loses the notes and not the work', () => {
    const {status, stdout} = runFull('sign --api-secret=x', 'stderr')
    expect({status, stdout}).toEqual({status: 2, stdout: ''})
    expect(runFull('sign a=1 --debug', 'stderr')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^[0-9a-f]{32}\n$/),
    })
  })
})

it.each(commands)('a reader that went away (hisab %s | true) is no failure', (args) => {
  const script = `"$0" "$@" | true; echo "${ended} $PIPESTATUS" >&2`
  const {stderr} = spawnSync('bash', ['-c', script, process.execPath, binary, ...args.split(' ')], {
    cwd: home.workDir,
    env: home.env,
    encoding: 'utf8',
  })
  expect(stderr).toContain(`${ended} 0\n`)
  expect(stderr).not.toContain('EPIPE')
})

it('an error nobody caught is one sentence without what it carries, and 1', async () => {
  const thrower = `const timer = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return
    clearInterval(timer)
    throw Object.assign(new Error('boom'), {request: 'canary'})
  }, 1)`
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(thrower)}`]
  const {status, stderr} = await home.run(['sandbox', 'start', '--port', '0'], {nodeArgs})
  expect(status).toBe(1)
  expect(stderr).toContain('error: A defect in hisab: boom\n  try: ')
  expect(stderr).not.toMatch(/canary|^ +at /m)
})
