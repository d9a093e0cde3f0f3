import type {Mutant} from '../mutant.ts'

const rows = 'src/staging/ledger-rows.ts'
const stagingTest = 'test/staging/staging.test.ts'

/** What goes wrong where a run's rows are taken from a file a page at a time, and only figures are kept of many. */
export const stagingMutants: readonly Mutant[] = [
  {
    name: 'last-row-of-a-page-twice',
    breaks: 'P11',
    thought: 'The next page goes on where this one ended.',
    file: rows,
    find: 'WHERE ledger.id > ? AND',
    put: 'WHERE ledger.id >= ? AND',
    caughtBy: [stagingTest],
  },
  {
    name: 'amounts-added-as-numbers',
    breaks: 'P12',
    thought: 'SQL can add.',
    file: rows,
    find: '`sum(amount / ${half}), sum(amount % ${half})`',
    put: '`cast(total(amount) as integer) / ${half}, cast(total(amount) as integer) % ${half}`',
    caughtBy: [stagingTest],
  },
  {
    name: 'duplicate-of-a-row-that-cannot-be-read-forgotten',
    breaks: 'verdicts',
    thought: 'Only rows that were read name an order.',
    file: rows,
    find: 'UPDATE ledger SET multiplicity = 1 FROM unreadable',
    put: 'UPDATE ledger SET multiplicity = 0 FROM unreadable',
    caughtBy: [stagingTest, 'test/core/reconcile/verdict.test.ts'],
  },
  {
    name: 'oldest-word-on-a-settled-order-stands',
    breaks: 'P15',
    thought: 'An order is settled once.',
    file: 'src/journal/final-orders.ts',
    find: 'max(id) AS id\n    FROM settling GROUP',
    put: 'min(id) AS id\n    FROM settling GROUP',
    caughtBy: ['test/journal/final-orders.test.ts'],
  },
]
