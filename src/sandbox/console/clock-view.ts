import {html} from 'hono/html'
import type {SandboxParts} from '../parts.ts'
import type {Html} from '../web/html-page.ts'
import {offReal, showNow} from './pieces.ts'

const busy = 'Time moves on: what falls due is sent, one webhook after the other, and each answer is awaited.'

/** The gaps between the service's retries, and their sum. */
const steps: readonly (readonly [by: string, name: string])[] = [
  ['1m', '1 minute'],
  ['5m', '5 minutes'],
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['6h', '6 hours'],
  ['7h21m', 'All five retries: 7 h 21 min'],
]

const paces: readonly (readonly [timeScale: number, name: string])[] = [
  [0, 'Stand still'],
  [1, 'Real time'],
  [60, '60 times as fast'],
  [600, '600 times as fast'],
]

export function clockView({clock}: SandboxParts): Html {
  const ahead = offReal(clock.now(), Date.now())
  return html`<p class="big"><time data-now>${showNow(clock.now())}</time></p>
  <p class="soft">${paceText(clock.timeScale)}${ahead === null ? '' : ` It is ${ahead}: the log of a receiver has real time.`}</p>
  <h2>Move it on</h2>
  <p class="soft">Everything due until then runs, in order: retries of webhooks, and deposits that expire.</p>
  <form class="compose" method="post" action="/console/clock/advance" data-busy="${busy}">
    <input type="hidden" name="back" value="/console/clock">
    <label>By any time <input name="by" placeholder="2h30m" maxlength="20" required title="Such as 90s, 45m, 2h30m or 3d"></label>
    <button class="main">Move it on</button>
  </form>
  <div class="actions">${steps.map(([by, name]) => form('advance', 'by', by, name, false))}</div>
  <h2>Its pace</h2>
  <div class="actions">${paces.map(([pace, name]) => form('pace', 'timeScale', String(pace), name, pace === clock.timeScale))}</div>`
}

function paceText(timeScale: number): string {
  if (timeScale === 0) return 'It is stopped until you move it.'
  return timeScale === 1 ? 'It runs in real time.' : `It runs ${timeScale} times as fast as real time.`
}

function form(action: string, field: string, value: string, name: string, isChosen: boolean): Html {
  return html`<form method="post" action="/console/clock/${action}" data-busy="${busy}"><input type="hidden" name="back" value="/console/clock"><button name="${field}" value="${value}" ${isChosen ? html`aria-pressed="true"` : ''}>${name}</button></form>`
}
