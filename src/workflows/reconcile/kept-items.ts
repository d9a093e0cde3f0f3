import type {Finding} from '../../core/reconcile/finding.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {itemsKeptUnanswered} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'

type IsSameService = (runId: string) => Promise<boolean>
type OfOrder = Finding & Pick<RememberedFinding, 'kind' | 'orderNo'>

/** Open items whose orders got no answer: that says nothing of an order, so its item stays as it is (P18). */
export class KeptItems {
  private readonly items: ReadonlyMap<string, RememberedFinding>
  private readonly isSameService: IsSameService
  private kept: ReadonlyMap<string, RememberedFinding> = new Map()

  constructor(open: readonly RememberedFinding[], isSameService: IsSameService) {
    this.items = itemsKeptUnanswered(open)
    this.isSameService = isSameService
  }

  /** To be called before `keep`. Later runs ask only about items of the same service. */
  async readAhead(found: readonly OfOrder[]): Promise<void> {
    const kept = new Map<string, RememberedFinding>()
    for (const finding of found) {
      const item = this.items.get(orderKey(finding))
      if (finding.verdict !== 'query_failed' || finding.resend || !item) continue
      if (await this.isSameService(item.lastRunId)) kept.set(orderKey(finding), item)
    }
    this.kept = kept
  }

  /** Null if the finding is remembered as it is. */
  keep(finding: OfOrder): Finding | null {
    const item = finding.verdict === 'query_failed' ? this.kept.get(orderKey(finding)) : undefined
    if (!item) return null
    const {cause, atRisk, firstSeenMs, openedMs, snapshot, lastRunId} = item
    const explanation = `${finding.explanation} Its open item stays as run ${lastRunId} found it.`
    const history = {state: 'open' as const, firstSeenMs, openedMs, snapshot: snapshot ?? ''}
    return {...finding, atRisk: cause === 'delivered' ? 0n : atRisk, explanation, history, keepsItem: true}
  }
}
