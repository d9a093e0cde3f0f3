import {expect, it} from 'vitest'

import {randomFrom} from '../random.ts'
import {paidBody, post, sandboxHome, startListener, storedEvents} from './listener.ts'

const seed = Number(process.env.HISAB_SEED ?? 20_261_120)
const kills = 6
const senders = 8

it(`SIGKILL at ${kills} moments under load: every event that was answered 200 is stored once (seed ${seed})`, async () => {
  const home = sandboxHome()
  const random = randomFrom(seed)
  const acknowledged = new Set<string>()
  const sent: string[] = []
  for (let round = 0; round < kills; round += 1) {
    const listener = await startListener(home)
    const answersUntilKill = acknowledged.size + 1 + Math.floor(random() * 60)
    let isDead = false
    const send = async (): Promise<void> => {
      while (!isDead) {
        const orderNo = `D-${sent.length}`
        sent.push(orderNo)
        const status = await post(listener.url, paidBody(orderNo))
        if (status === 200) acknowledged.add(orderNo)
        else isDead = true
        // Requests of the other senders are on their way, in the middle of being read, stored or answered.
        if (acknowledged.size >= answersUntilKill && !isDead) {
          isDead = true
          process.kill(listener.pid, 'SIGKILL')
        }
      }
    }
    await Promise.all(Array.from({length: senders}, send))
    await listener.ended
  }

  const last = await startListener(home, ['--json'])
  // The service sends again what it got no 200 for, and what it got one for may come again, too.
  const statuses = await Promise.all(sent.map((orderNo) => post(last.url, paidBody(orderNo))))
  expect(new Set(statuses)).toEqual(new Set([200]))
  const {stdout} = await last.stop('SIGINT')
  const {counts} = JSON.parse(stdout) as {counts: {new: number; duplicate: number; conflict: number}}
  expect(counts.new, 'events that were not answered 200 before').toBeLessThanOrEqual(
    sent.length - acknowledged.size,
  )
  expect(counts).toMatchObject({conflict: 0, duplicate: sent.length - counts.new})
  expect(acknowledged.size).toBeGreaterThanOrEqual(kills)

  const stored = await storedEvents(home)
  expect(stored.map(({orderNo}) => orderNo).toSorted()).toEqual(sent.toSorted())
}, 120_000)
