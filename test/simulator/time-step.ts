import type {Counts} from './counts.ts'
import type {Dice} from './dice.ts'
import type {History} from './history.ts'
import {seedOrder} from './seeded-world.ts'
import type {DeliveryRecord, World} from './world.ts'

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs

/** Minutes, hours or days go by: orders come in, the merchant's server goes down or comes back. */
export function letTimePass({site, dice}: History): void {
  const {world, time, trace, counts} = site
  const passes = dice.pick([1, 1, 10, 45, 45, 240, 600, 600, 1_440, 2_880]) * minuteMs + dice.int(0, 59_999)
  if (dice.chance(0.3)) {
    const fromMs = time.nowMs + dice.int(-60, 60) * minuteMs
    world.outages.push({fromMs, toMs: fromMs + dice.int(5, 900) * minuteMs})
    trace.say("the merchant's server is going to be down for a while")
    counts.add('outages of the merchant')
  }
  if (passes > dayMs / 4) {
    const records: DeliveryRecord[] = []
    for (let more = dice.int(0, 2); more > 0; more--) {
      seedOrder(world, records, dice, time.nowMs + dice.int(0, passes - 30 * minuteMs))
    }
    records.sort((a, b) => a.createdMs - b.createdMs)
    for (const record of records) world.addRecord(record, dice)
  }
  time.moveTo(time.nowMs + passes)
  if (site.told !== world.spoken && dice.chance(0.5)) {
    site.told = world.spoken
    counts.add('profiles that were mended')
  }
  if (dice.chance(0.2)) correctBooks(world, dice, counts)
  if (dice.chance(0.08)) forgetOldest(world, dice, counts)
  if (dice.chance(0.05) && world.listOrder !== 'mixed') {
    world.listOrder = 'mixed'
    counts.add('lists that stood in order and do not any more')
  }
  trace.say(`${Math.round(passes / minuteMs)} minutes later`)
}

/** Somebody writes another amount in the books, or takes it out of them. */
function correctBooks({books}: World, dice: Dice, counts: Counts): void {
  const row = dice.pick(books)
  if (!row || row.damage !== null) return
  row.amount = dice.chance(0.3) ? null : (row.amount ?? 0n) + BigInt(dice.int(1, 5_000))
  counts.add('amounts changed in the books')
}

/** The service keeps its records for so long and no longer. */
function forgetOldest(world: World, dice: Dice, counts: Counts): void {
  const oldest = world.records.toSorted((a, b) => a.createdMs - b.createdMs).slice(0, dice.int(1, 4))
  world.records = world.records.filter((record) => !oldest.includes(record))
  if (oldest.length > 0) counts.add('old records that the service forgot', oldest.length)
}
