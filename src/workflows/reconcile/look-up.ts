import {type Failure, unlessStopped} from '../../core/failure.ts'
import type {Delivery} from '../../core/order.ts'
import {readFullList} from '../records/full-list-read.ts'
import type {Lister} from '../records/list-reader.ts'

/** The records of one order, or why they could not be read. */
export async function lookUpRecords(client: Lister, orderId: string): Promise<readonly Delivery[] | string> {
  const list = await orWhy(() => readFullList(client, {filter: {orderId}, width: 1}))
  if (typeof list === 'string') return list
  return list.complete ? list.records : (list.because ?? '')
}

/** What could be read, or why it could not; a stop is thrown on. */
export async function orWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (thrown) {
    return unlessStopped(thrown).clause
  }
}

/** Part of a sentence in a report that has no other place for the next step. */
export function whyNone({code, clause, hint}: Failure): string {
  if (code === 'legacy_unavailable') return `the legacy API is not there: ${clause}`
  return code === 'credentials_rejected' ? `${clause}. ${hint.replace(/\.$/, '')}` : clause
}
