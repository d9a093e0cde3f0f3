import type {Delivery} from '../core/order.ts'
import {escapeInvisible, firstOf} from '../core/text.ts'
import type {Journal} from '../journal/journal.ts'
import {endingResends, type ResendEnd} from '../workflows/orders/doubts.ts'

/** Optional work on the journal: undefined if the journal cannot be opened. */
export type QuietJournal = <T>(work: (journal: Journal) => Promise<T>) => Promise<T | undefined>

/** Collects the records that are read, and records at the end of the command which resends they show as ended. */
export function endingByRecords(attempt: QuietJournal, isBusy: () => boolean | Promise<boolean>) {
  const ends: ResendEnd[] = []
  let look: ReturnType<typeof endingResends> | undefined
  return {
    onDelivery: (record: Delivery) =>
      attempt(async (journal) => {
        look ??= endingResends(
          journal,
          async () => !(await isBusy()),
          (end) => ends.push(end),
        )
        await look(record)
      }),
    notes: () => [...Map.groupBy(ends, ({state}) => state)].map(([state, some]) => noteOf(state, some)),
  }
}

function noteOf(state: ResendEnd['state'], ends: readonly ResendEnd[]): string {
  const named = firstOf(ends, 3, ({orderNo}) => escapeInvisible(orderNo, 60))
  const how = state === 'delivered' ? 'your server took it' : 'your server did not take it'
  return `note: the earlier resend of ${named} has a result: ${how}.`
}
