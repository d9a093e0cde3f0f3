import type {Dice} from './dice.ts'
import {spokenFrom} from './tongue.ts'
import {type BookRow, type DeliveryRecord, type Kind, keyOf, type Order, World} from './world.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Words of the service: the three hisab knows, and some it does not. */
const words = {completed: 60, processing: 8, pending: 5, failed: 12, refunded: 3, Completed: 2}

/** How the webhook of a completion fared, and how often. */
const fates = {
  booked: 42,
  'taken, not booked': 8,
  exhausted: 18,
  scheduled: 10,
  stuck: 8,
  'no record': 5,
  'an older record': 6,
}

/** A day on which the merchant's server took webhooks and booked none, or was down: most orders miss their completion. */
const badDay = {...fates, booked: 6, 'taken, not booked': 40, exhausted: 30}

/** Yesterday at this merchant's, with whatever may be wrong in it. */
export function seededWorld(dice: Dice, nowMs: number): World {
  const world = new World(spokenFrom(dice))
  world.nowMs = nowMs
  world.listOrder = dice.pick(['newest_first', 'oldest_first', 'mixed'])
  world.pageSize = dice.pick([100, 100, 7, 3, 2])
  world.hasLegacyApi = !dice.chance(0.04)
  world.skewMs = dice.pick([0, 0, 0, 1_500, -40_000, 95_000])
  world.balance = dice.chance(0.2) ? BigInt(dice.int(0, 900_000)) : 100_000_000n
  const records: DeliveryRecord[] = []
  const isBadDay = dice.chance(0.15)
  if (isBadDay) makeListLong(world, records, dice)
  for (let count = isBadDay ? 12 : dice.int(1, dice.pick([3, 5, 8, 12])); count > 0; count--) {
    const age = dice.int(20 * minuteMs, dayMs)
    seedOrder(world, records, dice, nowMs - age, isBadDay ? badDay : fates)
  }
  records.sort((a, b) => a.createdMs - b.createdMs)
  for (const record of records) world.addRecord(record, dice)
  return world
}

/** A list in order and of many pages, of which later nights read but the part they need. */
function makeListLong(world: World, records: DeliveryRecord[], dice: Dice): void {
  world.listOrder = dice.pick(['newest_first', 'oldest_first'])
  world.pageSize = dice.pick([20, 24])
  const [kind, spelling, word] = ['deposit', 'text', 'failed'] as const
  for (let more = dice.int(0, 6 * world.pageSize); more > 0; more--) {
    const createdMs = world.nowMs - dice.int(minuteMs, 2 * dayMs)
    const order = {kind, spelling, word, orderNo: `O-${more}`, platformNo: world.uuid(), amount: 100n}
    const record = world.completion({...order, createdMs, completesMs: null}, createdMs)
    records.push({...record, event: 'order.created', status: 'success', attempts: 1, sentMs: createdMs})
  }
}

/** One more order and its records, as of a time that may be past. */
export function seedOrder(
  world: World,
  records: DeliveryRecord[],
  dice: Dice,
  createdMs: number,
  weights = fates,
): void {
  const kind: Kind = dice.chance(0.75) ? 'deposit' : 'payout'
  const number = numberFor(world, dice, kind)
  const order: Order = {
    ...{kind, orderNo: number, platformNo: world.uuid(), createdMs, completesMs: null},
    word: dice.weighted(words),
    amount: BigInt(dice.int(1, 5_000_000)),
    spelling: dice.pick(['text', 'text', 'text', 'number', 'missing']),
    // More often where one key alone joins them.
    ...(dice.chance(world.spoken.join.length === 1 ? 0.2 : 0.03)
      ? {recordedAs: dice.pick(['', `X-${number}`])}
      : {}),
  }
  const isAbsent = dice.chance(0.05)
  if (!isAbsent) world.addOrder(order)
  if (dice.chance(0.05)) world.poisoned.add(order.platformNo)
  const booked =
    order.word === 'completed' && !isAbsent ? seedCompletion(world, records, dice, order, weights) : null
  if (order.word === 'processing' && dice.chance(0.5))
    order.completesMs = createdMs + dice.int(dayMs, 2 * dayMs)
  if (dice.chance(0.2)) records.push({...world.completion(order, createdMs), event: 'order.created'})
  seedRows(world, dice, order, booked)
}

function numberFor(world: World, dice: Dice, kind: Kind): string {
  const other = [...world.orders.values()].find(
    (order) => order.kind !== kind && !world.orderOf(kind, order.orderNo),
  )
  if (other && dice.chance(0.15)) return other.orderNo
  const last = [...world.orders.values()].findLast((order) => order.kind === kind)
  const twisted = last?.orderNo.replace('-', '-0')
  if (twisted && !world.orders.has(keyOf(kind, twisted)) && dice.chance(0.05)) return twisted
  const lower = last?.orderNo.toLowerCase()
  if (lower && !world.orders.has(keyOf(kind, lower)) && dice.chance(0.08)) return lower
  return `${kind === 'deposit' ? 'D' : 'P'}-${world.orders.size + world.books.length + 1}`
}

/** The amount the books have of it, or null where they have not heard. */
function seedCompletion(
  world: World,
  records: DeliveryRecord[],
  dice: Dice,
  order: Order,
  weights: typeof fates,
): bigint | null {
  const fate = dice.weighted(weights)
  if (fate === 'no record') return null
  const says = dice.chance(0.05) ? order.amount + BigInt(dice.int(1, 999)) : order.amount
  const createdMs = order.createdMs + dice.int(0, 15 * minuteMs)
  const record = {...world.completion(order, createdMs), says}
  if (fate === 'an older record') {
    records.push({...record, ...failedFor(5, createdMs - 3 * minuteMs), createdMs: createdMs - 5 * minuteMs})
    record.id = world.uuid()
  }
  if (fate === 'taken, not booked') world.slept.add(order.platformNo)
  if (fate === 'booked' || fate === 'taken, not booked') {
    Object.assign(record, {status: 'success', responseCode: 200, attempts: dice.int(1, 6), sentMs: createdMs})
    const at = {atMs: createdMs, recordId: record.id, orderId: record.orderId}
    world.arrivals.push({...at, byRun: null, taken: true})
  } else if (fate === 'scheduled') {
    const attempts = dice.int(1, 5)
    const next = world.nowMs + dice.int(1, 300) * minuteMs
    Object.assign(record, failedFor(attempts, world.nowMs - dice.int(1, 50) * minuteMs), {nextRetryMs: next})
    if (dice.chance(0.3)) record.status = 'pending'
  } else if (fate === 'stuck') {
    const late = dice.chance(0.5) ? {nextRetryMs: world.nowMs - dice.int(1, 90) * minuteMs} : {}
    const quiet = {status: 'pending', sentMs: null, isForgotten: true}
    Object.assign(record, quiet, late, {createdMs: Math.min(createdMs, world.nowMs - minuteMs)})
  } else Object.assign(record, failedFor(6, Math.min(createdMs + 441 * minuteMs, world.nowMs - minuteMs)))
  records.push(record)
  return fate === 'booked' ? says : null
}

function failedFor(attempts: number, sentMs: number): Partial<DeliveryRecord> {
  return {status: 'failed', responseCode: 503, attempts, nextRetryMs: null, sentMs}
}

function seedRows(world: World, dice: Dice, order: Order, booked: bigint | null): void {
  const {kind, orderNo, word, createdMs} = order
  const row: BookRow = {kind, orderNo, state: 'open', amount: null, createdMs, damage: null}
  const expected = dice.chance(0.6) ? order.amount : null
  if (booked !== null) Object.assign(row, {state: 'completed', amount: booked})
  else if (word === 'failed' && dice.chance(0.7)) Object.assign(row, {state: 'failed', amount: expected})
  else row.amount = expected
  if (dice.chance(0.05)) row.state = dice.pick(['completed', 'open', 'failed'])
  if (dice.chance(0.04)) row.amount = order.amount + BigInt(dice.int(1, 5_000))
  if (dice.chance(0.06)) row.amount = null
  if (dice.chance(0.07)) return
  const isDamaged = dice.chance(0.05)
  world.books.push(isDamaged ? {...row, damage: dice.pick(['amount', 'status', 'kind', 'order_no'])} : row)
  if (dice.chance(0.05)) world.books.push({...row, damage: dice.chance(0.3) ? 'amount' : null})
}
