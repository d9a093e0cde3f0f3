import {html} from 'hono/html'

import {type Paisa, parsePaisa} from '../../core/money.ts'
import type {PageWord} from '../../core/report-labels.ts'
import type {TrendDay} from '../trend-text.ts'
import type {Reader} from './reader.ts'
import {bar, figure, type Html, line, text} from './svg.ts'

export type ReportedDay = Pick<TrendDay, 'day' | 'complete' | 'breaks' | 'atRisk' | 'resends'>

const daysMax = 31
const dayMs = 86_400_000

interface Measure {
  readonly word: PageWord
  readonly look: string
  readonly of: (day: ReportedDay) => bigint
  readonly shown: (value: bigint) => string
}

function measuresOf(to: Reader): Measure[] {
  const count = (value: bigint) => to.count(Number(value))
  const money = (value: Paisa) => to.short(value)
  return [
    {word: 'breaksOnly', look: 'k-lost', of: ({breaks}) => BigInt(breaks), shown: count},
    {word: 'atRisk', look: 'b-risk', of: ({atRisk}) => parsePaisa(atRisk) ?? 0n, shown: money},
    {word: 'deliveredOnly', look: 'k-delivered', of: ({resends}) => BigInt(resends.delivered), shown: count},
  ]
}

/** A month of runs: three rows of bars over the same days. Nothing for a single run. */
export function lastDays(all: readonly ReportedDay[], to: Reader): Html | '' {
  const last = all.at(-1)
  if (!last || all.length < 2) return ''
  const lastMs = Date.parse(last.day)
  const shown = all.filter(({day}) => lastMs - Date.parse(day) < daysMax * dayMs)
  const measures = measuresOf(to)
  const title = to.say('lastDays')
  const says = measures.map(({word, of, shown: words}) => `${to.say(word)} ${words(of(last))}`).join(', ')
  const picture = {
    title,
    says: `${to.digits(last.day)}: ${says}`,
    draw: (width: number) => draw(shown, lastMs, measures, width, to),
  }
  const table = html`<table class="grid"><thead><tr><th scope="col">${to.say('day')}</th>${measures.map(({word}) => html`<th class="n" scope="col">${to.say(word)}</th>`)}<th scope="col">${to.say('completeYes')}</th></tr></thead>
<tbody>${shown.toReversed().map((one) => html`<tr><th scope="row">${to.digits(one.day)}</th><td class="n">${to.count(one.breaks)}</td><td class="n">${to.money(one.atRisk)}</td><td class="n">${to.count(one.resends.delivered)}</td><td>${one.complete ? '✓' : '–'}</td></tr>`)}</tbody></table>`
  const hollow = shown.some(({complete}) => !complete) ? to.say('incompleteDay') : ''
  return figure('days', picture, hollow, table, to.say('asTable'))
}

function draw(
  shown: readonly ReportedDay[],
  lastMs: number,
  measures: readonly Measure[],
  width: number,
  to: Reader,
) {
  const [high, gap, right] = [44, 30, 84]
  const column = (width - right) / daysMax
  const rows = measures.map(({word, look, of, shown: words}, row) => {
    const top = row * (high + gap) + 22
    const base = top + high
    const most = shown.map(of).reduce((a, b) => (a > b ? a : b), 1n)
    const bars = shown.map((one) => {
      const at = daysMax - 1 - Math.round((lastMs - Date.parse(one.day)) / dayMs)
      const value = of(one)
      const height = (Number((value * 1000n) / most) / 1000) * high
      const title = `${to.digits(one.day)}: ${words(value)}`
      const box = {
        x: at * column + 1,
        y: base - Math.max(height, value > 0n ? 1.5 : 0),
        width: column - 2,
        height,
      }
      return value === 0n ? '' : bar(box, one.complete ? look : `${look} hollow`, title)
    })
    const now = shown.at(-1)
    const name = text(0, top - 7, to.say(word))
    const figureNow = text(width, base - 4, now ? words(of(now)) : '', 'figure strong', 'end')
    return html`${name}${bars}${line(0, base, width - right, base)}${figureNow}`
  })
  const foot = measures.length * (high + gap) + 8
  const dayOf = (ms: number) => to.digits(new Date(ms).toISOString().slice(5, 10))
  const dates = html`${text(0, foot, dayOf(lastMs - (daysMax - 1) * dayMs), 'small')}${text(width - right, foot, dayOf(lastMs), 'small', 'end')}`
  return {height: foot + 6, shapes: html`${rows}${dates}`}
}
