import {html} from 'hono/html'

import {type Language, showRemaining} from './language.ts'
import {textsOf} from './texts.ts'

/** The countdown, kept going by the page's events; nothing where the page stays open for ever. */
export function timeLeft(remainingMs: number | null, language: Language) {
  if (remainingMs === null) return ''
  const remaining = showRemaining(remainingMs, language)
  return html`<p class="timer">${textsOf[language].pay.timeLeft} <strong id="remaining" role="timer">${remaining}</strong></p>`
}
