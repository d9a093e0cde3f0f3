import {html} from 'hono/html'

import type {Dialect} from '../../core/dialect.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import type {OrderKind, OrderState} from '../../core/order.ts'
import {sandboxPort} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant, formatSecond, spanText} from '../../core/time.ts'
import type {SandboxParts} from '../parts.ts'
import type {StoredDelivery} from '../store/deliveries.ts'
import type {Page} from '../store/pages.ts'
import {versionPath} from '../version-path.ts'
import type {Html} from '../web/html-page.ts'
import {openPayoutWord, wordOf} from '../words.ts'

const timeZone = 'Asia/Dhaka'
export const linesPerPage = 50

/** Dhaka's time, with the day if it is not today. */
export function moment(ms: number | null, nowMs: number): Html | string {
  if (ms === null) return '–'
  const [day = '', time = ''] = formatInstant(ms, timeZone).slice(0, 19).split('T')
  const today = formatInstant(nowMs, timeZone).slice(0, 10)
  return html`<time datetime="${new Date(ms).toISOString()}">${day === today ? '' : html`<span class="day">${day}</span> `}${time}</time>`
}

/** The sandbox's time, as pages show it. */
export function showNow(ms: number): string {
  return `${formatSecond(ms, timeZone)} Dhaka`
}

/** How far the sandbox's time is from real time; null if nobody would notice. */
export function offReal(atMs: number, realMs: number): string | null {
  const aheadMs = atMs - realMs
  if (Math.abs(aheadMs) < noticeableMs) return null
  return `${spanText(Math.abs(aheadMs) / 1000)} ${aheadMs > 0 ? 'ahead' : 'behind'}`
}

const noticeableMs = 2000

export function money(amount: Paisa | null): string {
  return amount === null ? '–' : `৳${formatTaka(amount)}`
}

/** The state in the service's own word. */
export function stateBadge(kind: OrderKind, state: OrderState, dialect: Dialect): Html {
  const word = kind === 'payout' && state === 'open' ? openPayoutWord(dialect) : wordOf(dialect, kind, state)
  return badge(word, state === 'completed' ? 'good' : state === 'failed' ? 'bad' : 'open')
}

/** The status, or that an attempt is under way. */
export function deliveryBadge(
  {engine}: Pick<SandboxParts, 'engine'>,
  {id, status}: Pick<StoredDelivery, 'id' | 'status'>,
): Html {
  const progress = engine.progressOf(id)
  if (progress !== null) return badge(progress === 'queued' ? 'waiting' : 'under way', 'open')
  return badge(status, status === 'success' ? 'good' : status === 'failed' ? 'bad' : 'open')
}

export function badge(word: string, look: 'good' | 'bad' | 'open' | 'plain'): Html {
  return html`<span class="badge ${look}">${word}</span>`
}

/** Text between backticks is a command. */
export function sentence(text: string, lengthMax = 1000): Html {
  const parts = escapeInvisible(text, lengthMax).split('`')
  return html`<bdi>${parts.map((part, at) => (at % 2 === 1 && at < parts.length - 1 ? html`<code>${part}</code>` : part))}</bdi>`
}

/** Text from outside, with hidden characters made visible (P24). */
export function outside(text: string, lengthMax = 200): Html {
  return html`<bdi>${escapeInvisible(text, lengthMax)}</bdi>`
}

export function fact(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`
}

/** A long value takes a whole line. */
export function longFact(label: string, value: Html | string): Html {
  return html`<div class="whole"><dt>${label}</dt><dd>${value}</dd></div>`
}

/** A console address. Empty parts of the query are left out. */
export function pathWithQuery(path: string, ...query: readonly (string | null)[]): string {
  const given = query.filter((part) => part !== null && part !== '')
  return `/console/${path}${given.length === 0 ? '' : `?${given.join('&')}`}`
}

/** The query with which the page of one line links back to its list. */
export function fromList(listQuery: string): string {
  return listQuery === '' ? '' : `?from=${encodeURIComponent(listQuery)}`
}

/** The link back to that list, or to `all`. */
export function crumb(path: string, listQuery: string, all: string, allQuery = ''): Html {
  return html`<p class="crumb"><a href="${pathWithQuery(path, listQuery || allQuery)}">${listQuery === '' ? all : 'Back to the list'}</a></p>`
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

/** Links to the lines before and after these. `address` takes `before=SEQ`, `after=SEQ` or nothing. */
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
  /** `number` aligns right; `unseen` names a column for screen readers only. */
  readonly look?: 'number' | 'unseen'
}

export interface ConsoleRow {
  /** Identifies the line when the page is replaced. */
  readonly key: string | number
  /** The first is the line's heading. */
  readonly cells: readonly (Html | string | number)[]
}

/**
 * A table that scrolls if it is wider than the window, also by keyboard. On a telephone each line is a card whose
 * values have the names of their columns.
 */
export function table(label: string, columns: readonly ConsoleColumn[], rows: readonly ConsoleRow[]): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table>
    <thead><tr>${columns.map(({name, look}) =>
      look === 'unseen'
        ? html`<th scope="col"><span class="unseen">${name}</span></th>`
        : html`<th scope="col" class="${look ?? ''}">${name}</th>`,
    )}</tr></thead>
    <tbody>${rows.map((row) => line(columns, row))}</tbody>
  </table></div>`
}

function line(columns: readonly ConsoleColumn[], {key, cells: [head, ...rest]}: ConsoleRow): Html {
  const cells = rest.map((cell, at) => {
    const {name, look} = columns[at + 1] ?? {name: ''}
    return html`<td class="${look === 'number' ? look : ''}" ${look === 'unseen' ? '' : html`data-label="${name}"`}>${cell}</td>`
  })
  return html`<tr data-key="${key}"><th scope="row">${head}</th>${cells}</tr>`
}

export function button(
  action: string,
  text: string,
  back: string,
  {look = 'plain', label}: {look?: 'plain' | 'main' | 'danger'; label?: string} = {},
): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="back" value="${back}"><button class="${look}" ${label ? html`aria-label="${label}"` : ''}>${text}</button></form>`
}

export function nothing(text: string, hint: Html | string = ''): Html {
  return html`<div class="nothing"><p>${text}</p>${hint === '' ? '' : html`<p>${hint}</p>`}</div>`
}

export function command({origin}: Pick<SandboxParts, 'origin'>, text: string): Html {
  const isFound = new URL(origin()).port === String(sandboxPort)
  return html`<code class="command">${isFound ? '' : `HISAB_BASE_URL=${origin()}${versionPath} `}${text}</code>`
}

export function searchForm(action: string, text: string, label: string, placeholder: string): Html {
  return html`<form class="search" role="search" action="${action}">
      <input type="search" name="q" value="${text}" aria-label="${label}" placeholder="${placeholder}" maxlength="64">
      <button>Search</button>
    </form>`
}

export function foundLine(found: number, hasMore: boolean, all: Html): Html {
  const count = hasMore
    ? `The newest ${found} that fit; there are more.`
    : `${found} found, the newest first.`
  return html`<p class="soft">${found === 0 ? '' : count} ${all}</p>`
}

/** A message as it was sent; JSON is indented. */
export function messageView(
  headers: readonly (readonly [name: string, value: string])[],
  body: string,
  firstLine = '',
): Html {
  const head = [firstLine, ...headers.map(([name, value]) => `${name}: ${value}`)].filter(
    (line) => line !== '',
  )
  return html`${head.length === 0 ? '' : html`<pre tabindex="0">${shownLines(head.join('\n'))}</pre>`}
  ${body === '' ? nothing('An empty body.') : html`<pre tabindex="0">${shownLines(indented(body))}</pre>`}`
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Line by line, so that line breaks stay; other hidden characters are made visible. */
function shownLines(text: string): Html[] {
  return text.split('\n').map((line) => html`${outside(line, 5000)}\n`)
}
