import {html} from 'hono/html'

import {retryDelaysMs} from '../../core/order.ts'
import type {AttemptView} from '../attempt-view.ts'
import type {DeliveryProgress} from '../deliveries.ts'
import type {SandboxParts} from '../parts.ts'
import type {StoredDelivery} from '../store/deliveries.ts'
import type {Html} from '../web/html-page.ts'
import {lastSent, nextRetry, orderOf, underWayText} from './deliveries-view.ts'
import {
  badge,
  button,
  crumb,
  deliveryBadge,
  fact,
  fromList,
  longFact,
  messageView,
  moment,
  nothing,
  offReal,
  outside,
  sentence,
  showNow,
} from './pieces.ts'

/** `listQuery` is the query of the list that led here. */
export function deliveryView(parts: SandboxParts, delivery: StoredDelivery, listQuery: string): Html {
  const nowMs = parts.clock.now()
  const address = `/console/deliveries/${delivery.id}`
  const {attempts} = delivery
  const made = parts.control.attempts(delivery.id).reverse()
  const progress = parts.engine.progressOf(delivery.id)
  return html`${crumb('deliveries', listQuery, 'All deliveries')}
  <dl class="facts">
    ${fact('Status', deliveryBadge(parts, delivery))}
    ${fact('Order', orderOf(parts, delivery))}
    ${fact('Event', delivery.event)}
    ${longFact('To', outside(delivery.url, 300))}
    ${fact('Attempts', attemptsText(delivery, progress))}
    ${fact('Last sent', lastSent(parts, delivery, nowMs))}
    ${fact('Next retry', nextRetry(parts, delivery, nowMs))}
    ${fact('Time to answer', `${parts.timeoutMs() / 1000} s for the whole answer`)}
    ${longFact('Record', html`<code>${delivery.id}</code>`)}
  </dl>
  ${progress === null ? html`<div class="actions">${button(`${address}/resend`, 'Resend now', `${address}${fromList(listQuery)}`, {look: 'main'})}</div>` : ''}
  <h2>Attempts, the newest first</h2>
  ${progress === null ? '' : underWayView(parts, delivery, progress)}
  ${attempts === 0 && progress === null ? nothing('Nothing was sent yet.') : ''}
  ${made.map((attempt) => attemptView(attempt, delivery, nowMs))}
  ${unrecorded((made.at(-1)?.number ?? attempts + 1) - 1)}
  ${made.length === 0 ? html`<h2>Body to send</h2>${messageView([], delivery.payload)}` : ''}`
}

/** Includes the attempt under way. */
function attemptsText({attempts, scheduledAttempts}: StoredDelivery, progress: DeliveryProgress): string {
  const startedBy = progress === null || progress === 'queued' ? null : progress.startedBy
  const scheduled = scheduledAttempts + (startedBy === 'schedule' ? 1 : 0)
  const resends = attempts - scheduledAttempts + (startedBy === 'resend' ? 1 : 0)
  return `${scheduled} of ${retryDelaysMs.length + 1} by schedule${resends === 0 ? '' : `, and ${resends} by hand`}`
}

function underWayView(
  parts: SandboxParts,
  {attempts}: StoredDelivery,
  progress: Exclude<DeliveryProgress, null>,
): Html {
  if (progress === 'queued') {
    return html`<section class="sheet attempt" aria-label="Resend that waits"><h3>Resend ${badge('waiting', 'open')}</h3>
    <p><strong>Not sent yet.</strong> The receiver has as many attempts under way as it may have at a time. It follows by itself.</p></section>`
  }
  const title = `Attempt ${attempts + 1}`
  const seconds = parts.timeoutMs() / 1000
  return html`<section class="sheet attempt" aria-label="${title}">
    <h3>${title} ${badge('under way', 'open')}</h3>
    <p><strong>${underWayText(progress)}</strong> ${progress.isUnstored ? '' : `After ${seconds} s it counts as failed.`}</p>
    <p class="soft">${timesOf(progress.beganAtMs, progress.beganRealMs, parts.clock.now())} · ${starters[progress.startedBy]}</p>
  </section>`
}

/** The sandbox's time, and real time if it differs: the receiver's log has that. */
function timesOf(atMs: number, realMs: number, nowMs: number): Html {
  const ahead = offReal(atMs, realMs)
  if (ahead === null) return html`${moment(atMs, nowMs)}`
  return html`${moment(atMs, nowMs)} by the sandbox’s clock, which was ${ahead}; in real time ${showNow(realMs)}`
}

const starters = {schedule: 'by schedule', resend: 'resent by hand'} as const

/** A seeded history has no rows for its attempts. */
function unrecorded(count: number): Html | string {
  if (count === 0) return ''
  const which = count === 1 ? 'The first attempt is' : `The first ${count} attempts are`
  return nothing(
    `${which} of a seeded history.`,
    'Nothing was sent, so there is nothing to show. Resend now to make an attempt.',
  )
}

const roles: Readonly<Record<AttemptView['role'], string>> = {
  webhook: '',
  forged: ' · forged by a fault',
  doubled: ' · sent again by a fault',
}

function attemptView(attempt: AttemptView, {url}: StoredDelivery, nowMs: number): Html {
  const {number, role, startedBy, durationMs, explanation, nextStep, signature, isDelivered} = attempt
  const {requestHeaders, requestBody, responseCode, responseHeaders, responseBody} = attempt
  const isGood = role === 'forged' ? !isDelivered : isDelivered
  const title = `Attempt ${number}${roles[role]}`
  return html`<section class="sheet attempt" data-key="attempt-${number}-${role}" aria-label="${title}">
    <h3>${title} ${badge(responseCode === null ? 'no answer' : `HTTP ${responseCode}`, isGood ? 'good' : 'bad')}</h3>
    <p><strong>${explanation}</strong> ${nextStep === null ? '' : sentence(nextStep)}</p>
    ${responseBody ? html`<p>It answered: <q>${outside(responseBody, 200)}</q></p>` : ''}
    ${signature?.isValid && (responseCode === 401 || responseCode === 403) ? html`<p>What is signed: <code>${outside(signature.canonical, 2000)}</code></p>` : ''}
    <p class="soft">${timesOf(Date.parse(attempt.beganAt), Date.parse(attempt.beganRealAt), nowMs)} · took ${durationMs.toLocaleString('en')} ms · ${starters[startedBy]}${signature ? ` · signature ${signature.isValid ? 'right' : 'WRONG'}` : ''}</p>
    <details><summary>What went over the wire</summary>
      <h4>Request</h4>${requestHeaders.length === 0 ? nothing('Nothing left the sandbox.') : messageView(requestHeaders, requestBody, `POST ${pathOf(url)} HTTP/1.1`)}
      ${signature ? signatureView(signature) : ''}
      <h4>Answer</h4>${responseCode === null ? nothing('No answer.') : messageView(responseHeaders, responseBody ?? '', `HTTP/1.1 ${responseCode}`)}
    </details>
  </section>`
}

function pathOf(url: string): string {
  const {pathname, search} = new URL(url)
  return `${pathname}${search}`
}

function signatureView({
  place,
  given,
  expected,
  canonical,
  isValid,
}: NonNullable<AttemptView['signature']>): Html {
  return html`<h4>Signature</h4><dl class="facts">
      ${fact('In', place)}
      ${longFact('Sent', html`<code>${given === null ? 'none' : outside(given)}</code>`)}
      ${isValid ? '' : longFact('Right would be', html`<code>${expected}</code>`)}
      ${longFact('Made of', html`<code>${outside(canonical, 2000)}</code>`)}
    </dl>`
}
