import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

import {ServiceClient} from '../../src/api/client.ts'
import {Failure} from '../../src/core/failure.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {readLedger} from '../../src/ledger/read-ledger.ts'
import {runReconcile} from '../../src/workflows/reconcile/run.ts'
import {Worksheet} from '../../src/worksheet/worksheet.ts'
import type {ReportDocument} from '../report/report-document.ts'
import type {WrittenLedger} from './ledger-file.ts'
import {SimulatedNetwork, type Try} from './network.ts'
import type {SimulatedProcess} from './process.ts'
import {profile, profileOf} from './profile.ts'
import {apiKey, secret} from './service.ts'

/** What the nightly job, or a person, says to `hisab reconcile`. */
export interface NightOptions {
  readonly runId: string
  readonly ledger: WrittenLedger
  readonly dryRun: boolean
  /** What is answered to the question, and after how long. */
  readonly says: boolean
  readonly thinksMs: number
  readonly includeDelivered: boolean
  readonly ignoreCooldown: boolean
  readonly retryUnknown: boolean
  readonly skipFinal: boolean
  readonly skipDeliveries: boolean
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly wholeList: boolean
  readonly concurrency: number
  readonly settleMs: number
  readonly resendsMax: number
  readonly reportDir: string
}

/** How a process ended: by itself, by a `Failure`, or killed. */
export type Ending<T> =
  | {readonly is: 'ended'; readonly value: T}
  | {readonly is: 'failed'; readonly failure: Failure}
  | {readonly is: 'killed'}

export interface NightEnd {
  readonly process: SimulatedProcess
  readonly tries: readonly Try[]
  readonly startedMs: number
  readonly ending: Ending<{readonly status: number}>
  /** What stands in the folder of the report when the process is over; null: nothing that can be read. */
  readonly report: ReportDocument | null
}

/** The journal of one data directory, as its processes find it: opened anew after a kill. */
export class JournalFile {
  private readonly dir: string
  private open: Journal | null = null

  constructor(dir: string) {
    this.dir = dir
  }

  get(): Journal {
    this.open ??= openJournal(this.dir, profile)
    return this.open
  }

  close(): void {
    this.open?.close()
    this.open = null
  }
}

/** Runs one process to its end, whichever that is, on the virtual clock. */
export async function live<T>(
  process: SimulatedProcess,
  journal: JournalFile,
  work: () => Promise<T>,
  endsIt = true,
): Promise<Ending<T>> {
  const {time, disk} = process.site
  const restore = time.install()
  disk.process = process
  try {
    const ended = await time.play<T | 'died'>(endsIt ? Promise.race([work(), process.death]) : work())
    return process.isDead ? {is: 'killed'} : {is: 'ended', value: ended as T}
  } catch (error) {
    if (process.isDead) return {is: 'killed'}
    if (error instanceof Failure) return {is: 'failed', failure: error}
    throw error
  } finally {
    disk.process = null
    restore()
    if (process.isDead && endsIt) journal.close()
    process.leave()
  }
}

/** A client as the commands make one, on the simulated network. */
export function clientOf(
  process: SimulatedProcess,
  network: SimulatedNetwork,
  concurrencyMax: number,
): ServiceClient {
  const {time, dice} = process.site
  return new ServiceClient({
    profile: profileOf(process.site.told),
    credentials: {apiSecret: secret, apiKey},
    ...{now: time.now, random: dice.next, sleep: process.sleep, signal: process.stop.signal},
    ...{dispatcher: network.dispatcher, concurrencyMax},
  })
}

/** One process of `hisab reconcile`, put together as the command does it. */
export async function playNight(
  process: SimulatedProcess,
  journal: JournalFile,
  options: NightOptions,
  resume: boolean,
): Promise<NightEnd> {
  const {site} = process
  const {time} = site
  const sheet = new Worksheet()
  const reading = {mapping: defaultLedgerMapping, kind: null}
  const ledger = await readLedger([options.ledger.path], reading, sheet.ledger)
  const network = new SimulatedNetwork(process)
  const startedMs = time.nowMs
  const ending = await live(process, journal, async () => {
    const journalOfProcess = process.journal(journal.get())
    const lock = acquireRunLock(site.dir, profile)
    const client = clientOf(process, network, options.concurrency)
    try {
      return await Promise.race([
        runReconcile(
          {
            ...{ledger, sheet, resume, dryRun: options.dryRun, reportDir: options.reportDir},
            ...{listAll: true, sinceLast: false},
            options: reconcileOptionsOf(options),
          },
          {
            ...{profile: profileOf(site.told), client, journal: journalOfProcess, runId: options.runId},
            ...{now: time.now, sleep: process.sleep, signal: process.stop.signal},
            approve: async () => {
              await process.sleep(options.thinksMs)
              return options.says
            },
          },
        ),
        process.death.then(() => ({status: -1})),
      ])
    } finally {
      // The kernel drops it with the process.
      lock.release()
      sheet.close()
      await client.close()
    }
  })
  return {process, tries: network.tries, startedMs, ending, report: readReport(options.reportDir)}
}

function reconcileOptionsOf(options: NightOptions) {
  const {includeDelivered, ignoreCooldown, retryUnknown} = options
  return {
    ...{kind: null, sinceMs: options.sinceMs, untilMs: options.untilMs, wholeList: options.wholeList},
    ...{rate: null, resendsPerSecond: 5},
    overrides: {includeDelivered, ignoreCooldown, retryUnknown},
    ...{skipDeliveries: options.skipDeliveries, skipFinal: options.skipFinal},
    ...{concurrency: options.concurrency, settleMs: options.settleMs, resendsMax: options.resendsMax},
  }
}

function readReport(dir: string): ReportDocument | null {
  const path = join(dir, 'report.json')
  if (!existsSync(path)) return null
  return JSON.parse(readFileSync(path, 'utf8')) as ReportDocument
}
