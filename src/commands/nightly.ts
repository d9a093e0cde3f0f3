import {readFileSync} from 'node:fs'
import {hostname} from 'node:os'
import {join, resolve} from 'node:path'
import {stripVTControlCharacters} from 'node:util'

import {BaseCommand} from '../cli/base-command.ts'
import {toFailure} from '../cli/failures.ts'
import {writtenFlags} from '../cli/flags.ts'
import {sleepUnlessStopped} from '../cli/interrupt.ts'
import {attemptRun} from '../cli/nightly/attempt.ts'
import {type NightlyFlags, nightlyFlags} from '../cli/nightly/flags.ts'
import {exportLedger, lookAt} from '../cli/nightly/ledger-files.ts'
import {NightlyLog} from '../cli/nightly/log.ts'
import {
  beat,
  environmentOfExport,
  runBreakCommand,
  sendMetrics,
  writeMetrics,
} from '../cli/nightly/outward.ts'
import {type NightlyResult, nightlyText, viewNightly} from '../cli/nightly/view.ts'
import {newRunId} from '../cli/run-id.ts'
import {hideSecret} from '../cli/streams.ts'
import {unwrap} from '../cli/unwrap.ts'
import type {LoadedProfile} from '../config/load-profile.ts'
import {Failure, worstStatus} from '../core/failure.ts'
import {formatMinute} from '../core/time.ts'
import {fileNameOf} from '../files/file-name.ts'
import {type BusinessDay, businessDay, pathOfDay, windowEnd} from '../workflows/nightly/business-day.ts'
import {type NightlyEnd, runNightly} from '../workflows/nightly/job.ts'

export default class Nightly extends BaseCommand {
  static override summary =
    'Reconcile the ledger of the day that ended: one command for cron, systemd, Kubernetes.'

  static override description = unwrap(`
    hisab finds the ledger of the business day that ended last in the ledger's time zone, or has it exported. It waits
    until the file is there and no longer grows. It refuses the file of another day. Then it does what \`hisab reconcile
    --since-last-run --yes\` does, and tries again until --until where a later try can help: the service could not be reached
    (5), a resend is in doubt (6), something could not be checked (8), another run is at work (9). A later try continues the
    run and sends nothing twice.

    The exit status is that of the last try. Figures, heartbeats and commands never change it to a better one. A break is
    always 7: limits only decide whether it raises an alarm. docs/nightly.md sets it up.
  `)

  static override examples = [
    {
      description: 'Wait for the export, and try again until five:',
      command:
        '<%= config.bin %> <%= command.id %> --ledger "/exports/ledger-{date}.csv" --wait-for 2h --until 05:00',
    },
    {
      description: 'Have the ledger exported, and tell the monitoring:',
      command:
        '<%= config.bin %> <%= command.id %> --export-command /usr/local/bin/export-ledger --metrics-file /var/lib/node_exporter/hisab.prom',
    },
    {
      description: 'Make up for a night that failed:',
      command: '<%= config.bin %> <%= command.id %> --ledger "/exports/ledger-{date}.csv" --day 2026-11-20',
    },
  ]

  static override flags = nightlyFlags

  async run(): Promise<NightlyResult> {
    const {flags, metadata} = await this.parse(Nightly)
    const written = writtenFlags({flags, metadata})
    const startedMs = Date.now()
    let job: Job
    try {
      job = await this.begin(flags, startedMs)
    } catch (error) {
      const failure = toFailure(error, 'nightly', Object.keys(Nightly.flags))
      // If two jobs run at once, the first one reports the end.
      if (failure.code !== 'locked') await this.beat(flags, 'fail', failure.message)
      throw failure
    }
    const {day, paths, untilMs, log} = job
    job.note(await this.beat(flags, 'start', `${day.date}, ${day.why}.`))
    job.tell('day', `The ledger of ${day.date}, ${day.why}`)
    const {signal} = this.context
    const ended = await runNightly(
      {
        ...{day, paths, untilMs, exports: flags['export-command'] !== undefined, waitMs: flags['wait-for']},
        gates: {maxBreaks: flags['max-breaks'] ?? null, maxBreakAmount: flags['max-break-amount'] ?? null},
      },
      {
        now: Date.now,
        sleep: (ms) => sleepUnlessStopped(ms, signal),
        signal,
        look: async (path) => lookAt(path),
        exportLedger: (timeoutMs) => this.export(flags, job, timeoutMs),
        reconcile: (found) =>
          attemptRun(found, {
            ...{config: this.config, argv: this.argv, flags, written, day},
            onRun: (runId) => log.add({runId}),
            tell: (text) => job.tell('note', text),
          }),
        failureOf: (error) => toFailure(error, 'nightly'),
        tell: job.tell,
      },
    )
    return await this.finish(ended, flags, job)
  }

  /** What a person must fix is found before any waiting: flags, profile, credentials, a running job. */
  private async begin(flags: NightlyFlags, startedMs: number): Promise<Job> {
    const loaded = await this.context.loadProfile(flags.profile)
    const {profile} = loaded
    const {timeZone} = profile.ledger
    const day = businessDay(flags.day, startedMs, timeZone)
    const untilMs = flags.until === undefined ? null : windowEnd(flags.until, day)
    const toPath = join(
      ...[this.context.dataDir, 'ledgers', fileNameOf(profile.name), `ledger-${day.date}.csv`],
    )
    const paths = flags.ledger?.map((pattern) => resolve(pathOfDay(pattern, day))) ?? [toPath]
    if (flags.ledger === undefined && flags['export-command'] === undefined) {
      throw new Failure(
        'usage',
        'No ledger was named.',
        "For example: `hisab nightly --ledger '/exports/ledger-{date}.csv'`, or --export-command.",
      )
    }
    for (const secret of await this.secretsOf(loaded, flags)) hideSecret(secret)
    const log = new NightlyLog(flags['log-file'] ?? null, timeZone, {
      ...{night: newRunId(startedMs), day: day.date, profile: profile.name, runId: null},
    })
    this.context.onClose(() => log.close())
    if (flags['log-json']) log.takeStderr()
    const since = formatMinute(startedMs, timeZone)
    const {acquireNightLock} = await import('../journal/lock.ts')
    const doing = `process ${process.pid} on ${hostname()} since ${since}, ledger of ${day.date}`
    const lock = acquireNightLock(this.context.dataDir, profile, doing)
    this.context.onClose(() => lock.release())
    const notDone: string[] = []
    const tell: Job['tell'] = (event, text, fields) => {
      log.write(event, text, fields)
      if (!flags['log-json']) this.tell(isNote.test(stripVTControlCharacters(text)) ? text : `note: ${text}.`)
    }
    const note = (problem: string | null) => {
      if (problem === null) return
      notDone.push(`${problem}.`)
      tell('warning', `warning: ${problem}.`)
    }
    const exportTo = flags.ledger === undefined ? toPath : null
    return {...{day, untilMs, paths, exportTo, log, tell, note, notDone}, profile: profile.name}
  }

  private async secretsOf(loaded: LoadedProfile, flags: NightlyFlags): Promise<string[]> {
    if (flags['no-deliveries']) return [await loaded.apiSecret()]
    const {apiSecret, apiKey} = await loaded.credentials()
    return [apiSecret, apiKey]
  }

  private async export(flags: NightlyFlags, {day, paths, exportTo}: Job, timeoutMs: number) {
    const env = environmentOfExport({HISAB_DAY: day.date, HISAB_LEDGER: paths[0] ?? ''})
    const command = flags['export-command'] ?? ''
    return await exportLedger({command, env, toPath: exportTo, timeoutMs, signal: this.context.signal})
  }

  /**
   * Reports the result everywhere. Only a file that was asked for and could not be written makes the status worse.
   */
  private async finish(ended: NightlyEnd, flags: NightlyFlags, job: Job): Promise<NightlyResult> {
    const {day, note, notDone, profile, log} = job
    let end = ended
    const viewOf = () => ({...{day, profile}, result: viewNightly(end, day, notDone)})
    const path = flags['metrics-file']
    try {
      if (path !== undefined) writeMetrics(path, end, viewOf())
    } catch (error) {
      const failure = toFailure(error, 'nightly')
      note(`--metrics-file: ${failure.clause}`)
      end = {...end, status: worstStatus([end.status, failure.exitStatus]), isAlarm: true}
    }
    note(await sendMetrics(end, viewOf(), this.config.version))
    const {signal} = this.context
    const command = flags['on-break-command']
    if (command !== undefined && end.run !== null && end.run.breaks > 0 && !signal.aborted)
      note(await runBreakCommand(command, end, viewOf(), signal))
    const text = nightlyText(end, day)
    note(await this.beat(flags, end.isAlarm ? 'fail' : '', text))
    const {result} = viewOf()
    log.write('end', text, {result})
    if (flags['mail-to-stdout']) await this.show(await this.mailOf(end, text, flags, job))
    if (end.failure) throw end.failure
    if (!flags['mail-to-stdout']) await this.show(text)
    this.endWith(end.status)
    return result
  }

  /** The mail of the last run's report; without one, a mail that says so. */
  private async mailOf(
    end: NightlyEnd,
    text: string,
    {lang}: NightlyFlags,
    {day, profile}: Job,
  ): Promise<string> {
    const {reports} = end.run ?? {}
    if (end.failure === null && reports?.mail != null) return readFileSync(reports.mail, 'latin1')
    const {composeMail} = await import('../report/mail/compose.ts')
    const {failureMail} = await import('../report/mail/failure-mail.ts')
    const said = end.failure === null ? text : `${text}\n${end.failure.hint}`
    return (await composeMail(failureMail(said, {...end, day: day.date, profile, lang}))).toString('latin1')
  }

  private async beat(flags: NightlyFlags, word: '' | 'start' | 'fail', text: string): Promise<string | null> {
    // Not an `env` of the flag: oclif would show its value in the help.
    const url = flags.heartbeat ?? process.env.HISAB_HEARTBEAT
    return url ? await beat(url, word, text) : null
  }
}

/** Lines with a label of their own. */
const isNote = /^(?:error|note|warning|Calls|Plan):/

/** What is known before the job waits for anything. */
interface Job {
  readonly day: BusinessDay
  readonly untilMs: number | null
  readonly paths: readonly string[]
  /** Where the output of --export-command is kept; null: it writes the ledger itself. */
  readonly exportTo: string | null
  readonly profile: string
  readonly log: NightlyLog
  readonly tell: (event: string, text: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly note: (problem: string | null) => void
  readonly notDone: readonly string[]
}
