import {html} from 'hono/html'

import {formatPaisa} from '../../core/money.ts'
import {payoutChannels, walletNumber} from '../../core/order.ts'
import {smsOrigins} from '../sms/message.ts'
import type {Choice} from '../store/pay-sessions.ts'
import type {Html} from '../web/html-page.ts'

export interface ComposeParts {
  readonly sender: string
  readonly choice: Choice | null
  readonly back: string
}

/** The player chooses and pays: the payment page and the telephone in one step. */
export function payForm(seq: number, choice: Choice | null, back: string): Html {
  return html`<form class="compose" method="post" action="/console/deposits/${seq}/pay">
    <input type="hidden" name="back" value="${back}">
    ${channelField(choice)}
    <label>Amount <input name="amount" value="${formatPaisa(choice?.amount ?? 500_00n)}" ${amountRules}></label>
    <button class="main">The player pays</button>
  </form>`
}

const amountRules = html`inputmode="decimal" maxlength="18" required pattern="[0-9]+([.][0-9]{1,2})?" title="Taka, such as 500 or 500.50"`

function channelField(choice: Choice | null): Html {
  return html`<label>Channel <select name="channel">${payoutChannels.map(
    (channel) => html`<option ${choice?.channel === channel ? 'selected' : ''}>${channel}</option>`,
  )}</select></label>`
}

export function composeForm({sender, choice, back}: ComposeParts): Html {
  return html`<form class="compose" method="post" action="/console/sms/compose">
    <input type="hidden" name="back" value="${back}">
    ${channelField(choice)}
    <label>From number <input name="sender" value="${sender}" inputmode="tel" maxlength="11" required pattern="${walletNumber.source}" title="A mobile number such as 01712345678"></label>
    <label>Amount <input name="amount" value="${choice ? formatPaisa(choice.amount) : ''}" ${amountRules}></label>
    <label>Transaction <input name="trxId" placeholder="a new one" maxlength="16" pattern="[A-Z0-9]{6,16}" title="6 to 16 capital letters and digits; empty makes a new one"></label>
    <button class="main">Let the SMS come in</button>
  </form>`
}

export function rawForm(back: string): Html {
  return html`<form class="compose" method="post" action="/console/sms/raw">
    <input type="hidden" name="back" value="${back}">
    <label>Sender <input name="from" list="origins" maxlength="40" required></label>
    <datalist id="origins">${Object.values(smsOrigins).map((origin) => html`<option value="${origin}"></option>`)}</datalist>
    <label class="long">Text, word for word <textarea name="text" rows="3" maxlength="1000" required></textarea></label>
    <button>Let it come in</button>
  </form>`
}
