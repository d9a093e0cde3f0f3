/**
 * One reconciliation without a network, for `reconcile.bench.ts` and `open-items.bench.ts`: `node reconcile-run.ts LEDGER
 * RECORDS FOLDER [DAY] [LOST] [evidence]`. The real reader, workflow, journal and reports; the service answers at once, from the order's
 * number alone. With a DAY the run is no dry run, and is remembered; LOST orders of an earlier day have the last records.
 * BENCH_JOURNAL is the URL of a shared journal to use. Prints its seconds, its calls and its peak of memory.
 */
import {setTimeout as sleep} from 'node:timers/promises'

import type {DeliveryFilter, DeliveryPage} from '../../src/api/client.ts'
import {holdHeap} from '../../src/cli/heap.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {Failure} from '../../src/core/failure.ts'
import type {Delivery, OrderKind} from '../../src/core/order.ts'
import {defaultLedgerMapping, noPayoutLimits, type Profile} from '../../src/core/profile.ts'
import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {openSharedJournal} from '../../src/journal/postgres/journal.ts'
import {readAddress} from '../../src/journal/postgres/settings.ts'
import {readLedger} from '../../src/ledger/read-ledger.ts'
import {Staging} from '../../src/staging/staging.ts'
import {runWithEvidence} from '../../src/workflows/evidence/keep.ts'
import {order} from '../core/reconcile/sample.ts'
import {isLost, lostOrders, orderNoOf, serialOf} from './large-ledger.ts'

const [path = '', recordsText = '0', folder = '', remembered = '', lostText = '0', evidence = ''] =
  process.argv.slice(2)
const day = remembered || '2026-11-20'
const lost = lostOrders(1_000_000, Number(lostText))
const newer = Number(recordsText)
const total = newer + lost.length
const isLostBefore = new Set(newer > 0 ? lost : [])
const [at, before] = [`${day}T06:00:00Z`, '2026-11-19T06:00:00Z']
const nowMs = Date.parse(`${day}T18:00:00Z`)

const profile: Profile = {
  ...{name: 'bench', merchantId: 'merchant-1', baseUrl: 'https://pay.example/v1'},
  ...{applyUrl: 'https://apply.example/v1', legacyUrl: 'https://pay.example', returnUrl: null},
  ...{dialect: defaultDialect, ledger: defaultLedgerMapping, payouts: noPayoutLimits},
} as Profile

const client = {
  calls: {create: 0, query: 0, list: 0, get: 0, resend: 0},
  clockSkewMs: null,
  async queryOrder(kind: OrderKind, orderNo: string) {
    client.calls.query += 1
    return {
      found: true as const,
      order: order({kind, orderNo, platformOrderNo: platformOf(orderNo)}),
      raw: {},
    }
  },
  async listDeliveries({page = 1, limit = 100, orderId}: DeliveryFilter): Promise<DeliveryPage> {
    client.calls.list += 1
    if (orderId !== undefined) {
      const records = [recordFor(`DEP-2026-${orderId.slice(-12)}`)]
      return {records, page, limit, total: 1, totalPages: 1, odd: [], answeredAt: null}
    }
    const length = Math.max(0, Math.min(limit, total - (page - 1) * limit))
    const records = Array.from({length}, (_, index) => recordOf((page - 1) * limit + index))
    return {records, page, limit, total, totalPages: Math.ceil(total / limit), odd: [], answeredAt: null}
  },
  getDelivery: () => Promise.reject(new Failure('bug', 'not asked for', '')),
  resendDelivery: () => Promise.reject(new Failure('bug', 'not asked for', '')),
}

function platformOf(orderNo: string): string {
  return `0b5e55ed-0000-4000-8000-${orderNo.slice(-12)}`
}

/** The newest first, as their orders were made. */
function recordOf(index: number): Delivery {
  return recordFor(lost[index - newer] ?? orderNoOf(index))
}

function recordFor(orderNo: string): Delivery {
  const failed = isLost(serialOf(orderNo))
  return {
    id: `0b5e55ed-0000-4000-9000-${orderNo.slice(-12)}`,
    orderId: platformOf(orderNo),
    merchantOrderId: orderNo,
    url: 'https://merchant.example/webhooks',
    event: 'order.completed',
    status: failed ? 'failed' : 'success',
    responseCode: failed ? 503 : 200,
    attempts: failed ? 6 : 1,
    attemptsMax: 5,
    nextRetryAt: null,
    ...(isLostBefore.has(orderNo) ? {sentAt: before, createdAt: before} : {sentAt: at, createdAt: at}),
  }
}

async function journalAt(url: string | undefined): Promise<Journal> {
  if (url === undefined) return openJournal(folder, profile)
  const user = {
    dataDir: folder,
    account: profile,
    addresses: [],
    profileName: 'bench',
    isEnvironmentNamed: true,
  }
  return await openSharedJournal(folder, readAddress(url, 'BENCH_JOURNAL'), user)
}

holdHeap()
const times = {startedMs: performance.now(), cpu: process.cpuUsage()}
const soFar = () => {
  const {user, system} = process.cpuUsage(times.cpu)
  return {seconds: (performance.now() - times.startedMs) / 1_000, cpuSeconds: (user + system) / 1e6}
}
const staging = new Staging()
const ledger = await readLedger([path], {mapping: profile.ledger, kind: null}, staging.ledger)
const read = soFar()
const journal = await journalAt(process.env.BENCH_JOURNAL)
const {
  report,
  status,
  evidence: kept,
} = await runWithEvidence(
  {
    ...{
      ledger,
      staging,
      resume: false,
      dryRun: remembered === '',
      reportDir: `${folder}/report`,
      listAll: false,
      lang: 'en',
      sinceLast: false,
    },
    options: {
      ...{kind: null, sinceMs: null, untilMs: null, skipDeliveries: false, concurrency: 64},
      ...{resendsPerSecond: 5, waitMs: 0, resendsMax: 100_000},
      overrides: {includeDelivered: false, ignoreCooldown: false, retryUnknown: false},
    },
  },
  {
    ...{
      profile,
      client,
      journal,
      runId: `run-${day}`,
      now: () => nowMs,
      monotonic: () => performance.now(),
    },
    ...{sleep: (ms) => sleep(ms), signal: new AbortController().signal, approve: async () => false},
    ...{onProgress: () => {}, onPlan: () => {}},
  },
  evidence === ''
    ? null
    : {dir: `${folder}/evidence`, hisab: 'bench', keepMs: Number.POSITIVE_INFINITY, keepRuns: 1_000},
)
console.log(
  JSON.stringify({
    ...{status, counts: report.counts, tieOut: report.tieOut, calls: client.calls},
    evidenceBytes: kept?.bytes ?? 0,
    read,
    ...soFar(),
    peakMiB: process.resourceUsage().maxRSS / 1_024,
  }),
)
await journal.close()
