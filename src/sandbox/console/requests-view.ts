import {html} from 'hono/html'
import type {SandboxParts} from '../parts.ts'
import type {NamedRequest} from '../request-log.ts'
import type {Html} from '../web/html-page.ts'
import {orderAddress} from './orders-view.ts'
import {
  badge,
  command,
  crumb,
  fact,
  filters,
  foundLine,
  fromList,
  linesPerPage,
  longFact,
  messageView,
  moment,
  nothing,
  outside,
  pathWithQuery,
  searchForm,
  sentence,
  table,
} from './pieces.ts'

export const requestChoices = ['refused', 'done'] as const
export type RequestChoice = (typeof requestChoices)[number]

const choices = [
  [null, 'All'],
  ['refused', 'Refused'],
  ['done', 'Done'],
] as const

const columns = [
  {name: 'Request'},
  {name: 'Came in'},
  {name: 'Order'},
  {name: 'Answer'},
  {name: 'Why'},
  {name: 'What to do', look: 'unseen'},
] as const

const all = html`<a href="/console/requests">All requests</a>`

export interface RequestsQuery {
  readonly choice: RequestChoice | null
  readonly text: string
  readonly beforeId: number | undefined
  /** The page of a request links back to this list. */
  readonly listQuery: string
}

export function requestsView(parts: SandboxParts, {choice, text, beforeId, listQuery}: RequestsQuery): Html {
  const {requestLog} = parts
  const filter = {
    ...(choice === null ? {} : {isRefused: choice === 'refused'}),
    ...(text ? {orderNo: text} : {}),
  }
  const found = requestLog.list(filter, linesPerPage + 1, beforeId)
  const lines = found.slice(0, linesPerPage)
  const hasMore = found.length > linesPerPage
  const address = (chosen: RequestChoice | null, more = '') =>
    pathWithQuery('requests', chosen && `show=${chosen}`, more)
  const last = lines.at(-1)
  return html`<div class="tools">${text ? '' : filters('Answer', choices, choice, address)}
    ${searchForm('/console/requests', text, 'Search requests', 'Any part of an order number')}</div>
  ${lines.length === 0 ? noRequests(parts, choice, text) : requestsTable(parts, lines, listQuery)}
  ${text ? foundLine(lines.length, hasMore, all) : ''}
  ${!text && (hasMore || beforeId !== undefined) ? html`<nav class="pager" aria-label="Pages">${beforeId === undefined ? '' : html`<a href="${address(choice)}">Newest</a>`} ${hasMore && last ? html`<a href="${address(choice, `before=${last.id}`)}" rel="next">Older</a>` : ''}</nav>` : ''}
  <p class="soft">Since the sandbox was started: ${requestLog.count().toLocaleString('en-IN')} in all, ${requestLog.countRefused().toLocaleString('en-IN')} refused. The newest thousand are kept, and the newest thousand that were refused.</p>`
}

function noRequests(parts: SandboxParts, choice: RequestChoice | null, text: string): Html {
  if (text)
    return nothing('No request that is kept names such an order.', 'Try a shorter part of the number.')
  return choice === null
    ? nothing(
        'No request has come in since the sandbox was started.',
        html`Send one: ${command(parts, 'hisab deposit query T-1 --profile sandbox')} If yours do not come in here, they go to another address or port.`,
      )
    : nothing(`No request that is kept was ${choice}.`, all)
}

function requestsTable(parts: SandboxParts, requests: readonly NamedRequest[], listQuery: string): Html {
  const nowMs = parts.clock.now()
  const rows = requests.map((request) => ({
    key: request.id,
    cells: [
      html`<a href="${addressOf(request)}${fromList(listQuery)}">${request.method} ${outside(request.path, 80)}</a>`,
      moment(request.atMs, nowMs),
      orderOf(parts, request),
      answerBadge(request),
      html`<span class="words">${whyOf(request)}</span>`,
      isDiagnosable(request)
        ? html`<a href="${diagnosisOf(request.id, listQuery)}" aria-label="Diagnose the signature of request ${request.id}">Diagnose</a>`
        : '',
    ],
  }))
  return table('List of requests', columns, rows)
}

export function requestView(
  parts: SandboxParts,
  request: NamedRequest,
  isDiagnosed: boolean,
  listQuery: string,
): Html {
  const {id, atMs, durationMs, listener, merchantId, refusal, faults, responseBody} = request
  return html`${crumb('requests', listQuery, 'All requests')}
  <dl class="facts">
    ${fact('Answer', answerBadge(request))}
    ${fact('Came in', html`${moment(atMs, parts.clock.now())}, at the address of ${listener}`)}
    ${fact('Took', `${durationMs.toLocaleString('en')} ms`)}
    ${fact('Order', orderOf(parts, request))}
    ${longFact('Merchant', merchantId === null ? '–' : html`<code>${outside(merchantId, 80)}</code>${parts.merchants.has(merchantId) ? '' : ', not set up here'}`)}
    ${faults.length === 0 ? '' : fact('Faults played', faults.join(', '))}
  </dl>
  ${refusal ? html`<div class="problem"><p><strong>${sentence(refusal.message)}</strong></p><p>${sentence(refusal.nextStep)}</p><p>Code <code>${refusal.code}</code></p></div>` : ''}
  ${isDiagnosable(request) ? diagnosisView(parts, id, isDiagnosed, listQuery) : ''}
  <h2>Request</h2>
  ${messageView(request.requestHeaders, new TextDecoder().decode(request.requestBody), `${request.method} ${request.path}${request.query}`)}
  <h2>Answer</h2>
  ${responseBody === null ? nothing(request.status === null ? 'A fault cut the connection: nothing was answered.' : 'An empty body.') : messageView([], responseBody)}`
}

function diagnosisView(parts: SandboxParts, id: number, isDiagnosed: boolean, listQuery: string): Html {
  if (!isDiagnosed) {
    return html`<div class="actions"><a class="button main" href="${diagnosisOf(id, listQuery)}">Diagnose the signature</a></div>`
  }
  const diagnosis = parts.requestLog.diagnose(id)
  if (!diagnosis)
    return nothing('There is nothing to compare this signature with: the merchant is not set up here.')
  const {explanation, fix, canonical, expected, cause} = diagnosis
  return html`<section class="sheet" aria-labelledby="diagnosis"><h2 id="diagnosis">Diagnosis of the signature</h2>
    <p><strong>${sentence(explanation)}</strong></p><p>${sentence(fix)}</p>
    <dl class="facts">${fact('Cause', html`<code>${cause}</code>`)}${canonical === null || canonical === expected ? '' : longFact('What was signed', html`<code>${outside(canonical, 2000)}</code>`)}${expected === null ? '' : longFact(canonical === expected ? 'What was signed: it is right' : 'What is to be signed', html`<code>${outside(expected, 2000)}</code>`)}</dl>
  </section>`
}

function isDiagnosable({refusal}: NamedRequest): boolean {
  return refusal?.code === 'SIGNATURE_INVALID'
}

function diagnosisOf(id: number, listQuery: string): string {
  const from = fromList(listQuery)
  return `/console/requests/${id}${from === '' ? '?' : `${from}&`}diagnose=1`
}

function addressOf({id}: NamedRequest): string {
  return `/console/requests/${id}`
}

function answerBadge({status, refusal}: NamedRequest): Html {
  if (status === null) return badge('cut off', 'bad')
  return badge(`HTTP ${status}`, refusal || status >= 400 ? 'bad' : 'good')
}

function whyOf({refusal, faults}: NamedRequest): Html | string {
  if (refusal) return outside(refusal.message, 160)
  return faults.length === 0 ? 'Done.' : `Done, with the fault ${faults.join(', ')}.`
}

function orderOf({orderLists}: SandboxParts, {merchantId, orderNo, path}: NamedRequest): Html | string {
  if (orderNo === null) return '–'
  const kind = path.includes('/apply/') ? 'payout' : 'deposit'
  const order = orderLists.findByNumber(merchantId ?? '', orderNo).find((known) => known.kind === kind)
  return order ? html`<a href="${orderAddress(order)}">${outside(orderNo)}</a>` : outside(orderNo)
}
