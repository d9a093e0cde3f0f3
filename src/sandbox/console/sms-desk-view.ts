import {html} from 'hono/html'

import {escapeInvisible, maskPhone} from '../../core/text.ts'
import type {SandboxParts} from '../parts.ts'
import {isReleasable} from '../sms/inbox.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import type {StoredSms} from '../store/sms.ts'
import type {Html} from '../web/html-page.ts'
import {orderAddress} from './orders-view.ts'
import {button, fact, moment, money, nothing, outside} from './pieces.ts'
import {bubble, reasonTexts, smsBadge} from './sms-view.ts'

const back = '/console/sms'

export function smsView(parts: SandboxParts, sms: StoredSms): Html {
  const {state, reason, channel, sender, senderTail, trxId, depositSeq, orderNo} = sms
  return html`<p class="crumb"><a href="${back}">SMS at the desk</a></p>
  ${bubble(sms)}
  <dl class="facts">
    ${fact('State', smsBadge(sms))}
    ${reason && state === 'waiting' ? fact('Why it waits', reasonTexts[reason]) : ''}
    ${fact('Received', moment(sms.receivedAtMs, parts.clock.now()))}
    ${fact('Channel', channel ?? '–')}
    ${fact('From number', sender ?? (senderTail === null ? '–' : `…${senderTail}`))}
    ${fact('Amount', money(sms.amount))}
    ${fact('Transaction', trxId === null ? '–' : html`<code>${trxId}</code>`)}
    ${depositSeq === null ? '' : fact('Released', html`<a href="${orderAddress({kind: 'deposit', seq: depositSeq})}">${outside(orderNo ?? '')}</a>`)}
  </dl>
  ${state === 'waiting' ? decision(parts, sms) : ''}`
}

function decision(parts: SandboxParts, sms: StoredSms): Html {
  return html`${isReleasable(sms) ? releases(parts, sms) : ''}
  <div class="actions">${button(`/console/sms/${sms.seq}/discard`, 'Discard it', back, {look: 'danger'})}</div>`
}

function releases(parts: SandboxParts, sms: StoredSms): Html {
  const candidates = parts.inbox.candidates(sms)
  return html`<h2>Which deposit does it pay for?</h2>
  ${
    candidates.length === 0
      ? nothing('No open deposit suggests itself.')
      : html`<ul class="candidates">${candidates.map((session) => candidate(sms, session))}</ul>`
  }
  <form class="compose" method="post" action="/console/sms/${sms.seq}/release">
    <input type="hidden" name="back" value="${back}">
    <label>Another deposit <input name="orderNo" placeholder="Order number" maxlength="32" required></label>
    <label>of merchant <select name="merchantId">${[...parts.merchants.keys()].map((id) => html`<option>${id}</option>`)}</select></label>
    <button>Release it</button>
  </form>`
}

function candidate(sms: StoredSms, {seq, orderNo, playerPhone, choice}: PaySession): Html {
  const amount = money(sms.amount)
  const chosen = choice ? `chose ${money(choice.amount)} by ${choice.channel}` : 'has chosen nothing yet'
  return html`<li data-key="${seq}">
    <div><a href="${orderAddress({kind: 'deposit', seq})}">${outside(orderNo)}</a> <span class="soft">${maskPhone(playerPhone)} ${chosen}</span></div>
    <form method="post" action="/console/sms/${sms.seq}/release">
      <input type="hidden" name="back" value="${back}"><input type="hidden" name="deposit" value="${seq}">
      <button class="main" aria-label="Release with ${amount}: ${escapeInvisible(orderNo, 80)}">Release with ${amount}</button>
    </form>
  </li>`
}
