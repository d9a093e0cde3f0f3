import {type Paisa, sumPaisa} from '../money.ts'
import type {OrderKind, ServiceOrder} from '../order.ts'
import type {LedgerEntry} from './entry.ts'
import type {Finding} from './finding.ts'

/** Sums in paisa over completed orders (contract §4 `tieOut`). */
export interface TieOutSums {
  readonly ledgerCompleted: Paisa
  readonly providerCompleted: Paisa
  /** `ledgerCompleted - providerCompleted`. */
  readonly difference: Paisa
  /** The same difference, added up from the findings alone. */
  readonly explained: Paisa
  readonly unexplained: Paisa
  /** Orders left out of every sum because one side completed them without stating an amount. */
  readonly amountUnknown: number
}

/** The sums of all, and of each kind by itself. Anything `unexplained` of a kind makes the run incomplete. */
export interface TieOut extends TieOutSums {
  readonly byKind: Readonly<Record<OrderKind, TieOutSums>>
}

interface Sides {
  ledger: {amount: Paisa | null}[]
  service: {amount: Paisa | null} | null
}

/**
 * The totals from the rows and answers on one side, and the same difference from the findings on the other:
 * two ways to one figure, so that an order lost between them shows.
 *
 * An order that one side completed without an amount while the other side completed it with one cannot be
 * tied and is counted instead.
 */
export function tieOut(
  entries: Iterable<LedgerEntry>,
  answers: Iterable<ServiceOrder>,
  findings: Iterable<Finding>,
): TieOut {
  const of = (kind: OrderKind) => tieOutKind(kind, entries, answers, findings)
  const byKind = {deposit: of('deposit'), payout: of('payout')}
  const {deposit, payout} = byKind
  const both = (name: Exclude<keyof TieOutSums, 'amountUnknown'>) => deposit[name] + payout[name]
  return {
    ledgerCompleted: both('ledgerCompleted'),
    providerCompleted: both('providerCompleted'),
    difference: both('difference'),
    explained: both('explained'),
    unexplained: both('unexplained'),
    amountUnknown: deposit.amountUnknown + payout.amountUnknown,
    byKind,
  }
}

function tieOutKind(
  kind: OrderKind,
  entries: Iterable<LedgerEntry>,
  answers: Iterable<ServiceOrder>,
  findings: Iterable<Finding>,
): TieOutSums {
  const orders = new Map<string, Sides>()
  const sidesOf = (orderNo: string): Sides => {
    const known = orders.get(orderNo) ?? {ledger: [], service: null}
    orders.set(orderNo, known)
    return known
  }
  const isOurs = (side: {kind: OrderKind; status: string}) =>
    side.kind === kind && side.status === 'completed'
  for (const entry of entries) if (isOurs(entry)) sidesOf(entry.orderNo).ledger.push(entry)
  for (const answer of answers) if (isOurs(answer)) sidesOf(answer.orderNo).service = answer

  const tied: Sides[] = []
  const untied = new Set<string>()
  for (const [key, sides] of orders) {
    if (isTied(sides)) tied.push(sides)
    else untied.add(key)
  }
  const ledgerCompleted = sumPaisa(tied.flatMap(({ledger}) => ledger.map(({amount}) => amount ?? 0n)))
  const providerCompleted = sumPaisa(tied.map(({service}) => service?.amount ?? 0n))
  const difference = ledgerCompleted - providerCompleted
  const explained = sumPaisa(explanations(kind, findings, untied))
  return {
    ledgerCompleted,
    providerCompleted,
    difference,
    explained,
    unexplained: difference - explained,
    amountUnknown: untied.size,
  }
}

// A blank amount on both sides, or alone on its side, adds nothing to any sum and hides nothing.
function isTied({ledger, service}: Sides): boolean {
  if (ledger.length === 0 || service === null) return true
  return (service.amount === null) === ledger.every(({amount}) => amount === null)
}

function* explanations(
  ofKind: OrderKind,
  findings: Iterable<Finding>,
  untied: ReadonlySet<string>,
): Generator<Paisa> {
  const answered = new Set<string>()
  for (const {kind, orderNo, ledger, service} of findings) {
    if (kind !== ofKind || orderNo === null || untied.has(orderNo)) continue
    if (ledger?.status === 'completed') yield ledger.amount ?? 0n
    if (service?.status !== 'completed' || answered.has(orderNo)) continue
    answered.add(orderNo)
    yield -(service.amount ?? 0n)
  }
}
