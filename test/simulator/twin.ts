import {cpSync, rmSync} from 'node:fs'
import {join} from 'node:path'

import type {FindingView} from '../../src/report/reconcile-report.ts'
import type {ReportDocument} from '../report/report-document.ts'
import {Counts} from './counts.ts'
import {Dice} from './dice.ts'
import type {History} from './history.ts'
import {JournalFile, type NightEnd, type NightOptions, playNight} from './night.ts'
import {SimulatedProcess} from './process.ts'
import type {Site} from './site.ts'
import {Trace} from './trace.ts'
import {VirtualTime} from './virtual-time.ts'
import {endOf} from './words.ts'

/** The same night in a copy of the world, where nobody disturbs it. */
export interface Twin {
  readonly end: NightEnd
  readonly startedMs: number
  /** Moments at which a decision changes by itself: what has one between its beginnings and ends proves nothing. */
  readonly turningMs: readonly number[]
}

export async function playTwin(history: History, options: NightOptions, seed: number): Promise<Twin> {
  const {site, journal, ground, oracle} = history
  const dir = join(ground.root, 'twin')
  journal.close()
  rmSync(dir, {recursive: true, force: true})
  cpSync(site.dir, dir, {recursive: true})
  const world = site.world.copy()
  const time = new VirtualTime(site.time.nowMs)
  time.onMove = (toMs) => world.moveTo(toMs)
  const twin: Site = {
    ...site,
    ...{world, time, dir, dice: new Dice(seed), trace: new Trace(false, time.now), counts: new Counts()},
    watch: {onCall() {}, onArrival() {}, onEnd() {}},
  }
  const journalOfTwin = new JournalFile(dir)
  const process = new SimulatedProcess(twin, `reconcile ${options.runId}`, options.runId)
  const reportDir = options.reportDir.replace(site.dir, dir)
  const startedMs = time.nowMs
  const end = await playNight(process, journalOfTwin, {...options, reportDir}, false)
  journalOfTwin.close()
  const sent = [...oracle.sends.values()].flat().map(({made}) => made.startedMs + 8 * 3_600_000)
  const moments = site.world.records.flatMap(({createdMs, sentMs, nextRetryMs}) => [
    ...[createdMs + 1_800_000, (sentMs ?? 0) + 1_800_000],
    ...(nextRetryMs === null ? [] : [nextRetryMs, nextRetryMs + 1_800_000]),
  ])
  const words = history.words.map(endOf)
  const outages = site.world.outages.flatMap(({fromMs, toMs}) => [fromMs, toMs])
  return {end, startedMs, turningMs: [...sent, ...moments, ...words, ...outages, site.world.nextDueMs()]}
}

/** Whether the two nights can be compared: nothing turned while either went on. */
export function isComparable({startedMs, turningMs, end}: Twin, endedMs: number): boolean {
  const lastMs = Math.max(endedMs, end.process.site.time.nowMs)
  // What is written down as of a time may be a little off the call it belongs to.
  return turningMs.every((ms) => ms < startedMs - 300_000 || ms > lastMs + 1_000)
}

/** What the report of a night that was killed and gone on with has otherwise than its twin's (P15). */
export function compareReports(whole: ReportDocument, resumed: ReportDocument): string[] {
  const problems: string[] = []
  const others = new Map(resumed.findings.map((finding) => [placeOf(finding), finding]))
  let unknown = 0
  for (const finding of whole.findings) {
    const other = others.get(placeOf(finding))
    others.delete(placeOf(finding))
    const isUnknown = other?.resend?.state === 'unknown'
    if (isUnknown) unknown += 1
    const [a, b] = [finding, other].map((one) => one && essenceOf(one, isUnknown))
    if (a !== b) problems.push(`${placeOf(finding)}: uninterrupted ${a}, resumed ${b} (P15)`)
  }
  for (const [place, other] of others)
    problems.push(`${place}: only the resumed run has it: ${essenceOf(other, false)} (P15)`)
  if (unknown > 0) return problems
  const [a, b] = [whole, resumed].map(({complete, counts, resends, tieOut, atRisk}) =>
    JSON.stringify({complete, counts, resends, tieOut, atRisk}),
  )
  if (a !== b) problems.push(`uninterrupted ${a}, resumed ${b} (P15)`)
  return problems
}

function placeOf({line, kind, orderNo}: FindingView): string {
  return `line ${line}, ${kind} ${orderNo}`
}

function essenceOf(finding: FindingView, isUnknown: boolean): string {
  const {verdict, cause, action, severity, ledger, provider, delivery, resend, history, delivered, ignored} =
    finding
  const state = isUnknown ? 'unknown' : (resend?.state ?? null)
  const record = delivery && {id: delivery.id, status: delivery.status, attempts: delivery.attempts}
  return JSON.stringify([
    verdict,
    cause,
    action,
    severity,
    ledger,
    provider,
    record,
    state,
    history?.state,
    delivered,
    ignored?.id,
  ])
}
