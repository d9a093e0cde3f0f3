import {join, resolve} from 'node:path'
import {earliestNow} from '../../core/clocks.ts'
import {
  asFailure,
  continuedBy,
  type ExitStatus,
  exitStatusOf,
  Failure,
  worstStatus,
} from '../../core/failure.ts'
import {formatPaisa} from '../../core/money.ts'
import type {RecordsRead} from '../../core/reconcile/records-read.ts'
import {escapeInvisible, jsonDocument} from '../../core/text.ts'
import {writeSetAtomically} from '../../files/file-set.ts'
import {makePrivateDir} from '../../files/private-files.ts'
import type {Ledger, LedgerFile} from '../../ledger/ledger.ts'
import {bookingCsv} from '../../report/booking-csv.ts'
import {viewDoubt} from '../../report/doubts-list.ts'
import {findingsCsv} from '../../report/findings-csv.ts'
import {findingsXlsx} from '../../report/findings-xlsx.ts'
import {reportHtml} from '../../report/html/page.ts'
import {reportMail} from '../../report/mail/report-mail.ts'
import {
  buildReport,
  type LedgerFileView,
  type ReconcileFacts,
  type ReconcileReport,
  type ReportPaths,
  reconcileStatus,
} from '../../report/reconcile-report.ts'
import {type LedgersSeen, writeTotals} from '../../report/run-totals.ts'
import {openDoubts} from '../orders/doubts.ts'
import {isTooMany, tooManyText} from '../resend/limits.ts'
import {runTrend} from '../runs/trend.ts'
import {keepBooking} from './booking-file.ts'
import type {DeliveryReading} from './delivery-reading.ts'
import {examine} from './examine.ts'
import {serviceOf} from './final-orders.ts'
import {itemMovement} from './item-movement.ts'
import {placeWindow} from './place-window.ts'
import {leavePlanned, resendMissing} from './resend-missing.ts'
import {rememberRows} from './seen-rows.ts'
import type {Reconciliation, RunPorts, RunRequest} from './types.ts'

export interface RunResult {
  readonly facts: ReconcileFacts
  readonly report: ReconcileReport
  readonly status: ExitStatus
  /** Why the final orders could not be sorted; the run counts anyway. */
  readonly unsorted: Failure | null
}

/**
 * One reconciliation: examine, show, ask, resend, record. The report is also written before the first resend, so that a
 * full disk is noticed while nothing has been sent (P16). When stopped, it lets running calls finish and writes a
 * report that says how to continue. Each file of an unfinished run's report says that it is unfinished.
 */
export async function runReconcile(request: RunRequest, ports: RunPorts): Promise<RunResult> {
  const startedAtMs = await startOrResume(request, ports)
  try {
    return await examineAndResend(request, ports, startedAtMs)
  } catch (thrown) {
    const error = asFailure(thrown)
    await endFailed(error, request, ports)
    throw error
  }
}

/** The time that the page shows. */
const monthMs = 31 * 86_400_000

async function examineAndResend(
  request: RunRequest,
  ports: RunPorts,
  startedAtMs: number,
): Promise<RunResult> {
  const {dryRun, reportDir, listAll: keepsAll} = request
  const businessDay = request.businessDay ?? null
  const options = {...request.options, keepsAll, remembers: !dryRun, startedAtMs, businessDay}
  const {journal, runId, signal} = ports
  const write = (facts: ReconcileFacts) => writeReport(facts, reportDir, ports.recorded?.isReplay === true)
  const examined = await examine(request, options, {...ports, resumes: request.resume})
  const days = await runTrend(journal, {
    sinceMs: startedAtMs - monthMs,
    timeZone: ports.profile.ledger.timeZone,
  })
  const factsOf = (state: Reconciliation, remembered: Remembered) => ({
    ...collectFacts(request, ports, startedAtMs, state, remembered),
    days,
  })

  const before = await remember(ports, leavePlanned(examined))
  const planned = factsOf(leavePlanned(examined), before)
  const isStopped = signal.aborted
  if (examined.planned.length > 0 && !dryRun && !isStopped) {
    await write(asInterim(planned, 'the report was written before the first resend'))
  }
  const tooMany = isTooMany(examined.planned.length, examined.resends.made, options.resendsMax)
  // With nothing to send, it does not ask, but watches what an earlier process of this run sent.
  const asks = examined.planned.length > 0 && !tooMany
  const toApprove = {...planned, plannedResends: examined.planned.length}
  const approved = !dryRun && !isStopped && (!asks || (await ports.approve(toApprove)))
  if (!dryRun && !signal.aborted) await ports.takeTurn?.()
  const sends = tooMany ? {...leavePlanned(examined), planned: []} : examined
  const resent = approved ? await resendMissing(sends, options, ports) : leavePlanned(examined)

  const made = examined.resends.made
  const notSent =
    tooMany && !dryRun
      ? {
          because: tooManyText(examined.planned.length, made, options.resendsMax),
          next: `${planned.resumeCommand} --max-resends ${examined.planned.length + made} --yes`,
        }
      : null
  // If the journal is lost now, the report still shows what was sent.
  const after = await remember(ports, resent).catch(unlessBug(before))
  const found = {...factsOf(resent, after), notSent}
  const refused = [
    ...(examined.reading.isRejected ? [exitStatusOf.credentials_rejected] : []),
    ...(notSent ? [exitStatusOf.too_many_resends] : []),
  ]
  const isOver = found.interim === null
  const asFound = isOver ? worstStatus([reconcileStatus(found), ...refused]) : stoppedStatus(signal)
  const evidence = (await ports.sealEvidence?.({facts: found, status: asFound})) ?? null
  const isProven = evidence === null || evidence.sha256 !== null
  const status = isProven ? asFound : worstStatus([asFound, exitStatusOf.incomplete])
  const facts = {...found, evidence}
  const report = await write(facts)
  // An unfinished run is not remembered, but its time stays to be examined. A run that could not send everything is:
  // later ledgers may lack those orders.
  const isRemembered = !dryRun && isOver
  try {
    await journal.recordRun({
      runId,
      nowMs: facts.finishedAtMs,
      seen: isRemembered ? {[Symbol.iterator]: () => resent.seen()[Symbol.iterator]()} : [],
      closed: isRemembered ? facts.closed : [],
      balances: isRemembered ? examined.balances : [],
      totals: writeTotals(
        report,
        facts.queriesPerSecond,
        isRemembered && notSent === null ? seenOf(request.ledger, facts, examined) : {},
      ),
      listMark: examined.reading.mark,
    })
    await journal.finishRun(runId, {
      finishedAtMs: facts.finishedAtMs,
      status: isOver ? 'finished' : 'interrupted',
      exitStatus: status,
      reportDir,
    })
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.code === 'bug') throw error
    const what = `The report is in ${escapeInvisible(reportDir)}. The journal does not have this run: ${error.message}`
    throw continuedBy(new Failure(error.code, what, error.hint), facts.resumeCommand)
  }
  const {booking} = report.reports
  if (booking !== null) writeSetAtomically(reportDir, [{path: booking, content: bookingCsv(facts)}], [])
  return {facts, report, status, unsorted: await sortFinalOrders(ports)}
}

/** What later runs compare with, for each kind of this ledger. */
function seenOf(
  {files, window: rows}: Ledger,
  {meetings, window, startedAtMs: nowMs, clockSkewMs: skewMs}: ReconcileFacts,
  {own, isEndDoubted}: Pick<Reconciliation, 'own' | 'isEndDoubted'>,
): LedgersSeen {
  const seen: LedgersSeen = {}
  // If the service's clock is unknown, the rows alone show a time that is over.
  const rowsUntilMs = rows.ok ? rows.toMs : Number.MIN_SAFE_INTEGER
  // Nothing after the start of the run was recorded yet.
  const overMs = Math.min(earliestNow({nowMs, skewMs}), skewMs === null ? rowsUntilMs : nowMs)
  for (const {kind} of meetings) {
    const [first, ...others] = files.filter(({kinds}) => kinds.includes(kind)).map(({columns}) => columns)
    const shared = Object.entries(first ?? {}).filter(([column]) => others.every((one) => column in one))
    const looked = window.ok && !window.isCut ? window : null
    const toMs = looked && Math.min(looked.toMs, overMs)
    const columns = first ? Object.fromEntries(shared) : null
    const ledgerFromMs = looked && own.ok ? own.fromMs : null
    const doubted = isEndDoubted ? {doubtedFromMs: toMs} : {}
    const rowsSpan = rows.ok ? {fromMs: rows.fromMs, toMs: rows.toMs} : null
    seen[kind] = {fromMs: looked?.fromMs ?? null, toMs, ledgerFromMs, ...doubted, rows: rowsSpan, columns}
  }
  return seen
}

/** Last, because it needs room in the temporary folder: without it the run is still recorded completely. */
async function sortFinalOrders({journal}: RunPorts): Promise<Failure | null> {
  try {
    await journal.sortFinalOrders()
    return null
  } catch (error) {
    if (error instanceof Failure && error.code !== 'bug') return error
    throw error
  }
}

// A run found `running` later was killed, and this one was not. If even this write fails, it is ignored.
async function endFailed(
  failure: Failure,
  request: RunRequest,
  {journal, runId, now, profile}: RunPorts,
): Promise<void> {
  try {
    const {untilMs} = request.options
    const {holds} = profile.ledger
    await rememberRows({...request, untilMs, holds, runId, nowMs: now()}, journal)
    await journal.finishRun(runId, {
      finishedAtMs: now(),
      status: 'finished',
      exitStatus: failure.exitStatus,
    })
  } catch (thrown) {
    asFailure(thrown)
  }
}

async function startOrResume(request: RunRequest, ports: RunPorts): Promise<number> {
  const {resume, options, ledger, reportDir, dryRun, businessDay} = request
  const {journal, runId, now, profile} = ports
  if (!resume) {
    const startedAtMs = now()
    const files = ledger.files.map(({path, sha256}) => ({path: resolve(path), sha256}))
    // Stored at the start, so that the time to examine is remembered whatever happens (`windowsSeen`).
    const {own, meetings} = await placeWindow(request, options, ports)
    const isToLook = own.ok && !dryRun && !options.skipDeliveries
    const looksFromMs = isToLook ? Object.fromEntries(meetings.map(({kind}) => [kind, own.fromMs])) : {}
    const isStatusUnread = ledger.files.some((file) => file.isStatusUnread)
    const weak = {...((dryRun || isStatusUnread) && own.ok ? {weak: own} : {}), isStatusUnread}
    const stored = JSON.stringify({
      ledger: files,
      options,
      service: serviceOf(profile),
      looksFromMs,
      ...weak,
      night: businessDay,
    })
    await journal.startRun({id: runId, command: 'reconcile', startedAtMs, options: stored, reportDir})
    return startedAtMs
  }
  const run = await journal.findRun(runId)
  if (!run)
    throw new Failure(
      'usage',
      `There is no run ${runId} of this profile.`,
      'Check the run id and the profile.',
    )
  await journal.resumeRun(runId)
  return run.startedAtMs
}

/**
 * Writes the files as one set. Even after a kill, report.json says that the run is over only if the other files do: it
 * is written first for an interim report, and last for a final one.
 */
async function writeReport(facts: ReconcileFacts, dir: string, isReplay: boolean): Promise<ReconcileReport> {
  const isInterim = facts.interim !== null
  const pathOf = (ending: 'csv' | 'xlsx', interim: boolean) =>
    join(dir, `findings.${interim ? 'partial.' : ''}${ending}`)
  const ofEnd = {mail: join(dir, 'report.eml'), booking: join(dir, 'booking.csv')}
  const stale = [
    pathOf('csv', !isInterim),
    pathOf('xlsx', !isInterim),
    ...(isInterim && !isReplay ? Object.values(ofEnd) : []),
  ]
  const paths: ReportPaths = {
    dir,
    json: join(dir, 'report.json'),
    csv: pathOf('csv', isInterim),
    xlsx: pathOf('xlsx', isInterim),
    html: join(dir, 'report.html'),
    // A replayed run has no list to book, because its orders would be booked twice.
    ...(isInterim || isReplay ? {mail: null, booking: null} : ofEnd),
  }
  const report = buildReport(facts, paths)
  makePrivateDir(dir)
  if (!isReplay) keepBooking(ofEnd.booking, facts.runId)
  const json = {path: paths.json, content: jsonDocument(report)}
  const html = {path: paths.html, content: reportHtml(report, facts)}
  const csv = {path: paths.csv, content: findingsCsv(report)}
  const xlsx = {path: paths.xlsx, content: findingsXlsx(report)}
  if (isInterim || isReplay) {
    writeSetAtomically(dir, [json, html, csv, xlsx], stale)
    return report
  }
  // booking.csv is written when the journal remembers its orders (`examineAndResend`).
  const {composeMail} = await import('../../report/mail/compose.ts')
  const mail = {path: ofEnd.mail, content: await composeMail(reportMail(report, facts))}
  writeSetAtomically(dir, [xlsx, csv, mail, html, json], [...stale, ofEnd.booking])
  return report
}

function stoppedStatus({reason}: AbortSignal): ExitStatus {
  return reason instanceof Failure ? reason.exitStatus : exitStatusOf.interrupted
}

type Remembered = Pick<ReconcileFacts, 'inDoubt' | 'itemMovement' | 'preparedBy'>

/** What the report takes from the journal. */
async function remember(
  {profile, journal, runId, now}: RunPorts,
  state: Reconciliation,
): Promise<Remembered> {
  return {
    inDoubt: (await openDoubts(journal, profile.name)).map((doubt) =>
      viewDoubt(doubt, now(), profile.ledger.timeZone),
    ),
    itemMovement: await itemMovement(runId, state.seen(), state.notFoundAgain.notExamined, journal),
    preparedBy: (await journal.findRun(runId))?.by ?? null,
  }
}

function unlessBug<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Failure && error.code !== 'bug') return instead
    throw error
  }
}

/** Everything for the report, at any point of the run. */
function collectFacts(
  request: RunRequest,
  ports: RunPorts,
  startedAtMs: number,
  state: Reconciliation,
  remembered: Remembered,
): Omit<ReconcileFacts, 'days'> {
  const {profile, runId, now, signal} = ports
  const {resumeCommand = `hisab reconcile --resume ${runId}`} = request
  const facts = {
    ...{runId, resumeCommand, resendsMax: request.options.resendsMax},
    profile: profile.name,
    merchantId: profile.merchantId,
    timeZone: profile.ledger.timeZone,
    dialect: profile.dialect,
    ledger: request.ledger.files.map(viewFile),
    startedAtMs,
    finishedAtMs: now(),
    dryRun: request.dryRun,
    findings: state.findings,
    tally: state.tally,
    ...state.notFoundAgain,
    doubts: request.ledger.doubts,
    notes: [...request.ledger.notes, ...state.notes],
    ...{...remembered, evidence: null},
    records: recordsOf(state.reading),
    receivers: state.receivers,
    ...{takenFrom: state.takenFrom, queriesPerSecond: state.queriesPerSecond},
    // Resends of an earlier process of this run count as planned, too.
    plannedResends: Iterator.from(state.findings).reduce((sum, {resend}) => sum + (resend ? 1 : 0), 0),
    tieOut: state.tieOut,
    ...{window: state.window, bookedEarlier: state.bookedEarlier},
    meetings: state.meetings,
    sinceLastRun: request.options.sinceLastRun === true,
    incompleteBecause: state.incompleteBecause,
    interim: null,
    notSent: null,
    calls: {...state.calls},
    clockSkewMs: state.clockSkewMs,
    all: request.listAll,
    sinceLast: request.sinceLast,
    ...{service: profile.baseUrl, lang: request.lang, businessDay: request.businessDay ?? null},
  }
  return signal.aborted ? asInterim(facts, 'the run was interrupted') : facts
}

function asInterim<Facts extends Omit<ReconcileFacts, 'days'>>(facts: Facts, because: string): Facts {
  const notOver = `${because}. To continue: ${facts.resumeCommand}`
  return {...facts, interim: because, incompleteBecause: [...facts.incompleteBecause, notOver]}
}

function viewFile({path, sha256, rows, totals}: LedgerFile): LedgerFileView {
  if (totals.length === 0) return {path, sha256, rows}
  const totalRows = totals.map(({line, label, amount, sum, agrees}) => ({
    ...{line, label, agrees},
    amount: amount === null ? null : formatPaisa(amount),
    sumOfRows: formatPaisa(sum),
  }))
  return {path, sha256, rows, totalRows}
}

function recordsOf({way, because, pagesRead, pagesTotal, lookUps}: DeliveryReading): RecordsRead {
  return {way, because, pagesRead, pagesTotal, lookUps}
}
