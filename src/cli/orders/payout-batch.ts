import type {LoadedProfile} from '../../config/load-profile.ts'
import {type ExitStatus, Failure} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import {besideDoubtOf, repeatedPayout} from '../../core/payout-limits.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {flagFor} from '../../ledger/quotation.ts'
import {readPayouts} from '../../ledger/read-payouts.ts'
import {
  type PayoutLine,
  type PayoutsReport,
  payoutsReport,
  payoutsStatus,
} from '../../report/payouts-report.ts'
import {payoutsPlanText, payoutsQuestion} from '../../report/payouts-text.ts'
import {creditedBy} from '../../workflows/orders/credited.ts'
import {doubtCommand} from '../../workflows/orders/doubts.ts'
import {sentIn} from '../../workflows/orders/paid-anew.ts'
import {payPlanned, untouched} from '../../workflows/payouts/pay.ts'
import {type PayoutPlan, planPayouts, repeatsOf} from '../../workflows/payouts/plan.ts'
import {ResultFiles} from '../../workflows/payouts/result-files.ts'
import {
  heldToCeiling,
  payoutTerms,
  type RefusedJournal,
  rememberRepeats,
  skewOf,
} from '../../workflows/payouts/terms.ts'
import {type Context, monotonic} from '../context.ts'
import {Progress} from '../progress.ts'
import {styleFor} from '../style.ts'
import {turnOf} from '../turn.ts'
import {type PayoutConsent, requireConsent, requireYes} from './approve-payout.ts'
import {requireReturnUrl} from './create.ts'
import {openPayoutNotes, otherKeyNotes, otherOpenPayouts, replacedNotes, takenEvents} from './open-payouts.ts'

export interface BatchFlags extends PayoutConsent {
  readonly 'return-url'?: string | undefined
  readonly 'max-amount'?: Paisa | undefined
  readonly 'dry-run': boolean
  readonly rate?: number | undefined
  readonly 'ignore-column'?: readonly string[] | undefined
  readonly 'ignore-mark'?: readonly string[] | undefined
  readonly intended?: readonly string[] | undefined
}

export interface PayoutBatchEnd {
  readonly report: PayoutsReport
  readonly status: ExitStatus
}

const queriesAtOnce = 16

/**
 * `payout create --from`: reads the whole file, looks up every row in the journal, asks once, and pays. The same
 * command continues after any stop.
 */
export async function payBatch(
  path: string,
  flags: BatchFlags,
  loaded: LoadedProfile,
  context: Context,
): Promise<PayoutBatchEnd> {
  const {profile} = loaded
  const returnUrl = requireReturnUrl(flags['return-url'], profile)
  refuseStandardInput(path)
  const results = new ResultFiles(path)
  results.refuseForeign()
  const {ignoredColumns, ignoredMarks} = profile.payouts
  const file = await readPayouts(path, {
    columns: [...ignoredColumns, ...(flags['ignore-column'] ?? [])],
    marks: [...ignoredMarks, ...(flags['ignore-mark'] ?? [])],
  })
  const {rate = null} = flags
  const client = await context.client(loaded, {
    ordersOnly: true,
    concurrencyMax: queriesAtOnce,
    ratePerSecond: rate,
  })
  // Two runs over one file would plan from the same journal.
  const turn = flags['dry-run'] ? null : await turnOf(context, loaded, !flags.yes)
  const journal = await context.journal(loaded)
  const held = flags['dry-run'] ? profile : await heldToCeiling(profile, journal, Date.now())
  const termsAt = async (nowMs: number) =>
    payoutTerms(held, flags['max-amount'] ?? null, nowMs, await skewOf(client, journal))
  const prepare = client.preparePayout.bind(client)
  const listedBefore = results.numbers()
  const whyCredited = creditedBy(journal, await takenEvents(context, loaded))
  const asked = new Set<string>()
  const planNow = async () =>
    planPayouts(file, await termsAt(Date.now()), {
      client,
      prepare,
      journal,
      whyCredited,
      sentAs: sentIn(journal),
      asked,
      returnUrl,
      listedBefore,
    })
  let plan = await planNow()
  const open = await otherOpenPayouts(
    journal,
    plan.payouts.map(({prepared}) => prepared.orderNo),
  )
  const notes = openPayoutNotes(open, besideDoubtOf(plan.payouts), profile)
  for (const note of [...(await otherKeyNotes(journal)), ...notes, ...replacedNotes(plan.payouts)])
    process.stderr.write(`${note}\n`)
  if (flags['dry-run']) {
    showPlan(plan, loaded)
    return endOf(plan, {lines: plan.payouts.map(untouched), stop: null}, {dryRun: true, resultPath: null})
  }

  const [dropped] = open.filter(({orderNo}) => listedBefore.has(orderNo))
  if (dropped && flags.yes && !flags['allow-repeat']) throw leftInDoubt(path, dropped, profile.name)
  await approve(plan, loaded, flags, journal)
  while (await turn?.take()) {
    const again = await planNow()
    const isSame = isWithin(again, plan)
    plan = again
    process.stderr.write(`note: somebody else was at work meanwhile. ${plannedAgain(plan)}\n`)
    if (isSame) break
    await turn?.giveBack()
    await approve(plan, loaded, flags, journal)
  }
  const progress = new Progress()
  const paid = await payPlanned(plan, {
    ...{
      client,
      journal,
      whyCredited,
      sentAs: sentIn(journal),
      asked,
      profileName: profile.name,
      now: Date.now,
      monotonic,
      termsAt,
    },
    ...{concurrency: queriesAtOnce, signal: context.signal},
    onProgress: (stage, done, total) => progress.update(stage, done, total),
    onSave: (lines, isOver) => results.save(lines, isOver),
  })
  progress.end()
  return endOf(plan, paid, {dryRun: false, resultPath: results.path})
}

function endOf(
  {file, warnings, payouts}: PayoutPlan,
  paid: {readonly lines: readonly PayoutLine[]; readonly stop: Parameters<typeof payoutsStatus>[0]['stop']},
  {dryRun, resultPath}: {readonly dryRun: boolean; readonly resultPath: string | null},
): PayoutBatchEnd {
  return {
    report: payoutsReport({
      file,
      warnings,
      besideInDoubt: besideDoubtOf(payouts),
      ...paid,
      dryRun,
      resultPath,
    }),
    status: dryRun ? 0 : payoutsStatus(paid),
  }
}

/** A row may have got another number or account: a row of the file may then be the same payout. */
function leftInDoubt(path: string, row: RequestRow, profileName: string): Failure {
  const {orderNo} = row
  const number = escapeInvisible(orderNo, 80)
  return new Failure(
    'payout_repeated',
    `An earlier run of ${escapeInvisible(path)} left ${number} in doubt: it may have been paid. The file has no row ${number} now. Nothing was sent.`,
    `End the doubt first: \`${doubtCommand(row, profileName)}\`. If no row of the file replaces it, add --allow-repeat.`,
  )
}

/** The new plan sends and repeats nothing that was not agreed to. */
function isWithin(again: PayoutPlan, agreed: PayoutPlan): boolean {
  const textOf = ({prepared, duplicates, step}: PayoutPlan['payouts'][number]) =>
    [prepared.orderNo, step, ...duplicates.map(({orderNo}) => orderNo)].join(' ')
  const known = new Set(agreed.payouts.map(textOf))
  return again.payouts.every((payout) => payout.step === 'ask' || known.has(textOf(payout)))
}

function plannedAgain({payouts}: PayoutPlan): string {
  const left = payouts.filter(({step}) => step !== 'ask').length
  return `Planned again: ${left} of ${payouts.length} are left to pay.`
}

function showPlan(plan: PayoutPlan, {profile}: LoadedProfile): void {
  process.stderr.write(`${payoutsPlanText(toShow(plan), profile, styleFor(process.stderr))}\n`)
}

const intendedMax = 10

/** One consent for the whole file; none if nothing is left to send. */
async function approve(
  plan: PayoutPlan,
  loaded: LoadedProfile,
  consent: BatchFlags,
  journal: RefusedJournal,
): Promise<void> {
  if (plan.payouts.every(({step}) => step === 'ask')) return
  requireConsent(consent, 'A file of payouts')
  showPlan(plan, loaded)
  const remember = (repeats: ReturnType<typeof repeatsOf>) => rememberRepeats(repeats, journal, Date.now())
  if (!consent.yes) return await requireYes(payoutsQuestion(toShow(plan)), () => remember(repeatsOf(plan)))
  if (consent['allow-repeat']) return
  const intended = new Set(consent.intended)
  const repeats = repeatsOf(plan).filter(({prepared}) => !intended.has(prepared.orderNo))
  const [repeat] = repeats
  if (!repeat) return
  await remember(repeats)
  const flag =
    repeats.length > intendedMax
      ? `--intended NO for each of ${repeats.length} payouts, or --allow-repeat for all`
      : repeats.map(({prepared}) => flagFor('--intended', prepared.orderNo)).join(' ')
  const [duplicate] = repeat.duplicates
  if (duplicate)
    throw repeatedPayout(
      ...([repeat.prepared.orderNo, repeat.claim.amount, duplicate] as const),
      ...([loaded.profile.ledger.timeZone, besideDoubtOf(repeats), flag] as const),
    )
  throw new Failure(
    'payout_repeated',
    `Line ${repeat.line} pays the same amount to the same account as line ${repeat.sameAsLine}, or in place of the same failed payout. Nothing was sent.`,
    `If both payments are intended, add ${flag}. If not, correct the file.`,
  )
}

function toShow(plan: PayoutPlan) {
  const {file, payouts, warnings} = plan
  return {path: file.path, payouts, repeats: repeatsOf(plan), warnings}
}

/** A payout file is needed on disk, because its result file is written beside it. */
function refuseStandardInput(path: string): void {
  if (path !== '-' && !/^\/dev\/(?:stdin|fd\/0)$/.test(path)) return
  throw new Failure(
    'usage',
    'Payouts cannot be read from standard input. hisab writes the result beside the file and continues from it after a stop.',
    'Save them as a file and give it: --from payouts.csv.',
  )
}
