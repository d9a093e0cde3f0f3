import {html} from 'hono/html'

import type {Dialect} from '../../core/dialect.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import type {OrderKind, OrderState} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant, formatSecond} from '../../core/time.ts'
import type {Page} from '../store/order-lists.ts'
import type {Html} from '../web/html-page.ts'
import {openPayoutWord, wordOf} from '../words.ts'

const timeZone = 'Asia/Dhaka'

/** Dhaka's time: the day only where it is not today's. */
export function moment(ms: number | null, nowMs: number): Html | string {
  if (ms === null) return '–'
  const [day = '', time = ''] = formatInstant(ms, timeZone).slice(0, 19).split('T')
  const today = formatInstant(nowMs, timeZone).slice(0, 10)
  return html`<time datetime="${new Date(ms).toISOString()}">${day === today ? '' : html`<span class="day">${day}</span> `}${time}</time>`
}

/** The sandbox's time, as each page shows it and its events renew it. */
export function showNow(ms: number): string {
  return `${formatSecond(ms, timeZone)} Dhaka`
}

export function money(amount: Paisa | null): string {
  return amount === null ? '–' : `৳${formatTaka(amount)}`
}

/** The state in the service's own word, as the API answers it. */
export function stateBadge(kind: OrderKind, state: OrderState, dialect: Dialect): Html {
  const word = kind === 'payout' && state === 'open' ? openPayoutWord(dialect) : wordOf(dialect, kind, state)
  return badge(word, state === 'completed' ? 'good' : state === 'failed' ? 'bad' : 'open')
}

export function badge(word: string, look: 'good' | 'bad' | 'open' | 'plain'): Html {
  return html`<span class="badge ${look}">${word}</span>`
}

/** Text from outside: what could hide in it is made visible (P24). */
export function outside(text: string, lengthMax = 200): Html {
  return html`<bdi>${escapeInvisible(text, lengthMax)}</bdi>`
}

export function fact(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`
}

/** A console address with the parts of its query that say something. */
export function pathWithQuery(path: string, ...query: readonly (string | null)[]): string {
  const given = query.filter((part) => part !== null && part !== '')
  return `/console/${path}${given.length === 0 ? '' : `?${given.join('&')}`}`
}

export function filters<Choice extends string>(
  label: string,
  choices: readonly (readonly [choice: Choice | null, name: string])[],
  chosen: Choice | null,
  address: (choice: Choice | null) => string,
): Html {
  return html`<nav class="filters" aria-label="${label}">
    ${choices.map(
      ([choice, name]) =>
        html`<a href="${address(choice)}" ${choice === chosen ? html`aria-current="true"` : ''}>${name}</a>`,
    )}
  </nav>`
}

/** The ways to the lines before and after these; `address` takes `before=SEQ`, `after=SEQ` or nothing. */
export function pager(page: Page<{readonly seq: number}>, address: (query: string) => string): Html | string {
  const [first] = page.lines
  const last = page.lines.at(-1)
  if (!page.hasOlder && !page.hasNewer) return ''
  return html`<nav class="pager" aria-label="Pages">
    ${page.hasNewer ? html`<a href="${address('')}">Newest</a>` : ''}
    ${page.hasNewer && first ? html`<a href="${address(`after=${first.seq}`)}" rel="prev">Newer</a>` : ''}
    ${page.hasOlder && last ? html`<a href="${address(`before=${last.seq}`)}" rel="next">Older</a>` : ''}
  </nav>`
}

export interface ConsoleColumn {
  readonly name: string
  /** Aligned at the right; `unseen` names a column for those who hear it only. */
  readonly look?: 'number' | 'unseen'
}

/** A list with a head. It scrolls by itself where it is wider than the window, also by keyboard. */
export function table(label: string, columns: readonly ConsoleColumn[], rows: readonly Html[]): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table>
    <thead><tr>${columns.map(({name, look}) =>
      look === 'unseen'
        ? html`<th scope="col"><span class="unseen">${name}</span></th>`
        : html`<th scope="col" class="${look ?? ''}">${name}</th>`,
    )}</tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`
}

/** A form of one button. `back` is where the console goes on afterwards. */
export function button(
  action: string,
  text: string,
  back: string,
  {look = 'plain', label}: {look?: 'plain' | 'main' | 'danger'; label?: string} = {},
): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="back" value="${back}"><button class="${look}" ${label ? html`aria-label="${label}"` : ''}>${text}</button></form>`
}

export function nothing(text: string): Html {
  return html`<p class="nothing">${text}</p>`
}
