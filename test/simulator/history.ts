import {cpSync, mkdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'

import {playBulkResends} from './bulk-resends.ts'
import {converge} from './converge.ts'
import {Counts} from './counts.ts'
import type {Wish} from './create.ts'
import {judgeCeiling, playCreates} from './creates.ts'
import {Dice} from './dice.ts'
import type {Disk} from './disk.ts'
import {playIgnores} from './ignores.ts'
import {JournalReader} from './journal-reader.ts'
import type {ExportStyle} from './ledger-file.ts'
import {styleFrom} from './ledger-file.ts'
import type {NightEnd} from './night.ts'
import {JournalFile} from './night.ts'
import {playNights} from './nights.ts'
import {profile} from './profile.ts'
import {seededWorld} from './seeded-world.ts'
import {SendOracle} from './send-oracle.ts'
import type {Site} from './site.ts'
import {letTimePass} from './time-step.ts'
import {differences, settingsOf, toldFrom} from './tongue.ts'
import {Trace} from './trace.ts'
import {VirtualTime} from './virtual-time.ts'
import type {Word} from './words.ts'

const startMs = Date.UTC(2026, 10, 21, 3)
/** No run of so few orders is still at it after this long, a person's thinking and every `Retry-After` included. */
const runMsMax = 6 * 3_600_000

/** What every history of one process of ours is played in. */
export interface Ground {
  /** A folder of ours, on a file system in memory where there is one. */
  readonly root: string
  readonly disk: Disk
  /** A data directory with an empty journal in it. */
  readonly template: string
}

export interface HistoryEnd {
  readonly seed: number
  readonly hash: string
  /** What no history may show; empty where all is well. */
  readonly problems: readonly string[]
  readonly counts: Counts
  readonly lines: readonly string[]
}

/** One history, all of it made from its seed. */
export class History {
  readonly site: Site
  readonly dice: Dice
  readonly oracle: SendOracle
  readonly journal: JournalFile
  readonly problems: string[] = []
  readonly style: ExportStyle
  /** The orders somebody wanted made, which may be wanted again. */
  readonly wishes: Wish[] = []
  /** What somebody said to leave alone. */
  readonly words: Word[] = []
  /** Every process that ran, by run. */
  readonly runs = new Map<string, NightEnd[]>()
  readonly ground: Ground
  private runCount = 0
  private reader: JournalReader | null = null

  constructor(seed: number, ground: Ground, keepsLines: boolean) {
    this.ground = ground
    this.dice = new Dice(seed)
    const time = new VirtualTime(startMs)
    const world = seededWorld(new Dice(this.dice.seed()), startMs)
    const dir = join(ground.root, 'history')
    this.oracle = new SendOracle(world, () => this.readJournal())
    this.site = {
      ...{time, world, dir, disk: ground.disk, watch: this.oracle, told: toldFrom(this.dice, world.spoken)},
      dice: new Dice(this.dice.seed()),
      trace: new Trace(keepsLines, time.now),
      counts: new Counts(),
      ...{faultShare: 0, movesList: false},
    }
    const {told, counts} = this.site
    for (const point of settingsOf(told)) counts.add(`profiles that set ${point}`)
    for (const point of differences(told, world.spoken)) counts.add(`profiles mistaken in ${point}`)
    time.onMove = (toMs) => world.moveTo(toMs)
    this.style = styleFrom(this.dice)
    rmSync(dir, {recursive: true, force: true})
    cpSync(ground.template, dir, {recursive: true})
    mkdirSync(join(dir, 'reports'))
    this.journal = new JournalFile(dir)
  }

  readJournal(): JournalReader {
    this.reader ??= new JournalReader(journalPath(this.site.dir))
    return this.reader
  }

  say(text: string): void {
    this.site.trace.say(text)
  }

  /** Takes what an oracle found, and says it where it happened. */
  readonly blame = (problems: readonly string[]): void => {
    for (const problem of problems) {
      this.problems.push(problem)
      this.say(`  WRONG: ${problem}`)
    }
  }

  readonly runName = (): string => `run-${++this.runCount}`

  /** From now on a run that takes longer than any may is endless (P17). */
  limitTime(): void {
    this.site.time.limitMs = this.site.time.nowMs + runMsMax
  }

  /** Until somebody goes on with what was cut off. */
  pause(): void {
    const {site, dice} = this
    site.time.moveTo(site.time.nowMs + dice.pick([0, 1_000, 60_000, 3_600_000]))
    if (dice.chance(0.5)) site.faultShare = 0
  }

  private chooseWeather(): void {
    const {site, dice} = this
    site.faultShare = dice.chance(0.5) ? 0 : dice.pick([0.02, 0.08, 0.3])
    site.movesList = dice.chance(0.25)
  }

  private async playStep(): Promise<void> {
    const step = this.dice.weighted({night: 60, resends: 20, creates: 20})
    if (step === 'night') await playNights(this)
    else if (step === 'resends') await playBulkResends(this)
    else await playCreates(this)
  }

  async play(): Promise<void> {
    const {dice, oracle} = this
    const steps = dice.int(1, 4)
    try {
      for (let step = 0; step < steps && this.problems.length === 0; step++) {
        this.chooseWeather()
        await this.playStep()
        this.blame([...oracle.problems.splice(0), ...judgeCeiling(this)])
        if (dice.chance(0.4)) playIgnores(this)
        letTimePass(this)
      }
      if (this.problems.length === 0 && dice.chance(0.3)) {
        await converge(this)
        this.blame(oracle.problems.splice(0))
      }
    } finally {
      this.journal.close()
      this.reader?.close()
    }
  }
}

export async function playHistory(seed: number, ground: Ground, keepsLines = false): Promise<HistoryEnd> {
  const history = new History(seed, ground, keepsLines)
  try {
    await history.play()
  } catch (error) {
    history.blame([
      error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error),
    ])
  }
  const {site, problems} = history
  const {hash, lines} = site.trace
  return {seed, hash, problems, counts: site.counts, lines}
}

function journalPath(dir: string): string {
  return join(dir, 'journal', `${profile.name}-${profile.merchantId}.db`)
}
