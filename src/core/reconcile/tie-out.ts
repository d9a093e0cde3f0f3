import {type Paisa, sumPaisa} from '../money.ts'
import type {ServiceOrder} from '../order.ts'
import type {LedgerEntry} from './entry.ts'
import type {Finding} from './finding.ts'

/** Sums in paisa over completed orders (contract §4 `tieOut`). Anything `unexplained` makes the run incomplete. */
export interface TieOut {
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
  const orders = new Map<string, Sides>()
  const sidesOf = ({kind, orderNo}: {kind: string; orderNo: string}): Sides => {
    const key = `${kind}\0${orderNo}`
    const known = orders.get(key) ?? {ledger: [], service: null}
    orders.set(key, known)
    return known
  }
  for (const entry of entries) if (entry.status === 'completed') sidesOf(entry).ledger.push(entry)
  for (const answer of answers) if (answer.status === 'completed') sidesOf(answer).service = answer

  const tied: Sides[] = []
  const untied = new Set<string>()
  for (const [key, sides] of orders) {
    if (isTied(sides)) tied.push(sides)
    else untied.add(key)
  }
  const ledgerCompleted = sumPaisa(tied.flatMap(({ledger}) => ledger.map(({amount}) => amount ?? 0n)))
  const providerCompleted = sumPaisa(tied.map(({service}) => service?.amount ?? 0n))
  const difference = ledgerCompleted - providerCompleted
  const explained = sumPaisa(explanations(findings, untied))
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

function* explanations(findings: Iterable<Finding>, untied: ReadonlySet<string>): Generator<Paisa> {
  const answered = new Set<string>()
  for (const {kind, orderNo, ledger, service} of findings) {
    const key = `${kind}\0${orderNo}`
    if (kind === null || orderNo === null || untied.has(key)) continue
    if (ledger?.status === 'completed') yield ledger.amount ?? 0n
    if (service?.status !== 'completed' || answered.has(key)) continue
    answered.add(key)
    yield -(service.amount ?? 0n)
  }
}
