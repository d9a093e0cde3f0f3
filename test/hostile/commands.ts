import {lostRecordId} from './books.ts'
import type {Meaning} from './fault.ts'
import type {Operation} from './honest-service.ts'

/** Personal data the commands are given, to be found nowhere afterwards. */
export const playerPhone = '01398761234'
export const account = '01987650123'
export const recipient = 'Canary Chowdhury'

/** A command that talks to the service, and the call of it that meets the fault. A new command is a row here. */
export interface Row {
  readonly name: string
  readonly args: readonly string[]
  /** Null: every call of the command. */
  readonly target: Operation | null
  /** Whether no other call goes to the target's address before: only then does a fault of the address hit the target. */
  readonly isFirst: boolean
  /** The exit statuses that tell the truth, by what can be known of the call; of a write in doubt the books decide. */
  readonly statuses: Readonly<Record<Meaning, readonly number[]>>
  /** What it does at the service, whichever of its calls meets the fault. */
  readonly makes: 'deposit' | 'payout' | 'a resend' | null
  /** Whether the document on stdout claims what only an answer that was believed can give. */
  readonly claims: (document: Document) => boolean
  /** Its result is text for a person, or CSV: the status must be the same. */
  readonly isText: boolean
}

/** The JSON a command printed, as far as a lie could stand in it. */
export interface Document {
  readonly error?: {readonly exitCode: number}
  readonly confirmed?: boolean
  readonly orders?: readonly {readonly found: boolean | null}[]
  readonly complete?: boolean
  readonly id?: string
  readonly sums?: {readonly accepted: {readonly count: number}}
  readonly resends?: {readonly delivered: number; readonly refused?: number; readonly skipped?: number}
  readonly counts?: Readonly<Record<string, number>>
}

const read = {
  ...{good: [0], partial: [0], unreached: [5], doubtful: [8]},
  ...{refused: [4], rejected: [3], gone: [5], throttled: [8]},
}
const created = {...read, partial: []}
/** Asked before the create and after it: the order may be accepted, and only the comparison failed. */
const confirmed = {...all([8]), rejected: [3]}
/** Of many orders each has its own answer: what none came of is incomplete, whoever said so. */
const query = {...read, refused: [8]}
/** It asks once and tells what came, and a webhook log that is not there is no fault of the set-up. */
const examined = {...read, good: [0, 8], refused: [3, 4], gone: [0]}

const depositCreate = [
  ...['deposit', 'create', '--order-no', 'D-1', '--player-phone', playerPhone, '--player-ref', 'u-7'],
]
const payoutOf = (number: string) => [
  ...['payout', 'create', '--order-no', number, '--amount', '500.00', '--bank-type', 'BKASH', '--yes'],
  ...['--user-name', recipient, '--account', account],
]
const payoutCreate = payoutOf('P-1')
/** The payout of `payoutCreate` and of the file, under the next number. */
export const payoutAgain = payoutOf('P-2')
const payoutFile = ['payout', 'create', '--from', 'payouts.csv', '--yes']
const reconcile = ['reconcile', 'ledger.csv', '--wait', '1s', '--report', 'report']
const resend = ['webhooks', 'resend', '--yes', '--wait', '1s']

/** The record is watched after a resend, and tells. */
const resent = {...all([6, 7, 8]), rejected: [3, 7, 8]}

const isConfirmed = ({confirmed}: Document) => confirmed === true
const isAllPaid = ({sums}: Document) => (sums?.accepted.count ?? 0) > 0
const isFound = ({orders = []}: Document) => orders.some(({found}) => found !== null)
const isComplete = ({complete}: Document) => complete === true
/** What could not be read is said beside what could. */
const found = {...all([8]), good: [0], rejected: [3, 8]}
const isDelivered = ({resends}: Document) => (resends?.delivered ?? 0) > 0

const documentRows: readonly Row[] = [
  row('deposit create', depositCreate, 'deposit create', created, isConfirmed),
  row('deposit create', depositCreate, 'deposit query', confirmed, isConfirmed, false),
  row('deposit query', ['deposit', 'query', 'paid'], 'deposit query', query, isFound),
  row('payout create', payoutCreate, 'payout create', created, isConfirmed),
  row('payout create', payoutCreate, 'payout query', confirmed, isConfirmed, false),
  row('payout create --from', payoutFile, 'payout create', {...created, unreached: [5, 8]}, isAllPaid),
  row('payout query', ['payout', 'query', 'done'], 'payout query', query, isFound),
  row('webhooks list', ['webhooks', 'list'], 'list', read, isComplete),
  row('webhooks list --all', ['webhooks', 'list', '--all'], 'list', {...read, partial: [8]}, isComplete),
  row(
    'webhooks list --outages',
    ['webhooks', 'list', '--outages'],
    'list',
    {...read, partial: [8]},
    isComplete,
  ),
  row('find', ['find', 'paid'], 'deposit query', found, isComplete),
  row('doctor', ['doctor'], 'list', examined, () => false),
  row('webhooks get', ['webhooks', 'get', lostRecordId], 'get', read, ({id}) => id !== undefined),
  row('webhooks resend ID', [...resend, lostRecordId], 'get', {...read, refused: [8]}, isDelivered),
  row('webhooks resend ID', [...resend, lostRecordId], 'resend', resent, isDelivered, false),
  row(
    'webhooks resend --status failed',
    [...resend, '--status', 'failed'],
    'list',
    {...read, partial: [8]},
    isDelivered,
  ),
  row(
    'reconcile --yes',
    [...reconcile, '--yes'],
    'deposit query',
    {...all([8]), unreached: [5, 8], rejected: [3]},
    isSettled,
  ),
  row(
    'reconcile --yes',
    [...reconcile, '--yes'],
    'list',
    {...all([8]), rejected: [3], gone: [7, 8]},
    isSettled,
  ),
  row('reconcile --yes', [...reconcile, '--yes'], 'resend', resent, isDelivered, false),
  row(
    'reconcile --dry-run',
    [...reconcile, '--dry-run'],
    null,
    {...all([8]), good: [7], unreached: [5], rejected: [3], gone: [7, 8]},
    isSettled,
  ),
]

export const rows: readonly Row[] = [
  ...documentRows,
  inText(rowNamed('deposit create, at its deposit create')),
  inText(rowNamed('webhooks list, at its list'), '--format', 'ndjson'),
  inText(rowNamed('webhooks get, at its get')),
]

function rowNamed(name: string): Row {
  const found = documentRows.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`there is no row "${name}"`)
  return found
}

function inText({name, args, ...row}: Row, ...more: readonly string[]): Row {
  return {
    ...row,
    name: `${name}, as text ${more.join(' ')}`.trimEnd(),
    args: [...args, ...more],
    isText: true,
  }
}

/** Whether a reconciliation says it has seen everything, which it has not. */
function isSettled({complete}: Document): boolean {
  return complete === true
}

function all(statuses: readonly number[]): Record<Meaning, readonly number[]> {
  return {
    ...{good: [0], partial: statuses, unreached: statuses, doubtful: statuses},
    ...{refused: statuses, rejected: statuses, gone: statuses, throttled: statuses},
  }
}

function row(
  name: string,
  args: readonly string[],
  target: Operation | null,
  statuses: Row['statuses'],
  claims: Row['claims'],
  isFirst = true,
): Row {
  return {
    name: `${name}, at its ${target ?? 'every call'}`,
    args,
    target,
    isFirst,
    statuses,
    makes: makesOf(args),
    claims,
    isText: false,
  }
}

function makesOf(args: readonly string[]): Row['makes'] {
  const [topic, verb] = args
  if (verb === 'create') return topic === 'deposit' ? 'deposit' : 'payout'
  return args.includes('--yes') ? 'a resend' : null
}
