import type {Paisa} from '../money.ts'
import type {OrderKind} from '../order.ts'
import type {RememberedFinding} from './history.ts'
import type {Verdict} from './verdict.ts'

/** A person's word that a finding is known and asks nothing, for a while: why, who, until when. */
export interface Ignore {
  readonly id: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly verdict: Verdict
  /** The amount at risk it was given for: a finding about another amount is not the one that was ignored. */
  readonly atRisk: Paisa | null
  readonly reason: string
  readonly by: string
  readonly atMs: number
  readonly expiresAtMs: number
}

/** Whether an ignore is about this finding, and still in force. */
export function isIgnored(
  ignore: Ignore,
  finding: Pick<RememberedFinding, 'kind' | 'orderNo' | 'verdict' | 'atRisk'>,
  nowMs: number,
): boolean {
  return (
    nowMs < ignore.expiresAtMs &&
    ignore.kind === finding.kind &&
    ignore.orderNo === finding.orderNo &&
    ignore.verdict === finding.verdict &&
    ignore.atRisk === finding.atRisk
  )
}
