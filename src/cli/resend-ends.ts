import type {Delivery} from '../core/order.ts'
import {escapeInvisible} from '../core/text.ts'
import type {Journal} from '../journal/journal.ts'
import {endingResends, type ResendEnd} from '../workflows/orders/doubts.ts'

/** Work on the journal that a command can do without: undefined where it cannot be had. */
export type QuietJournal = <T>(work: (journal: Journal) => Promise<T>) => Promise<T | undefined>

/** Looks at every record that is read, and says at the end of the command which resends' ends they showed. */
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
  const first = ends.slice(0, 3).map(({orderNo}) => escapeInvisible(orderNo, 60))
  const named = `${first.join(', ')}${ends.length > 3 ? ` and ${ends.length - 3} more` : ''}`
  const how = state === 'delivered' ? 'your server took it' : 'your server did not take it'
  return `note: the earlier resend of ${named} has a result: ${how}.`
}
