import {mkdirSync} from 'node:fs'
import {flushCompileCache} from 'node:module'
import {connect} from 'node:net'
import {createInterface} from 'node:readline'
import {setTimeout as delay} from 'node:timers/promises'

import {Failure} from '../../../src/core/failure.ts'
import type {Delivery} from '../../../src/core/order.ts'
import {openSharedJournal, type SharedJournal} from '../../../src/journal/postgres/journal.ts'
import type {DatabaseAddress} from '../../../src/journal/postgres/settings.ts'
import {runResends} from '../../../src/workflows/resend/resend.ts'
import {payout} from '../sample.ts'
import type {Asked} from './books.ts'

/** What a worker is given of a merchant's, in an order of its own. */
export interface Work {
  readonly merchantId: string
  readonly ceilingPaisa: string
  readonly fromMs: number
  readonly events: readonly string[]
  readonly payouts: readonly (readonly [number: string, paisa: string])[]
}

// One of many processes of a merchant: resends and pays what the coordinator lists, through the real journal and the real
// sending loop, until there is no more. Killed at any time.
const [, , worker = '', socketPath = '', dataDir = '', address = ''] = process.argv
mkdirSync(dataDir, {recursive: true, mode: 0o700})
// A process that is killed leaves none.
flushCompileCache()
const database = JSON.parse(address) as DatabaseAddress
const socket = connect(socketPath)
const lines = createInterface(socket)[Symbol.asyncIterator]()
/** Resends of a run. */
const batch = 40
let turn: Promise<unknown> = Promise.resolve()

for (;;) {
  const works = (await ask({op: 'work', worker: Number(worker)})) as Work[] | null
  if (works === null) break
  await Promise.all(works.map(play))
  await ask({op: 'done', worker: Number(worker)})
}
process.exit(0)

function ask(asked: Asked): Promise<unknown> {
  const said = turn.then(async () => {
    socket.write(`${JSON.stringify(asked)}\n`)
    const {value} = await lines.next()
    return JSON.parse(String(value))
  })
  turn = said
  return said
}

async function play(work: Work): Promise<void> {
  const todo = {events: [...work.events], payouts: [...work.payouts]}
  for (let tries = 0; tries < 400 && todo.events.length + todo.payouts.length > 0; tries++) {
    try {
      const account = {merchantId: work.merchantId, environment: 'live'}
      const user = {
        account,
        addresses: ['https://pay.example'],
        profileName: 'live',
        isEnvironmentNamed: true,
      }
      const journal = await openSharedJournal(dataDir, database, {...user, dataDir})
      try {
        const resending = async () => {
          while (todo.events.length > 0) await resend(journal, todo.events)
        }
        const paying = async () => {
          while (todo.payouts.length > 0) await pay(journal, work, todo.payouts)
        }
        const ends = await Promise.allSettled([resending(), paying()])
        for (const end of ends) if (end.status === 'rejected') throw end.reason
      } finally {
        await journal.close()
      }
    } catch (error) {
      // Only a database that is gone is tried again: what is refused for another reason would be for ever.
      if (!(error instanceof Failure) || error.code !== 'storage_failed') throw error
      await delay(50)
    }
  }
}

async function settled(...keys: readonly string[]): Promise<void> {
  await ask({op: 'settled', worker: Number(worker), keys})
}

async function resend(journal: SharedJournal, events: string[]): Promise<void> {
  const runId = crypto.randomUUID()
  await journal.startRun({
    id: runId,
    command: 'resend',
    startedAtMs: Date.now(),
    options: '{}',
    reportDir: null,
  })
  const jobs = events.slice(0, batch).map((event) => {
    const delivery = recordOf(event)
    return {
      delivery,
      kind: 'deposit' as const,
      orderNo: delivery.merchantOrderId,
      cause: 'delivery_exhausted',
      order: null,
    }
  })
  const client = {
    clockSkewMs: 0,
    // The record is late: it never shows what was sent, and only the claims keep it from being sent again.
    getDelivery: async (id: string) => ({
      delivery: recordOf(id),
      ...{payload: undefined, responseBody: undefined, raw: {}, answerLine: null},
    }),
    queryOrder: () => Promise.reject(new Error('not asked')),
    listDeliveries: async () => ({
      ...{records: [], page: 1, limit: 100, total: 0, totalPages: 0, odd: [], answeredAt: null},
    }),
    resendDelivery: async (id: string, checkInTime: () => void) => {
      checkInTime()
      const isAnswered = await ask({op: 'resend', event: id})
      return isAnswered ? ({is: 'accepted', but: null} as const) : ({is: 'lost', but: 'cut'} as const)
    },
  }
  const {outcomes, failure} = await runResends(jobs, {
    ...{client, journal, runId, now: Date.now, monotonic: () => performance.now(), ratePerSecond: 1e9},
    ...{sleep: async () => undefined, waitMs: 0, overrides: [], signal: new AbortController().signal},
    onProgress: () => {},
  })
  const isOpen = (id: string) => {
    const outcome = outcomes.get(id)
    return outcome?.state === 'skipped' && !/ resent (?:it|this event)/.test(outcome.why ?? '')
  }
  const tried = events.splice(0, batch)
  events.unshift(...tried.filter(isOpen))
  await settled(...tried.filter((id) => !isOpen(id)))
  if (failure) throw failure
  await journal.finishRun(runId, {status: 'finished', finishedAtMs: Date.now(), exitStatus: 0})
}

async function pay(
  journal: SharedJournal,
  work: Work,
  payouts: [string, string][] | Work['payouts'][number][],
) {
  const [next] = payouts
  if (!next) return
  const [orderNo, paisa] = next
  const guard = {
    ...{dailyCeiling: BigInt(work.ceilingPaisa), dayStartMs: work.fromMs, duplicatesSinceMs: work.fromMs},
    duplicatesAllowed: new Set<string>(),
  }
  const claim = {
    ...payout,
    orderNo,
    amount: BigInt(paisa),
    // Each to another wallet: a doubt holds whatever else goes to its own.
    ...{maskedAccount: `017****${orderNo}`, payeeFingerprint: `key-id-0.${orderNo}`},
    intentAtMs: Date.now(),
  }
  try {
    const made = await journal.claimNumber(claim, guard)
    payouts.shift()
    await settled(orderNo)
    // One that another process has is looked at in life, and not sent.
    if (!made.fresh) return
    const isAnswered = await ask({op: 'pay', number: orderNo, paisa})
    await journal.recordRequestOutcome(made.id, isAnswered ? 'accepted' : 'unknown', {
      outcomeAtMs: Date.now(),
    })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'payout_over_limit') throw error
    payouts.shift()
    await settled(orderNo)
  }
}

function recordOf(id: string): Delivery {
  return {
    ...{id, orderId: `order-${id}`, merchantOrderId: `D-${id}`, url: 'https://shop.example/hook'},
    ...{event: 'order.completed', status: 'failed', responseCode: 503, attempts: 5, attemptsMax: 5},
    ...{nextRetryAt: null, sentAt: '2025-11-13T02:14:05+06:00', createdAt: '2025-11-13T00:00:00+06:00'},
  }
}
