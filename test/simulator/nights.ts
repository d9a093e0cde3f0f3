import {join} from 'node:path'

import {fateFrom, judgeEnding} from './fates.ts'
import type {History} from './history.ts'
import {playIgnores} from './ignores.ts'
import {writeLedger} from './ledger-file.ts'
import {type NightEnd, type NightOptions, playNight} from './night.ts'
import {type Fate, SimulatedProcess} from './process.ts'
import {judgeFiles, readFiles} from './report-files.ts'
import {ReportOracle} from './report-oracle.ts'
import {compareReports, isComparable, playTwin} from './twin.ts'
import {boundsFrom} from './window.ts'

/** A night of `hisab reconcile` and whatever befalls it, gone on with until it ends or nobody cares to. */
export async function playNights(history: History): Promise<void> {
  const {dice, site} = history
  if (site.world.books.length === 0) return
  const options = nightOptions(history)
  history.say(describe(options, site.faultShare))
  const ends: NightEnd[] = []
  history.runs.set(options.runId, ends)
  if (dice.chance(0.25)) return await playBesideTwin(history, options, ends)
  for (let go = 0; go < 3; go++) {
    const end = await playOnce(history, options, ends, fateFrom(history))
    const isOver = end.ending.is !== 'killed' && !end.process.stop.signal.aborted
    if (isOver || dice.chance(0.15)) return
    history.pause()
    if (dice.chance(0.15)) playIgnores(history)
  }
}

/** The same night twice: once whole in a copy of the world, once killed at some point of it and gone on with. */
async function playBesideTwin(history: History, options: NightOptions, ends: NightEnd[]): Promise<void> {
  const {dice, site} = history
  Object.assign(site, {faultShare: 0, movesList: false})
  const twin = await playTwin(history, options, dice.seed())
  history.say(`  beside a twin that nobody disturbs, and that passed ${twin.end.process.points} points`)
  let fate: Fate = {diesAt: dice.int(1, twin.end.process.points)}
  let end: NightEnd
  do {
    end = await playOnce(history, options, ends, fate)
    fate = dice.chance(0.2) ? {diesAt: dice.int(1, 40)} : {}
  } while (end.ending.is === 'killed')
  if (!isComparable(twin, site.time.nowMs)) {
    site.counts.add('twins that time came between')
    return
  }
  site.counts.add('twins compared')
  const [whole, resumed] = [twin.end, end].map(({ending}) =>
    ending.is === 'failed' ? ending.failure.code : ending.is,
  )
  if (whole !== resumed) {
    history.blame([`uninterrupted it ${whole}, resumed it ${resumed} (P15)`])
    return
  }
  if (whole === 'ended' && twin.end.report && end.report)
    history.blame(compareReports(twin.end.report, end.report))
}

/** One process of a night, judged as soon as it is over. */
export async function playOnce(
  history: History,
  options: NightOptions,
  ends: NightEnd[],
  fate: Fate,
): Promise<NightEnd> {
  const {site, oracle, journal} = history
  const resumes = ends.length > 0 && journal.get().findRun(options.runId) !== null
  const process = new SimulatedProcess(site, `reconcile ${options.runId}`, options.runId, fate)
  const {includeDelivered, ignoreCooldown, retryUnknown} = options
  oracle.expect(process, {
    maySend: !options.dryRun && options.says,
    includeDelivered,
    ignoreCooldown,
    retryUnknown,
  })
  if (resumes) {
    history.say(`  hisab reconcile --resume ${options.runId}`)
    site.counts.add('resumes')
  }
  const before = readFiles(options.reportDir)
  history.limitTime()
  const end = await playNight(process, journal, options, resumes)
  ends.push(end)
  site.counts.add('reconciliations')
  history.blame(judgeFiles(options.reportDir, before, end.ending.is === 'killed'))
  history.blame(judgeCalls(end, options))
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
      history.blame(judgeEnding(end))
      return
    case 'ended': {
      history.say(`  it ended with exit ${ending.value.status}`)
      site.counts.add(`reconcile ends with ${ending.value.status}`)
      if (!report) {
        history.blame(['it ended and there is no report'])
        return
      }
      site.counts.add(`records read by ${report.records.way}`)
      for (const finding of report.findings) {
        site.counts.add(`verdict ${finding.verdict}`)
        if (finding.cause) site.counts.add(`cause ${finding.cause}`)
        if (finding.resend) site.counts.add(`resend ${finding.resend.state}`)
      }
      const before = new Map([...history.runs].filter(([runId]) => runId !== options.runId))
      const facts = {
        options,
        end,
        report,
        before,
        ofRun: ends,
        world: site.world,
        sends: oracle,
        words: history.words,
      }
      history.blame(new ReportOracle({...facts, journal: history.readJournal()}).judge())
    }
  }
}

/** Every call, retry and wait has a bound (P17); this one is far above what any run of so few orders may need. */
function judgeCalls({tries, process}: NightEnd, {ledger}: NightOptions): string[] {
  const {world} = process.site
  const pages = Math.ceil(world.records.length / world.pageSize) + 3
  const sends = tries.filter(({request}) => request.name === 'resend').length
  const callsMax =
    3 * (13 * ledger.rows.length + 3 * world.records.length + 9 * pages) + 80 * (sends + world.records.length)
  return tries.length > callsMax
    ? [`${tries.length} calls were made, and ${callsMax} are more than enough (P17)`]
    : []
}

function nightOptions(history: History): NightOptions {
  const {dice, site, style} = history
  const runId = history.runName()
  const says = !dice.chance(0.1)
  const {shape, sinceMs, untilMs} = boundsFrom(dice, site.world)
  site.counts.add(`nights with ${shape}`)
  const {books} = site.world
  const inside = books.filter(
    ({createdMs}) => createdMs >= (sinceMs ?? 0) && createdMs < (untilMs ?? createdMs + 1),
  )
  // Some export but the time they ask about, and then rows of orders paid later than made are not in it.
  const exported = inside.length > 0 && dice.chance(0.3) ? inside : books
  const ledger = writeLedger(join(site.dir, `${runId}.csv`), exported, style)
  return {
    ...{runId, ledger, says, dryRun: dice.chance(0.15), thinksMs: dice.pick([0, 0, 5_000, 400_000])},
    ...{
      includeDelivered: dice.chance(0.12),
      ignoreCooldown: dice.chance(0.12),
      retryUnknown: dice.chance(0.15),
    },
    ...{skipFinal: dice.chance(0.3), skipDeliveries: dice.chance(0.05)},
    ...{sinceMs, untilMs, wholeList: dice.chance(0.05)},
    ...{concurrency: dice.pick([1, 4, 16]), settleMs: dice.pick([0, 10_000, 60_000])},
    resendsMax: dice.pick([100, 100, 100, 2]),
    reportDir: join(site.dir, 'reports', dice.chance(0.5) ? runId : 'nightly'),
  }
}

function describe(options: NightOptions, faultShare: number): string {
  const words = (
    [
      'dryRun',
      'includeDelivered',
      'ignoreCooldown',
      'retryUnknown',
      'skipFinal',
      'skipDeliveries',
      'wholeList',
    ] as const
  ).filter((word) => options[word])
  const bounds = [
    options.sinceMs === null ? '' : `, --since ${new Date(options.sinceMs).toISOString()}`,
    options.untilMs === null ? '' : `, --until ${new Date(options.untilMs).toISOString()}`,
  ].join('')
  const faults = faultShare > 0 ? `, ${faultShare * 100}% of its calls in trouble` : ''
  return `hisab reconcile, run ${options.runId}, ${options.ledger.rows.length} rows${words.length ? `, ${words.join(', ')}` : ''}${bounds}${options.says ? '' : ', and the answer is no'}${faults}`
}
