import type {Mutant} from '../mutant.ts'

const oneReading = 'src/workflows/records/read-list-once.ts'
const fullListReadTest = 'test/workflows/records/full-list-read.test.ts'
const liveTest = 'test/workflows/live-list.test.ts'

/** The list of delivery records: what was read of it, and what that proves. */
export const listingMutants: readonly Mutant[] = [
  {
    name: 'a-copy-without-a-record-is-whole',
    breaks: 'P9',
    thought: 'As many were seen as the first answer states.',
    file: oneReading,
    find: 'if (hasFallen && seen < highestTotal)',
    put: 'if (hasFallen && seen > highestTotal)',
    caughtBy: [fullListReadTest],
  },
  {
    name: 'pages-side-by-side',
    breaks: 'P9',
    thought: 'Page two begins where page one ends.',
    file: 'src/core/page-span.ts',
    find: 'spanForward(from - shared, limitMax)',
    put: 'spanForward(from, limitMax)',
    caughtBy: [liveTest, fullListReadTest],
  },
  {
    name: 'growing-list-called-partial',
    breaks: 'P9',
    thought: 'The number of records changed while they were read.',
    file: oneReading,
    find: ' || (!isFiltered && older === total)',
    put: '',
    caughtBy: [liveTest],
  },
  {
    name: 'arrivals-taken-for-what-was-missed',
    breaks: 'P9',
    thought: 'As many were seen as there were.',
    file: oneReading,
    find: '(!isFiltered && older === total)',
    put: 'seen === total',
    caughtBy: [liveTest],
  },
  {
    name: 'moved-while-one-came-in-accepted',
    breaks: 'P9',
    thought: 'Of the failed records as many were seen as there were.',
    file: oneReading,
    find: 'seen === latestTotal && (newer ?? 0) <= cameIn',
    put: '(isFiltered || seen === latestTotal)',
    caughtBy: [liveTest],
  },
  {
    name: 'odd-record-takes-its-page-away',
    breaks: 'P9',
    thought: 'An answer with one wrong record cannot be believed at all.',
    file: 'src/api/wire.ts',
    find: "else odd.push(oddOf(value, at, whereNot(read.error, '')))",
    put: "else throw new InvalidResponse(whereNot(read.error, ''))",
    caughtBy: ['test/api/client.test.ts'],
  },
]
