import {html} from 'hono/html'
import type {Language} from '../../core/language.ts'
import {formatPaisa} from '../../core/money.ts'
import type {PayoutChannel} from '../../core/order.ts'
import {escapeInvisible, maskPhone} from '../../core/text.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import type {Html} from '../web/html-page.ts'
import {showAmount, showMoment} from './language.ts'
import {discardedNote, orderLine, wayBack, wayOut} from './pieces.ts'
import {type Standing, versionOf} from './standing.ts'
import {textsOf} from './texts.ts'
import {timeLeft} from './time-left.ts'

interface Agent {
  /** No operator has 010, so nobody can pay a stranger by mistake. */
  readonly number: string
  /** The code that a telephone without the app dials. */
  readonly dial: string
}

/** The agent who takes the money of each channel. Merchants never see the number (service §1). */
const agents: Readonly<Record<PayoutChannel, Agent>> = {
  BKASH: {number: '01000000001', dial: '*247#'},
  NAGAD: {number: '01000000002', dial: '*167#'},
  ROCKET: {number: '01000000003', dial: '*322#'},
}

type At<Step extends Standing['step']> = Extract<Standing, {step: Step}>

export interface OrderParts {
  readonly session: PaySession
  readonly payee: string
  readonly language: Language
}

/** The second step: how to pay, while the page waits for the SMS. */
export function payView({session, payee, language}: OrderParts, standing: At<'pay'>): Html {
  const {pay, channels} = textsOf[language]
  const {channel} = standing.choice
  const {number, dial} = agents[channel]
  const amount = showAmount(standing.choice.amount, language)
  const title = pay.title(amount, channels[channel])
  const steps = pay.steps({channel: channels[channel], code: dial, agent: number, amount})
  return html`<main data-version="${versionOf(standing)}">
  <h1 tabindex="-1">${title}</h1>
  ${discardedNote(standing.discarded, language)}
  ${timeLeft(session.expiresAtMs, standing.remainingMs, language)}
  <dl class="pay ${channel.toLowerCase()}">
    ${copied(pay.agent, number, number, language)}
    ${copied(pay.amount, amount, formatPaisa(standing.choice.amount).replace(/\.00$/, ''), language)}
  </dl>
  <p class="own">${pay.agentOf(payee)} ${pay.ownNumber(maskPhone(session.playerPhone))}</p>
  <h2>${pay.howTo}</h2>
  <ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
  <p class="waiting"><span class="pulse" aria-hidden="true"></span><span><strong>${pay.waiting}</strong><br>${pay.waitingHint}</span></p>
  <p class="aside"><a data-swap href="/pay/${session.payCode}?lang=${language}&amp;change=1">${pay.change}</a></p>
  ${orderLine(session, language)}
  ${wayOut(session, language)}
</main>`
}

/** Instead of the second step after a payment that does not fit: paying again would be a mistake. */
export function checkingView({session, payee, language}: OrderParts, standing: At<'checking'>): Html {
  const {checking: texts, channels, paid, pay, order, payee: payeeText} = textsOf[language]
  const {checking, choice} = standing
  const amount = showAmount(checking.amount, language)
  return html`<main class="end checked" data-version="${versionOf(standing)}" data-announcement="${texts.title}. ${texts.text(amount)}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${texts.title}</h1>
  <p class="lead">${texts.text(amount)}</p>
  <dl class="receipt">
    ${fact(payeeText, payee)}
    ${fact(texts.received, `${amount}, ${channels[checking.channel]}`)}
    ${fact(paid.transaction, checking.trxId)}
    ${choice ? fact(texts.chosen, `${showAmount(choice.amount, language)}, ${channels[choice.channel]}`) : ''}
    ${fact(order, session.orderNo)}
  </dl>
  <p class="waiting"><span class="pulse" aria-hidden="true"></span><span>${pay.waitingHint}</span></p>
</main>`
}

export function paidView({session, payee, language}: OrderParts, standing: At<'paid'>): Html {
  const {paid, channels, order, payee: payeeText} = textsOf[language]
  const amount = showAmount(standing.paid.amount, language)
  return html`<main class="end good" data-version="paid" data-announcement="${paid.title}. ${paid.text(amount)}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${paid.title}</h1>
  <p class="lead">${paid.text(amount)}</p>
  <dl class="receipt">
    ${fact(payeeText, payee)}
    ${fact(paid.amount, amount)}
    ${fact(paid.channel, channels[standing.paid.channel])}
    ${standing.trxId === null ? '' : fact(paid.transaction, standing.trxId)}
    ${fact(order, session.orderNo)}
    ${standing.atMs === null ? '' : fact(paid.at, showMoment(standing.atMs, language))}
  </dl>
  ${wayBack(session, language)}
</main>`
}

export function unpaidView({session, payee, language}: OrderParts, standing: At<'expired' | 'failed'>): Html {
  const texts = textsOf[language]
  const {title, text} = texts[standing.step]
  return html`<main class="end bad" data-version="${versionOf(standing)}" data-announcement="${title}. ${text}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${title}</h1>
  <p class="lead">${text}</p>
  ${standing.discarded ? discardedNote(standing.discarded, language) : html`<p class="own">${texts.late}</p>`}
  <dl class="receipt">${fact(texts.payee, payee)}${fact(texts.order, session.orderNo)}</dl>
  ${wayBack(session, language)}
</main>`
}

export function unknownView(language: Language): Html {
  const {title, text} = textsOf[language].unknown
  return html`<main class="end bad">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${title}</h1>
  <p class="lead">${text}</p>
</main>`
}

/** `value` can be typed on a telephone; `shown` is for reading. */
function copied(label: string, shown: string, value: string, language: Language): Html {
  const {pay} = textsOf[language]
  return html`<div>
      <dt>${label}</dt>
      <dd><span class="value">${shown}</span>
        <button type="button" data-copy="${value}" data-word="${pay.copy}" data-done="${pay.done}" data-copied="${pay.copied(label)}"><span>${pay.copy}</span><span class="unseen">${label}</span></button></dd>
    </div>`
}

function fact(label: string, value: string): Html {
  return html`<div><dt>${label}</dt><dd><bdi>${escapeInvisible(value)}</bdi></dd></div>`
}
