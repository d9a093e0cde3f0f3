/** The calls a reconciliation will make. Planning makes no call. */
export interface CallPlan {
  readonly orders: number
  /** Orders that an earlier run found final. */
  readonly final: number
  /** Those of the ledger and those that earlier runs left open, without retries and orders that only the list has. */
  readonly queries: number
  readonly records: PlannedReading
  /** `most` is null if nothing limits it before the first page shows the length of the list. */
  readonly calls: {readonly least: number; readonly most: number | null; readonly expected: number | null}
  readonly ratePerSecond: number | null
  /** Where the rate is from: `--rate`, or a measurement of the last run. */
  readonly rateFrom: 'flag' | 'last_run' | null
  /** Null without a known rate. */
  readonly expectedSeconds: number | null
}

/**
 * How the delivery records will be read. `incremental-list`: only the part of the list that can contain the window,
 * by the order that an earlier run proved. `cheaper`: look-ups or the whole list, whichever takes fewer calls.
 */
export interface PlannedReading {
  readonly way: 'none' | 'full-list' | 'incremental-list' | 'cheaper'
  readonly why: string
  /** Pages of the list in the last run, or null. */
  readonly pagesLastTime: number | null
  /** Pages read of it in the last run. */
  readonly pagesReadLastTime: number | null
  /** The most orders of the ledger that can need a look-up. */
  readonly lookUpsMost: number
}

export interface CallPlanInput {
  readonly orders: number
  readonly final: number
  /** Orders that earlier runs left open, and that have no row. */
  readonly leftOpen: number
  /** Rows that are not completed: only these can miss a completion. */
  readonly notCompleted: number
  /** Why no window is known, or null. */
  readonly noWindowBecause: string | null
  readonly skipDeliveries: boolean
  /** An earlier run found the list sorted, and `--whole-list` is not set. */
  readonly isListOrdered: boolean
  readonly pagesLastTime: number | null
  readonly pagesReadLastTime: number | null
  readonly rate: number | null
  readonly rateLastTime: number | null
}

/** Plans the fewest calls. */
export function planCalls(input: CallPlanInput): CallPlan {
  const {orders, final, leftOpen} = input
  const queries = orders - final + leftOpen
  const records = planReading(input)
  const read = callsOf(records)
  const expected = read.expected === null ? null : queries + read.expected
  const ratePerSecond = input.rate ?? input.rateLastTime
  return {
    ...{orders, final, queries, records, ratePerSecond},
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
          way: 'incremental-list',
          why: 'an earlier run found the list sorted, so its older part need not be read',
          ...last,
        }
      : {
          way: 'full-list',
          why: 'all of it is needed to find orders without a row, because no run has found it sorted',
          ...last,
        }
  }
  if (lookUpsMost === 0) return {way: 'none', why: 'every row is completed, and there is no window', ...last}
  return {
    way: 'cheaper',
    why: 'one look-up for each order without its completion, or the whole list if that is shorter',
    ...last,
  }
}

function callsOf({way, pagesLastTime, pagesReadLastTime, lookUpsMost}: PlannedReading) {
  switch (way) {
    case 'none':
      return {least: 0, most: 0, expected: 0}
    case 'full-list':
      return {least: 1, most: null, expected: pagesLastTime}
    case 'incremental-list':
      return {least: 1, most: null, expected: pagesReadLastTime}
    case 'cheaper':
      return {
        least: 0,
        most: lookUpsMost + 1,
        expected: pagesLastTime === null ? null : Math.min(pagesLastTime, lookUpsMost + 1),
      }
  }
}
