import type {ServiceClient} from '../../api/client.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {codeOf, hostOf, noCode} from '../../core/delivery-filter.ts'
import type {Dialect} from '../../core/dialect.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import {completedEvent, type Delivery, type OrderKind, orderKinds} from '../../core/order.ts'
import type {ResendOverrides} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import {shownTime} from '../../report/delivery-list.ts'
import {resendPlanLine, resendPlanText} from '../../report/resend-plan-text.ts'
import {forEachBounded} from '../../workflows/bounded.ts'
import {readAmount} from '../../workflows/records/outage-amounts.ts'
import {planResends, type ResendSelection} from '../../workflows/resend/plan.ts'
import {findStoredPlan, resumedWork} from '../../workflows/resend/resume.ts'
import {canaryAbove, leftOf, type ResendWork, workOf} from '../../workflows/resend/run.ts'
import {reconciledBy, webhooksSeen} from '../../workflows/resend/seen.ts'
import {askToResend, requireTerminal} from '../approve.ts'
import type {Context} from '../context.ts'
import type {overrideFlags} from '../flags.ts'
import type {Progress} from '../progress.ts'
import {askText, pick, requireTerminalToPick} from '../prompt.ts'
import {newRunId} from '../run-id.ts'
import {styleFor} from '../style.ts'
import {turnOf} from '../turn.ts'
import {isLocallyFiltered, type LocalFlags, localFilterOf} from './filter-flags.ts'
import type {ResendFlags} from './resend-flags.ts'

type SelectionFlags = LocalFlags &
  Partial<Pick<ResendFlags, 'status' | 'resume' | 'outage'>> &
  Pick<ResendFlags, 'pick' | keyof typeof overrideFlags>

/**
 * The ids to resend, or the filter, never both; null for the rest of an interrupted run. A list to pick from has
 * failed records by default. Throws `usage`.
 */
export function selectionOf(
  ids: readonly string[],
  flags: SelectionFlags,
  timeZone: string,
): ResendSelection | null {
  const {status, pick, resume, outage} = flags
  const isFiltered = status !== undefined || outage !== undefined || isLocallyFiltered(flags)
  if (resume !== undefined) {
    if (ids.length === 0 && !isFiltered && !pick && !Object.values(overridesOf(flags)).some(Boolean))
      return null
    throw new Failure(
      'usage',
      'A resumed run keeps its records and options. They cannot be given with --resume.',
      `Run \`hisab webhooks resend --resume ${escapeInvisible(resume, 60)}\` alone, or start a new run without --resume.`,
    )
  }
  if (ids.length > 0 && isFiltered) {
    throw new Failure(
      'usage',
      'Record ids and filters were given together.',
      'Give record ids, or --status with filters.',
    )
  }
  if (ids.length > 0) return {by: 'ids', ids}
  const isOrder = flags['order-no'] !== undefined
  if (status === undefined && outage === undefined && !pick && !isOrder) {
    throw new Failure(
      'usage',
      'No webhooks were chosen: no id, --order-no, --outage or --status was given.',
      'Give record ids, --order-no, --outage ID, --outage all, --status failed, or --pick to mark them in a list.',
    )
  }
  const anyOfOrder = isOrder && outage === undefined && !pick ? null : 'failed'
  return {by: 'filter', status: status ?? anyOfOrder, local: localFilterOf(flags, timeZone), outage}
}

type Amounts = ReadonlyMap<string, Paisa>

export async function readResendWork(
  ids: readonly string[],
  flags: ResendFlags,
  loaded: LoadedProfile,
  context: Context,
  progress: Progress,
) {
  const {timeZone} = loaded.profile.ledger
  const selection = selectionOf(ids, flags, timeZone)
  if (flags.pick) requireTerminalToPick()
  else if (!flags.yes && !flags['dry-run']) requireTerminal()
  const client = await context.client(loaded)
  const turn = flags['dry-run'] ? null : await turnOf(context, loaded, !flags.yes)
  const journal = await context.journal(loaded)
  const received = await context.received(loaded)
  const runId = flags.resume ?? newRunId(Date.now())
  const portsNow = () => {
    // Read at the first decision: after the records.
    const history = once(() => journal.resendHistory())
    const waits = once(() => webhooksSeen(journal))
    return {
      ...{client, timeZone, received, dialect: loaded.profile.dialect, now: Date.now, width: 8},
      earlierResend: async (record: Delivery, kind: OrderKind | null) =>
        (await history()).earlier(record.orderId, record.event, runId, {
          ...{kind, orderNo: record.merchantOrderId},
        }),
      waitsSince: async ({event, merchantOrderId}: Delivery) =>
        event === completedEvent ? (await waits()).waitsSince(orderKinds, merchantOrderId) : null,
      reconciled: (selected: readonly Delivery[]) =>
        reconciledBy(journal, {dialect: loaded.profile.dialect, nowMs: Date.now(), timeZone}, selected),
      onProgress: (stage: string, done: number, total: number) => progress.update(stage, done, total),
    }
  }
  const ports = portsNow()
  const take = async (work: ResendWork): Promise<ResendWork> => {
    if (!(await turn?.take())) return work
    const ids = work.jobs.map(({delivery}) => delivery.id)
    const {overrides} = work
    const left = leftOf(
      work,
      workOf(await planResends({by: 'ids', ids}, {...portsNow(), overrides}), overrides),
    )
    process.stderr.write(
      `note: somebody else was at work meanwhile. Planned again: ${left.jobs.length} of ${ids.length} are left to send.\n`,
    )
    return left
  }
  const parts = {runId, client, journal, received, take}
  // One call each, only if a person reads them.
  const amountsOf = async ({jobs}: ResendWork): Promise<Amounts> =>
    !flags.pick && (flags.yes || flags['dry-run'] || jobs.length > amountsMax)
      ? new Map()
      : await readAmounts(jobs.slice(0, amountsMax), ports)
  if (selection === null) {
    const stored = await findStoredPlan(journal, runId)
    const work = await resumedWork(stored, runId, journal, {...ports, overrides: stored.overrides})
    const amounts = await amountsOf(work)
    progress.end()
    return {
      ...parts,
      work,
      amounts,
      resendsMax: flags.written.has('max-resends') ? flags['max-resends'] : stored.resendsMax,
      mayUseCanary: !flags['no-canary'] && stored.mayUseCanary !== false,
    }
  }
  const overrides = overridesOf(flags)
  const wordsKnown = Math.max(0, ...(await journal.listIgnores()).map(({id}) => id))
  const work = {...workOf(await planResends(selection, {...ports, overrides}), overrides), wordsKnown}
  const amounts = await amountsOf(work)
  progress.end()
  return {
    ...parts,
    work: flags.pick ? await pickWork(work, amounts, timeZone) : work,
    amounts,
    resendsMax: flags['max-resends'],
    mayUseCanary: !flags['no-canary'],
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  return () => (known ??= read())
}

/** Whether to carry out the plan: shown and asked, unless `--yes` or there is nothing left to send. */
export async function approveWork(
  {lines, jobs, isProven}: ResendWork,
  mayUseCanary: boolean,
  amounts: Amounts,
  flags: Pick<ResendFlags, 'yes'>,
): Promise<boolean> {
  if (jobs.length === 0) return true
  const style = styleFor(process.stderr)
  const hosts = [...new Set(jobs.map(({delivery}) => hostOf(delivery)))]
  const hasCanary = mayUseCanary && !isProven && jobs.length > canaryAbove
  if (flags.yes) {
    const planned = lines.filter(({outcome}) => outcome.state === 'planned')
    process.stderr.write(`${resendPlanLine(planned, {hosts, hasCanary}, process.stderr.columns)}\n`)
    return true
  }
  const text = resendPlanText(lines, {hosts, hasCanary, amounts}, style, process.stderr.columns)
  process.stderr.write(`${text}\n`)
  return await askToResend(jobs.length)
}

/** Most payloads that are read for their amounts. */
const amountsMax = 50
const searchAbove = 15

async function readAmounts(
  jobs: ResendWork['jobs'],
  {client, dialect}: {readonly client: ServiceClient; readonly dialect: Dialect},
): Promise<Amounts> {
  const amounts = new Map<string, Paisa>()
  await forEachBounded(jobs, 8, async ({delivery: {id}}) => {
    const amount = await readAmount(id, client, dialect)
    if (amount !== null) amounts.set(id, amount)
  })
  return amounts
}

async function pickWork(work: ResendWork, amounts: Amounts, timeZone: string): Promise<ResendWork> {
  if (work.jobs.length === 0) return work
  const deliveries = new Map(work.jobs.map(({delivery}) => [delivery.id, delivery]))
  const cells = work.lines.map(({id, merchantOrderId, event}) => {
    const delivery = deliveries.get(id)
    const amount = amounts.get(id)
    const code = delivery ? codeOf(delivery) : ''
    return [
      merchantOrderId ?? id,
      event ?? '',
      amount === undefined ? '' : `BDT ${formatTaka(amount)}`,
      code === noCode ? 'no answer' : code && `HTTP ${code}`,
      delivery ? shownTime(delivery.createdAt, timeZone) : '',
    ].map((cell) => escapeInvisible(cell, 60))
  })
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const rows = work.lines.map(({id, outcome}, line) => {
    const row = cells[line] ?? []
    const text = row
      .map((cell, at) => (at === 2 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
    const whyNot = deliveries.has(id) ? null : escapeInvisible(outcome.why ?? '', 120)
    return {id, text, short: row[0] ?? id, whyNot}
  })
  const message = `Search ${rows.length} records by number, event, amount or time (Enter: all)`
  const looked = rows.length > searchAbove ? await askText({message}) : ''
  const shown = rows.filter(({text}) => text.toLowerCase().includes(looked.toLowerCase()))
  const free = shown.filter(({whyNot}) => whyNot === null).length
  const picked = new Set(
    await pick(`Which to resend? ${free} of ${rows.length} records can be resent`, shown),
  )
  return {
    ...work,
    selectedBy: 'ids',
    lines: work.lines.filter(({id}) => picked.has(id)),
    jobs: work.jobs.filter(({delivery}) => picked.has(delivery.id)),
  }
}

function overridesOf(flags: Pick<ResendFlags, keyof typeof overrideFlags>): ResendOverrides {
  return {
    includeDelivered: flags['include-delivered'],
    ignoreCooldown: flags['ignore-cooldown'],
    retryUnknown: flags['retry-unknown'],
  }
}
