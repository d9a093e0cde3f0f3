import {readFileSync, renameSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {z} from 'zod'
import {defaultDialect, readStatus} from '../../src/core/dialect.ts'
import {parsePaisa} from '../../src/core/money.ts'
import {orderKinds} from '../../src/core/order.ts'
import {defaultLedgerMapping, noPayoutLimits, type Profile} from '../../src/core/profile.ts'
import type {CallPlan} from '../../src/core/reconcile/call-plan.ts'
import {orderKey} from '../../src/core/reconcile/orders.ts'
import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {readLedger} from '../../src/ledger/read-ledger.ts'
import type {FindingView} from '../../src/report/reconcile-report.ts'
import {Staging} from '../../src/staging/staging.ts'
import {type RunResult, runReconcile} from '../../src/workflows/reconcile/run.ts'
import type {ReconcileOptions, RunRequest} from '../../src/workflows/reconcile/types.ts'
import {delivery, noOverrides, order} from '../core/reconcile/sample.ts'
import {live, payout as payoutClaim} from '../journal/sample.ts'
import type {ReportDocument} from '../report/report-document.ts'
import {type Scenario, sectionOf} from '../scenarios/read-scenario.ts'
import {tempDir} from '../temp-dir.ts'
import {FakeClient, FakeClock, failure} from './fake-client.ts'

const amount = z.string().nullable().default('500.00')
const orderShape = z.strictObject({
  kind: z.enum(orderKinds).default('deposit'),
  orderNo: z.string(),
  status: z.string().default('completed'),
  amount,
  platformOrderNo: z.string().optional(),
  /** What hisab sent, where that is another amount. */
  sent: z.string().optional(),
  /** The payout in whose place hisab sent it, because that one had failed. */
  replaces: z.string().optional(),
  /** Instead of an answer. */
  failure: z.enum(['answer_untrusted', 'service_busy', 'service_unreachable']).optional(),
})
const recordShape = z.strictObject({
  orderNo: z.string(),
  orderId: z.string().optional(),
  event: z.string().optional(),
  status: z.enum(['pending', 'success', 'failed']).optional(),
  attempts: z.number().optional(),
  responseCode: z.number().nullable().optional(),
  nextRetryAt: z.string().nullable().optional(),
  sentAt: z.string().nullable().optional(),
  createdAt: z.string().optional(),
  /** The amount its webhook states. */
  says: z.string().optional(),
  /** What a resend of it does. */
  resend: z
    .enum(['delivers', 'fails', 'nothing', 'lost, delivers', 'lost, fails', 'lost', 'refused', 'unreachable'])
    .optional(),
})
const optionsShape = z.strictObject({
  yes: z.boolean().default(false),
  kind: z.enum(orderKinds).nullable().default(null),
  since: z.string().optional(),
  maxResends: z.number().default(100),
  includeDelivered: z.boolean().default(false),
  ignoreCooldown: z.boolean().default(false),
  retryUnknown: z.boolean().default(false),
  includeMissing: z.boolean().default(false),
  skipDeliveries: z.boolean().default(false),
  pageSize: z.number().default(100),
  /** Ctrl-C while this call is under way. */
  stopAt: z.string().optional(),
  /** How often the same ledger is run; the last one is shown. */
  runs: z.number().default(1),
  hoursBetween: z.number().default(24),
  skipFinal: z.boolean().default(false),
  /** The list moves while it is read, in every reading. */
  listMoves: z.boolean().default(false),
  legacyApi: z.boolean().default(true),
  concurrency: z.number().default(1),
})

export type ScenarioOptions = z.output<typeof optionsShape>

const profile: Profile = {
  ...live,
  isEnvironmentNamed: false,
  name: 'live',
  baseUrl: 'https://pay.example/v1',
  applyUrl: 'https://apply.example/v1',
  legacyUrl: 'https://pay.example',
  returnUrl: null,
  dialect: defaultDialect,
  ledger: defaultLedgerMapping,
  payouts: noPayoutLimits,
}

/** What a run came to, its findings as a list. */
export type ScenarioResult = Omit<RunResult, 'report'> & {readonly report: ReportDocument}

/** One merchant, one ledger, one service in memory, the real journal; `run` is one `hisab reconcile`. */
export class ScenarioBench {
  readonly clock = new FakeClock()
  readonly client = new FakeClient(this.clock)
  readonly journal: Journal
  private readonly replacing: (() => Promise<void>)[] = []
  readonly options: ScenarioOptions
  readonly dir = tempDir()
  /** Where the profile points. */
  baseUrl = profile.baseUrl
  /** `ledger.holds` of the profile. */
  holds = profile.ledger.holds
  stop = new AbortController()
  /** Plays a run in another way. */
  play = runReconcile
  asked = 0
  /** What a screen shows of the runs. */
  readonly told: string[] = []
  readonly plans: CallPlan[] = []
  ledger: string
  readonly others: string[] = []

  constructor(scenario: Scenario) {
    this.journal = openJournal(this.dir, live)
    this.ledger = join(this.dir, 'ledger.csv')
    this.rewrite(sectionOf(scenario, 'ledger.csv'))
    const json = (name: string, otherwise: string) => JSON.parse(scenario.sections.get(name) ?? otherwise)
    this.options = optionsShape.parse(json('options.json', '{}'))
    for (const order of z.array(orderShape).parse(json('service.json', '[]'))) this.addOrder(order)
    for (const record of z.array(recordShape).parse(json('deliveries.json', '[]'))) this.addRecord(record)
    this.client.pageSize = this.options.pageSize
    let arrivals = 0
    this.client.before = (call) => {
      if (call === this.options.stopAt) this.stop.abort(failure('interrupted', 'Stopped'))
      if (!this.options.legacyApi && call.startsWith('list')) {
        throw failure('legacy_unavailable', 'The legacy API answered HTTP 404')
      }
      if (this.options.listMoves && call.startsWith('list page')) {
        this.addRecord({orderNo: `ARRIVED-${++arrivals}`, event: 'order.created'})
      }
    }
  }

  async run(
    id: string,
    change: Partial<RunRequest> = {},
    options: Partial<ReconcileOptions> = {},
  ): Promise<ScenarioResult> {
    const {options: told} = this
    for (const claim of this.replacing.splice(0)) await claim()
    const staging = new Staging()
    const isTimeStated = options.sinceMs != null && options.untilMs != null
    const sheet = this.ledger.endsWith('.xlsx') ? {sheet: 'Orders'} : {}
    const reading = {
      mapping: profile.ledger,
      kind: told.kind,
      nowMs: this.clock.now(),
      isTimeStated,
      ...sheet,
    }
    const ledger = await readLedger([this.ledger, ...this.others], reading, staging.ledger)
    const result = await this.play(
      {
        ...{ledger, staging},
        options: {...reconcileOptions(told), ...options},
        ...{
          resume: false,
          dryRun: false,
          reportDir: join(this.dir, 'report', id),
          listAll: true,
          lang: 'en',
          sinceLast: false,
        },
        ...change,
      },
      {
        ...{
          profile: {...profile, baseUrl: this.baseUrl, ledger: {...profile.ledger, holds: this.holds}},
          client: this.client,
          journal: this.journal,
          runId: id,
          signal: this.stop.signal,
        },
        ...{now: this.clock.now, monotonic: this.clock.monotonic, sleep: this.clock.sleep},
        onProgress: (stage, done, total) => void this.told.push(`${stage} ${done}/${total}`),
        onPlan: (plan) => void this.plans.push(plan),
        approve: async () => {
          this.asked += 1
          return told.yes
        },
      },
    )
    return {...result, report: {...result.report, findings: [...result.report.findings]}}
  }

  /** The merchant's ledger of another run. */
  rewrite(ledger: string | Uint8Array, savedMs = this.clock.ms): void {
    writeFileSync(this.ledger, ledger)
    const savedAt = new Date(savedMs)
    utimesSync(this.ledger, savedAt, savedAt)
  }

  /** Gives the file of the ledger another name. */
  rename(name: string): void {
    const path = join(this.dir, name)
    renameSync(this.ledger, path)
    this.ledger = path
  }

  /** The export of the ledger, made now: with a row of a deposit that failed a moment ago. */
  exportAgain(): void {
    const at = new Date(this.clock.ms).toISOString()
    this.rewrite(`${readFileSync(this.ledger, 'utf8')}LAST-${this.clock.ms},deposit,failed,1.00,${at}\n`)
  }

  /** Another file of the same run. */
  addLedger(ledger: string): void {
    const path = join(this.dir, `other-${this.others.push('')}.csv`)
    this.others[this.others.length - 1] = path
    writeFileSync(path, ledger)
  }

  private addOrder(given: z.output<typeof orderShape>): void {
    const {failure: code, amount: taka, status: rawStatus, kind, orderNo} = given
    const known = code
      ? failure(code, code === 'service_unreachable' ? 'The connection was refused' : 'HTTP 200 with HTML')
      : order({
          ...{kind, orderNo, platformOrderNo: given.platformOrderNo ?? platformOf(kind, orderNo)},
          ...{rawStatus, status: readStatus(defaultDialect, kind, rawStatus)},
          amount: taka === null ? null : parsePaisa(taka),
          ...(given.sent && {sentAmount: parsePaisa(given.sent) ?? 0n}),
        })
    this.client.orders.set(orderKey(given), known)
    const {replaces, platformOrderNo = platformOf(kind, orderNo)} = given
    if (replaces === undefined) return
    this.replacing.push(async () => {
      const guard = {
        dailyCeiling: null,
        dayStartMs: 0,
        duplicatesSinceMs: 0,
        duplicatesAllowed: new Set<string>(),
      }
      const asked = {...payoutClaim, orderNo, amount: parsePaisa(taka ?? ''), maskedAccount: orderNo}
      const claim = await this.journal.claimNumber(asked, {...guard, replaces: [replaces]})
      const id = claim.fresh ? claim.id : claim.row.id
      await this.journal.recordRequestOutcome(id, 'accepted', {
        outcomeAtMs: this.clock.now(),
        platformOrderNo,
      })
    })
  }

  addRecord({orderNo, orderId, resend, says, ...change}: z.output<typeof recordShape>): void {
    const id = `00000000-0000-4000-8000-${String(this.client.records.size + 1).padStart(12, '0')}`
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
    const base = delivery({id, merchantOrderId: orderNo, orderId: orderId ?? platformOf('deposit', orderNo)})
    const answered = change.status === 'success' ? {responseCode: 200} : {}
    this.client.records.set(id, {...base, ...answered, ...given})
    if (says) this.client.payloads.set(id, {orderNo, amount: says})
    if (resend) this.client.effects.set(id, resend)
  }
}

export function platformOf(kind: string, orderNo: string): string {
  return `platform-${kind === 'payout' ? 'payout-' : ''}${orderNo}`
}

function reconcileOptions(told: ScenarioOptions): ReconcileOptions {
  const {includeDelivered, ignoreCooldown, retryUnknown, includeMissing} = told
  return {
    ...{
      kind: told.kind,
      untilMs: null,
      skipDeliveries: told.skipDeliveries,
      skipFinal: told.skipFinal,
      concurrency: told.concurrency,
    },
    ...{resendsPerSecond: 5, waitMs: 60_000, resendsMax: told.maxResends},
    sinceMs: told.since === undefined ? null : Date.parse(told.since),
    overrides: {...noOverrides, includeDelivered, ignoreCooldown, retryUnknown, includeMissing},
  }
}

/** What a payments person reviews: a line for each finding with its sentence under it, then the ends of the run. */
export function showRun({report, status}: ScenarioResult, calls: object): string {
  const {resends, tieOut} = report
  const nonZero = (counts: object) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none'
  return `${[
    ...report.findings.map(showFinding),
    '',
    `resends     ${nonZero(resends)}`,
    `tie-out     ${tieOut.ledgerCompleted} - ${tieOut.providerCompleted} = ${tieOut.difference}, unexplained ${tieOut.unexplained}`,
    `calls       ${nonZero(calls)}`,
    ...showNotChecked(report),
    ...report.incompleteBecause.map((reason) => `incomplete  ${reason}`),
    `exit        ${status}`,
  ].join('\n')}\n`
}

function showFinding({
  line,
  kind,
  orderNo,
  verdict,
  cause,
  action,
  resend,
  explanation,
}: FindingView): string {
  const place = line === null ? 'no row' : `line ${line}`
  const end = resend ? ` -> ${resend.state}` : ''
  const head = `${place.padEnd(8)}${orderNo ?? '-'} (${kind ?? 'kind unknown'})`
  const why = [explanation, resend?.why].filter(Boolean).join(' ')
  return `${head}: ${verdict}${cause ? `, ${cause}` : ''}; ${action}${end}\n        ${why}`
}

function showNotChecked({missingInLedger: {checked, ...rest}}: ReportDocument): string[] {
  return checked || !('because' in rest)
    ? []
    : [`not looked for: orders missing in the ledger, ${rest.because}`]
}
