import type {CallPlan, PlannedReading} from '../core/reconcile/call-plan.ts'
import {spanText} from '../core/time.ts'
import {counted} from './figures.ts'
import {plain, type Style} from './table.ts'
import {labelled, wrapText} from './wrap.ts'

export function callPlanText(plan: CallPlan, style: Style = plain, width = Number.POSITIVE_INFINITY): string {
  const {orders, final, queries, records, calls} = plan
  const taken = final > 0 ? `, ${final} final since an earlier run and not queried again` : ''
  const most = calls.most === null ? '' : `, at most ${calls.most}`
  const lines = [
    ['orders', `${orders} in the ledger${taken}`],
    ['queries', queries === 0 ? 'none' : `${queries}, ${splitOf(plan) ?? 'one for each order'}`],
    ['records', `${readingText(records)}: ${records.why}`],
    ['calls', calls.expected === null ? `at least ${calls.least}${most}` : `about ${calls.expected}${most}`],
    ['time', timeText(plan)],
  ]
  return [
    style('bold', 'Planned calls'),
    ...lines.map(([name = '', text = '']) => labelled(`  ${name.padEnd(8)} `, text, width)),
    wrapText(
      'No call was made. Orders that only the list has, retries, payloads read to compare amounts, and resends are extra.',
      width,
      '',
    ),
  ].join('\n')
}

export function callPlanLine(plan: CallPlan, style: Style = plain, width = Number.POSITIVE_INFINITY): string {
  const {final, queries, records} = plan
  const split = splitOf(plan)
  const about = [
    ...(split === null ? [] : [split]),
    ...(final > 0 ? [`${counted(final, 'order is', 'orders are')} final`] : []),
  ]
  const taken = about.length > 0 ? ` (${about.join('; ')})` : ''
  const isListed = records.way === 'full-list' || records.way === 'incremental-list'
  const unnamed = isListed ? ' and its orders without a row' : ''
  const then = records.way === 'none' ? 'no delivery records' : readingText(records)
  const time = plan.expectedSeconds === null ? '' : `; ${timeText(plan)}`
  const text = `${counted(queries, 'query', 'queries')}${taken}, then ${then}${unnamed}${time}.`
  return labelled(style('bold', 'Calls: '), text, width)
}

/** Null if all queries are for the ledger. */
function splitOf({orders, final, queries}: CallPlan): string | null {
  const leftOpen = queries - (orders - final)
  return leftOpen === 0
    ? null
    : `${orders - final} for the ledger, ${leftOpen} for orders that earlier runs left open`
}

function readingText({way, pagesLastTime, pagesReadLastTime, lookUpsMost}: PlannedReading): string {
  const lastTime =
    pagesLastTime === null
      ? 'its first page shows its length'
      : `${counted(pagesLastTime, 'page', 'pages')} in the last run`
  switch (way) {
    case 'none':
      return 'none'
    case 'full-list':
      return `the whole list of delivery records (${lastTime})`
    case 'incremental-list':
      return `the recent part of the list of delivery records${pagesLastTime ? ` (${counted(pagesReadLastTime ?? 0, 'page', 'pages')} in the last run)` : ''}`
    case 'cheaper':
      return `at most ${counted(lookUpsMost, 'look-up', 'look-ups')} of delivery records, or their list (${lastTime})`
  }
}

function timeText({expectedSeconds, ratePerSecond, rateFrom}: CallPlan): string {
  if (expectedSeconds === null || ratePerSecond === null) return 'known after the first run'
  const rate = ratePerSecond >= 10 ? Math.round(ratePerSecond) : Number(ratePerSecond.toFixed(1))
  return `about ${spanText(expectedSeconds)} at ${rate} a second${rateFrom === 'flag' ? '' : ', as in the last run'}`
}
