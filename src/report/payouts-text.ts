import {payoutLineLabels} from '../core/labels.ts'
import {formatTaka, type Paisa, sumPaisa} from '../core/money.ts'
import {payoutLineStates} from '../core/order.ts'
import {type DuplicatePayout, isOpenDuplicate, warnOfDuplicate} from '../core/payout-limits.ts'
import type {Profile} from '../core/profile.ts'
import {quoteForShell} from '../core/shell.ts'
import {takaInWords} from '../core/taka-words.ts'
import {escapeInvisible} from '../core/text.ts'
import {counted, grouped} from './figures.ts'
import {apiHostOf} from './payout-text.ts'
import type {PayoutsReport, PayoutView} from './payouts-report.ts'
import {renderTable, type Style} from './table.ts'
import {wrapText} from './wrap.ts'

export interface PlannedToShow {
  readonly line: number
  readonly step: 'send' | 'ask_first' | 'ask'
  readonly claim: {readonly amount: Paisa; readonly channel: string; readonly maskedAccount: string}
  readonly request: {readonly returnUrl: string}
  readonly prepared: {readonly orderNo: string; readonly returnUrl: string}
  readonly duplicates: readonly DuplicatePayout[]
  readonly sameAsLine: number | null
}

export interface PlanToShow {
  readonly path: string
  readonly payouts: readonly PlannedToShow[]
  readonly repeats: readonly PlannedToShow[]
  readonly warnings: readonly string[]
}

/** Most rows on a screen; the result file has them all. */
const listedMax = 15

/** What is about to be paid, by channel and in words, and what may be paid twice. */
export function payoutsPlanText(
  {path, payouts, repeats, warnings}: PlanToShow,
  profile: Profile,
  style: Style,
): string {
  const toPay = payouts.filter(({step}) => step !== 'ask')
  const earlier = payouts.length - toPay.length
  const doubtful = toPay.filter(({step}) => step === 'ask_first').length
  const moved = toPay.filter(({request, prepared}) => prepared.returnUrl !== request.returnUrl).length
  const notes = [
    doubtful > 0 &&
      `${doubtful} of them are in doubt from an earlier try: asked for first, sent only where the service has none`,
    moved > 0 && `${moved} of them were sent before with another return_url, and are sent again with it`,
    earlier > 0 && `${earlier} more were accepted before: looked at, not sent`,
  ]
  return [
    style('bold', `Payouts of ${escapeInvisible(path)}: ${payouts.length} rows`),
    `  profile  ${escapeInvisible(profile.name)}, merchant ${escapeInvisible(profile.merchantId)}, at ${apiHostOf(profile)}`,
    '',
    ...(toPay.length > 0 ? [channelTable(toPay, style), `  ${takaInWords(sumOf(toPay))}`] : []),
    ...notes.filter((note) => note !== false).map((note) => `  ${note}`),
    ...warnings.map((warning) => style('yellow', `  WARNING  ${escapeInvisible(warning)}`)),
    ...repeatLines(repeats, profile, style),
  ].join('\n')
}

/** The question after `payoutsPlanText`; a warning is part of it. */
export function payoutsQuestion({payouts, repeats}: PlanToShow): string {
  const toPay = payouts.filter(({step}) => step !== 'ask')
  const sum = sumOf(toPay)
  const again = repeats.length === 0 ? '' : `, ${repeats.length} of them AGAIN under another number`
  return `Pay ${payoutCount(toPay.length)}, BDT ${formatTaka(sum)}${again}?`
}

function channelTable(toPay: readonly PlannedToShow[], style: Style): string {
  const channels = [...new Set(toPay.map(({claim}) => claim.channel))].sort()
  const row = (name: string, some: readonly PlannedToShow[]) => [
    name,
    String(some.length),
    formatTaka(sumOf(some)),
  ]
  return renderTable(
    [{title: 'CHANNEL'}, {title: 'PAYOUTS', align: 'right'}, {title: 'BDT', align: 'right'}],
    [
      ...channels.map((channel) =>
        row(
          channel,
          toPay.filter(({claim}) => claim.channel === channel),
        ),
      ),
      row('to pay', toPay),
    ],
    style,
  )
}

function repeatLines(repeats: readonly PlannedToShow[], {ledger}: Profile, style: Style): string[] {
  const lines = repeats.slice(0, listedMax).map(({line, prepared, claim, duplicates, sameAsLine}) => {
    const [duplicate] = duplicates
    const how =
      sameAsLine !== null && !(duplicate && isOpenDuplicate(duplicate))
        ? `line ${sameAsLine} has the same account and amount, or is in place of the same failed payout`
        : duplicate && warnOfDuplicate(prepared.orderNo, claim.amount, duplicate, ledger.timeZone)
    const payee = `BDT ${formatTaka(claim.amount)} to ${claim.maskedAccount}`
    return style(
      'yellow',
      `  WARNING  line ${line}, ${escapeInvisible(prepared.orderNo, 40)}, ${payee}: ${how}`,
    )
  })
  const more = repeats.length - lines.length
  return more > 0 ? [...lines, style('yellow', `  WARNING  and ${more} more such lines.`)] : lines
}

/** Sums by state, where it stopped, and what needs a person. */
export function payoutsText(
  report: PayoutsReport,
  profileName: string,
  style: Style,
  width = Number.POSITIVE_INFINITY,
): string {
  const {file, sums, sentBefore, total, resultFile} = report
  const rows = payoutLineStates
    .filter((state) => sums[state].payouts > 0)
    .map((state) => [payoutLineLabels[state].en, String(sums[state].payouts), grouped(sums[state].amount)])
  if (sentBefore.payouts > 0)
    rows.push(['  of these sent before', String(sentBefore.payouts), grouped(sentBefore.amount)])
  return [
    [
      style(
        'bold',
        `${report.dryRun ? 'Not paid, as asked: ' : 'Payouts of '}${escapeInvisible(file.path)}, ${file.rows} rows, BDT ${grouped(total.amount)}`,
      ),
      renderTable(
        [{title: 'STATE'}, {title: 'PAYOUTS', align: 'right'}, {title: 'BDT', align: 'right'}],
        rows,
        style,
      ),
    ].join('\n'),
    stoppedText(report, style, width),
    doubtText(report, profileName, style, width),
    sentBeforeText(report, style, width),
    notShownText(report),
    resultFile === null ? '' : `Row by row: ${escapeInvisible(resultFile)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function stoppedText({stopped, remaining}: PayoutsReport, style: Style, width: number): string {
  if (!stopped) return ''
  const {line, orderNo, why, hint} = stopped
  const where = line === null ? 'Stopped' : `Stopped at line ${line}, ${escapeInvisible(orderNo ?? '', 40)}`
  const left =
    remaining.payouts === 0
      ? 'Nothing remains to be sent.'
      : `Remaining: ${payoutCount(remaining.payouts)}, BDT ${grouped(remaining.amount)}. The same command again goes on with them.`
  return [style('red', where), wrapText(why, width, '  '), wrapText(hint, width, '  '), left].join('\n')
}

/** Rows that may or may not be paid, and the commands that find out. */
function doubtText({payouts}: PayoutsReport, profileName: string, style: Style, width: number): string {
  const some = payouts.filter(needsPerson)
  if (some.length === 0) return ''
  const unknown = some.filter(({state}) => state === 'unknown').slice(0, listedMax)
  const query = `hisab payout query ${unknown.map(({orderNo}) => quoteForShell(escapeInvisible(orderNo))).join(' ')} --profile ${quoteForShell(escapeInvisible(profileName))}`
  return [
    style('yellow', `Needs a person: ${some.length}`),
    ...some.slice(0, listedMax).map(({line, orderNo, state, status, why}) => {
      const how =
        state === 'accepted' && status === 'failed' ? 'accepted, failed since' : payoutLineLabels[state].en
      const text = `line ${line}, ${escapeInvisible(orderNo, 40)}: ${how}${why === null ? '' : `: ${escapeInvisible(why)}`}`
      return wrapText(text, width, '  ')
    }),
    ...(some.length > listedMax ? ['  …'] : []),
    ...(unknown.length > 0 ? [`Ask: ${query}`] : []),
  ].join('\n')
}

/** An earlier run paid these: a file that reuses another day's numbers pays nobody. */
function sentBeforeText({sentBefore, total, payouts}: PayoutsReport, style: Style, width: number): string {
  const [first] = payouts.filter(({state, sentBeforeAt}) => state === 'accepted' && sentBeforeAt !== null)
  if (first === undefined) return ''
  const count = sentBefore.payouts === total.payouts ? 'Nothing was sent now' : 'Not sent now'
  const at = `line ${first.line}, ${escapeInvisible(first.orderNo, 40)}, at ${first.sentBeforeAt}`
  const text = `${count}: ${payoutCount(sentBefore.payouts)}, BDT ${grouped(sentBefore.amount)}, had been sent before under the same number, the first one (${at}). If these are new payouts, give them new numbers.`
  return style('yellow', wrapText(text, width, ''))
}

function notShownText({payouts}: PayoutsReport): string {
  const count = payouts.filter(({because}) => because === 'not_shown').length
  return count === 0
    ? ''
    : `Accepted, unconfirmed: ${payoutCount(count)}; the service does not show their amounts.`
}

function needsPerson({state, because, status}: PayoutView): boolean {
  if (state !== 'accepted') return state !== 'not_sent'
  return because === 'unanswered' || because === 'contradicted' || status === 'failed'
}

function sumOf(payouts: readonly PlannedToShow[]): Paisa {
  return sumPaisa(payouts.map(({claim}) => claim.amount))
}

function payoutCount(count: number): string {
  return counted(count, 'payout', 'payouts')
}
