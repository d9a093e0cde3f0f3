import {html} from 'hono/html'

import type {Paisa} from '../../core/money.ts'
import {ageSteps} from '../trend-text.ts'
import type {AgedCause} from './digest.ts'
import type {Reader} from './reader.ts'
import {bar, figure, fitted, type Html, line, text} from './svg.ts'

/** Other causes share one row. */
const rowsMax = 7
const high = 54

interface Row {
  readonly label: string
  readonly cells: AgedCause['steps']
}

export function ages(causes: readonly AgedCause[], to: Reader): Html | '' {
  if (causes.length === 0) return ''
  const named = causes.map((one) => ({label: to.result(one), cells: one.steps}))
  const sumOf = (rows: readonly Row[]) =>
    ageSteps.map((_, at) => ({
      orders: rows.reduce((sum, {cells}) => sum + (cells[at]?.orders ?? 0), 0),
      atRisk: rows.reduce((sum, {cells}) => sum + (cells[at]?.atRisk ?? 0n), 0n),
    }))
  const rest = named.slice(rowsMax)
  const others = rest.length > 0 ? [{label: to.say('otherCauses'), cells: sumOf(rest)}] : []
  const drawn = [...named.slice(0, rowsMax), ...others]
  const heads = ageSteps.map((from, at) => headOf(from, ageSteps[at + 1], to))
  const title = to.say('ages')
  const says = drawn.map(
    ({label, cells}) =>
      `${label}: ${cells.flatMap(({orders}, at) => (orders > 0 ? [`${heads[at]} ${to.count(orders)}`] : [])).join(', ')}`,
  )
  const picture = {title, says: says.join('; '), draw: (width: number) => draw(drawn, heads, width, to)}
  const table = html`<table class="grid"><thead><tr><th scope="col">${to.say('result')}</th>${heads.map((head) => html`<th class="n" scope="col">${head}</th>`)}</tr></thead>
<tbody>${[...named, {label: to.say('sum'), cells: sumOf(named)}].map(
    ({label, cells}) =>
      html`<tr><th scope="row">${label}</th>${cells.map((cell) => html`<td class="n">${cell.orders === 0 ? '–' : html`${to.count(cell.orders)}<br>${to.taka(cell.atRisk)}`}</td>`)}</tr>`,
  )}</tbody></table>`
  return figure('ages', picture, to.say('agesNote'), table, to.say('asTable'))
}

function headOf(from: number, next: number | undefined, to: Reader): string {
  if (from === 0) return to.say('today')
  return next === undefined ? to.say('daysOver', {from: from - 1}) : to.say('daysFrom', {from, to: next - 1})
}

function draw(rows: readonly Row[], heads: readonly string[], width: number, to: Reader) {
  const column = width / heads.length
  const most = rows
    .flatMap(({cells}) => cells.map(({atRisk}) => atRisk))
    .reduce((a, b) => (a > b ? a : b), 1n)
  const head = heads.map((words, at) => text(at * column, 12, fitted(words, column), 'small'))
  const shapes = rows.map(({label, cells}, row) => {
    const y = 22 + row * high
    const name = text(0, y + 16, fitted(label, width))
    const marks = cells.map(({orders, atRisk}, at) =>
      orders === 0 ? '' : cellOf(at * column, y + 18, {orders, atRisk}, {column, most, at}, to),
    )
    return html`${line(0, y, width, y, 'grid')}${name}${marks}`
  })
  return {height: 24 + rows.length * high, shapes: html`${head}${shapes}`}
}

function cellOf(
  x: number,
  y: number,
  {orders, atRisk}: AgedCause['steps'][number],
  {column, most, at}: {readonly column: number; readonly most: Paisa; readonly at: number},
  to: Reader,
): Html {
  const share = Number((atRisk * 1000n) / most) / 1000
  const words = column < 80 || atRisk === 0n ? to.count(orders) : `${to.count(orders)} · ${to.short(atRisk)}`
  const box = {x, y: y + 23, width: Math.max(2, share * (column - 10)), height: 8}
  return html`${text(x, y + 17, words, 'small')}${bar(box, `b-age${at}`, `${to.count(orders)}, ${to.taka(atRisk)}`)}`
}
