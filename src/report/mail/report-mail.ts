import {html, raw} from 'hono/html'

import type {Label} from '../../core/labels.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import {isToBook} from '../booking-csv.ts'
import {digestOf} from '../html/digest.ts'
import {Reader} from '../html/reader.ts'
import {muchOf, type ToDo, toDos} from '../html/to-do.ts'
import type {ReconcileFacts, ReconcileReport} from '../reconcile-report.ts'
import {type Mail, shortest} from './compose.ts'

const words = {
  agree: {en: 'the books agree', bn: 'খাতা মিলেছে'},
  breaks: {en: '{n} {n:break|breaks}', bn: '{n}টি গরমিল'},
  incomplete: {en: 'INCOMPLETE', bn: 'অসম্পূর্ণ'},
  dryRun: {en: 'dry run', bn: 'মহড়া'},
  book: {en: 'To book by hand (booking.csv)', bn: 'হাতে খাতায় তুলতে হবে (booking.csv)'},
  unconfirmed: {
    en: 'Delivered by earlier runs, not confirmed by a ledger',
    bn: 'আগের যাচাইয়ে পৌঁছেছে, খাতায় এখনো দেখা যায়নি',
  },
  delivered: {en: '{n} delivered', bn: '{n}টি পৌঁছেছে'},
} satisfies Record<string, Label>

/** The mail of a run: the result in the subject, figures first, then what somebody must do. */
export function reportMail(report: ReconcileReport, facts: ReconcileFacts): Mail {
  const to = new Reader(facts.lang)
  const digest = digestOf(facts)
  const actions = toDos(facts, digest, to)
  const toBook = Iterator.from(facts.findings).reduce((sum, one) => sum + (isToBook(one) ? 1 : 0), 0)
  const figures: readonly (readonly [string, string])[] = [
    [to.say('atRisk'), to.say('bdt', {amount: to.money(report.atRisk.total)})],
    [to.say('needPerson'), to.count(report.needPerson)],
    [
      to.say('deliveredOrders'),
      `${to.say('ofDelivered', {n: report.resends.delivered, sent: to.count(report.resends.sent)})}`,
    ],
    ...(report.unconfirmed > 0 ? [[to.of(words.unconfirmed), to.count(report.unconfirmed)] as const] : []),
    [to.say('ledgerRows'), to.count(report.counts.rows)],
    ...(toBook > 0 ? [[to.of(words.book), to.count(toBook)] as const] : []),
    [to.say('run'), report.runId],
    ...(report.evidence?.sha256 ? [[to.say('evidence'), `sha256 ${report.evidence.sha256}`] as const] : []),
  ]
  const answer = answerOf(report, to)
  return {
    subject: subjectOf(report, facts, to),
    text: textOf(answer, figures, report, actions, to),
    html: htmlOf(answer, figures, report, actions, to),
    language: facts.lang,
    atMs: facts.finishedAtMs,
    id: `${facts.runId}.${facts.finishedAtMs}`,
  }
}

function answerOf({breaks, complete}: ReconcileReport, to: Reader): string {
  if (breaks > 0) return to.say('breaks', {n: breaks})
  return to.say(complete ? 'agree' : 'unproven')
}

/** Leaves out the profile, the deliveries and the amount until it fits. */
function subjectOf(report: ReconcileReport, facts: ReconcileFacts, to: Reader): string {
  const {breaks, complete, atRisk, resends, dryRun} = report
  const say = (word: keyof typeof words, n = 0) =>
    to
      .of(words[word])
      .replace('{n:break|breaks}', n === 1 ? 'break' : 'breaks')
      .replace('{n}', to.count(n))
  const day = to.digits(facts.businessDay ?? formatInstant(facts.finishedAtMs, facts.timeZone).slice(0, 10))
  const state = [
    ...(dryRun ? [say('dryRun')] : []),
    ...(complete ? [] : [say('incomplete')]),
    ...(breaks > 0 ? [say('breaks', breaks)] : complete ? [say('agree')] : []),
  ]
  const amount = breaks > 0 ? [to.say('bdt', {amount: to.money(atRisk.total)})] : []
  const delivered = resends.delivered > 0 ? [say('delivered', resends.delivered)] : []
  const profile = escapeInvisible(facts.profile, 16)
  return shortest([
    `hisab ${profile} ${day}: ${[...state, ...amount, ...delivered].join(', ')}`,
    `hisab ${profile} ${day}: ${[...state, ...amount].join(', ')}`,
    `hisab ${day}: ${[...state, ...amount].join(', ')}`,
    `hisab ${day}: ${state.join(', ')}`,
  ])
}

type Figures = readonly (readonly [string, string])[]

function textOf(
  answer: string,
  figures: Figures,
  {incompleteBecause, reports}: ReconcileReport,
  actions: readonly ToDo[],
  to: Reader,
): string {
  const steps = actions.flatMap((action, index) => {
    const much = muchOf(action, to)
    return [
      `${to.count(index + 1)}. ${action.what}${much === '' ? '' : ` (${much})`}`,
      ...(action.why === '' ? [] : [`   ${escapeInvisible(to.translate(action.why))}`]),
      ...(action.command === null ? [] : [`   ${escapeInvisible(action.command)}`]),
    ]
  })
  return [
    answer,
    '',
    ...figures.map(([label, value]) => `${label}: ${value}`),
    ...incompleteBecause.map(
      (because) => `${to.say('incomplete')}: ${escapeInvisible(to.translate(because))}`,
    ),
    '',
    to.say('toDo'),
    ...(steps.length === 0 ? [to.say('nothingToDo')] : steps),
    '',
    escapeInvisible(reports.html),
    '',
  ].join('\n')
}

const cell = raw('padding:4px 12px 4px 0;vertical-align:top;word-break:break-word')
// A sum does not wrap, and a telephone is narrow.
const value = raw('padding:4px 0;vertical-align:top;font-weight:bold;word-break:break-word')
const code = raw('font-family:monospace;background:#f2f2f2;color:#111;padding:2px 4px')

function htmlOf(
  answer: string,
  figures: Figures,
  {incompleteBecause, reports, breaks, complete}: ReconcileReport,
  actions: readonly ToDo[],
  to: Reader,
): string {
  const colour = raw(breaks > 0 ? '#a4161a' : complete ? '#1b6e3c' : '#8a5a00')
  return `<!doctype html>${html`<html lang="${to.lang}"><head><meta charset="utf-8"><title>hisab</title></head><body style="font-family:sans-serif;font-size:15px;line-height:1.45">
<h1 style="font-size:20px;color:${colour}">${answer}</h1>
<table role="presentation" style="border-collapse:collapse">${figures.map(([label, text]) => html`<tr><td style="${cell}">${label}</td><td style="${value}">${text}</td></tr>`)}</table>
${incompleteBecause.map((because) => html`<p>${to.say('incomplete')}: ${escapeInvisible(to.translate(because))}</p>`)}
<h2 style="font-size:17px">${to.say('toDo')}</h2>
${actions.length === 0 ? html`<p>${to.say('nothingToDo')}</p>` : html`<ol>${actions.map((action) => stepOf(action, to))}</ol>`}
<p>${escapeInvisible(reports.html)}</p>
</body></html>`.toString()}`
}

function stepOf(action: ToDo, to: Reader) {
  const much = muchOf(action, to)
  return html`<li><b>${action.what}</b>${much === '' ? '' : ` (${much})`}${action.why === '' ? '' : html`<br>${escapeInvisible(to.translate(action.why))}`}${action.command === null ? '' : html`<br><span style="${code}">${escapeInvisible(action.command)}</span>`}</li>`
}
