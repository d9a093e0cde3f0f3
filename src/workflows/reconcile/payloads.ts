import type {ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {deliveredAmount, isDecidedByPayload} from '../../core/reconcile/delivered.ts'
import {newestOf} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {forEachBounded} from '../bounded.ts'
import {readQuietly} from '../resend/watch.ts'
import {decideDelivered} from './decide.ts'
import type {Deliveries} from './deliveries.ts'

export interface PayloadOptions {
  readonly dialect: Dialect
  readonly hasLedgerAmounts: boolean
  readonly width: number
  readonly signal: AbortSignal
}

/** Decides again by the payload that your server accepted, if it decides an amount. Unreadable payloads change nothing. */
export async function weighPayloads(
  findings: readonly Finding[],
  client: Pick<ServiceClient, 'getDelivery'>,
  deliveries: Deliveries,
  {dialect, hasLedgerAmounts, width, signal}: PayloadOptions,
): Promise<readonly Finding[]> {
  const asked = findings.flatMap((finding, index) => {
    if (!finding.service || !isDecidedByPayload(finding, hasLedgerAmounts)) return []
    const newest = newestOf(deliveries.completionsRead(finding.service))
    // Orders that this run resent keep their record as it was before.
    const record = newest && finding.delivery?.id === newest.id ? finding.delivery : newest
    return record?.status === 'success' ? [{finding, index, record, order: finding.service}] : []
  })
  if (asked.length === 0) return findings
  const weighed = [...findings]
  await forEachBounded(
    asked,
    width,
    async ({finding, index, record, order}) => {
      const detail = await readQuietly(record.id, client)
      if (!detail) return
      const amount = deliveredAmount(detail.payload, order, dialect)
      if (amount !== null) weighed[index] = decideDelivered(finding, record, amount)
    },
    signal,
  )
  return weighed
}
