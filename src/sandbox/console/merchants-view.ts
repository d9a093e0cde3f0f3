import {html} from 'hono/html'

import {demonstrationMerchant, ordinaryMerchant, type SandboxMerchant} from '../merchants.ts'
import type {SandboxParts} from '../parts.ts'
import type {Html} from '../web/html-page.ts'
import {badge, fact, money} from './pieces.ts'

/** Only the two built-in accounts show their credentials: others may be real. */
export function merchantsView({merchants, orderService}: SandboxParts): Html {
  return html`${[...merchants.values()].map(
    (
      merchant,
    ) => html`<section class="sheet" data-key="${merchant.merchantId}" aria-labelledby="m-${merchant.merchantId}">
    <h2 id="m-${merchant.merchantId}">${merchant.name || 'Merchant'} ${badge(merchant.isDemo ? 'isTest allowed' : 'no isTest', 'plain')}</h2>
    <dl class="facts">
      ${fact('merchantId', html`<code>${merchant.merchantId}</code>`)}
      ${fact('Balance for payouts', money(orderService.readBalance(merchant.merchantId)))}
    </dl>
    ${credentialsOf(merchant)}
  </section>`,
  )}`
}

function credentialsOf(merchant: SandboxMerchant): Html {
  if (merchant !== demonstrationMerchant && merchant !== ordinaryMerchant) {
    return html`<p class="soft">Its credentials are with whoever started this sandbox.</p>`
  }
  const {apiSecret, apiKey} = merchant.credentials
  return html`<details class="more"><summary>Show the credentials</summary>
    <dl class="facts">${fact('API secret', html`<code>${apiSecret}</code>`)}${fact('API key', html`<code>${apiKey}</code>`)}</dl>
    <p class="soft">Everybody knows them: they open nothing but a sandbox.</p>
  </details>`
}
