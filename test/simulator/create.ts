import {join} from 'node:path'

import type {DepositRequest, PayoutRequest, ServiceClient} from '../../src/api/client.ts'
import {Failure} from '../../src/core/failure.ts'
import type {Journal} from '../../src/journal/journal.ts'
import type {PayoutFile} from '../../src/ledger/read-payouts.ts'
import {type CreatedOrder, createDeposit, createPayout} from '../../src/workflows/create-order.ts'
import {type PaidBatch, payPlanned} from '../../src/workflows/payouts/pay.ts'
import {planPayouts} from '../../src/workflows/payouts/plan.ts'
import {ResultFiles} from '../../src/workflows/payouts/result-files.ts'
import {guardOf, payoutOrder, payoutTerms, reviewPayout} from '../../src/workflows/payouts/terms.ts'
import {SimulatedNetwork, type Try} from './network.ts'
import {clientOf, type Ending, type JournalFile, live} from './night.ts'
import type {SimulatedProcess} from './process.ts'
import {profile} from './profile.ts'

/** The most this merchant lets hisab pay out in a day, in paisa. */
export const dailyCeiling = 8_000_000n
const ceiled = {...profile, payouts: {amountMax: null, dailyCeiling}}

/** One order somebody wants made. */
export type Wish =
  | {readonly kind: 'deposit'; readonly orderNo: string; readonly request: DepositRequest}
  | {readonly kind: 'payout'; readonly orderNo: string; readonly request: PayoutRequest}

export type Created = CreatedOrder<{readonly platformOrderNo: string}>

export interface CreateEnd {
  readonly process: SimulatedProcess
  readonly tries: readonly Try[]
  readonly ending: Ending<Created>
}

/** One process of `hisab deposit create` or `payout create`, put together as the commands do it. */
async function createOnce(
  process: SimulatedProcess,
  journal: Journal,
  client: ServiceClient,
  wish: Wish,
): Promise<Created> {
  const {now} = process.site.time
  const ports = {client, journal, profileName: profile.name, now}
  if (wish.kind === 'deposit') return await createDeposit(client.prepareDeposit(wish.request), false, ports)
  const order = payoutOrder(wish.request, client.preparePayout.bind(client), journal)
  const {twins} = reviewPayout(order, payoutTerms(ceiled, null, now()), journal)
  // The person has seen them and said yes, some time later.
  await process.sleep(2_000)
  const terms = payoutTerms(ceiled, null, now())
  const allowed = new Set(twins.map(({orderNo}) => orderNo))
  return await createPayout(order.prepared, order.claim, guardOf(terms, allowed), ports)
}

/** Lets one person, or two at the same moment, make an order. Creates take no lock. */
export async function playCreate(
  processes: readonly SimulatedProcess[],
  journal: JournalFile,
  wish: Wish,
): Promise<CreateEnd[]> {
  const networks = processes.map((process) => new SimulatedNetwork(process))
  const [first] = processes as [SimulatedProcess]
  const endings = new Map<SimulatedProcess, Ending<Created>>()
  const one = async (process: SimulatedProcess, network: SimulatedNetwork) => {
    const client = clientOf(process, network, 16)
    try {
      const value = await Promise.race([
        createOnce(process, process.journal(journal.get()), client, wish),
        process.death.then(() => null as never),
      ])
      endings.set(process, process.isDead ? {is: 'killed'} : {is: 'ended', value})
    } catch (error) {
      if (!process.isDead && !(error instanceof Failure)) throw error
      endings.set(process, process.isDead ? {is: 'killed'} : {is: 'failed', failure: error as Failure})
    } finally {
      await client.close()
    }
  }
  await live(
    first,
    journal,
    async () => {
      await Promise.all(processes.map((process, index) => one(process, networks[index] as SimulatedNetwork)))
    },
    false,
  )
  for (const process of processes) process.leave()
  if (processes.some((process) => endings.get(process)?.is === 'killed')) journal.close()
  return processes.map((process, index) => ({
    process,
    tries: networks[index]?.tries ?? [],
    ending: endings.get(process) ?? {is: 'killed'},
  }))
}

export interface BatchEnd {
  readonly process: SimulatedProcess
  readonly tries: readonly Try[]
  readonly ending: Ending<PaidBatch>
}

/** One process of `hisab payout create --from`. */
export async function playBatch(
  process: SimulatedProcess,
  journal: JournalFile,
  file: PayoutFile,
): Promise<BatchEnd> {
  const {time, dir} = process.site
  const network = new SimulatedNetwork(process)
  const ending = await live(process, journal, async () => {
    const client = clientOf(process, network, 16)
    const ofProcess = process.journal(journal.get())
    const termsAt = (nowMs: number) => payoutTerms(ceiled, null, nowMs)
    const pay = async () => {
      const prepare = client.preparePayout.bind(client)
      const ports = {prepare, journal: ofProcess, returnUrl: profile.returnUrl ?? ''}
      const results = new ResultFiles(join(dir, 'reports', 'payouts.csv'))
      const plan = planPayouts(file, termsAt(time.now()), ports)
      return await payPlanned(plan, {
        ...{client, journal: ofProcess, profileName: profile.name, now: time.now, termsAt},
        ...{concurrency: 16, signal: process.stop.signal, onProgress: () => {}},
        onSave: (lines, isOver) => results.save(lines, isOver),
      })
    }
    try {
      return await Promise.race([pay(), process.death.then(() => null as never)])
    } finally {
      await client.close()
    }
  })
  return {process, tries: network.tries, ending}
}
