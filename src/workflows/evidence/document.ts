import type {CallCounts} from '../../api/client.ts'
import type {Assumption} from '../../core/dialect.ts'
import type {Profile} from '../../core/profile.ts'
import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import type {TallyGroup} from '../../core/reconcile/tally.ts'
import type {Blocks} from '../../evidence/folder.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {RunRequest} from '../reconcile/types.ts'

/** The line-based files of a run's evidence; docs/evidence.md explains each. */
export const linesOf = {
  /** The ledger's rows as they were read, phones masked. */
  rows: 'rows.ndjson',
  /** Answers to the queries of the ledger's orders. */
  orders: 'orders.ndjson',
  /** Answers to queries of other orders. */
  others: 'others.ndjson',
  /** Delivery records and webhooks. */
  deliveries: 'deliveries.ndjson',
  /** Answers of the journal, and of the scan of ledger files for notes. */
  reads: 'reads.ndjson',
  /** Answers of the service while webhooks were resent. */
  resends: 'resends.ndjson',
  /** Every finding with its reason, as in the report. */
  findings: 'findings.csv',
} as const

export type ProfileFacts = Pick<
  Profile,
  'name' | 'merchantId' | 'environment' | 'baseUrl' | 'applyUrl' | 'legacyUrl' | 'dialect' | 'ledger'
>

/** `evidence.json`: everything else that decided. */
export interface EvidenceDocument {
  readonly schemaVersion: 1
  readonly hisab: string
  readonly runId: string
  /** The name of its folder: the run's ID, with a number added if the run was resumed. */
  readonly folder: string
  /** The checksum of the manifest sealed before it; null for the first. */
  readonly previous: string | null
  /** Folders whose files this run removes because of their age; explains what is missing from a copy. */
  readonly removed: readonly string[]
  readonly profile: ProfileFacts
  readonly request: Omit<RunRequest, 'ledger' | 'staging' | 'reportDir'>
  readonly ledger: Omit<Ledger, 'rowTimes'>
  readonly assumptions: readonly Assumption[]
  /** Every reading of the run's clock that decided something; `skews`: how far the service's clock was ahead. */
  readonly times: readonly number[]
  readonly skews: readonly (number | null)[]
  readonly calls: readonly CallCounts[]
  /** Whether the resends were approved; null if nobody was asked. */
  readonly approved: boolean | null
  readonly outcomes: ReadonlyMap<string, ResendOutcome>
  readonly interrupted: boolean
  readonly exitStatus: number
  /** The number of orders for each result; orders that agree have no line of their own. */
  readonly tally: readonly TallyGroup[]
  readonly findingsSha256: string
  readonly blocks: Blocks
}

/** Facts that are known only when the folder is sealed. */
export type SealedFacts = 'folder' | 'previous' | 'removed' | 'blocks'
