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

/** Whoever has paid, and was not believed, must not be asked for money again without a word. */
export function discardedNote(discarded: SeenPayment | null, language: Language): Html | string {
  if (!discarded) return ''
  const {amount, trxId} = discarded
  return html`<p class="note">${textsOf[language].discarded(showAmount(amount, language), trxId)}</p>`
}

/**
 * `returnUrl` takes webhooks; a browser has no business there. The way back is the front door of the same site.
 * In a frame the merchant's own page stands around this one already.
 */
export function wayBack({returnUrl}: PaySession, language: Language): Html | string {
  const url = URL.parse(returnUrl)
  if (!url) return ''
  const texts = textsOf[language]
  return html`<p class="back"><a class="go" href="${url.origin}/" rel="noreferrer">${texts.back(url.host)}</a></p>
  <p class="in-frame">${texts.inFrame}</p>`
}

/** The same while there is still something to pay. */
export function wayOut({returnUrl}: PaySession, language: Language): Html | string {
  const url = URL.parse(returnUrl)
  if (!url) return ''
  return html`<p class="back leave"><a href="${url.origin}/" rel="noreferrer">${textsOf[language].leave(url.host)}</a></p>`
}
