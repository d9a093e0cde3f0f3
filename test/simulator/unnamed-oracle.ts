import type {FindingView} from '../../src/report/reconcile-report.ts'
import type {NightFacts} from './report-figures.ts'
import {saidOrders} from './said.ts'
import {expectWindow, isInside} from './window.ts'

/** Whether the report states the window there is, or that there is none (contract §4). */
export function judgeWindow({report, options, end}: NightFacts): string[] {
  const {missingInLedger: stated} = report
  const expected = expectWindow(options.ledger, options)
  if (!stated.checked) return []
  if (expected === null)
    return ['it says that it looked for orders no row names, and there was no window to look in']
  const ends = [stated.from, stated.to].map((at) => (at === null ? null : Date.parse(at)))
  const toTheSecond = (ms: number) => (Number.isFinite(ms) ? Math.floor(ms / 1_000) * 1_000 : null)
  const right = [toTheSecond(expected.fromMs), toTheSecond(expected.beforeMs - 1)]
  if (end.process.stop.signal.aborted || ends.join() === right.join()) return []
  return [`its window is stated as ${ends.join(' to ')}, and should be ${right.join(' to ')}`]
}

/** Where the report says that it looked, no paid order without a row may be left out, however the list was read (P9). */
export function lookForUnnamed({report, world, options, end}: NightFacts): string[] {
  const problems: string[] = []
  const {counts} = end.process.site
  const window = expectWindow(options.ledger, options)
  if (!report.missingInLedger.checked || window === null) return problems
  const {rows} = options.ledger
  const kinds = new Set(rows.filter(({damage}) => damage === null).map(({kind}) => kind))
  for (const {word, kind, orderNo, platformNo} of world.orders.values()) {
    if (word !== 'completed' || !kinds.has(kind)) continue
    const isNamed = rows.some(
      (row) =>
        row.orderNo === orderNo && row.damage !== 'order_no' && (row.kind === kind || row.damage === 'kind'),
    )
    const recordedMs = world.records
      .filter((record) => record.orderId === platformNo && record.orderNo === orderNo)
      .filter(({event}) => event === 'order.completed')
      .map(({createdMs}) => createdMs)
      .filter((ms) => ms < end.startedMs)
    if (isNamed || recordedMs.length === 0) continue
    if (!recordedMs.some((ms) => isInside(ms, window))) {
      counts.add('orders without a row, outside the window')
      continue
    }
    counts.add(`orders without a row, looked for by ${report.records.way}`)
    const found = report.findings.some(
      (finding) => finding.line === null && finding.orderNo === orderNo && finding.kind === kind,
    )
    if (!found)
      problems.push(
        `${kind} ${orderNo} is paid and no row names it, and the report that looked does not say so (P9)`,
      )
  }
  return problems
}

/**
 * Whether an order that no row names has a completion recorded in the window: by its number (A9), unless an answer of
 * the run showed that the record is another order's. Where the service did not answer for it, the number is all there is.
 */
export function isMissing({orderNo, provider}: FindingView, {world, options, end}: NightFacts): boolean {
  const answered = new Set([...saidOrders(end.tries).values()].flatMap((said) => said?.platformNo ?? []))
  const window = expectWindow(options.ledger, options)
  const endedMs = end.process.site.time.nowMs
  return (
    window !== null &&
    world.records.some(
      (record) =>
        record.event === 'order.completed' &&
        record.orderNo === orderNo &&
        (provider === null || record.orderId === provider.platformOrderNo || !answered.has(record.orderId)) &&
        record.createdMs <= endedMs &&
        isInside(record.createdMs, window),
    )
  )
}
