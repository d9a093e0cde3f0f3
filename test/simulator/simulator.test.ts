import {afterAll, expect, test} from 'vitest'

import {runCampaign, tellFailed} from './campaign-run.ts'
import {expectedEvents} from './expected-events.ts'
import {makeGround} from './ground.ts'
import {playHistory} from './history.ts'
import {VirtualTime} from './virtual-time.ts'

// The same ones each time, that a push turns red by what it changes; HISAB_SIMULATOR_SEED plays others, and
// campaign.ts new ones.
const histories = Number(process.env.HISAB_SIMULATOR_HISTORIES ?? 2_000)
const seed = Number(process.env.HISAB_SIMULATOR_SEED ?? 20261121)
const enoughToMeetAll = 2_000

const ground = makeGround()
afterAll(() => ground.remove())

test(`${histories} histories of seed ${seed}: none shows what none may`, {timeout: 3_600_000}, async () => {
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

test.each([1, 22, 333, 4_444])('seed %d plays the same history twice, to the letter', async (one) => {
  const [first, second] = [await playHistory(one, ground, true), await playHistory(one, ground, true)]
  expect(second.lines).toEqual(first.lines)
  expect(second.hash).toBe(first.hash)
  expect(first.lines.length).toBeGreaterThan(5)
})

test('other seeds play other histories', async () => {
  const [one, other] = [await playHistory(5, ground), await playHistory(6, ground)]
  expect(one.hash).not.toBe(other.hash)
})

test('a run that waits for what never comes is seen (P17)', async () => {
  const time = new VirtualTime(0)
  await expect(time.play(new Promise(() => {}))).rejects.toThrow('waits for something that never comes')
  time.limitMs = 100
  const tick = () => void time.after(10, tick)
  tick()
  await expect(time.play(new Promise(() => {}))).rejects.toThrow('beyond every bound')
})
