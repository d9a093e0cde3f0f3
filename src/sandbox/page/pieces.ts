import {html} from 'hono/html'
import type {Language} from '../../core/language.ts'

import {escapeInvisible} from '../../core/text.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import type {Html} from '../web/html-page.ts'
import {showAmount} from './language.ts'
import type {SeenPayment} from './standing.ts'
import {textsOf} from './texts.ts'

export function orderLine({orderNo}: PaySession, language: Language): Html {
  return html`<p class="order">${textsOf[language].order} <bdi>${escapeInvisible(orderNo)}</bdi></p>`
}

/** A player must learn that a payment was discarded before being asked to pay again. */
export function discardedNote(discarded: SeenPayment | null, language: Language): Html | string {
  if (!discarded) return ''
  const {amount, trxId} = discarded
  return html`<p class="note">${textsOf[language].discarded(showAmount(amount, language), trxId)}</p>`
}

/**
 * `returnUrl` takes webhooks, not browsers: the link goes to the front page of its site. In a frame the merchant's
 * page is already around this one.
 */
export function wayBack({returnUrl}: PaySession, language: Language): Html | string {
  const url = URL.parse(returnUrl)
  if (!url) return ''
  const texts = textsOf[language]
  return html`<p class="back"><a class="go" href="${url.origin}/" rel="noreferrer">${texts.back(url.host)}</a></p>
  <p class="in-frame">${texts.inFrame}</p>`
}

/** The same while the order is still open. */
export function wayOut({returnUrl}: PaySession, language: Language): Html | string {
  const url = URL.parse(returnUrl)
  if (!url) return ''
  return html`<p class="back leave"><a href="${url.origin}/" rel="noreferrer">${textsOf[language].leave(url.host)}</a></p>`
}
