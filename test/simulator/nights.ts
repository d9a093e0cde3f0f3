import {join} from 'node:path'

import type {History} from './history.ts'
import {writeLedger} from './ledger-file.ts'
import {type NightEnd, type NightOptions, playNight} from './night.ts'
import {type Fate, SimulatedProcess} from './process.ts'
import {ReportOracle} from './report-oracle.ts'

/** A night of `hisab reconcile` and whatever befalls it, gone on with until it ends or nobody cares to. */
export async function playNights(history: History): Promise<void> {
  const {dice, site} = history
  if (site.world.books.length === 0) return
  const options = nightOptions(history)
  site.faultShare = dice.chance(0.5) ? 0 : dice.pick([0.02, 0.08, 0.3])
  site.movesList = dice.chance(0.25)
  history.say(describe(options, site.faultShare))
  const ends: NightEnd[] = []
  history.runs.set(options.runId, ends)
  for (let go = 0; go < 3; go++) {
    const end = await playOnce(history, options, ends, fateFrom(history))
    const isOver = end.ending.is !== 'killed' && !end.process.stop.signal.aborted
    if (isOver || dice.chance(0.15)) return
    site.time.moveTo(site.time.nowMs + dice.pick([0, 1_000, 60_000, 3_600_000]))
    if (dice.chance(0.5)) site.faultShare = 0
  }
}

async function playOnce(history: History, options: NightOptions, ends: NightEnd[], fate: Fate): Promise<NightEnd> {
  const {site, oracle, journal} = history
  const resumes = ends.length > 0 && journal.get().findRun(options.runId) !== null
  const process = new SimulatedProcess(site, `reconcile ${options.runId}`, options.runId, fate)
  const {includeDelivered, ignoreCooldown, retryUnknown} = options
  oracle.expect(process, {maySend: !options.dryRun && options.says, includeDelivered, ignoreCooldown, retryUnknown})
  if (resumes) {
    history.say(`  hisab reconcile --resume ${options.runId}`)
    site.counts.add('resumes')
  }
  const end = await playNight(process, journal, options, resumes)
  ends.push(end)
  site.counts.add('reconciliations')
  judge(history, options, ends, end)
  return end
}

function judge(history: History, options: NightOptions, ends: readonly NightEnd[], end: NightEnd): void {
  const {site, oracle} = history
  const {ending, report} = end
  switch (ending.is) {
    case 'killed':
      history.say('  it was killed')
      return
    case 'failed':
      history.say(`  it failed: ${ending.failure.code}, exit ${ending.failure.exitStatus}`)
      site.counts.add(`reconcile fails: ${ending.failure.code}`)
      history.blame(judgeFailure(end))
      return
    case 'ended': {
      history.say(`  it ended with exit ${ending.value.status}`)
      site.counts.add(`reconcile ends with ${ending.value.status}`)
      if (!report) return history.blame(['it ended and there is no report'])
      for (const finding of report.findings) {
        site.counts.add(`verdict ${finding.verdict}`)
        if (finding.cause) site.counts.add(`cause ${finding.cause}`)
        if (finding.resend) site.counts.add(`resend ${finding.resend.state}`)
      }
      const before = new Map([...history.runs].filter(([runId]) => runId !== options.runId))
      const facts = {options, end, report, before, ofRun: ends, world: site.world, sends: oracle}
      history.blame(new ReportOracle({...facts, journal: history.readJournal()}).judge())
    }
  }
}

/** Whether a run that ended without a report had a reason to. */
function judgeFailure({ending, process, tries}: NightEnd): string[] {
  if (ending.is !== 'failed') return []
  const {code, message} = ending.failure
  const heard = tries.filter(({isHeard}) => isHeard)
  const reasons: Partial<Record<typeof code, boolean>> = {
    storage_failed: process.hitFullDisk,
    service_unreachable: heard.some(({hears}) => hears === 'not_sent'),
    credentials_rejected: heard.some(({reply}) => reply?.status === 401),
    too_many_resends: true,
    interrupted: process.stop.signal.aborted,
  }
  return reasons[code] ? [] : [`it failed with ${code}: ${message}`]
}

function nightOptions(history: History): NightOptions {
  const {dice, site, style} = history
  const runId = `run-${++history.runCount}`
  const says = !dice.chance(0.1)
  const ledger = writeLedger(join(site.dir, `${runId}.csv`), site.world.books, style)
  return {
    ...{runId, ledger, says, dryRun: dice.chance(0.15), thinksMs: dice.pick([0, 0, 5_000, 400_000])},
    ...{includeDelivered: dice.chance(0.12), ignoreCooldown: dice.chance(0.12), retryUnknown: dice.chance(0.15)},
    ...{skipSettled: dice.chance(0.3), skipDeliveries: dice.chance(0.05)},
    ...{concurrency: dice.pick([1, 4, 16]), settleMs: dice.pick([0, 10_000, 60_000])},
    resendsMax: dice.pick([100, 100, 100, 2]),
    reportDir: join(site.dir, 'reports', runId),
  }
}

/** The points around a send, where it matters most. */
const momentous = ['resend', 'Intent', 'settleResend', 'the service had resend', 'rename'] as const

function fateFrom({dice}: History): Fate {
  return {
    ...(dice.chance(0.25) ? {diesAt: dice.int(1, 80)} : {}),
    ...(dice.chance(0.25) ? {diesOn: {what: dice.pick(momentous), times: dice.int(1, 4)}} : {}),
    ...(dice.chance(0.08) ? {interruptedAt: dice.int(1, 60)} : {}),
    ...(dice.chance(0.08) ? {fullAt: dice.int(1, 40)} : {}),
  }
}

function describe(options: NightOptions, faultShare: number): string {
  const words = (['dryRun', 'includeDelivered', 'ignoreCooldown', 'retryUnknown', 'skipSettled', 'skipDeliveries'] as const).filter((word) => options[word])
  const faults = faultShare > 0 ? `, ${faultShare * 100}% of its calls in trouble` : ''
  return `hisab reconcile, run ${options.runId}, ${options.ledger.rows.length} rows${words.length ? `, ${words.join(', ')}` : ''}${options.says ? '' : ', and the answer is no'}${faults}`
}
