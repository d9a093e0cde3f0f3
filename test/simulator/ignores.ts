import {readIgnore} from '../../src/cli/ignores.ts'
import {Failure} from '../../src/core/failure.ts'
import type {Journal} from '../../src/journal/journal.ts'
import type {History} from './history.ts'
import {Death, type Fate, SimulatedProcess} from './process.ts'
import {profile} from './profile.ts'
import {atRiskOf, endOf, isSameTrouble, type Word} from './words.ts'

const hourMs = 3_600_000

/** A person says of some open findings to leave them alone, until a time that may come before the next night, or takes it back. */
export function playIgnores(history: History): void {
  const {dice, words, site} = history
  for (let count = dice.int(1, 3); count > 0; count--) {
    const holding = words.filter((word) => endOf(word) > site.time.nowMs)
    const word = holding.length > 0 && dice.chance(0.3) ? dice.pick(holding) : null
    if (word) takeBack(history, word)
    else leaveAlone(history)
  }
}

function leaveAlone(history: History): void {
  const {dice, site, journal, words} = history
  const open = journal.get().openFindings()
  if (open.length === 0) return
  const {kind, verdict, orderNo} = dice.pick(open)
  const nowMs = site.time.nowMs
  const untilMs =
    nowMs + dice.pick([-hourMs, hourMs / 6, hourMs, 8 * hourMs, 30 * hourMs, 240 * hourMs, 240 * hourMs])
  const until = {text: new Date(untilMs).toISOString(), resolve: () => untilMs}
  const names = open.filter((one) => one.orderNo === orderNo).length > 1 ? {kind, verdict} : {}
  const said = {reason: 'settled by hand', until, by: 'rahima', ...(dice.chance(0.9) ? names : {})}
  const isSaidWell = untilMs > nowMs && (!('kind' in names) || 'kind' in said)
  const told = write(history, `ignores add ${orderNo} (${verdict}) --until ${until.text}`, (ofProcess) =>
    ofProcess.addIgnore(readIgnore(orderNo, said, ofProcess, profile.ledger.timeZone, nowMs)),
  )
  if (isSaidWell !== (told !== 'usage')) history.blame([`ignores add ended with ${told}`])
  const kept = history.readJournal().newestIgnore()
  const isKept = kept !== null && kept.id !== words.at(-1)?.id
  if (isKept !== (typeof told === 'number') && told !== 'killed')
    history.blame([`ignores add ended with ${told}, and ${isKept ? 'a' : 'no'} word was written down`])
  if (!isKept) return
  const shown = lastShown(history, {kind, orderNo, verdict})
  if (!shown.has(kept.atRisk))
    history.blame([`a word about ${orderNo} is kept for ${kept.atRisk}, and no report showed that`])
  words.push({
    id: kept.id,
    kind,
    orderNo,
    verdict,
    atRisk: kept.atRisk,
    fromMs: nowMs,
    untilMs,
    takenBackMs: Number.POSITIVE_INFINITY,
  })
  site.counts.add('findings a person said to ignore')
}

function takeBack(history: History, word: Word): void {
  const {site, blame} = history
  const told = write(history, `ignores remove ${word.id}`, (ofProcess) =>
    ofProcess.removeIgnore(word.id, 'karim', site.time.nowMs),
  )
  const isGone = history.readJournal().isTakenBack(word.id)
  if (isGone !== (told === true) && told !== 'killed')
    blame([`ignores remove ended with ${told}, and it is ${isGone ? '' : 'not '}taken back`])
  if (!isGone) return
  word.takenBackMs = site.time.nowMs
  site.counts.add('words taken back')
}

/** What one short process was told: what it wrote, or how it ended. */
function write<T>(
  history: History,
  what: string,
  work: (journal: Journal) => T,
): T | 'killed' | Failure['code'] {
  const {dice, site, journal} = history
  const fate: Fate = dice.chance(0.1) ? {diesAt: dice.int(1, 2)} : dice.chance(0.05) ? {fullAt: 1} : {}
  const process = new SimulatedProcess(site, what, '', fate)
  history.say(`hisab ${what}`)
  try {
    return work(process.journal(journal.get()))
  } catch (error) {
    if (error instanceof Failure) return error.code
    if (!(error instanceof Death)) throw error
    journal.close()
    return 'killed'
  } finally {
    process.leave()
  }
}

/** What the reports said was at risk of it: the last of a night that ended, and those of killed ones since. */
function lastShown({runs}: History, trouble: Pick<Word, 'kind' | 'orderNo' | 'verdict'>): Set<string | null> {
  const shown = new Set<string | null>()
  const ends = [...runs.values()].flat().toSorted((a, b) => a.startedMs - b.startedMs)
  for (const {ending, report} of ends.toReversed()) {
    const atRisk = report?.findings.some((finding) => isSameTrouble(trouble, finding))
      ? atRiskOf(report.findings, trouble)
      : undefined
    if (atRisk !== undefined) shown.add(atRisk)
    if (atRisk !== undefined && ending.is === 'ended') break
  }
  return shown
}
