import {html} from 'hono/html'
import {type Language, languages} from '../../core/language.ts'

import {formatPaisa, type Paisa} from '../../core/money.ts'
import {type PayoutChannel, payoutChannels} from '../../core/order.ts'
import type {Choice, PaySession} from '../store/pay-sessions.ts'
import type {Html} from '../web/html-page.ts'
import type {AmountProblem} from './amount.ts'
import {languageNames, showAmount} from './language.ts'
import {discardedNote, orderLine, wayOut} from './pieces.ts'
import {type Standing, versionOf} from './standing.ts'
import {textsOf} from './texts.ts'
import {timeLeft} from './time-left.ts'

/** What the player chose and typed. */
export interface FormFields {
  readonly preset: string
  readonly amount: string
  readonly channel: string
}

export interface ChooseParts {
  readonly language: Language
  readonly session: PaySession
  readonly standing: Extract<Standing, {step: 'choose' | 'pay'}>
  /** Fills the form; null shows the earlier choice. */
  readonly fields: FormFields | null
  readonly wrong: Mistakes | null
}

export interface Mistakes {
  readonly amount: AmountProblem | null
  readonly channel: boolean
}

const presets: readonly Paisa[] = [200_00n, 500_00n, 1_000_00n, 2_000_00n, 5_000_00n, 10_000_00n]

/** The first step: the amount and the channel. The form works without a script. */
export function chooseView(parts: ChooseParts): Html {
  const {language, session, standing, wrong} = parts
  const {choose, wrong: wrongTexts} = textsOf[language]
  const {payCode, choice, expiresAtMs} = session
  const fields = parts.fields ?? fieldsOf(choice)
  return html`<main data-version="${versionOf(standing)}">
  <h1 tabindex="-1">${choose.title}</h1>
  <p class="lead">${choose.lead}</p>
  ${discardedNote(standing.discarded, language)}
  ${timeLeft(expiresAtMs, standing.remainingMs, language)}
  <form method="post" action="/pay/${payCode}/choice?lang=${language}" novalidate>
    ${amountField(language, fields, wrong?.amount ?? null)}
    <fieldset class="channels">
      <legend>${choose.channel}</legend>
      ${wrong?.channel ? html`<p class="problem" id="wrong-channel">${wrongTexts.channel}</p>` : ''}
      <div class="cards">
        ${payoutChannels.map((channel) => channelCard(channel, language, fields.channel === channel, wrong))}
      </div>
    </fieldset>
    <button class="go" type="submit" data-busy="${choose.busy}">${choose.go}</button>
    ${languageButtons(session, language)}
    ${choice ? html`<p class="aside"><a data-swap href="/pay/${payCode}?lang=${language}">${choose.keep}</a></p>` : ''}
  </form>
  ${orderLine(session, language)}
  ${wayOut(session, language)}
</main>`
}

/**
 * Without scripts a link would lose the typed values. After the other button, so that Enter does not change the
 * language.
 */
function languageButtons({payCode, choice}: PaySession, language: Language): Html {
  const others = languages.filter((code) => code !== language)
  return html`<noscript>
      ${choice ? html`<input type="hidden" name="change" value="1">` : ''}
      <p class="aside">${others.map(
        (code) =>
          html`<button class="plain" formmethod="get" formaction="/pay/${payCode}" name="lang" value="${code}" lang="${code}">${languageNames[code]}</button>`,
      )}</p>
    </noscript>`
}

function fieldsOf(choice: Choice | null): FormFields {
  const none = {preset: '', amount: ''}
  if (choice === null) return {...none, channel: ''}
  const {amount, channel} = choice
  return presets.includes(amount)
    ? {...none, preset: formatPaisa(amount), channel}
    : {...none, amount: formatPaisa(amount).replace(/\.00$/, ''), channel}
}

function amountField(language: Language, {preset, amount}: FormFields, problem: AmountProblem | null): Html {
  const {choose, wrong} = textsOf[language]
  return html`<fieldset class="amounts">
      <legend>${choose.amount}</legend>
      <div class="chips">
        ${presets.map((choice) => {
          const value = formatPaisa(choice)
          return html`<label class="chip"><input type="radio" name="preset" value="${value}"
            ${value === preset ? 'checked' : ''}><span>${showAmount(choice, language)}</span></label>`
        })}
      </div>
      <label class="typed" for="amount">${choose.otherAmount}</label>
      ${problem ? html`<p class="problem" id="wrong-amount">${wrong.amount(problem)}</p>` : ''}
      <div class="money">
        <span aria-hidden="true">৳</span>
        <input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="64" value="${amount}"
          ${problem ? html`aria-invalid="true" aria-describedby="wrong-amount" autofocus` : ''}>
      </div>
    </fieldset>`
}

function channelCard(
  channel: PayoutChannel,
  language: Language,
  isChosen: boolean,
  wrong: Mistakes | null,
): Html {
  const isFocused = wrong?.channel && !wrong.amount && channel === payoutChannels[0]
  return html`<label class="card"><input type="radio" name="channel" value="${channel}" ${isChosen ? 'checked' : ''}
            ${wrong?.channel ? html`aria-describedby="wrong-channel"` : ''} ${isFocused ? 'autofocus' : ''}><span class="badge ${channel.toLowerCase()}" aria-hidden="true"></span><span>${textsOf[language].channels[channel]}</span></label>`
}
