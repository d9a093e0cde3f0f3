import {html} from 'hono/html'
import type {Language} from '../../core/language.ts'

import {showDeadline, showRemaining} from './language.ts'
import {textsOf} from './texts.ts'

/** The last minute is shown differently. */
const lastMs = 60_000

export function isLastMinute(remainingMs: number | null): boolean {
  return remainingMs !== null && remainingMs <= lastMs
}

/** The deadline, which is right even without a connection, and the countdown that the page's events update. */
export function timeLeft(expiresAtMs: number | null, remainingMs: number | null, language: Language) {
  if (expiresAtMs === null || remainingMs === null) return ''
  const {payBy, timeLeft, lastMinute} = textsOf[language].pay
  const deadline = showDeadline(expiresAtMs, expiresAtMs - remainingMs, language)
  return html`<div class="timer ${isLastMinute(remainingMs) ? 'last' : ''}" id="timer">
    <p>${payBy} <strong>${deadline}</strong><span class="ticking"> · ${timeLeft} <strong id="remaining" role="timer">${showRemaining(remainingMs, language)}</strong></span></p>
    <p class="hurry">${lastMinute}</p>
  </div>`
}
