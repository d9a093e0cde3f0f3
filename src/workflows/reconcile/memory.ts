import type {Dialect} from '../../core/dialect.ts'
import type {Delivery, ServiceOrder} from '../../core/order.ts'
import {whyAnotherWebhook} from '../../core/reconcile/delivered.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {disagreementsOf} from '../../core/reconcile/join.ts'
import type {Judged} from '../../core/reconcile/verdict.ts'
import {explain, severityOf} from '../../core/reconcile/verdict-facts.ts'
import type {Journal} from '../../journal/journal.ts'
import {baselineOf, resendKey} from '../../journal/resends.ts'
import type {ResendRow} from '../../journal/rows.ts'
import type {ResendJob} from '../resend/job.ts'
import {closeIntents, isPending, outcomeFrom} from '../resend/memory.ts'
import {type WatchedResend, watchedFrom} from '../resend/watch.ts'

/**
 * The resends that this run made before it was interrupted (`--resume`): none is repeated, not even by another record
 * of the same order and event (P4), and each keeps its cause.
 */
export class RunResends {
  private readonly byKey: ReadonlyMap<string, ResendRow>
  /** For findings whose record can no longer be read. */
  private readonly byOrder: ReadonlyMap<string, ResendRow>

  /** Call once, before any query: records open intents of a killed process as unknown. What never left may be sent. */
  static async of(journal: Journal, runId: string): Promise<RunResends> {
    return new RunResends((await closeIntents(journal, runId)).filter(({state}) => state !== 'not_sent'))
  }

  private constructor(rows: readonly ResendRow[]) {
    this.byKey = new Map(rows.map((row) => [resendKey(row.orderId, row.event), row]))
    this.byOrder = new Map(rows.map((row) => [`${row.kind}\0${row.orderNo}`, row]))
  }

  /** How many resends earlier processes of the run made. */
  get made(): number {
    return this.byKey.size
  }

  /** This run's resend for the finding's order. */
  rowOf({delivery, kind, orderNo}: Finding): ResendRow | undefined {
    return delivery ? this.byKey.get(keyOf(delivery)) : this.byOrder.get(`${kind}\0${orderNo}`)
  }

  restore(finding: Finding, timeZone: string): Finding {
    const {delivery} = finding
    const row = this.rowOf(finding)
    if (!row?.cause) return finding
    // Its result is reported even if this process could not read its record.
    if (!delivery) return {...finding, resend: outcomeFrom(row)}
    const judged = {verdict: finding.verdict, cause: row.cause} as Judged
    const restored = {
      ...finding,
      delivery: asBefore(delivery, row),
      ...judged,
      action: 'resend' as const,
      severity: severityOf(judged),
    }
    const notes = finding.service ? disagreementsOf(finding.service, delivery) : []
    return {
      ...restored,
      explanation: [explain({...restored, detail: null}, timeZone), ...notes].join(' '),
      resend: outcomeFrom(row),
    }
  }

  planned(
    findings: Iterable<Finding>,
    dialect: Dialect,
    known: (order: ServiceOrder) => Pick<ResendJob, 'records' | 'isLookedUp' | 'isUsual'> = () => ({}),
  ): ResendJob[] {
    // Two orders may share a record, or two records of one order_id, if their IDs do not match it (A9).
    const taken = new Set(this.byKey.keys())
    const jobs: ResendJob[] = []
    for (const {action, delivery, kind, orderNo, cause, service, ledger} of findings) {
      if (action !== 'resend' || !delivery || taken.has(keyOf(delivery))) continue
      taken.add(keyOf(delivery))
      const refusePayload: ResendJob['refusePayload'] = (payload) =>
        service && whyAnotherWebhook(payload, service, dialect, ledger?.amount)
      jobs.push({
        delivery,
        kind,
        orderNo,
        cause,
        order: service,
        refusePayload,
        ...(service && known(service)),
      })
    }
    return jobs
  }

  pending(findings: Iterable<Finding>): WatchedResend[] {
    const watched = new Map<number, WatchedResend>()
    for (const finding of findings) {
      const row = this.rowOf(finding)
      if (!row || row.deliveryId !== (finding.delivery?.id ?? row.deliveryId) || !isPending(row)) continue
      watched.set(row.id, watchedFrom(row))
    }
    return [...watched.values()]
  }
}

/** The record as it was when the resend was decided: the present one already shows the result. */
function asBefore(delivery: Delivery, row: ResendRow): Delivery {
  if (delivery.id !== row.deliveryId) return delivery
  const {baselineStatus: status, baselineResponseCode: responseCode} = row
  return {...delivery, ...baselineOf(row), status, responseCode}
}

function keyOf({orderId, event}: Delivery): string {
  return resendKey(orderId, event)
}
