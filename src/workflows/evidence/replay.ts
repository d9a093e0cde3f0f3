import type {OrderAnswer, QuotedDelivery} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import type {OrderKind, OrderState, ServiceOrder} from '../../core/order.ts'
import {noPayoutLimits, type Profile} from '../../core/profile.ts'
import type {UnreadableRow} from '../../core/reconcile/entry.ts'
import {escapeInvisible} from '../../core/text.ts'
import {decode} from '../../evidence/codec.ts'
import {evidenceDocument, evidenceLines} from '../../evidence/read.ts'
import {RowBuffer} from '../../files/row-buffer.ts'
import {openScratchDatabase} from '../../files/scratch-database.ts'
import type {Database} from '../../files/sqlite.ts'
import type {Journal} from '../../journal/journal.ts'
import type {findMentions} from '../../ledger/mentions.ts'
import type {RowTimes} from '../../ledger/row-times.ts'
import type {Staging} from '../../staging/staging.ts'
import type {PaidTwice} from '../orders/paid-after-all.ts'
import type {ReconcilePorts, RunPorts, RunRequest} from '../reconcile/types.ts'
import type {WhyReceived} from '../resend/received.ts'
import {type EvidenceDocument, linesOf} from './document.ts'
import {journalReads, journalUses} from './journal-uses.ts'
import {keyOf} from './record.ts'

export interface Replay {
  readonly document: EvidenceDocument
  readonly request: RunRequest
  readonly ports: RunPorts
  close(): void
}

/**
 * Makes a run from a folder of evidence: rows go into `staging`, and every query gets its recorded answer. Nothing is
 * sent, and there is no journal. Throws `incomplete` if the run asks something the evidence does not answer.
 */
export function replayOf(dir: string, staging: Staging, reportDir: string): Replay {
  const document = evidenceDocument<EvidenceDocument>(dir)
  if (document.interrupted)
    throw new Failure(
      'incomplete',
      `The run ${escapeInvisible(document.runId, 60)} was interrupted, and did not ask all it had to.`,
      'Give the folder of the run that went on with it.',
    )
  for (const line of evidenceLines(dir, linesOf.rows, document.blocks)) takeRow(line, staging)
  const answers = new KeptAnswers(dir, document)
  const [times, skews, calls] = [sequence(document.times), sequence(document.skews), sequence(document.calls)]
  const now = () => times() ?? 0
  const read = (name: string, args: unknown) => answers.take(keyOf(name, args))
  const client: ReconcilePorts['client'] = {
    queryOrder: async (kind, orderNo) =>
      orderAnswer(answers.take(`${linesOf.others} ${kind} ${orderNo}`), kind, orderNo),
    listDeliveries: async (filter = {}) => orThrow(answers.take(keyOf('list', filter))),
    getDelivery: async (id) => {
      const kept = orThrow<Pick<QuotedDelivery, 'delivery' | 'payload' | 'answerLine'> | null>(
        answers.take(keyOf('get', id)),
      )
      return kept && {...kept, payload: kept.payload, responseBody: undefined, raw: {}}
    },
    resendDelivery: () => Promise.reject(notSent()),
    get calls() {
      return calls() ?? {create: 0, query: 0, list: 0, get: 0, resend: 0}
    },
    get clockSkewMs() {
      return skews() ?? null
    },
  }
  const {profile: known} = document
  const profile: Profile = {
    ...known,
    ...{isEnvironmentNamed: true, returnUrl: null, payouts: noPayoutLimits},
  }
  return {
    document,
    request: {
      ...document.request,
      ledger: {
        ...document.ledger,
        rowTimes: {stretchAt: (ms) => read('stretchAt', [ms]) as ReturnType<RowTimes['stretchAt']>},
      },
      ...{staging, reportDir},
    },
    ports: {
      ...{profile, client, journal: journalOf(read), runId: document.runId, now},
      monotonic: () => 0,
      sleep: () => Promise.resolve(),
      signal: new AbortController().signal,
      approve: async () => document.approved ?? false,
      ...{onProgress: () => {}, onPlan: () => {}},
      recorded: {
        isReplay: true,
        stamp: () => 0,
        asked: {
          queryOrder: async (kind, orderNo) =>
            orderAnswer(answers.take(`${linesOf.orders} ${kind} ${orderNo}`), kind, orderNo),
        },
        findMentions: async () => read('findMentions', []) as Awaited<ReturnType<typeof findMentions>>,
        whyPaidAnew: async ({orderNo}) => read('whyPaidAnew', [orderNo]) as string | null,
        whyPaidTwice: async ({orderNo}) => read('whyPaidTwice', [orderNo]) as PaidTwice | null,
        received: (order) => read('received', order) as ReturnType<WhyReceived>,
        runResends: async () => ({outcomes: document.outcomes, failure: null}),
      },
    },
    close: () => answers.close(),
  }
}

/** Reads get their recorded answers; writes do nothing. */
function journalOf(read: (name: string, args: unknown) => unknown): Journal {
  const answers = new Map<string, (...args: never[]) => unknown>(
    journalReads.map((name) => [name, async (...args) => read(name, args)]),
  )
  answers.set('rowsSeen', async function* (runId: string) {
    const some = () => read('rowsSeen', [runId]) as readonly unknown[]
    let rows = some()
    try {
      for (; rows.length > 0; rows = some()) yield* rows
    } finally {
      // A caller may stop early; the next read must start after this one's end.
      while (rows.length > 0) rows = some()
    }
  })
  answers.set('fingerprint', (...parts: unknown[]) => read('fingerprint', parts))
  answers.set('resendHistory', async () => ({
    earlier: (...args: unknown[]) => read('earlier', args),
    delivered: () => read('delivered', []),
  }))
  const nothing = async () => undefined
  return new Proxy({} as Journal, {
    get: (_, name) => {
      if (!Object.hasOwn(journalUses, name)) return undefined
      const use = journalUses[name as keyof Journal]
      if (use === 'none')
        throw new Failure('bug', `A replay has no answer for \`${String(name)}\`.`, 'Please report this.')
      return use === 'write' ? nothing : answers.get(String(name))
    },
  })
}

function takeRow(line: string, {ledger}: Staging): void {
  const row: unknown = JSON.parse(line)
  if (!Array.isArray(row)) {
    ledger.unreadable(row as UnreadableRow)
    return
  }
  const [file, at, kind, orderNo, status, amount, platformOrderNo, fromMs, toMs, playerRef, delayMs] =
    row as [
      ...[number, number, OrderKind, string, OrderState, string | null, string | null],
      ...[number | null, number | null, string | null, number | null | undefined],
    ]
  ledger.entry(
    {
      ...{file, line: at, kind, orderNo, status, platformOrderNo, playerRef},
      amount: amount === null ? null : BigInt(amount),
    },
    fromMs === null || toMs === null ? null : {fromMs, toMs},
    delayMs ?? null,
  )
}

function orderAnswer(kept: unknown, kind: OrderKind, orderNo: string): OrderAnswer {
  const [status, rawStatus, amount, platformOrderNo, sent, playerRef] = orThrow<readonly unknown[]>(kept)
  if (status === 'absent') return {found: false, ...(rawStatus === 'bare' && {isBare: true})}
  const order = {
    ...{kind, orderNo, platformOrderNo: String(platformOrderNo), rawStatus: String(rawStatus)},
    ...{status: status as ServiceOrder['status'], amount: amount === null ? null : BigInt(String(amount))},
    ...(sent != null && {sentAmount: BigInt(String(sent))}),
    ...(playerRef !== undefined && {playerRef: String(playerRef)}),
  }
  return {found: true, order, raw: {}}
}

function orThrow<T>(kept: unknown): T {
  const failure: unknown = Array.isArray(kept) ? kept[0] : kept
  if (failure instanceof Failure) throw failure
  return kept as T
}

function notSent(): Failure {
  return new Failure('bug', 'A run that is played again was about to send.', 'Please report this.')
}

function sequence<T>(values: readonly T[]): () => T | undefined {
  let at = 0
  return () => values[Math.min(at++, values.length - 1)]
}

/** Answers by query; the same query again gets the next answer. On disk, because there may be more than memory holds. */
class KeptAnswers {
  private readonly db: Database
  private readonly hisab: string

  constructor(dir: string, {blocks, hisab}: EvidenceDocument) {
    this.hisab = hisab
    this.db = openScratchDatabase('CREATE TABLE answers (key TEXT, answer TEXT)')
    const rows = new RowBuffer(this.db, 'answers', 2)
    for (const file of [linesOf.orders, linesOf.others]) {
      for (const line of evidenceLines(dir, file, blocks)) {
        const [kind, orderNo, ...answer] = JSON.parse(line) as [string, string, ...unknown[]]
        rows.add([`${file} ${kind} ${orderNo}`, JSON.stringify(answer)])
      }
    }
    for (const file of [linesOf.deliveries, linesOf.reads]) {
      for (const line of evidenceLines(dir, file, blocks)) {
        const [key, answer = null] = JSON.parse(line) as [string, unknown]
        rows.add([key, JSON.stringify(answer)])
      }
    }
    rows.flush()
    this.db.sql.exec('CREATE INDEX answers_by_key ON answers (key)')
  }

  take(key: string): unknown {
    const taken = this.db.statements.get(
      'DELETE FROM answers WHERE rowid = (SELECT min(rowid) FROM answers WHERE key = ?) RETURNING answer',
      key,
    )
    if (taken) return decode(String(taken.answer))
    throw new Failure(
      'incomplete',
      `The evidence has no answer to: ${escapeInvisible(key, 120)}.`,
      `It was written by hisab ${escapeInvisible(this.hisab, 40)}. That version plays it again.`,
    )
  }

  close(): void {
    this.db.sql.close()
  }
}
