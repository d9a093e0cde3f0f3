import {createHash} from 'node:crypto'
import type {CallCounts, OrderAnswer, QuotedDelivery} from '../../api/client.ts'
import {assumptionsOf} from '../../core/dialect.ts'
import {asFailure} from '../../core/failure.ts'
import {isJsonObject, type JsonValue} from '../../core/json.ts'
import type {OrderKind} from '../../core/order.ts'
import {maskPersonal, maskPhones} from '../../core/personal.ts'
import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import {encode} from '../../evidence/codec.ts'
import type {EvidenceFolder} from '../../evidence/folder.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RememberedRow} from '../../journal/memory-rows.ts'
import {findMentions} from '../../ledger/mentions.ts'
import {findingsCsv} from '../../report/findings-csv.ts'
import {listedViews} from '../../report/reconcile-report.ts'
import {paidTwiceBy} from '../orders/paid-after-all.ts'
import {paidAnewBy} from '../orders/paid-anew.ts'
import type {ReconcilePorts, RunEnd, RunPorts, RunRequest} from '../reconcile/types.ts'
import {runResends} from '../resend/resend.ts'
import {type EvidenceDocument, linesOf, type SealedFacts} from './document.ts'
import {journalReads} from './journal-uses.ts'

const rowsAtOnce = 1_000

/** The key of a query, independent of the order of its order numbers; long ones are hashed. */
export function keyOf(name: string, args: unknown): string {
  const text = JSON.stringify(named(args))
  return `${name} ${text.length > 120 ? createHash('sha256').update(text).digest('base64url') : text}`
}

function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named).sort()
  if (typeof value !== 'object' || value === null || !('orderNo' in value)) return value
  return `${'kind' in value ? value.kind : null} ${value.orderNo}`
}

type Client = ReconcilePorts['client']

/**
 * Records what a run reads without changing the run: if recording fails, only the evidence ends. Personal data is
 * masked, signatures are left out (P20).
 */
export class EvidenceRecorder {
  private readonly folder: EvidenceFolder
  private readonly request: RunRequest
  private readonly ports: RunPorts
  private readonly times: number[] = []
  private readonly skews: (number | null)[] = []
  private readonly calls: CallCounts[] = []
  private approved: boolean | null = null
  private outcomes: ReadonlyMap<string, ResendOutcome> = new Map()

  constructor(folder: EvidenceFolder, request: RunRequest, ports: RunPorts) {
    this.folder = folder
    this.request = request
    this.ports = ports
  }

  /** The same run with recording ports; to be used instead of the given one. */
  recorded(): {readonly request: RunRequest; readonly ports: RunPorts} {
    const {request, ports} = this
    this.quietly(() => {
      for (const lines of request.staging.ledger.asLines(maskPhones)) this.folder.put(linesOf.rows, lines)
    })
    const {rowTimes} = request.ledger
    const stretchAt: typeof rowTimes.stretchAt = (ms) => this.read('stretchAt', [ms], rowTimes.stretchAt(ms))
    const journal = this.journal()
    const whyPaidAnew = paidAnewBy(ports.journal, ports.client)
    const whyPaidTwice = paidTwiceBy(ports.journal, ports.client)
    return {
      request: {...request, ledger: {...request.ledger, rowTimes: {stretchAt}}},
      ports: {
        ...ports,
        journal,
        client: this.client(),
        now: () => {
          const ms = ports.now()
          this.times.push(ms)
          return ms
        },
        approve: async (facts) => {
          this.approved = await ports.approve(facts)
          return this.approved
        },
        recorded: {
          isReplay: false,
          stamp: ports.now,
          asked: this.querying(ports.client, linesOf.orders),
          findMentions: async (files, ...more) => {
            const found = await findMentions(files, ...more)
            return this.read('findMentions', [], found)
          },
          whyPaidAnew: async (order, ...more) =>
            this.read('whyPaidAnew', [order.orderNo], await whyPaidAnew(order, ...more)),
          whyPaidTwice: async (order, ...more) =>
            this.read('whyPaidTwice', [order.orderNo], await whyPaidTwice(order, ...more)),
          received: (order, asked) => this.read('received', order, ports.received?.(order, asked) ?? null),
          runResends: async (jobs, given, watched) => {
            const {journal: own, now} = ports
            const client = this.noting(ports.client)
            const ended = await runResends(jobs, {...given, client, journal: own, now}, watched)
            this.outcomes = ended.outcomes
            return ended
          },
        },
      },
    }
  }

  /** The facts that are known at the end of the run. */
  finish({facts, status}: RunEnd, hisab: string): Omit<EvidenceDocument, SealedFacts> {
    const {request, ports} = this
    const {name, merchantId, environment, baseUrl, applyUrl, legacyUrl, dialect, ledger} = ports.profile
    const {staging: _, reportDir: __, ledger: read, ...asked} = request
    const {rowTimes: ___, ...facts0} = read
    const sum = createHash('sha256')
    for (const text of findingsCsv({findings: listedViews(facts)})) {
      sum.update(text)
      this.folder.put(linesOf.findings, text, '')
    }
    return {
      ...{schemaVersion: 1, hisab, runId: ports.runId},
      profile: {name, merchantId, environment, baseUrl, applyUrl, legacyUrl, dialect, ledger},
      ...{request: asked, ledger: facts0, assumptions: assumptionsOf(dialect)},
      ...{times: this.times, skews: this.skews, calls: this.calls},
      ...{approved: this.approved, outcomes: this.outcomes, interrupted: ports.signal.aborted},
      ...{exitStatus: status, tally: facts.tally, findingsSha256: sum.digest('hex')},
    }
  }

  private read<T>(name: string, args: unknown, answer: T): T {
    this.quietly(() => this.folder.put(linesOf.reads, encode([keyOf(name, args), answer])))
    return answer
  }

  private querying(client: Pick<Client, 'queryOrder'>, file: string): Pick<Client, 'queryOrder'> {
    return {
      queryOrder: async (kind, orderNo) => {
        try {
          const answer = await client.queryOrder(kind, orderNo)
          this.quietly(() => this.folder.put(file, orderLine(kind, orderNo, answer)))
          return answer
        } catch (error) {
          this.quietly(() => this.folder.put(file, encode([kind, orderNo, asFailure(error)])))
          throw error
        }
      },
    }
  }

  private client(): Client {
    const {client} = this.ports
    const {skews, calls} = this
    const asked = async <T>(key: string, call: Promise<T>, kept: (answer: T) => unknown): Promise<T> => {
      try {
        const answer = await call
        this.quietly(() => this.folder.put(linesOf.deliveries, encodeAnswer(key, kept(answer))))
        return answer
      } catch (error) {
        this.quietly(() => this.folder.put(linesOf.deliveries, encode([key, asFailure(error)])))
        throw error
      }
    }
    return {
      ...this.querying(client, linesOf.others),
      listDeliveries: (filter = {}) =>
        asked(keyOf('list', filter), client.listDeliveries(filter), (page) => page),
      getDelivery: (id) => asked(keyOf('get', id), client.getDelivery(id), webhookOf),
      resendDelivery: (...args) => client.resendDelivery(...args),
      get calls() {
        const counts = {...client.calls}
        calls.push(counts)
        return counts
      },
      get clockSkewMs() {
        skews.push(client.clockSkewMs)
        return client.clockSkewMs
      },
    }
  }

  /** Records answers during resends; only people read them, they are not replayed. */
  private noting(client: Client): Client {
    const noted = async <T>(what: string, call: Promise<T>, kept: (answer: T) => unknown): Promise<T> => {
      const put = (answer: unknown) =>
        this.quietly(() => this.folder.put(linesOf.resends, encode([this.ports.now(), what, answer])))
      try {
        const answer = await call
        put(kept(answer))
        return answer
      } catch (error) {
        put(asFailure(error))
        throw error
      }
    }
    return {
      queryOrder: (kind, orderNo) =>
        noted(
          `query ${kind} ${orderNo}`,
          client.queryOrder(kind, orderNo),
          (answer) => answer.found && answer.order,
        ),
      listDeliveries: (filter) => client.listDeliveries(filter),
      getDelivery: (id) => noted(`get ${id}`, client.getDelivery(id), webhookOf),
      resendDelivery: (id, ...more) =>
        noted(`resend ${id}`, client.resendDelivery(id, ...more), (answer) => answer),
      get calls() {
        return client.calls
      },
      get clockSkewMs() {
        return client.clockSkewMs
      },
    }
  }

  private journal(): Journal {
    const {journal} = this.ports
    const answers = new Map<string, (...args: never[]) => unknown>()
    for (const name of journalReads) {
      const ask = journal[name as 'findRun'].bind(journal) as (...args: unknown[]) => Promise<unknown>
      answers.set(name, async (...args) => this.read(name, args, await ask(...args)))
    }
    answers.set('rowsSeen', this.rowsSeen.bind(this))
    answers.set('fingerprint', (...parts: string[]) =>
      this.read('fingerprint', parts, journal.fingerprint(...parts)),
    )
    answers.set('resendHistory', async () => {
      const {earlier, delivered} = await journal.resendHistory()
      return {
        earlier: (...args: Parameters<typeof earlier>) => this.read('earlier', args, earlier(...args)),
        delivered: () => this.read('delivered', [], delivered()),
      }
    })
    return new Proxy(journal, {
      get: (target, name) => answers.get(String(name)) ?? Reflect.get(target, name),
    })
  }

  /** Recorded in batches; an empty batch marks the end. */
  private async *rowsSeen(runId: string): AsyncGenerator<RememberedRow> {
    let rows: RememberedRow[] = []
    const keep = () => {
      this.read('rowsSeen', [runId], rows)
      rows = []
    }
    try {
      for await (const row of this.ports.journal.rowsSeen(runId)) {
        if (rows.push(row) === rowsAtOnce) keep()
        yield row
      }
    } finally {
      if (rows.length > 0) keep()
      keep()
    }
  }

  /** An error while recording must not end a run that may be sending. */
  private quietly<T>(work: () => T): T | undefined {
    if (this.folder.failure) return undefined
    try {
      return work()
    } catch (error) {
      this.folder.fail(error)
      return undefined
    }
  }
}

function orderLine(kind: OrderKind, orderNo: string, answer: OrderAnswer): string {
  if (!answer.found) return JSON.stringify([kind, orderNo, 'absent', ...(answer.isBare ? ['bare'] : [])])
  const {status, rawStatus, amount, platformOrderNo, sentAmount, playerRef} = answer.order
  return JSON.stringify([
    kind,
    orderNo,
    status,
    rawStatus,
    amount === null ? null : `${amount}`,
    platformOrderNo,
    ...(sentAmount === undefined && playerRef === undefined
      ? []
      : [sentAmount === undefined ? null : `${sentAmount}`]),
    ...(playerRef === undefined ? [] : [maskPhones(playerRef)]),
  ])
}

/** Pages of records are many and have no values that need tags, so plain JSON is enough. */
function encodeAnswer(key: string, answer: unknown): string {
  return key.startsWith('list') ? JSON.stringify([key, answer]) : encode([key, answer])
}

/** The deciding parts of a webhook, without the merchant server's answer and without signatures. */
function webhookOf(
  detail: QuotedDelivery | null,
): Pick<QuotedDelivery, 'delivery' | 'payload' | 'answerLine'> | null {
  if (!detail) return null
  const {delivery, payload, answerLine} = detail
  return {
    delivery,
    payload: payload === undefined ? undefined : withoutSignatures(maskPersonal(payload)),
    answerLine,
  }
}

function withoutSignatures(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSignatures)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      /sign/i.test(name) ? '***' : withoutSignatures(inner),
    ]),
  )
}
