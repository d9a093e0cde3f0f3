import {html} from 'hono/html'
import {formatPaisa} from '../../core/money.ts'
import type {PayoutChannel} from '../../core/order.ts'
import {escapeInvisible, maskPhone} from '../../core/text.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import {inDigits, type Language, showAmount, showMoment} from './language.ts'
import {type Standing, versionOf} from './standing.ts'
import {textsOf} from './texts.ts'
import {timeLeft} from './time-left.ts'

interface Agent {
  /** No operator has 010, so nobody can pay a stranger by mistake. */
  readonly number: string
  /** What a telephone without the app dials. */
  readonly dial: string
}

/** Who takes the money of each channel. A merchant never sees an agent's number (service §1). */
const agents: Readonly<Record<PayoutChannel, Agent>> = {
  BKASH: {number: '01000000001', dial: '*247#'},
  NAGAD: {number: '01000000002', dial: '*167#'},
  ROCKET: {number: '01000000003', dial: '*322#'},
}

type Html = ReturnType<typeof html>
type At<Step extends Standing['step']> = Extract<Standing, {step: Step}>

/** The second step: what to pay, to whom and how, while the page waits for the SMS. */
export function payView(session: PaySession, standing: At<'pay'>, language: Language): Html {
  const {pay, channels, order} = textsOf[language]
  const {channel} = standing.choice
  const {number, dial} = agents[channel]
  const amount = showAmount(standing.choice.amount, language)
  const title = pay.title(amount, channels[channel])
  const steps = pay.steps({channel: channels[channel], code: dial, agent: number, amount})
  return html`<main data-version="${versionOf(standing)}" data-title="${title}">
  <h1 tabindex="-1">${title}</h1>
  ${timeLeft(standing.remainingMs, language)}
  <dl class="pay ${channel.toLowerCase()}">
    ${copied(pay.agent, number, number, language)}
    ${copied(pay.amount, amount, formatPaisa(standing.choice.amount).replace(/\.00$/, ''), language)}
  </dl>
  <p class="own">${pay.ownNumber(maskPhone(session.playerPhone))}</p>
  <h2>${pay.howTo}</h2>
  <ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
  <p class="waiting"><span class="pulse" aria-hidden="true"></span><span><strong>${pay.waiting}</strong><br>${pay.waitingHint}</span></p>
  <p class="aside"><a data-swap href="/pay/${session.payCode}?lang=${language}&amp;change=1">${pay.change}</a></p>
  <p class="order">${order} <bdi>${escapeInvisible(session.orderNo)}</bdi></p>
</main>`
}

/** The second step after a payment came that does not fit: paying again would be wrong, and so would the steps. */
export function checkingView(
  session: PaySession,
  {checking, choice, remainingMs, ...standing}: At<'checking'>,
  language: Language,
): Html {
  const {checking: texts, channels, pay, order} = textsOf[language]
  const amount = showAmount(checking.amount, language)
  return html`<main class="end checked" data-version="${versionOf({...standing, checking, choice, remainingMs})}" data-announcement="${texts.title}. ${texts.text(amount)}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${texts.title}</h1>
  <p class="lead">${texts.text(amount)}</p>
  ${timeLeft(remainingMs, language)}
  <dl class="receipt">
    ${fact(texts.received, `${amount}, ${channels[checking.channel]}`)}
    ${choice ? fact(texts.chosen, `${showAmount(choice.amount, language)}, ${channels[choice.channel]}`) : ''}
    ${fact(order, session.orderNo)}
  </dl>
  <p class="waiting"><span class="pulse" aria-hidden="true"></span><span>${pay.waitingHint}</span></p>
</main>`
}

export function paidView(session: PaySession, standing: At<'paid'>, language: Language): Html {
  const {paid, channels, order} = textsOf[language]
  const amount = showAmount(standing.paid.amount, language)
  return html`<main class="end good" data-version="paid" data-title="${paid.title}" data-announcement="${paid.title}. ${paid.text(amount)}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${paid.title}</h1>
  <p class="lead">${paid.text(amount)}</p>
  <dl class="receipt">
    ${fact(paid.amount, amount)}
    ${fact(paid.channel, channels[standing.paid.channel])}
    ${standing.trxId === null ? '' : fact(paid.transaction, standing.trxId)}
    ${fact(order, session.orderNo)}
    ${standing.atMs === null ? '' : fact(paid.at, showMoment(standing.atMs, language))}
  </dl>
  ${wayBack(session, language)}
</main>`
}

export function unpaidView(session: PaySession, step: 'expired' | 'failed', language: Language): Html {
  const texts = textsOf[language]
  const {title, text} = texts[step]
  return html`<main class="end bad" data-version="${step}" data-title="${title}" data-announcement="${title}. ${text}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${title}</h1>
  <p class="lead">${text}</p>
  <p class="own">${texts.late}</p>
  <dl class="receipt">${fact(texts.order, session.orderNo)}</dl>
  ${wayBack(session, language)}
</main>`
}

export function unknownView(language: Language): Html {
  const {title, text} = textsOf[language].unknown
  return html`<main class="end bad" data-title="${title}">
  <span class="sign" aria-hidden="true"></span>
  <h1 tabindex="-1">${title}</h1>
  <p class="lead">${text}</p>
</main>`
}

/** `copied` is what a telephone's keys can type; `shown` is for the eye. */
function copied(label: string, shown: string, value: string, language: Language): Html {
  const {pay} = textsOf[language]
  return html`<div>
      <dt>${label}</dt>
      <dd><span class="value">${shown}</span>
        <button type="button" data-copy="${value}" data-copied="${pay.copied(label)}" aria-label="${pay.copy}: ${label}">${pay.copy}</button></dd>
    </div>`
}

function fact(label: string, value: string): Html {
  return html`<div><dt>${label}</dt><dd><bdi>${escapeInvisible(value)}</bdi></dd></div>`
}

/**
 * `returnUrl` takes webhooks; a browser has no business there. The way back is the front door of the same site.
 * In a frame the merchant's own page stands around this one already.
 */
function wayBack({returnUrl}: PaySession, language: Language): Html | string {
  const url = URL.parse(returnUrl)
  if (!url) return ''
  const texts = textsOf[language]
  return html`<p class="back"><a class="go" href="${url.origin}/" rel="noreferrer">${texts.back(inDigits(url.host, 'en'))}</a></p>
  <p class="in-frame">${texts.inFrame}</p>`
}
