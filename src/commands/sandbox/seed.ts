import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {Progress} from '../../cli/progress.ts'
import {dataFlag, stateDirOf} from '../../cli/sandbox/state.ts'
import {instantFlag, outageFlag} from '../../cli/time-flag.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {SeedCounts} from '../../sandbox/seed/write-history.ts'

const hourMs = 3_600_000
const timeZone = 'Asia/Dhaka'

export default class SandboxSeed extends BaseCommand {
  static override summary = "Fill the sandbox's state with days of orders."

  static override description = unwrap(`
    Adds deposits and payouts as players make them over a day, their webhooks, and the answers of your receiver. One
    order in a few hundred has a late or missing webhook. \`--outage\` takes the receiver down for a time. Orders that
    end early in a long outage stay without a webhook, for reconcile to find.

    The same seed and times make the same orders. Another run adds what is missing. Balances do not change. Stop a
    running sandbox first.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --orders 1000',
    {
      description: 'A million orders over a month, and a night without a receiver:',
      command: '<%= config.bin %> <%= command.id %> --orders 1000000 --days 30 --outage 30h/20h',
    },
  ]

  static override flags = {
    orders: Flags.integer({
      summary: 'How many orders.',
      helpValue: 'N',
      default: 1000,
      min: 1,
      max: 10_000_000,
    }),
    days: Flags.integer({summary: 'Number of days.', helpValue: 'N', default: 7, min: 1, max: 366}),
    until: instantFlag({
      summary: 'Where the days end: `2026-11-20`, or `24h` ago. Default: the start of this hour.',
    }),
    outage: outageFlag({
      summary: 'When the receiver is down: `30h/20h` before the end, or two times. May be repeated.',
      multiple: true,
      default: [],
    }),
    seed: Flags.integer({
      summary: 'The same seed makes the same orders.',
      helpValue: 'N',
      default: 1,
      min: 0,
      max: 999_999,
    }),
    'return-url': Flags.string({
      summary: 'Address of the webhooks.',
      helpValue: 'URL',
      default: 'http://127.0.0.1:4020/webhook',
    }),
    data: dataFlag,
  }

  async run(): Promise<SeedResult> {
    const {flags} = await this.parse(SandboxSeed)
    const dir = stateDirOf(this.context, flags.data)
    const {profile} = await this.context.loadProfile(flags.profile ?? 'sandbox', 'signing')
    const nowMs = Date.now()
    const untilMs = flags.until?.resolve(timeZone, nowMs) ?? Math.floor(nowMs / hourMs) * hourMs
    const fromMs = untilMs - flags.days * 24 * hourMs
    const outages = flags.outage.map(({from, to}) => ({
      fromMs: from.resolve(timeZone, untilMs),
      toMs: to.resolve(timeZone, untilMs),
    }))
    if (outages.some((outage) => outage.fromMs >= outage.toMs)) {
      throw new Failure('usage', 'An --outage ends before it starts.', 'Write the start first: 30h/20h.')
    }
    const {openStateDatabase: openDatabase} = await import('../../sandbox/store/database.ts')
    const {writeHistory} = await import('../../sandbox/seed/write-history.ts')
    const {demonstrationMerchant: merchant} = await import('../../sandbox/merchants.ts')
    const progress = new Progress()
    const db = openDatabase(dir)
    try {
      const {orders, seed, 'return-url': returnUrl} = flags
      const counts = await writeHistory(db, {
        ...{orders, seed, fromMs, untilMs, outages, returnUrl, merchant},
        dialect: profile.dialect,
        signal: this.context.signal,
        onProgress: (done) => progress.update('orders', done, orders),
      })
      progress.end()
      const result = {
        dir,
        from: new Date(fromMs).toISOString(),
        until: new Date(untilMs).toISOString(),
        ...counts,
      }
      await this.show(seedText(result))
      this.tell(nextSteps(result, flags.data))
      return result
    } finally {
      progress.end()
      db.close()
    }
  }
}

export interface SeedResult extends SeedCounts {
  readonly dir: string
  readonly from: string
  readonly until: string
}

/** The next commands, and what is missing for a run to find something. */
function nextSteps({exhausted, retrying}: SeedResult, data: string | undefined): string {
  const at = data === undefined ? '' : ` --data ${quoteForShell(escapeInvisible(data))}`
  return [
    ...(exhausted + retrying === 0
      ? ['No webhook was lost, so the ledger will agree. To lose some, add --outage 12h/4h.']
      : []),
    'Next:',
    `  hisab sandbox export ledger${at} > ledger.csv`,
    `  hisab sandbox start${at}    (in another terminal)`,
    '  hisab reconcile ledger.csv --profile sandbox',
  ].join('\n')
}

function seedText({
  dir,
  from,
  until,
  deposits,
  payouts,
  deliveries,
  exhausted,
  retrying,
}: SeedResult): string {
  const time = (text: string) => formatMinute(Date.parse(text), timeZone)
  if (deposits + payouts + deliveries === 0)
    return `Nothing to add: ${escapeInvisible(dir)} already has these orders.`
  return [
    `Added ${deposits} deposits and ${payouts} payouts to ${escapeInvisible(dir)}`,
    `  made       ${time(from)} to ${time(until)}, Dhaka`,
    `  webhooks   ${deliveries}: ${exhausted} given up, ${retrying} to be retried`,
  ].join('\n')
}
