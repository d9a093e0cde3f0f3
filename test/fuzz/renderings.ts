import {defaultDialect, documentedWords} from '../../src/core/dialect.ts'
import {Failure} from '../../src/core/failure.ts'
import {orderKinds, type ServiceOrder} from '../../src/core/order.ts'
import {findOutages} from '../../src/core/outages.ts'
import type {Finding} from '../../src/core/reconcile/finding.ts'
import {explain} from '../../src/core/reconcile/verdict-facts.ts'
import {explainSignature} from '../../src/core/signing/explanation.ts'
import {recordColumns, viewRecord} from '../../src/report/delivery-list.ts'
import {findingsCsv} from '../../src/report/findings-csv.ts'
import {ignoreColumns, viewIgnore} from '../../src/report/ignores-text.ts'
import {type ListColumn, listText} from '../../src/report/list-text.ts'
import {orderColumns, viewOrder} from '../../src/report/orders-list.ts'
import {outageColumns, outagesText, totalOf, viewOutage} from '../../src/report/outages-report.ts'
import {payoutText} from '../../src/report/payout-text.ts'
import {payoutsCsv} from '../../src/report/payouts-csv.ts'
import {type PayoutLine, payoutsReport} from '../../src/report/payouts-report.ts'
import {payoutsPlanText, payoutsText} from '../../src/report/payouts-text.ts'
import {forwardedLine, receivedLine, storedColumns, storedText} from '../../src/report/received-text.ts'
import {buildReport} from '../../src/report/reconcile-report.ts'
import {planText, summaryText} from '../../src/report/reconcile-text.ts'
import {recordText} from '../../src/report/record-text.ts'
import {resendPlanText} from '../../src/report/resend-plan-text.ts'
import {type ResendLine, resendColumns, viewLine} from '../../src/report/resend-report.ts'
import {renderExplanation, renderVerdict} from '../../src/report/signing-text.ts'
import {plain} from '../../src/report/table.ts'
import {profileAt} from '../api/fixture.ts'
import {delivery, nowMs, order} from '../core/reconcile/sample.ts'
import {facts, finding, pageOf, paths} from '../report/sample.ts'

/** Gives text of somebody else's, as often as it is asked. */
export type Text = () => string

/** Every list, by its name: the same rows as a table, as CSV and as NDJSON. */
export const lists: Readonly<Record<string, (text: Text) => List>> = {
  orders: (text) =>
    list(orderColumns, [
      viewOrder(text(), {is: 'found', order: orderOf(text)}),
      viewOrder(text(), {is: 'no_answer', code: 'service_busy', because: text()}),
    ]),
  deliveries: (text) => list(recordColumns('Asia/Dhaka'), [viewRecord(deliveryOf(text))]),
  resends: (text) => list(resendColumns, resendLines(text).map(viewLine)),
  events: (text) => list(storedColumns, [storedOf(text)]),
  ignores: (text) =>
    list(ignoreColumns, [
      viewIgnore(
        {
          ...{
            id: 1,
            kind: 'deposit',
            orderNo: text(),
            verdict: 'amount_mismatch',
            atRisk: -500n,
            snapshot: '',
            openedMs: 0,
          },
          ...{reason: text(), by: text(), atMs: nowMs, expiresAtMs: nowMs},
        },
        nowMs,
        'UTC',
      ),
    ]),
  outages: (text) => list(outageColumns, outagesOf(text)),
}

interface List {
  readonly table: string
  readonly csv: string
  readonly ndjson: string
  readonly columns: readonly {readonly name: string; readonly kind: 'text' | 'number'}[]
}

function list<Row extends object>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): List {
  const as = (format: 'table' | 'csv' | 'ndjson') => listText(format, columns, rows, plain, 100)
  return {table: as('table'), csv: as('csv'), ndjson: as('ndjson'), columns}
}

/** What is shown on a terminal besides lists, by its name. */
export const screens: Readonly<Record<string, (text: Text) => string>> = {
  'the plan of a reconciliation': (text) => planText(factsOf(text), plain, 80),
  'the end of a reconciliation': (text) =>
    summaryText(factsOf(text), buildReport(factsOf(text), paths), plain, 80),
  'a plan of resends': (text) =>
    resendPlanText(resendLines(text), {hosts: [text()], hasCanary: true, amounts: new Map()}, plain, 80),
  'a delivery record': (text) =>
    recordText(
      {
        delivery: deliveryOf(text),
        raw: {payload: text(), response_body: text(), [text()]: text(), note: {[text()]: [text()]}},
        ...{earlier: null, next: 'wait', timeZone: 'UTC'},
      },
      plain,
    ),
  outages: (text) => {
    const views = outagesOf(text)
    return outagesText(views, totalOf([], views, text()), plain)
  },
  'the question of a payout': (text) =>
    payoutText(
      {
        request: {
          outOrderNo: text(),
          amount: 5n,
          bankType: 'BKASH',
          userName: text(),
          account: '01712345678',
        },
        earlier: null,
        duplicates: [{orderNo: text(), claimedAtMs: nowMs, state: 'unknown'}],
      },
      {...profileAt('https://pay.example'), name: text()},
      plain,
    ),
  'a plan of payouts': (text) => {
    const payout = {
      ...{line: 2, step: 'send' as const, prepared: {orderNo: text(), returnUrl: text()}, sameAsLine: null},
      request: {returnUrl: text()},
      claim: {amount: 5n, channel: 'BKASH', maskedAccount: '017****5678'},
      duplicates: [{orderNo: text(), claimedAtMs: nowMs, state: 'accepted' as const}],
    }
    const plan = {path: text(), payouts: [payout], repeats: [payout], warnings: [text()]}
    return payoutsPlanText(plan, profileOf(text), plain)
  },
  'the end of a file of payouts': (text) => {
    const report = payoutsReport({
      file: {path: text(), sha256: 'ab'},
      warnings: [text()],
      besideInDoubt: [text()],
      lines: payoutLines(text),
      stop: {line: 2, orderNo: text(), failure: new Failure('incomplete', 'It stopped.', 'Run it again.')},
      ...{dryRun: false, resultPath: text()},
    })
    return payoutsText(report, text(), plain, 80)
  },
  'a webhook that came': (text) =>
    receivedLine(
      {
        ...{receivedAt: '2026-11-20T09:00:00Z', outcome: 'duplicate', httpStatus: 200, event: text()},
        ...{orderNo: text(), platformOrderNo: text(), status: text(), amount: text(), playerRef: text()},
        ...{
          undocumented: [text()],
          firstReceivedAt: null,
          forward: {httpStatus: null, acknowledged: false, problem: text()},
        },
      },
      plain,
    ),
  'a stored event that was handed on': (text) =>
    forwardedLine(
      {...storedOf(text), held: true, acknowledged: false, httpStatus: null, problem: text()},
      plain,
    ),
  'a stored event': (text) => storedText({...storedOf(text), content: {[text()]: text()}}),
  'a signature explained': (text) =>
    renderExplanation(explainSignature({[`a${text().toWellFormed()}`]: text().toWellFormed()}, 'secret-1')),
  'a verdict on a signature': (text) =>
    renderVerdict({
      ...{valid: false, scheme: 'request', given: text(), expected: 'ab', canonical: text()},
      diagnosis: {cause: 'none_found', explanation: 'None.', canonical: text(), fix: 'Look.'},
    }),
}

export function findingsFile(text: Text): string {
  return [...findingsCsv(buildReport(factsOf(text), paths))].join('')
}

export function payoutsFile(text: Text): string {
  return payoutsCsv(payoutLines(text))
}

export function page(text: Text): string {
  return pageOf(factsOf(text))
}

function orderOf(text: Text): ServiceOrder {
  return order({
    orderNo: text(),
    platformOrderNo: text(),
    rawStatus: text(),
    status: 'unknown_status',
    amount: 500n,
  })
}

function deliveryOf(text: Text) {
  return delivery({
    ...{orderId: text(), merchantOrderId: text(), url: text(), event: text()},
    ...{nextRetryAt: text(), sentAt: text(), createdAt: text()},
  })
}

function findingOf(text: Text): Finding {
  const service = orderOf(text)
  const found = {...({verdict: 'unknown_status', cause: null, action: 'review', kind: 'deposit'} as const)}
  const sentence = explain({...found, ledger: null, service, delivery: null, detail: null})
  return finding({
    ...found,
    ...{orderNo: text(), service, delivery: deliveryOf(text), explanation: `${sentence} ${text()}`},
    ...{ledger: {status: 'open', amount: -500n}, atRisk: -500n, snapshot: '', openedMs: 0},
    resend: {state: 'unknown', sentAtMs: nowMs, responseCode: 503, why: text()},
    corruption: {what: 'bengali_digits', repair: text(), isCertain: false},
  })
}

function factsOf(text: Text) {
  const kinds = orderKinds.map((kind) => ({...findingOf(text), kind}))
  return facts(kinds, {
    ...{profile: text(), merchantId: text()},
    dialect: {
      ...defaultDialect,
      status: {...defaultDialect.status, payout: {...documentedWords, completed: [text()]}},
    },
    ledger: [{path: text(), sha256: 'ab', rows: 2}],
  })
}

function resendLines(text: Text): ResendLine[] {
  const line = {id: delivery().id, orderId: text(), merchantOrderId: text(), event: text()}
  return [
    {...line, isPlanned: true, outcome: {state: 'planned', why: null}},
    {...line, isPlanned: false, outcome: {state: 'skipped', why: text()}},
  ]
}

function outagesOf(text: Text) {
  const records = [delivery({url: `https://${text()}/`}), delivery({url: text(), merchantOrderId: text()})]
  const everything = {
    sinceMs: null,
    untilMs: null,
    event: null,
    merchantOrderId: null,
    codes: [],
    host: null,
    urlStart: null,
  }
  return findOutages(records, everything, nowMs).map((outage) =>
    viewOutage(outage, {known: -5n, unknownOrders: 1, isRead: true}, text(), 'UTC'),
  )
}

function payoutLines(text: Text): PayoutLine[] {
  const line = {
    line: 2,
    amount: 500n,
    channel: 'BKASH',
    maskedAccount: '017****5678',
    status: null,
    confirmation: null,
    sentBeforeAtMs: null,
  }
  return (['unknown', 'refused'] as const).map((state) => ({
    ...{...line, state, orderNo: text(), rawStatus: text(), platformOrderNo: text(), why: text()},
  }))
}

function storedOf(text: Text) {
  return {
    ...{
      receivedAt: '2026-11-20T09:00:00Z',
      event: text(),
      orderNo: text(),
      platformOrderNo: text(),
      status: text(),
    },
    ...{
      amount: '-5.00',
      playerRef: text(),
      conflict: false,
      forward: null,
      forwards: 1,
      forwardStatus: 500,
      acknowledgedAt: null,
      closedBy: text(),
      closeReason: text(),
    },
  }
}

function profileOf(text: Text) {
  return {...profileAt('https://pay.example'), name: text(), merchantId: text()}
}
