import type {Intent, PlayedRun, Words} from './judge.ts'
import {
  type Corruption,
  type ExportStyle,
  plainStyle,
  type WrittenLedger,
  writeLedger,
} from './ledger-file.ts'
import {type Ended, knows, type Scene, type Typed} from './scene.ts'
import {
  type DeliveryRecord,
  type Entry,
  type Kind,
  keyOf,
  type Order,
  type State,
  taka,
  type Word,
} from './world.ts'

export const second = 1_000
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** One order as it comes to be known on both sides. */
export interface Seed {
  readonly kind?: Kind
  readonly orderNo: string
  readonly agoMs?: number
  readonly word?: Word
  readonly amount?: bigint
  /** What the merchant's books have of it; null: no entry. */
  readonly entry?: State | null
  readonly entryAmount?: bigint | null
  /** How its webhook fared. */
  readonly webhook?: 'exhausted' | 'taken' | 'stuck' | 'none' | {readonly dueInMs: number}
  readonly payee?: string
}

/** Puts an order, its delivery record and the merchant's entry into the world, as of some time ago. */
export function seed({world, prng}: Scene, seed: Seed): {order: Order; record: DeliveryRecord | null} {
  const {kind = 'deposit', orderNo, agoMs = 5 * hour, word = 'completed', amount = 50_000n} = seed
  const {entry = 'open', entryAmount = amount, webhook = 'exhausted', payee = 'player-1'} = seed
  const createdMs = world.nowMs - agoMs
  const order = world.addOrder({kind, orderNo, createdMs, word, amount, payee})
  if (entry) world.enter({kind, orderNo, state: entry, amount: entryAmount, createdMs})
  if (webhook === 'none' || word !== 'completed') return {order, record: null}
  const record = world.completion(order, createdMs + 10 * second)
  if (webhook === 'exhausted') {
    const sentMs = Math.min(record.createdMs + 441 * minute, world.nowMs - minute)
    Object.assign(record, {status: 'failed', responseCode: 503, attempts: 6, sentMs})
  } else if (webhook === 'taken') {
    Object.assign(record, {status: 'success', responseCode: 200, attempts: 1, sentMs: record.createdMs})
    if (entry !== 'completed') world.slept.add(record.orderKey)
  } else if (webhook === 'stuck') Object.assign(record, {isForgotten: true})
  else {
    const nextRetryMs = world.nowMs + webhook.dueInMs
    Object.assign(record, {
      status: 'failed',
      responseCode: 503,
      attempts: 5,
      sentMs: nextRetryMs - 6 * hour,
      nextRetryMs,
    })
  }
  world.addRecord(record, prng)
  return {order, record}
}

/** The export of all entries, or of those that are asked for. */
export function exportOf(
  scene: Scene,
  style: ExportStyle = plainStyle,
  {
    only = () => true,
    corruption = () => null,
  }: {
    readonly only?: (entry: Entry) => boolean
    readonly corruption?: (entry: Entry) => Corruption | null
  } = {},
): WrittenLedger {
  return writeLedger([...scene.world.entries.values()].filter(only), style, scene.time.nowMs, corruption)
}

export interface RunTyped extends Partial<Typed> {
  readonly words?: Words
  readonly window?: PlayedRun['window']
  readonly mayBeOld?: boolean
  /** Goes on with this run of hisab's, whose ledgers it knows. */
  readonly resume?: string
}

let files = 0

/** `hisab reconcile` on some ledgers, judged. A resumed one has the run's name and `--resume` in its argv. */
export async function reconcileOnce(
  scene: Scene,
  ledgers: readonly WrittenLedger[],
  argv: readonly string[] = ['--yes'],
  {words = {}, window, mayBeOld = false, resume, ...typed}: RunTyped = {},
): Promise<Ended> {
  const {judge} = scene
  const paths =
    resume === undefined
      ? ledgers.map(({text}) => scene.write(`ledger-${++files}.csv`, text))
      : ['--resume', resume]
  const run = typed.run ?? `run ${++files}`
  const played: PlayedRun = {
    ...{run, ledgers, words, mayBeOld, isDry: argv.includes('--dry-run') || !argv.includes('--yes')},
    window: window === undefined ? windowOf(ledgers) : window,
  }
  judge.beginRun(played)
  const ended = await scene.hisab({command: 'reconcile', argv: [...paths, ...argv, '--json'], ...typed, run})
  judge.judgeRun(played, ended)
  return ended
}

/** First to last `created_at` of the rows, where they have one. */
export function windowOf(ledgers: readonly WrittenLedger[]): PlayedRun['window'] {
  const times = ledgers.flatMap(({rows, style}) =>
    style.hasTimes ? rows.map(({createdMs}) => createdMs) : [],
  )
  return times.length === 0 ? null : {fromMs: Math.min(...times), toMs: Math.max(...times)}
}

/** The nightly command as the docs have it, where this hisab knows its flags. */
export function nightly(...more: string[]): string[] {
  return ['--yes', ...(knows('reconcile', 'since-last-run') ? ['--since-last-run'] : []), ...more]
}

/** `hisab webhooks resend`, judged. */
export async function resend(
  scene: Scene,
  argv: readonly string[],
  {words = {}, ...typed}: Partial<Typed> & {readonly words?: Words} = {},
): Promise<Ended> {
  const run = typed.run ?? `resend ${++files}`
  scene.judge.allow(run, words)
  const ended = await scene.hisab({command: 'webhooks resend', argv: [...argv, '--json'], ...typed, run})
  scene.judge.judgeResend(ended)
  return ended
}

export interface Payee {
  readonly channel: 'BKASH' | 'NAGAD' | 'ROCKET'
  readonly account: string
}

export const rahim: Payee = {channel: 'BKASH', account: '01712345678'}

export function wish(amount: bigint, {channel, account}: Payee = rahim): Intent {
  return {kind: 'payout', payee: `${channel} ${account}`, amount, orderNos: new Set()}
}

/** `hisab payout create` for a wish under a number, judged. */
export async function pay(
  scene: Scene,
  intent: Intent,
  orderNo: string,
  typed: Partial<Typed> = {},
): Promise<Ended> {
  intent.orderNos.add(orderNo)
  const ended = await scene.hisab(payTyped(intent, orderNo, typed))
  scene.judge.judgeCreate(intent, orderNo, ended)
  return ended
}

export function payTyped(intent: Intent, orderNo: string, typed: Partial<Typed> = {}): Typed {
  const [channel = '', account = ''] = intent.payee.split(' ')
  intent.orderNos.add(orderNo)
  const argv = ['--order-no', orderNo, '--amount', taka(intent.amount), '--bank-type', channel]
  return {
    ...{command: 'payout create', ...typed},
    argv: [
      ...argv,
      '--account',
      account,
      '--user-name',
      'Rahim Uddin',
      '--yes',
      '--json',
      ...(typed.argv ?? []),
    ],
  }
}

export interface PayoutRow {
  readonly orderNo: string
  readonly intent: Intent
  /** The cell, where a spreadsheet changed it. */
  readonly cell?: string
}

export function payoutFile(scene: Scene, name: string, rows: readonly PayoutRow[]): string {
  const lines = rows.map(({orderNo, intent, cell = orderNo}) => {
    const [channel, account] = intent.payee.split(' ')
    intent.orderNos.add(orderNo).add(cell)
    return [cell, taka(intent.amount), channel, 'Rahim Uddin', account].join(',')
  })
  return scene.write(name, `out_order_no,amount,bank_type,user_name,account\n${lines.join('\n')}\n`)
}

export async function payFile(
  scene: Scene,
  path: string,
  argv: readonly string[] = [],
  typed: Partial<Typed> = {},
) {
  return await scene.hisab({
    command: 'payout create',
    argv: ['--from', path, '--yes', '--json', ...argv],
    ...typed,
  })
}

/** A person closes an order's item: nobody has to look at it while it stands so. */
export async function close(scene: Scene, kind: Kind, orderNo: string): Promise<Ended> {
  const argv = [orderNo, '--kind', kind, '--reason', 'agreed', '--by', 'Karim', '--json']
  const ended = await scene.hisab({command: 'items close', argv})
  if (ended.status === 0) scene.judge.close(keyOf(kind, orderNo))
  return ended
}

/** A person leaves an order alone as it stands. */
export async function ignore(scene: Scene, kind: Kind, orderNo: string): Promise<Ended> {
  const until = new Date(scene.time.nowMs + 30 * day).toISOString()
  const argv = [orderNo, '--kind', kind, '--reason', 'agreed', '--by', 'Karim', '--until', until, '--json']
  const ended = await scene.hisab({command: 'ignores add', argv})
  if (ended.status === 0) scene.judge.ignore(keyOf(kind, orderNo), scene.time.nowMs + 30 * day)
  return ended
}
