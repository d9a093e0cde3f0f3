import {type DeliveryEngine, receiverOf} from './deliveries.ts'
import type {MerchantsById} from './merchants.ts'
import type {ConsoleDeliveries, ListedDelivery} from './store/console-deliveries.ts'
import type {DeliveryStore} from './store/deliveries.ts'

export interface ResendOfFailed {
  readonly total: number
  /** Webhooks sent so far. */
  readonly done: number
  /** Sent webhooks that the receiver took. */
  readonly taken: number
  readonly endedAtMs: number | null
  readonly problem: string | null
}

interface Parts {
  readonly engine: DeliveryEngine
  readonly consoleDeliveries: ConsoleDeliveries
  readonly deliveries: DeliveryStore
  readonly merchants: MerchantsById
  readonly now: () => number
}

/** Resends at one receiver at a time, so that one that hangs delays no other. */
const atOnceMax = 16
export const resendsMax = 10_000
const readAtOnce = 500

/** Resends failed webhooks, oldest first. New failures wait for the next time. */
export function openFailedResender({engine, consoleDeliveries, deliveries, merchants, now}: Parts) {
  let state: ResendOfFailed | null = null
  const note = (change: Partial<ResendOfFailed>) => {
    if (state) state = {...state, ...change}
  }

  async function resend(ids: string[]): Promise<void> {
    for (let id = ids.shift(); id !== undefined && state?.problem === null; id = ids.shift()) {
      try {
        await engine.resend(id)
      } catch (error) {
        note({problem: error instanceof Error ? error.message : String(error)})
        return
      }
      const isTaken = deliveries.find(id)?.status === 'success'
      note({done: (state?.done ?? 0) + 1, taken: (state?.taken ?? 0) + (isTaken ? 1 : 0)})
    }
  }

  return {
    state: () => state,

    start(): number | null {
      if (state?.endedAtMs === null) return null
      const failed = readFailed(consoleDeliveries, [...merchants.keys()]).filter(
        ({id}) => engine.progressOf(id) === null,
      )
      state = {total: failed.length, done: 0, taken: 0, endedAtMs: null, problem: null}
      const byReceiver = Map.groupBy(failed, ({url}) => receiverOf(url))
      const work = [...byReceiver.values()].flatMap((records) => {
        const ids = records.map(({id}) => id)
        return Array.from({length: Math.min(atOnceMax, ids.length)}, () => resend(ids))
      })
      void Promise.all(work).then(() => note({endedAtMs: now()}))
      return failed.length
    },
  }
}

function readFailed(lists: ConsoleDeliveries, merchantIds: readonly string[]): ListedDelivery[] {
  const found: ListedDelivery[] = []
  for (let afterSeq = 0; found.length < resendsMax; ) {
    const {lines} = lists.list(merchantIds, 'failed', {afterSeq}, readAtOnce)
    found.push(...lines.toReversed())
    if (lines.length < readAtOnce) break
    afterSeq = lines[0]?.seq ?? afterSeq
  }
  return found.slice(0, resendsMax)
}
