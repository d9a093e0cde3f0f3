/**
 * One reconciliation without a network, for `reconcile.bench.ts`: `node reconcile-run.ts LEDGER RECORDS FOLDER`. The
 * real reader, workflow, journal and reports; the service answers at once, from the order's number alone. Prints its
 * seconds and its peak of memory.
 */
import {setTimeout as sleep} from 'node:timers/promises'

import type {DeliveryFilter, DeliveryPage} from '../../src/api/client.ts'
import {holdHeap} from '../../src/cli/heap.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {Failure} from '../../src/core/failure.ts'
import type {Delivery, OrderKind} from '../../src/core/order.ts'
import {defaultLedgerMapping, noPayoutLimits, type Profile} from '../../src/core/profile.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {readLedger} from '../../src/ledger/read-ledger.ts'
import {Staging} from '../../src/staging/staging.ts'
import {runReconcile} from '../../src/workflows/reconcile/run.ts'
import {order} from '../core/reconcile/sample.ts'
import {isLost, orderNoOf, serialOf} from './large-ledger.ts'

const [path = '', recordsText = '0', folder = ''] = process.argv.slice(2)
const total = Number(recordsText)
const at = '2026-11-20T06:00:00Z'
const nowMs = Date.parse('2026-11-21T00:00:00Z')

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
  async listDeliveries({page = 1, limit = 100}: DeliveryFilter): Promise<DeliveryPage> {
    client.calls.list += 1
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

function recordOf(index: number): Delivery {
  const orderNo = orderNoOf(index)
  const failed = isLost(serialOf(orderNo))
  return {
    id: `0b5e55ed-0000-4000-9000-${String(index).padStart(12, '0')}`,
    orderId: platformOf(orderNo),
    merchantOrderId: orderNo,
    url: 'https://merchant.example/webhooks',
    event: 'order.completed',
    status: failed ? 'failed' : 'success',
    responseCode: failed ? 503 : 200,
    attempts: failed ? 6 : 1,
    attemptsMax: 5,
    nextRetryAt: null,
    ...{sentAt: at, createdAt: at},
  }
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
const {report, status} = await runReconcile(
  {
    ...{
      ledger,
      staging,
      resume: false,
      dryRun: true,
      reportDir: `${folder}/report`,
      listAll: false,
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
      journal: openJournal(folder, profile),
      runId: 'run-1',
      now: () => nowMs,
      monotonic: () => performance.now(),
    },
    ...{sleep: (ms) => sleep(ms), signal: new AbortController().signal, approve: async () => false},
  },
)
console.log(
  JSON.stringify({
    ...{status, counts: report.counts, tieOut: report.tieOut},
    read,
    ...soFar(),
    peakMiB: process.resourceUsage().maxRSS / 1_024,
  }),
)
