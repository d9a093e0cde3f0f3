import {formatPaisa} from '../../core/money.ts'
import type {RecordsRead} from '../../core/reconcile/records-read.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'
import {viewDoubt} from '../../report/doubts-list.ts'
import type {LedgerFileView, ReconcileFacts} from '../../report/reconcile-report.ts'
import {openDoubts} from '../orders/doubts.ts'
import type {DeliveryReading} from './delivery-reading.ts'
import type {Reconciliation, RunPorts, RunRequest} from './types.ts'

/** What the report of a run is made of, at any point of it. */
export function collectFacts(
  request: RunRequest,
  ports: RunPorts,
  startedAtMs: number,
  state: Reconciliation,
): ReconcileFacts {
  const {profile, journal, runId, now, signal} = ports
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
    inDoubt: openDoubts(journal, profile.name).map((doubt) =>
      viewDoubt(doubt, now(), profile.ledger.timeZone),
    ),
    records: recordsOf(state.reading),
    ...{takenFrom: state.takenFrom, queriesPerSecond: state.queriesPerSecond},
    // Those an earlier process of this run made were of its plan as well.
    plannedResends: Iterator.from(state.findings).reduce((sum, {resend}) => sum + (resend ? 1 : 0), 0),
    tieOut: state.tieOut,
    ...{window: state.window, bookedEarlier: state.bookedEarlier},
    meetings: state.meetings,
    sinceLastRun: request.options.sinceLastRun === true,
    incompleteBecause: state.incompleteBecause,
    interim: null,
    calls: {...state.calls},
    clockSkewMs: state.clockSkewMs,
    all: request.listAll,
    sinceLast: request.sinceLast,
  }
  return signal.aborted ? asInterim(facts, 'the run was interrupted') : facts
}

export function asInterim(facts: ReconcileFacts, because: string): ReconcileFacts {
  const notOver = `${because}; go on with it: ${facts.resumeCommand}`
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
