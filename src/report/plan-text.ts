import type {CallPlan, PlannedReading} from '../core/reconcile/call-plan.ts'
import {spanText} from '../core/time.ts'
import {counted} from './figures.ts'
import {plain, type Style} from './table.ts'
import {labelled, wrapText} from './wrap.ts'

export function callPlanText(plan: CallPlan, style: Style = plain, width = Number.POSITIVE_INFINITY): string {
  const {orders, settled, queries, records, calls} = plan
  const taken = settled > 0 ? `, ${settled} settled by an earlier run are not asked for again` : ''
  const most = calls.most === null ? '' : `, at most ${calls.most}`
  const lines = [
    ['orders', `${orders} in the ledger${taken}`],
    ['queries', queries === 0 ? 'none' : `${queries}, one for each order`],
    ['records', `${readingText(records)}: ${records.why}`],
    ['calls', calls.expected === null ? `at least ${calls.least}${most}` : `about ${calls.expected}${most}`],
    ['time', timeText(plan)],
  ]
  return [
    style('bold', 'Planned calls'),
    ...lines.map(([name = '', text = '']) => labelled(`  ${name.padEnd(8)} `, text, width)),
    wrapText(
      'Nothing was asked, nothing was sent. Tries again, payloads that settle an amount and resends come on top.',
      width,
      '',
    ),
  ].join('\n')
}

export function callPlanLine(plan: CallPlan, style: Style = plain, width = Number.POSITIVE_INFINITY): string {
  const {settled, queries, records} = plan
  const taken = settled > 0 ? ` (${counted(settled, 'order is', 'orders are')} settled)` : ''
  const then = records.way === 'none' ? 'no delivery records' : readingText(records)
  const text = `${counted(queries, 'query', 'queries')}${taken}, then ${then}; ${timeText(plan)}.`
  return labelled(style('bold', 'Calls: '), text, width)
}

function readingText({way, pagesLastTime, pagesReadLastTime, lookUpsMost}: PlannedReading): string {
  const lastTime =
    pagesLastTime === null
      ? 'its first page says how long it is'
      : `${counted(pagesLastTime, 'page', 'pages')} in the last run`
  switch (way) {
    case 'none':
      return 'none'
    case 'sweep':
      return `the whole list of delivery records (${lastTime})`
    case 'window':
      return `the window's part of the list of delivery records${pagesLastTime ? ` (${counted(pagesReadLastTime ?? 0, 'page', 'pages')} of ${pagesLastTime} in the last run)` : ''}`
    case 'cheaper':
      return `at most ${counted(lookUpsMost, 'look-up', 'look-ups')} of delivery records, or their list (${lastTime})`
  }
}

function timeText({expectedSeconds, ratePerSecond, rateFrom}: CallPlan): string {
  if (expectedSeconds === null || ratePerSecond === null) return 'no rate is known yet'
  const rate = ratePerSecond >= 10 ? Math.round(ratePerSecond) : Number(ratePerSecond.toFixed(1))
  return `about ${spanText(expectedSeconds)} at ${rate} a second${rateFrom === 'flag' ? '' : ', as in the last run'}`
}
