import {fileURLToPath} from 'node:url'

import {Command} from '@oclif/core/command'
import {Config} from '@oclif/core/config'
import {expect, test} from 'vitest'

import {waitFlag} from '../../src/cli/flags.ts'
import {confirm} from '../../src/cli/prompt.ts'
import {type WrittenInstant, windowFlags} from '../../src/cli/time-flag.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)

class Probe extends Command {
  static override flags = {since: windowFlags.since, wait: waitFlag}

  async run(): Promise<{since?: WrittenInstant | undefined; wait: number}> {
    return (await this.parse(Probe)).flags
  }
}

async function read(...argv: string[]) {
  const config = new Config({root: fileURLToPath(new URL('../..', import.meta.url))})
  await config.load()
  return await new Probe(argv, config).run()
}

test.each([
  ['2026-11-20', '2026-11-19T18:00:00.000Z'],
  ['2026-11-20T14:30', '2026-11-20T08:30:00.000Z'],
  ['2026-11-20T14:30:05+02:00', '2026-11-20T12:30:05.000Z'],
  ['2026-11-20T14:30Z', '2026-11-20T14:30:00.000Z'],
  ['24h', '2026-11-20T12:00:00.000Z'],
  ['7d', '2026-11-14T12:00:00.000Z'],
  ['30m', '2026-11-21T11:30:00.000Z'],
])('--since %s at noon UTC, in the time of Dhaka', async (text, expected) => {
  const {since} = await read('--since', text)
  expect(new Date(since?.resolve('Asia/Dhaka', nowMs) ?? 0).toISOString()).toBe(expected)
})

test.each(['yesterday', '2026-02-30', '2026-13-01', '24', '-3h', '1.5h', '২৪h'])(
  '--since %s is refused with what may be written',
  async (text) => {
    await expect(read(`--since=${text}`)).rejects.toThrow('is not a time. Write 2026-11-20')
  },
)

test.each([
  ['0s', 0],
  ['60s', 60_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
])('--wait %s', async (text, ms) => {
  expect((await read('--wait', text)).wait).toBe(ms)
})

test('--wait 60 has no unit and is refused', async () => {
  await expect(read('--wait', '60')).rejects.toThrow('is not a length of time')
  expect((await read()).wait).toBe(60_000)
})

test('a question without a terminal has no answer, and is not asked', async () => {
  expect(await confirm('Pay?')).toBeNull()
})
