import type {Finding} from '../../core/reconcile/finding.ts'
import {type FindingHistory, historyOf, type RememberedFinding} from '../../core/reconcile/history.ts'
import {type Ignore, isIgnored} from '../../core/reconcile/ignore.ts'
import {formatInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'

/** A finding that can be known again another night: it is about an order, and says something of it. */
type Lasting = Finding & {readonly kind: NonNullable<Finding['kind']>; readonly orderNo: string}

/** Remembered findings this run did not find again. */
export interface NotFoundAgain {
  /** Their order was examined, and they are no more. */
  readonly healed: readonly RememberedFinding[]
  /** Open in the journal; neither the ledger nor the window of this run has their order. */
  readonly notExamined: readonly RememberedFinding[]
}

/** What earlier nights left: how long each finding stands, and what a person said to ignore. */
export class Nights {
  private readonly journal: Pick<Journal, 'findFinding' | 'openFindings'>
  private readonly runId: string
  private readonly nowMs: number
  private readonly timeZone: string
  private readonly ignores: ReadonlyMap<string, readonly Ignore[]>

  constructor(
    journal: Pick<Journal, 'findFinding' | 'openFindings' | 'listIgnores'>,
    at: {readonly runId: string; readonly nowMs: number; readonly timeZone: string},
  ) {
    this.journal = journal
    this.runId = at.runId
    this.nowMs = at.nowMs
    this.timeZone = at.timeZone
    this.ignores = Map.groupBy(journal.listIgnores(), keyOf)
  }

  /** The finding with its history, and left alone where a person said so. */
  recall(finding: Finding): Finding {
    if (!isLasting(finding)) return finding
    const {kind, orderNo, verdict} = finding
    const remembered = this.journal.findFinding(kind, orderNo, verdict)
    const history: FindingHistory = historyOf(remembered, this.runId, this.nowMs)
    const ignore = (this.ignores.get(keyOf(finding)) ?? []).find((one) => isIgnored(one, finding, this.nowMs))
    // What this run has resent already is not to be forgotten by a word that came later.
    if (!ignore || finding.resend) return {...finding, history}
    const until = formatInstant(ignore.expiresAtMs, this.timeZone).slice(0, 10)
    const explanation = `${finding.explanation} Ignored until ${until} by ${ignore.by}: ${ignore.reason}`
    return {...finding, history, ignored: ignore, action: 'none', explanation}
  }

  /** `isExamined` says of an order whether this run can tell that a finding about it is no more. */
  compare(
    findings: readonly Finding[],
    isExamined: (order: Pick<RememberedFinding, 'kind' | 'orderNo'>) => boolean,
  ): NotFoundAgain {
    const found = new Set(findings.filter(isLasting).map(keyOf))
    for (const finding of findings)
      if (isAmountOpen(finding)) found.add(keyOf({...finding, verdict: 'amount_mismatch'}))
    const gone = this.journal.openFindings().filter((one) => !found.has(keyOf(one)))
    const {healed = [], notExamined = []} = Object.groupBy(gone, (one) =>
      isExamined(one) ? 'healed' : 'notExamined',
    )
    return {healed, notExamined}
  }
}

/** What of a run is to be remembered of its findings. */
export function seenFindings(findings: readonly Finding[]): SeenFinding[] {
  return findings.filter(isLasting).map(({kind, orderNo, verdict, cause, severity, atRisk}) => ({
    kind,
    orderNo,
    verdict,
    cause,
    severity,
    atRisk,
  }))
}

function isLasting(finding: Finding): finding is Lasting {
  const {kind, orderNo, verdict} = finding
  const saysNothing = verdict === 'matched' || verdict === 'in_flight' || verdict === 'query_failed'
  return kind !== null && orderNo !== null && !saysNothing
}

/** It matched with one amount unknown and no payload was read: that an amount differed before is not disproven. */
function isAmountOpen(finding: Finding): finding is Lasting {
  const {verdict, ledger, service, deliveredAmount} = finding
  if (verdict !== 'matched' || !ledger || !service || deliveredAmount !== undefined) return false
  return (ledger.amount === null) !== (service.amount === null)
}

function keyOf({kind, orderNo, verdict}: Pick<RememberedFinding, 'kind' | 'orderNo' | 'verdict'>): string {
  return `${kind}\0${verdict}\0${orderNo}`
}
