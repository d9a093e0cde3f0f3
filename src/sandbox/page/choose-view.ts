import {html} from 'hono/html'

import {formatPaisa, type Paisa} from '../../core/money.ts'
import {type PayoutChannel, payoutChannels} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Choice} from '../store/pay-sessions.ts'
import {type Language, showAmount} from './language.ts'
import {textsOf} from './texts.ts'
import {timeLeft} from './time-left.ts'

type Html = ReturnType<typeof html>

/** What stands in the form: what the player chose before, or typed and got wrong. */
export interface FormFields {
  readonly amount: string
  readonly channel: string
}

export interface ChooseParts {
  readonly language: Language
  readonly payCode: string
  readonly orderNo: string
  readonly version: string
  /** Null where the page stays open for ever. */
  readonly remainingMs: number | null
  /** Null until the player has chosen once. */
  readonly choice: Choice | null
  /** What was typed, where it was not accepted. */
  readonly refused: FormFields | null
  readonly wrong: {readonly amount: boolean; readonly channel: boolean}
}

/** Taka, from the smallest; any other amount is typed. */
const presets: readonly Paisa[] = [200_00n, 500_00n, 1_000_00n, 2_000_00n, 5_000_00n, 10_000_00n]

/** The first step: how much, and by which channel. A form that works without a script too. */
export function chooseView(parts: ChooseParts): Html {
  const {language, payCode, orderNo, version, remainingMs, choice, wrong, refused} = parts
  const {choose, wrong: wrongTexts, order} = textsOf[language]
  const isWrong = wrong.amount || wrong.channel
  return html`<main data-version="${version}" data-title="${choose.title}">
  <h1 tabindex="-1">${choose.title}</h1>
  <p class="lead">${choose.lead}</p>
  ${timeLeft(remainingMs, language)}
  ${isWrong ? html`<p class="alert" role="alert" tabindex="-1">${wrongTexts.summary}</p>` : ''}
  <form method="post" action="/pay/${payCode}/choice?lang=${language}" novalidate>
    ${amountField(parts)}
    <fieldset class="channels">
      <legend>${choose.channel}</legend>
      ${wrong.channel ? html`<p class="problem" id="wrong-channel">${wrongTexts.channel}</p>` : ''}
      <div class="cards">
        ${payoutChannels.map((channel) =>
          channelCard(channel, language, (refused?.channel ?? choice?.channel) === channel, wrong.channel),
        )}
      </div>
    </fieldset>
    <button class="go" type="submit">${choose.go}</button>
    ${choice ? html`<p class="aside"><a data-swap href="/pay/${payCode}?lang=${language}">${choose.keep}</a></p>` : ''}
  </form>
  <p class="order">${order} <bdi>${escapeInvisible(orderNo)}</bdi></p>
</main>`
}

function amountField({language, choice, refused, wrong}: ChooseParts): Html {
  const {choose, wrong: wrongTexts} = textsOf[language]
  const isPreset = choice !== null && presets.includes(choice.amount)
  const typed =
    refused?.amount ?? (choice && !isPreset ? formatPaisa(choice.amount).replace(/\.00$/, '') : '')
  return html`<fieldset class="amounts">
      <legend>${choose.amount}</legend>
      <div class="chips">
        ${presets.map(
          (
            amount,
          ) => html`<label class="chip"><input type="radio" name="preset" value="${formatPaisa(amount)}"
            ${!refused && choice?.amount === amount ? 'checked' : ''}><span>${showAmount(amount, language)}</span></label>`,
        )}
      </div>
      <label class="typed" for="amount">${choose.otherAmount}</label>
      <div class="money">
        <span aria-hidden="true">৳</span>
        <input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="20" value="${typed}"
          ${wrong.amount ? html`aria-invalid="true" aria-describedby="wrong-amount"` : ''}>
      </div>
      ${wrong.amount ? html`<p class="problem" id="wrong-amount">${wrongTexts.amount}</p>` : ''}
    </fieldset>`
}

function channelCard(channel: PayoutChannel, language: Language, isChosen: boolean, isWrong: boolean): Html {
  return html`<label class="card"><input type="radio" name="channel" value="${channel}" ${isChosen ? 'checked' : ''}
            ${isWrong ? html`aria-describedby="wrong-channel"` : ''}><span class="badge ${channel.toLowerCase()}" aria-hidden="true"></span><span>${textsOf[language].channels[channel]}</span></label>`
}
