import {mkdtempSync} from 'node:fs'
import {join} from 'node:path'
import {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {type Paisa, sumPaisa} from '../../core/money.ts'
import {type OrderKind, type PayoutChannel, payoutChannels} from '../../core/order.ts'
import {seededRandom} from '../../core/prng.ts'
import {type Profile, sandboxCredentials} from '../../core/profile.ts'
import {makePrivateDir, writeFileAtomically} from '../../files/private-files.ts'
import {steppedClock} from '../../sandbox/clock.ts'
import {type Sandbox, startSandbox} from '../../sandbox/start.ts'
import {DemoMerchant} from './merchant.ts'

/** The difference between what players and the payout desk did and what the merchant's books say. */
export interface Gap {
  readonly orders: number
  readonly amount: Paisa
}

export interface DemoResult {
  readonly dir: string
  readonly ledger: string
  readonly orders: number
  readonly outage: {readonly fromMs: number; readonly toMs: number}
  readonly before: Gap
  readonly after: Gap
  /** Orders that were booked more than once: zero, or the demonstration fails. */
  readonly bookedTwice: number
  readonly reconcileStatus: number
  readonly reportDir: string
}

export interface DemoPorts {
  readonly dir: string
  readonly profile: Profile
  readonly nowMs: number
  readonly seed: number
  readonly onStep: (step: DemoStep) => Promise<void>
  /** Runs `hisab` as a user would, against the demonstration's service. Resolves with its exit status. */
  readonly runHisab: (
    args: readonly string[],
    at: {readonly cwd: string; readonly env: Readonly<Record<string, string>>},
  ) => Promise<number>
}

export type DemoStep =
  | {readonly step: 'service'; readonly url: string}
  | {readonly step: 'day'; readonly day: ScriptedDay; readonly deposits: number; readonly payouts: number}
  | {readonly step: 'gap'; readonly before: Gap; readonly ledger: string}
  | {readonly step: 'reconcile'; readonly args: readonly string[]}

const dayMs = 24 * 60 * 60_000
const dhakaOffsetMs = 6 * 60 * 60_000

/**
 * The whole story on this machine: the service starts, yesterday is played with an outage of the merchant's server in
 * the middle, the day's ledger is written, `hisab reconcile` delivers what the outage lost, and the merchant's books
 * are checked for it.
 */
export async function runDemo(ports: DemoPorts): Promise<DemoResult> {
  const day = scriptDay(startOfYesterday(ports.nowMs), ports.seed)
  const forgotten = day.orders.filter(
    (order) => isPaidDeposit(order) && order.createdAtMs > day.outage.toMs,
  )[3]
  const merchant = new DemoMerchant(
    sandboxCredentials.apiSecret,
    new Set(forgotten ? [forgotten.orderNo] : []),
  )
  const returnUrl = await merchant.listen()
  const sandbox = await startSandbox({port: 0, dataDir: null, clock: steppedClock(day.fromMs)})
  try {
    await ports.onStep({step: 'service', url: sandbox.url})
    const {baseUrl, applyUrl, legacyUrl} = sandbox
    await playDay(day, sandbox, merchant, {...ports.profile, baseUrl, applyUrl, legacyUrl, returnUrl})
    const count = (kind: string) => day.orders.filter((order) => order.kind === kind).length
    await ports.onStep({step: 'day', day, deposits: count('deposit'), payouts: count('payout')})
    mistypeOne(day, merchant)
    await sandbox.control.advanceTo(ports.nowMs)
    return await reconcileDay(day, sandbox, merchant, ports)
  } finally {
    await sandbox.close()
    await merchant.close()
  }
}

/** In the time zone of Dhaka. */
export function startOfYesterday(nowMs: number): number {
  return Math.floor((nowMs + dhakaOffsetMs) / dayMs) * dayMs - dhakaOffsetMs - dayMs
}

async function reconcileDay(
  day: ScriptedDay,
  sandbox: Sandbox,
  merchant: DemoMerchant,
  ports: DemoPorts,
): Promise<DemoResult> {
  const {dir, profile, onStep} = ports
  const ledger = join(dir, 'ledger.csv')
  const reportDir = join(dir, 'report')
  makePrivateDir(dir)
  writeFileAtomically(ledger, merchant.ledgerCsv(profile.ledger.timeZone))
  const before = gapOf(day, merchant)
  await onStep({step: 'gap', before, ledger})

  const args = ['reconcile', 'ledger.csv', '--yes', '--report', 'report']
  await onStep({step: 'reconcile', args})
  const reconcileStatus = await ports.runHisab(args, {
    cwd: dir,
    env: {
      HISAB_PROFILE: 'sandbox',
      HISAB_BASE_URL: sandbox.baseUrl,
      HISAB_APPLY_URL: sandbox.applyUrl,
      HISAB_LEGACY_URL: sandbox.legacyUrl,
      // A new folder, because the journal of an earlier demonstration would hold the resends back.
      HISAB_DATA_DIR: mkdtempSync(join(dir, 'data-')),
    },
  })
  const after = gapOf(day, merchant)
  const bookedTwice = [...merchant.books.values()].filter(({bookings}) => bookings > 1).length
  if (bookedTwice > 0 || reconcileStatus !== 7 || after.orders >= before.orders) {
    throw new Failure(
      'bug',
      `The demo failed: reconcile ended with ${reconcileStatus}, ${after.orders} orders are still missing, ${bookedTwice} are booked twice.`,
      `Please send us the report in ${reportDir}.`,
    )
  }
  return {
    dir,
    ledger,
    orders: day.orders.length,
    outage: day.outage,
    before,
    after,
    bookedTwice,
    reconcileStatus,
    reportDir,
  }
}

/** Plays the day in order of time: orders, payments, payouts, and the server's outage. */
async function playDay(
  day: ScriptedDay,
  sandbox: Sandbox,
  merchant: DemoMerchant,
  profile: Profile,
): Promise<void> {
  const client = new ServiceClient({profile, credentials: sandboxCredentials})
  const {control} = sandbox
  const events: {atMs: number; happen: () => unknown}[] = [
    {atMs: day.outage.fromMs, happen: () => merchant.setDown(true)},
    {atMs: day.outage.toMs, happen: () => merchant.setDown(false)},
  ]
  for (const order of day.orders) {
    events.push({
      atMs: order.createdAtMs,
      happen: () => create(order, merchant, client, profile.returnUrl ?? ''),
    })
    if (order.endsAtMs !== null) events.push({atMs: order.endsAtMs, happen: () => end(order, control)})
  }
  events.sort((a, b) => a.atMs - b.atMs)
  for (const {atMs, happen} of events) {
    await control.advanceTo(atMs)
    await happen()
  }
  await client.close()
}

async function create(
  order: ScriptedOrder,
  merchant: DemoMerchant,
  client: ServiceClient,
  returnUrl: string,
): Promise<void> {
  const {kind, orderNo, playerRef, createdAtMs, phone, amount} = order
  merchant.open({kind, orderNo, playerRef, createdAtMs, amount: kind === 'payout' ? amount : null})
  if (kind === 'deposit') {
    await client.createDeposit({orderNo, playerRef, playerPhone: phone, returnUrl})
    return
  }
  const {channel: bankType, playerName: userName} = order
  await client.createPayout({outOrderNo: orderNo, amount, bankType, userName, account: phone, returnUrl})
}

function end(
  {kind, orderNo, amount, channel, end}: ScriptedOrder,
  control: Sandbox['control'],
): Promise<unknown> {
  if (kind === 'payout') return control.completePayout(orderNo)
  return end === 'completed' ? control.payDeposit(orderNo, amount, {channel}) : control.expireDeposit(orderNo)
}

/** A typing error in the books, which `reconcile` must find and not change. */
function mistypeOne(day: ScriptedDay, {books}: DemoMerchant): void {
  const last = day.orders.filter(isPaidDeposit).at(-4)
  const booked = last && books.get(last.orderNo)
  if (booked?.amount) booked.amount *= 10n
}

function gapOf({orders}: ScriptedDay, {books}: DemoMerchant): Gap {
  const missing = orders.filter(
    (order) =>
      order.end === 'completed' && order.endsAtMs !== null && books.get(order.orderNo)?.status === 'pending',
  )
  return {orders: missing.length, amount: sumPaisa(missing.map(({amount}) => amount))}
}

function isPaidDeposit({kind, end, endsAtMs}: ScriptedOrder): boolean {
  return kind === 'deposit' && end === 'completed' && endsAtMs !== null
}

/** An order of the demonstration's day. Times are milliseconds since the epoch. */
interface ScriptedOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly playerRef: string
  readonly playerName: string
  readonly phone: string
  readonly channel: PayoutChannel
  readonly amount: Paisa
  readonly createdAtMs: number
  /** Null if it is still open at the end of the day. */
  readonly endsAtMs: number | null
  readonly end: 'completed' | 'failed'
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const names = ['রহিম উদ্দিন', 'Fatema Begum', 'করিম মিয়া', 'Nusrat Jahan', 'সুমাইয়া আক্তার', 'Tanvir Hasan']

type ScriptedDay = ReturnType<typeof scriptDay>

/**
 * A day of deposits and payouts, the same for the same seed. The outage from 01:10 to 10:45 is longer than the
 * service's 7 h 21 min of retries only for orders that end in its first hours.
 */
function scriptDay(midnightMs: number, seed: number) {
  const random = seededRandom(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const stamp = new Date(midnightMs + 12 * hourMs).toISOString().slice(2, 10).replaceAll('-', '')
  const toMs = midnightMs + 24 * hourMs
  const orders: ScriptedOrder[] = []
  const add = (kind: OrderKind, count: number, prefix: string) => {
    for (let n = 1; n <= count; n++) {
      const createdAtMs = midnightMs + upTo(24 * 60 * 60) * 1000
      const waitMs = kind === 'deposit' ? (2 + upTo(7)) * minuteMs : (15 + upTo(90)) * minuteMs
      const endsAtMs = createdAtMs + waitMs
      const player = upTo(90) + 10
      orders.push({
        kind,
        orderNo: `${prefix}${stamp}-${String(n).padStart(4, '0')}`,
        playerRef: `player-${player}`,
        playerName: names[player % names.length] ?? '',
        phone: `017${String(10_000_000 + player * 7919).slice(-8)}`,
        channel: payoutChannels[upTo(payoutChannels.length)] ?? 'BKASH',
        amount: BigInt((1 + upTo(60)) * 50) * 100n,
        createdAtMs,
        endsAtMs: endsAtMs < toMs ? endsAtMs : null,
        end: kind === 'deposit' && random() < 0.05 ? 'failed' : 'completed',
      })
    }
  }
  add('deposit', 260, 'D')
  add('payout', 52, 'P')
  orders.sort((a, b) => a.createdAtMs - b.createdAtMs)
  const outage = {fromMs: midnightMs + 70 * minuteMs, toMs: midnightMs + 10 * hourMs + 45 * minuteMs}
  return {fromMs: midnightMs, toMs, outage, orders}
}
