import {html} from 'hono/html'

import {type Paisa, parsePaisa} from '../../core/money.ts'
import type {StatementView} from '../statement-view.ts'
import type {Reader} from './reader.ts'
import {bar, figure, fitted, type Html, line, text} from './svg.ts'

/** A line of the statement: where its bar begins and ends. A balance begins at the axis. */
interface Step {
  readonly label: string
  readonly amount: string
  readonly from: Paisa
  readonly to: Paisa
  readonly look: 'balance' | 'plus' | 'minus' | 'bad'
}

const amountOf = (text: string): Paisa =>
  text.startsWith('-') ? -(parsePaisa(text.slice(1)) ?? 0n) : (parsePaisa(text) ?? 0n)

function stepsOf(
  {kind, balanceByLedger, items, balanceByService, unexplained}: StatementView,
  to: Reader,
): Step[] {
  const balance = (word: 'balanceByLedger' | 'balanceByService', amount: string): Step => ({
    ...{label: to.say(word), amount: to.money(amount)},
    ...{from: 0n, to: amountOf(amount), look: 'balance'},
  })
  let level = amountOf(balanceByLedger)
  const move = (label: string, by: Paisa, look: Step['look']): Step[] => {
    if (by === 0n) return []
    const from = level
    level += by
    return [{label, amount: `${by > 0n ? '+' : '−'}${to.taka(by > 0n ? by : -by)}`, from, to: level, look}]
  }
  const moves = items.flatMap(({orders, plus, minus, ...item}) => {
    const label = `${to.result({...item, kind})} (${to.count(orders)})`
    return [...move(label, amountOf(plus), 'plus'), ...move(label, -amountOf(minus), 'minus')]
  })
  const rest = move(to.say('unexplained'), -amountOf(unexplained), 'bad')
  return [
    balance('balanceByLedger', balanceByLedger),
    ...moves,
    ...rest,
    balance('balanceByService', balanceByService),
  ]
}

/** Where the bars begin: at 0, or closer if the items would be too thin to see; then the page says so. */
function axisOf(steps: readonly Step[]): {readonly from: Paisa; readonly to: Paisa} {
  const ends = steps.flatMap(({from, to, look}) => (look === 'balance' ? [to] : [from, to]))
  const [low, high] = [ends.reduce((a, b) => (b < a ? b : a)), ends.reduce((a, b) => (b > a ? b : a))]
  const isThin = low > 0n && high > low && (high - low) * 3n < high
  const from = isThin ? low - (high - low) / 2n - low / 1_000n : low < 0n ? low : 0n
  return {from: from - (isThin && from > 10_000n ? from % 10_000n : 0n), to: high === from ? from + 1n : high}
}

export function waterfall(statement: StatementView, to: Reader): Html {
  const steps = stepsOf(statement, to)
  const axis = axisOf(steps)
  const kind = to.say(statement.kind === 'deposit' ? 'deposits' : 'payouts')
  const title = `${to.say('statement')}: ${kind}`
  const cut = axis.from > 0n ? to.say('axisCut', {from: to.bdt(axis.from)}) : ''
  const picture = {
    title,
    says: steps.map(({label, amount}) => `${label}: ${amount}`).join('; '),
    draw: (width: number) => draw(steps, axis, width),
  }
  const table = tableOf(statement, steps, to)
  return html`${figure(`statement-${statement.kind}`, picture, cut, table, to.say('asTable'))}
<p class="soft">${openItemsLine(statement, to)}</p>
`
}

const [high, barHigh, figureRoom] = [42, 16, 110]

function draw(steps: readonly Step[], axis: {from: Paisa; to: Paisa}, width: number) {
  const room = width - figureRoom
  const at = (level: Paisa) => {
    const inside = level < axis.from ? axis.from : level
    return (Number(inside - axis.from) / Number(axis.to - axis.from)) * room
  }
  const shapes = steps.map(({label, amount, from, to, look}, row) => {
    const y = row * high + 18
    const [a, b] = look === 'balance' ? [at(0n), at(to)] : [at(from), at(to)]
    const [begin, end] = [Math.min(a, b), Math.max(a, b)]
    const title = `${label}: ${amount}`
    const strong = look === 'balance' ? 'strong' : ''
    const labelled = text(0, y - 5, fitted(label, width), strong)
    const amounts = text(width, y + barHigh - 4, amount, `figure ${look}`, 'end')
    const next = row < steps.length - 1 ? line(at(to), y + barHigh, at(to), y + high) : ''
    const box = {x: begin, y, width: end - begin, height: barHigh}
    // Two slashes across a bar whose beginning is cut off.
    const slashes =
      look === 'balance' && axis.from > 0n
        ? html`${line(9, y - 2, 5, y + barHigh + 2, 'cut')}${line(14, y - 2, 10, y + barHigh + 2, 'cut')}`
        : ''
    return html`${bar(box, `b-${look}`, title)}${slashes}${labelled}${amounts}${next}`
  })
  return {height: steps.length * high + 4, shapes: html`${shapes}`}
}

function openItemsLine({openItems}: StatementView, to: Reader): string {
  const {opening, new: fresh, closed, revalued, closing} = openItems
  const [sign, changed] = revalued.startsWith('-') ? ['−', revalued.slice(1)] : ['+', revalued]
  return to.say('openItemsLine', {
    ...{before: opening.items, fresh: fresh.items, closed: closed.items, now: closing.items},
    ...{opening: to.money(opening.amount), added: to.money(fresh.amount), ended: to.money(closed.amount)},
    changed: changed === '0.00' ? '' : to.say('revalued', {by: `${sign}${to.money(changed)}`}),
    closing: to.money(closing.amount),
  })
}

function tableOf({unexplained}: StatementView, steps: readonly Step[], to: Reader): Html {
  return html`<table class="sums">
${steps.map(({label, amount, look}) => html`<tr class="${look}"><th scope="row">${label}</th><td class="n">${amount}</td></tr>`)}
<tr class="${unexplained === '0.00' ? 'good' : 'bad'}"><th scope="row">${to.say('unexplained')}</th><td class="n">${to.money(unexplained)}</td></tr>
</table>`
}
