import {html} from 'hono/html'

import {type FaultName, faultKinds, faultNames} from '../faults/kinds.ts'
import {ruleForm} from '../faults/rule.ts'
import type {SandboxParts} from '../parts.ts'
import type {Html} from '../web/html-page.ts'
import {nothing, outside, table} from './pieces.ts'

const back = html`<input type="hidden" name="back" value="/console/faults">`

const columns = [
  {name: 'Fault'},
  {name: 'What happens'},
  {name: 'What it rehearses'},
  {name: 'Played', look: 'number'},
  {name: 'Begin', look: 'unseen'},
] as const

export function faultsView({faults}: SandboxParts): Html {
  const {chaos, seed, played, forgeriesTaken} = faults.state()
  return html`<h2>In force</h2>
  ${forgeriesTaken === 0 ? '' : html`<p class="problem">The receiver took ${forgeriesTaken} forged ${forgeriesTaken === 1 ? 'webhook' : 'webhooks'}. Let it verify the signature before it acts.</p>`}
  ${chaos.length === 0 ? nothing('Nothing is made to go wrong.', 'Begin a fault below. It ends when it is ended here.') : html`<ul class="candidates">${chaos.map(inForce)}</ul><p class="soft">Drawn from the seed ${seed}.</p>`}
  <form class="compose" method="post" action="/console/faults/begin">${back}
    <label class="long">Any fault, with its share, its length and its time <input name="rule" placeholder="payout-create.lost-answer-after=#2" maxlength="200" required></label>
    <button>Begin it</button>
  </form>
  <p class="soft">Written <code>${ruleForm}</code>: <code>html=0.05</code> one call in twenty, <code>drip:5s</code> five seconds between two bytes, <code>receiver-outage@+1h/+10h</code> from in an hour to in ten hours.</p>
  <h2>Every fault</h2>
  ${table(
    'Every fault',
    columns,
    faultNames.map((name) => ({key: name, cells: cellsOf(name, played[name] ?? 0, chaos.includes(name))})),
  )}`
}

function cellsOf(name: FaultName, played: number, isInForce: boolean): (Html | number)[] {
  const {plays, rehearses} = faultKinds[name]
  const action = isInForce
    ? ruleButton('end', name, 'End', `End ${name}`)
    : ruleButton('begin', name, 'Begin', `Begin ${name}`)
  return [
    html`<code>${name}</code>`,
    html`<span class="words">${plays}</span>`,
    html`<span class="words">${rehearses}</span>`,
    played,
    action,
  ]
}

function inForce(rule: string): Html {
  return html`<li data-key="${rule}"><code>${outside(rule)}</code>${ruleButton('end', rule, 'End it', `End it: ${rule}`)}</li>`
}

function ruleButton(verb: 'begin' | 'end', rule: string, text: string, label: string): Html {
  return html`<form method="post" action="/console/faults/${verb}">${back}<button name="rule" value="${rule}" aria-label="${label}">${text}</button></form>`
}
