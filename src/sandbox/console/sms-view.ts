import {html} from 'hono/html'
import type {SandboxParts} from '../parts.ts'
import type {Cursor} from '../store/pages.ts'
import {type SmsState, type StoredSms, smsStates, type WaitingReason} from '../store/sms.ts'
import type {Html} from '../web/html-page.ts'
import {
  badge,
  filters,
  linesPerPage,
  moment,
  money,
  nothing,
  outside,
  pager,
  pathWithQuery,
} from './pieces.ts'
import {composeForm, rawForm} from './sms-form.ts'

const stateNames: Readonly<Record<SmsState, string>> = {
  waiting: 'At the desk',
  released: 'Released',
  discarded: 'Discarded',
  duplicate: 'Duplicates',
}

export const reasonTexts: Readonly<Record<WaitingReason, string>> = {
  unreadable: 'It tells of no payment received. It can only be discarded.',
  not_from_channel: 'It reads like a payment, but its channel did not send it. It can only be discarded.',
  sender_hidden: 'Only the end of the number that paid is shown.',
  stranger: 'No open deposit belongs to the number that paid.',
  not_chosen: 'The player has not chosen an amount yet.',
  amount_differs: 'The player chose another amount.',
  channel_differs: 'The player chose another channel.',
  discarded_before: 'A person discarded this transaction before.',
  several_orders: 'Several deposits of this player wait for this very payment.',
}

/** The in-box. The state `waiting` is the desk. */
export function smsListView(parts: SandboxParts, state: SmsState | 'all', cursor: Cursor): Html {
  const chosen = state === 'all' ? null : state
  const page = parts.sms.list(chosen, cursor, linesPerPage)
  const address = (choice: SmsState | null, more = '') =>
    pathWithQuery('sms', `state=${choice ?? 'all'}`, more)
  return html`<div class="tools">${filters(
    'State',
    [...smsStates.map((choice) => [choice, stateNames[choice]] as const), [null, 'All'] as const],
    chosen,
    address,
  )}</div>
  ${
    page.lines.length === 0
      ? nothing(
          state === 'waiting' ? 'Nothing waits at the desk.' : 'No SMS here.',
          html`Let one come in below, or open <a href="/console/orders?state=open">an open deposit</a> and let its player pay.`,
        )
      : html`<ul class="messages">${page.lines.map((sms) => item(parts, sms))}</ul>`
  }
  ${pager(page, (more) => address(chosen, more))}
  <details class="more"><summary>Let an SMS come in</summary>
    <h2>Of a payment</h2>
    ${composeForm({sender: '', choice: null, back: '/console/sms'})}
    <h2>Word for word</h2>
    ${rawForm('/console/sms')}
  </details>`
}

export function bubble({origin, text}: StoredSms): Html {
  return html`<blockquote class="bubble"><cite>${outside(origin, 40)}</cite><p>${outside(text.replace(/\s+/g, ' '), 1000)}</p></blockquote>`
}

export function smsBadge({state, decidedBy}: StoredSms): Html {
  if (state === 'waiting') return badge('waiting', 'open')
  if (state !== 'released') return badge(state, 'plain')
  const how = {desk: 'released by hand', test: 'released as a test', match: 'released'} as const
  return badge(how[decidedBy ?? 'match'], 'good')
}

function item(parts: SandboxParts, sms: StoredSms): Html {
  const {seq, state, reason, orderNo} = sms
  const isWaiting = state === 'waiting'
  return html`<li data-key="${seq}">
    ${bubble(sms)}
    <div class="beside">
      <p>${smsBadge(sms)} <strong>${sms.amount === null ? '' : money(sms.amount)}</strong> ${orderNo === null ? '' : outside(orderNo)}</p>
      ${isWaiting && reason ? html`<p>${reasonTexts[reason]}</p>` : ''}
      <p><a href="/console/sms/${seq}">${isWaiting ? `Decide on SMS ${seq}` : `SMS ${seq}`}</a> <span class="soft">${moment(sms.receivedAtMs, parts.clock.now())}</span></p>
    </div>
  </li>`
}
