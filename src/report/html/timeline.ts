import {html} from 'hono/html'

import {escapeInvisible} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import {type Digest, noWebhooks, type WebhookState, webhookStates} from './digest.ts'
import type {Reader} from './reader.ts'
import {bar, figure, type Html, line, text} from './svg.ts'

type Counts = Record<WebhookState, number>

/** When the webhooks of the breaks were made, and their result; above, when a server was down. */
export function timeline(digest: Digest, timeZone: string, to: Reader): Html | '' {
  const {webhooks, webhooksOutside, downs} = digest
  const [first, last] = [webhooks[0], webhooks.at(-1)]
  if (!first || !last) return ''
  const span = {fromMs: first.atMs, toMs: last.atMs + 60_000}
  const clock = (ms: number) => to.digits(formatMinute(ms, timeZone))
  const total = webhooks.reduce<Counts>((sum, {counts}) => added(sum, counts), noWebhooks())
  const [begin, end] = [clock(span.fromMs), clock(span.toMs)]
  const title = to.say('webhooks')
  const shown = webhookStates.filter((state) => total[state] > 0)
  const picture = {
    title,
    says: `${begin} – ${end}: ${shown.map((state) => `${to.say(state)} ${to.count(total[state])}`).join(', ')}`,
    draw: (width: number) => draw(digest, span, clock, width, to),
  }
  const legend = html`<ul class="legend">${shown.map((state) => html`<li class="k-${state}">${to.say(state)} ${to.count(total[state])}</li>`)}</ul>`
  const rest = webhooksOutside > 0 ? ` ${to.say('outside', {n: webhooksOutside})}` : ''
  const table = html`<table class="grid"><thead><tr><th scope="col">${to.say('host')}</th><th scope="col">${to.say('down')}</th>${webhookStates.map((state) => html`<th class="n" scope="col">${to.say(state)}</th>`)}</tr></thead>
<tbody>${downs.map(({host, fromMs, toMs, counts}) => html`<tr><th scope="row"><code>${escapeInvisible(host, 80)}</code></th><td>${clock(fromMs)} – ${clock(toMs)}</td>${webhookStates.map((state) => html`<td class="n">${to.count(counts[state])}</td>`)}</tr>`)}
<tr><th scope="row">${to.say('sum')}</th><td>${begin} – ${end}</td>${webhookStates.map((state) => html`<td class="n">${to.count(total[state])}</td>`)}</tr></tbody></table>`
  return figure('webhooks', picture, `${to.say('webhooksNote')}${rest}`, table, to.say('asTable'), legend)
}

function added(a: Counts, b: Readonly<Counts>): Counts {
  for (const state of webhookStates) a[state] += b[state]
  return a
}

function draw(
  {webhooks, downs}: Digest,
  {fromMs, toMs}: {readonly fromMs: number; readonly toMs: number},
  clock: (ms: number) => string,
  width: number,
  to: Reader,
) {
  const [left, top, high] = [44, 24, 120]
  const room = width - left
  const count = Math.min(Math.floor(room / 12), Math.max(8, Math.ceil((toMs - fromMs) / 60_000)))
  const stepMs = (toMs - fromMs) / count
  const bins = Array.from({length: count}, noWebhooks)
  for (const {atMs, counts} of webhooks) {
    const bin = bins[Math.min(count - 1, Math.floor((atMs - fromMs) / stepMs))]
    if (bin) added(bin, counts)
  }
  const most = Math.max(...bins.map((bin) => webhookStates.reduce((sum, state) => sum + bin[state], 0)))
  const x = (ms: number) => left + ((ms - fromMs) / (toMs - fromMs)) * room
  const bars = bins.map((bin, at) => {
    let y = top + high
    return webhookStates.map((state) => {
      if (bin[state] === 0) return ''
      const height = (bin[state] / most) * high
      y -= height
      const title = `${clock(fromMs + at * stepMs)}: ${to.say(state)} ${to.count(bin[state])}`
      return bar({x: x(fromMs + at * stepMs) + 0.5, y, width: room / count - 1, height}, `k-${state}`, title)
    })
  })
  const outages = downs.map(({host, fromMs: from, toMs: until}) => {
    const title = `${escapeInvisible(host, 80)}: ${clock(from)} – ${clock(until)}`
    return bar({x: x(from), y: top - 12, width: Math.max(4, x(until) - x(from)), height: 5}, 'k-down', title)
  })
  const isDays = toMs - fromMs > 36 * 3_600_000
  const tick = (ms: number) => clock(ms).slice(isDays || ms === fromMs ? 5 : 11)
  const ends: readonly (readonly [number, 'start' | 'middle' | 'end'])[] = [
    [fromMs, 'start'],
    [(fromMs + toMs) / 2, 'middle'],
    [toMs, 'end'],
  ]
  const ticks = ends.map(([ms, end]) => text(x(ms), top + high + 18, tick(ms), 'small', end))
  const axis = html`${text(left - 8, top + 10, to.count(most), 'small', 'end')}${text(left - 8, top + high, to.count(0), 'small', 'end')}${line(left, top + high, width, top + high)}`
  return {height: top + high + 24, shapes: html`${axis}${outages}${bars}${ticks}`}
}
