import {codeOf, createdMsOf, type DeliveryFilter, hostOf, passes} from './delivery-filter.ts'
import type {Delivery} from './order.ts'
import {parseInstant} from './time.ts'

const minuteMs = 60_000

/** A failed webhook joins the outage before it if it was created within this time of its last failed attempt. */
export const outageGapMs = 60 * minuteMs

/** The same if the host took a webhook in between: an unstable server. */
export const flapGapMs = 5 * minuteMs

/** A time in which the webhooks to one host failed, with the records that are still failed. */
export interface Outage {
  readonly host: string
  /** Sorted by creation; never empty. */
  readonly records: readonly Delivery[]
  readonly fromMs: number
  /** The last known failed attempt before the host took a webhook again. */
  readonly toMs: number
  /** When the host first took a webhook created later, or null. */
  readonly upAtMs: number | null
  /** Webhooks that the host took meanwhile. */
  readonly taken: number
  /** Answers to the latest attempts, most frequent first. */
  readonly codes: readonly {readonly code: string; readonly webhooks: number}[]
  readonly orders: number
  /** How many the service will retry by itself. */
  readonly scheduled: number
  /** Stays the same as long as its first record fails. */
  readonly id: string
}

/**
 * Clusters failed records by host and time. Only records that are `failed` now and pass the filter are in an outage;
 * any `success` of the host, filtered or not, shows that it was up then.
 *
 * Sorted by begin, then host. `records` is the whole list: a record that is not in it cannot end an outage.
 */
export function findOutages(records: readonly Delivery[], filter: DeliveryFilter, nowMs: number): Outage[] {
  const hosts = new Map<string, {failed: Delivery[]; takenMs: number[]}>()
  for (const record of records) {
    const name = hostOf(record)
    const host = hosts.get(name) ?? {failed: [], takenMs: []}
    hosts.set(name, host)
    if (record.status === 'success') host.takenMs.push(sentMsOf(record))
    if (record.status === 'failed' && passes(record, filter)) host.failed.push(record)
  }
  return [...hosts]
    .flatMap(([host, {failed, takenMs}]) => {
      const times = takenMs.sort((a, b) => a - b)
      return cluster(failed.sort(byCreation), times).map((found) => describe(host, found, times, nowMs))
    })
    .sort((a, b) => a.fromMs - b.fromMs || (a.host < b.host ? -1 : 1))
}

function cluster(failed: readonly Delivery[], takenMs: readonly number[]): Delivery[][] {
  const clusters: Delivery[][] = []
  let reachMs = Number.NEGATIVE_INFINITY
  let beforeMs = Number.NEGATIVE_INFINITY
  for (const record of failed) {
    const atMs = createdMsOf(record)
    const wasUp = (firstAfter(takenMs, beforeMs) ?? atMs) < atMs
    const joins = wasUp ? atMs - beforeMs <= flapGapMs : atMs - reachMs <= outageGapMs
    if (joins) clusters.at(-1)?.push(record)
    else {
      clusters.push([record])
      reachMs = atMs
    }
    reachMs = Math.max(reachMs, atMs, sentMsOf(record))
    beforeMs = atMs
  }
  return clusters
}

function describe(
  host: string,
  records: readonly Delivery[],
  takenMs: readonly number[],
  nowMs: number,
): Outage {
  const times = records.map(createdMsOf)
  const [fromMs = 0, lastMs = 0] = [times[0], times.at(-1)]
  const upAtMs = firstAfter(takenMs, lastMs) ?? null
  const failedMs = records.map(sentMsOf).filter((ms) => upAtMs === null || ms < upAtMs)
  return {
    id: (records[0]?.id ?? '').slice(-8).toLowerCase(),
    host,
    records,
    fromMs,
    toMs: failedMs.reduce((a, b) => Math.max(a, b), lastMs),
    upAtMs,
    taken: takenMs.filter((ms) => ms > fromMs && ms < lastMs).length,
    codes: countCodes(records),
    orders: new Set(records.map(({orderId}) => orderId)).size,
    scheduled: records.filter(({nextRetryAt}) => (msOf(nextRetryAt) ?? 0) > nowMs).length,
  }
}

function countCodes(records: readonly Delivery[]): Outage['codes'] {
  const counts = new Map<string, number>()
  for (const record of records) counts.set(codeOf(record), (counts.get(codeOf(record)) ?? 0) + 1)
  return [...counts]
    .map(([code, webhooks]) => ({code, webhooks}))
    .sort((a, b) => b.webhooks - a.webhooks || (a.code < b.code ? -1 : 1))
}

/** The first of the sorted times after this one. */
function firstAfter(times: readonly number[], ms: number): number | undefined {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) > ms) high = middle
    else low = middle + 1
  }
  return times[low]
}

function byCreation(a: Delivery, b: Delivery): number {
  return createdMsOf(a) - createdMsOf(b) || (a.id < b.id ? -1 : 1)
}

function sentMsOf(record: Delivery): number {
  return msOf(record.sentAt) ?? createdMsOf(record)
}

function msOf(text: string | null): number | null {
  return text === null ? null : parseInstant(text)
}
