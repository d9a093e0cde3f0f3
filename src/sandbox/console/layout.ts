import {html} from 'hono/html'
import type {SandboxParts} from '../parts.ts'
import {type Html, htmlPage} from '../web/html-page.ts'
import {type ConsoleNotice, isBad, notices} from './notices.ts'
import {showNow} from './pieces.ts'

export const sections = [
  'orders',
  'sms',
  'payouts',
  'deliveries',
  'requests',
  'faults',
  'merchants',
  'clock',
] as const
export type Section = (typeof sections)[number]

export interface LayoutParts {
  readonly section: Section
  readonly title: string
  readonly main: Html
  readonly notice?: ConsoleNotice | undefined
  /** Why what was asked for was not done. */
  readonly problem?: string | undefined
}

/** Counts stop here and show `99+`. */
const countMax = 100

const counted: Readonly<Partial<Record<Section, string>>> = {
  sms: 'waiting',
  payouts: 'open',
  deliveries: 'failed',
  faults: 'in force',
}

const names: Readonly<Record<Section, string>> = {
  orders: 'Orders',
  sms: 'SMS',
  payouts: 'Payout desk',
  deliveries: 'Deliveries',
  requests: 'Requests',
  faults: 'Faults',
  merchants: 'Merchants',
  clock: 'Clock',
}

export function consoleLayout(parts: SandboxParts, layout: LayoutParts): Html {
  const {section, title, main, notice, problem} = layout
  const {problem: storage} = parts.health.state()
  const counts: Partial<Record<Section, number>> = {
    sms: parts.sms.countWaiting(countMax),
    payouts: parts.orderLists.countOpen('payout', countMax),
    deliveries: parts.consoleDeliveries.countFailed([...parts.merchants.keys()]),
    faults: parts.faults.state().chaos.length,
  }
  return htmlPage({
    ...{language: 'en', title: `${title} · hisab sandbox`, asset: 'console'},
    bodyAttributes: html`data-revision="${revisionOf(parts)}"`,
    body: html`<a class="skip" href="#main">To the content</a>
    <header class="top">
      <p class="name">hisab <span>sandbox</span></p>
      <nav class="sections" id="sections" aria-label="Sections">
        ${sections.map(
          (key) =>
            html`<a href="/console/${key}" ${key === section ? html`aria-current="page"` : ''}>${names[key]}${countOf(counts[key], key)}</a>`,
        )}
      </nav>
      <p class="now"><span class="live" aria-hidden="true"></span><time data-now>${showNow(parts.clock.now())}</time></p>
    </header>
    <main id="main" tabindex="-1">
      <h1>${title}</h1>
      ${storage === null ? '' : html`<p class="failing" role="status">${storage}</p>`}
      ${notice ? html`<p class="${isBad(notice) ? 'notice bad' : 'notice'}" role="status">${notices[notice]}</p>` : ''}
      ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
      ${main}
    </main>
    <p class="unseen" id="announcement" role="status"></p>
    <p class="offline" id="offline" role="status" hidden>The sandbox does not answer. This page goes on when it is back.</p>`,
  })
}

/** Changes whenever any page would. */
export function revisionOf({feed, requestLog, engine, failedResender}: SandboxParts): string {
  const {done = 0, endedAtMs = null} = failedResender.state() ?? {}
  return [feed.revision, requestLog.count(), engine.revision, done, endedAtMs].join('.')
}

function countOf(count: number | undefined, section: Section): Html | string {
  if (!count) return ''
  const shown = count >= countMax ? `${countMax - 1}+` : String(count)
  const what = counted[section] ?? ''
  return html` <span class="count">${shown}<span class="unseen"> ${what}</span></span>`
}
