import {execFile} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'

import {expect, test} from 'vitest'

import {runCampaign, tellFailed} from './campaign-run.ts'
import {expectedEvents} from './expected-events.ts'
import {Stuck, VirtualTime} from './virtual-time.ts'

// The same ones each time, that a push turns red by what it changes; HISAB_SIMULATOR_SEED plays others, and
// campaign.ts new ones.
const histories = Number(process.env.HISAB_SIMULATOR_HISTORIES ?? 120)
const seed = Number(process.env.HISAB_SIMULATOR_SEED ?? 20261122)
const enoughToMeetAll = 120

test(`${histories} histories of seed ${seed}: none shows what none may`, {
  timeout: 3_600_000,
}, async () => {
  const {played, failed, counts} = await runCampaign(histories, seed)
  const again = `\nAll of them again: HISAB_SIMULATOR_SEED=${seed} HISAB_SIMULATOR_HISTORIES=${histories} npx vitest run --config test/vitest.config.ts test/simulator`
  expect(failed.map(tellFailed).join('\n\n'), again).toBe('')
  expect(played).toBe(histories)
  if (histories < enoughToMeetAll) return
  expect(
    expectedEvents.filter((event) => !counts.has(event)),
    `never tried with seed ${seed}`,
  ).toEqual([])
})

/** A history as its own process plays it: in this one, hisab's clocks and files would be vitest's as well. */
async function replay(seed: number): Promise<string> {
  const program = fileURLToPath(new URL('replay.ts', import.meta.url))
  try {
    return (await promisify(execFile)(process.execPath, [program, `${seed}`])).stdout
  } catch (error) {
    return String((error as {stdout?: string}).stdout)
  }
}

test('a seed plays the same history twice, to the letter', {timeout: 120_000}, async () => {
  const [first = '', second] = await Promise.all([replay(333), replay(333)])
  expect(second).toBe(first)
  expect(first.split('\n').length).toBeGreaterThan(5)
})

test('a run that waits for what never comes is seen (P17)', async () => {
  const time = new VirtualTime(0)
  await expect(time.play(new Promise(() => {}))).rejects.toThrow(Stuck)
  time.limitMs = 100
  const tick = () => void time.after(10, tick)
  tick()
  await expect(time.play(new Promise(() => {}))).rejects.toThrow('beyond every bound')
})
