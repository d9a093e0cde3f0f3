import type {CallCounts} from '../../api/client.ts'
import type {Assumption} from '../../core/dialect.ts'
import type {Profile} from '../../core/profile.ts'
import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import type {TallyGroup} from '../../core/reconcile/tally.ts'
import type {Blocks} from '../../evidence/folder.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {RunRequest} from '../reconcile/types.ts'

/** The files of a run's evidence with lines; docs/evidence.md explains each. */
export const linesOf = {
  /** The ledger's rows as they were read, phones masked. */
  rows: 'rows.ndjson',
  /** Answers to the queries of the ledger's orders. */
  orders: 'orders.ndjson',
  /** Answers to queries of other orders. */
  others: 'others.ndjson',
  /** Delivery records and webhooks. */
  deliveries: 'deliveries.ndjson',
  /** What the journal and the ledger files said when they were asked. */
  reads: 'reads.ndjson',
  /** What the service said while webhooks were resent. */
  resends: 'resends.ndjson',
  /** Every finding with its reason, as in the report. */
  findings: 'findings.csv',
} as const

export type ProfileFacts = Pick<
  Profile,
  'name' | 'merchantId' | 'environment' | 'baseUrl' | 'applyUrl' | 'legacyUrl' | 'dialect' | 'ledger'
>

/** `evidence.json`: all that decided besides the lines. */
export interface EvidenceDocument {
  readonly schemaVersion: 1
  readonly hisab: string
  readonly runId: string
  /** The name of its folder: the run's, and a number where it was gone on with. */
  readonly folder: string
  /** The sum of the manifest that was sealed before; null for the first. */
  readonly previous: string | null
  /** Folders whose files it removes because of their age: what a copy lacks is explained by it. */
  readonly removed: readonly string[]
  readonly profile: ProfileFacts
  readonly request: Omit<RunRequest, 'ledger' | 'staging' | 'reportDir'>
  readonly ledger: Omit<Ledger, 'rowTimes'>
  readonly assumptions: readonly Assumption[]
  /** The run's clock whenever it was looked at to decide, and how far the service's was ahead. */
  readonly times: readonly number[]
  readonly skews: readonly (number | null)[]
  readonly calls: readonly CallCounts[]
  /** Whether the resends were agreed to; null where nobody was asked. */
  readonly approved: boolean | null
  readonly outcomes: ReadonlyMap<string, ResendOutcome>
  readonly interrupted: boolean
  readonly exitStatus: number
  /** How many orders got which result; those that agree have no line of their own. */
  readonly tally: readonly TallyGroup[]
  readonly findingsSha256: string
  readonly blocks: Blocks
}

/** What is known when the folder is sealed, and not before. */
export type SealedFacts = 'folder' | 'previous' | 'removed' | 'blocks'
