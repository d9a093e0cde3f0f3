/** The calls a reconciliation will make, told before the first of them. Nothing is asked to make it. */
export interface CallPlan {
  /** Orders the ledger names. */
  readonly orders: number
  /** Orders an earlier run settled: taken from the journal. */
  readonly settled: number
  /** Tries again not counted. */
  readonly queries: number
  readonly records: PlannedReading
  /** From the fewest to the most; null: no limit can be told before the list was asked how long it is. */
  readonly calls: {readonly least: number; readonly most: number | null; readonly expected: number | null}
  readonly ratePerSecond: number | null
  /** Where the rate is from: `--rate`, or what the last run measured. */
  readonly rateFrom: 'flag' | 'last_run' | null
  /** Null where no rate is known. */
  readonly expectedSeconds: number | null
}

/**
 * How the delivery records will be read. `window`: the list's part that can hold the window, by the order an earlier
 * run proved. `cheaper`: look-ups or a sweep, whichever the list's length and the orders that need one make cheaper.
 */
export interface PlannedReading {
  readonly way: 'none' | 'sweep' | 'window' | 'cheaper'
  readonly why: string
  /** Pages of the list in the last run; null where none read it. */
  readonly pagesLastTime: number | null
  /** Pages read of it in the last run. */
  readonly pagesReadLastTime: number | null
  /** At most so many orders of the ledger can need a look-up. */
  readonly lookUpsMost: number
}

export interface CallPlanInput {
  readonly orders: number
  readonly settled: number
  /** Rows that are not completed: only these can miss a completion. */
  readonly notCompleted: number
  /** Why no window is known, or null where one is. */
  readonly noWindowBecause: string | null
  readonly skipDeliveries: boolean
  /** An earlier run proved the order of the list, and nobody asked for all of it. */
  readonly isListOrdered: boolean
  readonly pagesLastTime: number | null
  readonly pagesReadLastTime: number | null
  readonly rate: number | null
  readonly rateLastTime: number | null
}

/** The cheapest way there is, and what it takes. */
export function planCalls(input: CallPlanInput): CallPlan {
  const {orders, settled} = input
  const queries = orders - settled
  const records = planReading(input)
  const read = callsOf(records)
  const expected = read.expected === null ? null : queries + read.expected
  const ratePerSecond = input.rate ?? input.rateLastTime
  return {
    ...{orders, settled, queries, records, ratePerSecond},
    calls: {
      least: queries + read.least,
      most: read.most === null ? null : queries + read.most,
      expected,
    },
    rateFrom: input.rate !== null ? 'flag' : ratePerSecond === null ? null : 'last_run',
    expectedSeconds:
      ratePerSecond === null ? null : Math.ceil((expected ?? queries + read.least) / ratePerSecond),
  }
}

function planReading(input: CallPlanInput): PlannedReading {
  const {pagesLastTime, pagesReadLastTime, notCompleted: lookUpsMost} = input
  const last = {pagesLastTime, pagesReadLastTime, lookUpsMost}
  if (input.skipDeliveries) return {way: 'none', why: '--no-deliveries', ...last}
  if (input.noWindowBecause === null) {
    return input.isListOrdered
      ? {
          way: 'window',
          why: 'an earlier run found it all in order, so that its older part may be left',
          ...last,
        }
      : {
          way: 'sweep',
          why: 'finding orders that no row names takes all of it, as no run has found it in order',
          ...last,
        }
  }
  if (lookUpsMost === 0)
    return {way: 'none', why: 'no row can miss a completion, and there is no window', ...last}
  return {
    way: 'cheaper',
    why: 'a look-up for each order that misses its completion, or the whole list where that is shorter',
    ...last,
  }
}

function callsOf({way, pagesLastTime, pagesReadLastTime, lookUpsMost}: PlannedReading) {
  switch (way) {
    case 'none':
      return {least: 0, most: 0, expected: 0}
    case 'sweep':
      return {least: 1, most: null, expected: pagesLastTime}
    case 'window':
      return {least: 1, most: null, expected: pagesReadLastTime}
    case 'cheaper':
      return {
        least: 0,
        most: lookUpsMost + 1,
        expected: pagesLastTime === null ? null : Math.min(pagesLastTime, lookUpsMost + 1),
      }
  }
}
