import {join, resolve} from 'node:path'

import type {LoadedProfile} from '../../config/load-profile.ts'
import {settingsOfFindings} from '../../config/settings-list.ts'
import {Failure} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import {ledgerColumns} from '../../core/profile.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant, startOfNextDay} from '../../core/time.ts'
import {requireTrusted} from '../../files/trust.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RunRow} from '../../journal/rows.ts'
import {withoutCopies} from '../../ledger/copied-files.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {ReconcileOptions} from '../../workflows/reconcile/types.ts'
import {refuseAlive} from '../../workflows/resend/resume.ts'
import type {Context} from '../context.ts'
import {newRunId} from '../run-id.ts'
import {resolveWindow} from '../time-flag.ts'
import type {ReconcileFlags} from './flags.ts'
import {delimiterOf, mappingWith} from './ledger-flags.ts'

const resendsPerSecondMax = 5

export type ReconcileInput = Awaited<ReturnType<typeof readReconcileInput>>

/**
 * Reads everything a run needs before anything is sent: a damaged file ends it here. `isOwn`: the run to resume is
 * this process's. `businessDay`: that of a nightly job, `2026-11-21`.
 */
export async function readReconcileInput(
  argv: readonly string[],
  flags: ReconcileFlags,
  loaded: LoadedProfile,
  context: Context,
  isOwn = false,
  businessDay: string | null = null,
) {
  const {profile} = loaded
  const journal = flags.resume === undefined && argv.length === 0 ? null : await context.journal(loaded)
  const run = flags.resume === undefined ? null : await findRun(flags.resume, journal)
  if (run && !isOwn) refuseAlive(run)
  const stored = run && readStored(run)
  const {paths, copies} = withoutCopies(argv.length > 0 ? argv : (stored?.ledger.map(({path}) => path) ?? []))
  if (journal === null || paths.length === 0) {
    throw new Failure('usage', 'No ledger was given.', 'For example: `hisab reconcile ledger.csv`.')
  }
  const given = optionsFrom(flags, loaded)
  const options = stored ? resumedOptions(stored.options, given, flags) : given
  const {readLedger} = await import('../../ledger/read-ledger.ts')
  const staging = await context.staging()
  const reading = {
    mapping: mappingWith(
      profile.ledger,
      flags.column ?? stored?.options.reading?.columns,
      flags.dates ?? stored?.options.reading?.dates,
      options.ignoredColumns,
    ),
    kind: flags.kind ?? stored?.options.kind ?? null,
    nowMs: run?.startedAtMs ?? Date.now(),
    isTimeStated: options.sinceMs !== null && options.untilMs !== null && !options.skipDeliveries,
    day: dayOf(businessDay ?? stored?.night ?? null, profile.ledger.timeZone),
    delimiter: delimiterOf(flags.delimiter ?? stored?.options.reading?.delimiter),
    sheet: flags.sheet ?? stored?.options.reading?.sheet ?? profile.ledger.import?.sheet ?? null,
    isSheetStated: flags.sheet !== undefined,
    headerRow: flags['header-row'] ?? stored?.options.reading?.headerRow ?? null,
  }
  const ledger = await readLedger(paths, reading, staging.ledger)
  if (stored) checkUnchanged(ledger, stored)
  else if (!options.columnsChanged) await checkColumns(ledger, options.kind, journal)
  const runId = run?.id ?? newRunId(Date.now())
  const reportDir = resolve(
    flags.report ?? run?.reportDir ?? join(context.dataDir, 'reports', profile.name, runId),
  )
  requireTrusted(reportDir, `The report folder ${escapeInvisible(reportDir)}`)
  return {
    ledger,
    /** Holds the ledger's rows. */
    staging,
    options,
    journal,
    runId,
    reportDir,
    notes: [
      ...copies.map(
        ({path, of}) =>
          `note: ${escapeInvisible(path)} is a copy of ${escapeInvisible(of)}, and is read once`,
      ),
      ...notesOn(ledger),
    ],
  }
}

function optionsFrom(flags: ReconcileFlags, loaded: LoadedProfile): Required<ReconcileOptions> {
  return {
    reading: {
      ...{columns: flags.column ?? [], dates: flags.dates ?? null, delimiter: flags.delimiter ?? null},
      ...{sheet: flags.sheet ?? null, headerRow: flags['header-row'] ?? null},
    },
    ignoredSheets: flags['ignore-sheet'] ?? [],
    ignoredColumns: flags['ignore-column'] ?? [],
    ignoredTexts: flags['ignore-text'] ?? [],
    kind: flags.kind ?? null,
    settings: settingsOfFindings(loaded),
    ...resolveWindow(flags, loaded.profile.ledger.timeZone),
    sinceLastRun: flags['since-last-run'],
    columnsChanged: flags['columns-changed'],
    overrides: {
      includeDelivered: flags['include-delivered'],
      ignoreCooldown: flags['ignore-cooldown'],
      retryUnknown: flags['retry-unknown'],
      includeMissing: flags['include-missing'],
    },
    skipDeliveries: flags['no-deliveries'],
    skipFinal: flags['skip-final'],
    wholeList: flags['whole-list'],
    listing: {all: flags.all, sinceLast: flags['since-last'], lang: flags.lang},
    rate: flags.rate ?? null,
    concurrency: flags.concurrency,
    resendsPerSecond: Math.min(flags.rate ?? resendsPerSecondMax, resendsPerSecondMax),
    waitMs: flags.wait,
    resendsMax: flags['max-resends'],
  }
}

/**
 * A resumed run keeps its options; only pace, wait, limit and listing may change. Throws `Failure('usage')` for any
 * other flag. Every option has its line: a new one does not compile without.
 */
function resumedOptions(
  began: ReconcileOptions,
  given: Required<ReconcileOptions>,
  {written}: ReconcileFlags,
): Required<ReconcileOptions> {
  return {
    reading: began.reading ?? given.reading,
    ignoredSheets: keptNames('--ignore-sheet', began.ignoredSheets, given.ignoredSheets),
    ignoredColumns: keptNames('--ignore-column', began.ignoredColumns, given.ignoredColumns),
    ignoredTexts: keptNames('--ignore-text', began.ignoredTexts, given.ignoredTexts),
    settings: keptSettings(began.settings, given.settings),
    kind: kept('--kind', began.kind, given.kind),
    sinceMs: kept('--since', began.sinceMs, given.sinceMs),
    untilMs: kept('--until', began.untilMs, given.untilMs),
    sinceLastRun: kept('--since-last-run', began.sinceLastRun ?? false, given.sinceLastRun),
    columnsChanged: began.columnsChanged ?? false,
    overrides: {
      includeDelivered: keptOverride('includeDelivered', began, given),
      ignoreCooldown: keptOverride('ignoreCooldown', began, given),
      retryUnknown: keptOverride('retryUnknown', began, given),
      includeMissing: keptOverride('includeMissing', began, given),
    },
    skipDeliveries: kept('--no-deliveries', began.skipDeliveries, given.skipDeliveries),
    skipFinal: kept('--skip-final', began.skipFinal ?? false, given.skipFinal),
    wholeList: kept('--whole-list', began.wholeList ?? false, given.wholeList),
    listing: {
      all: given.listing.all || began.listing?.all === true,
      sinceLast: given.listing.sinceLast || began.listing?.sinceLast === true,
      lang: (written.has('lang') ? null : began.listing?.lang) ?? given.listing.lang ?? 'en',
    },
    concurrency: Math.min(given.concurrency, began.concurrency),
    rate: given.rate ?? began.rate ?? null,
    resendsPerSecond: began.resendsPerSecond,
    // Earlier versions kept it under another name.
    waitMs: written.has('wait') ? given.waitMs : (began.waitMs ?? given.waitMs),
    resendsMax: written.has('max-resends') ? given.resendsMax : began.resendsMax,
  }
}

/** Settings that an earlier version did not keep count as unchanged. */
function keptSettings(
  began: ReconcileOptions['settings'],
  given: Required<ReconcileOptions>['settings'],
): Required<ReconcileOptions>['settings'] {
  const text = (value: unknown) => escapeInvisible(JSON.stringify(value), 80)
  const changed = Object.entries(given).flatMap(([key, value]) => {
    const before = began?.[key]
    const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(value)
    return isSame ? [] : [`${key} was ${text(before)} and is ${text(value)}`]
  })
  if (changed.length === 0) return given
  throw new Failure(
    'usage',
    `Some settings have changed since this run started, and its findings depend on them: ${changed.join('; ')}. Nothing was sent.`,
    'Change them back, or start a new run without --resume. hisab remembers what was resent.',
  )
}

function keptOverride(
  name: keyof ReconcileOptions['overrides'],
  began: ReconcileOptions,
  given: ReconcileOptions,
): boolean {
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  return kept(flag, began.overrides[name] ?? false, given.overrides[name] ?? false)
}

function keptNames(
  flag: string,
  began: readonly string[] = [],
  given: readonly string[] = [],
): readonly string[] {
  if (given.length > 0) kept(flag, began.join('\n'), given.join('\n'))
  return began
}

function kept<Value>(flag: string, began: Value, given: Value): Value {
  if (given === null || given === false || given === began) return began
  throw new Failure(
    'usage',
    `${flag} differs from the option of the original run. A resumed run keeps its options.`,
    'Leave it out, or start a new run with it. hisab remembers what was resent.',
  )
}

interface StoredRun {
  readonly ledger: readonly {readonly path: string; readonly sha256: string}[]
  readonly options: ReconcileOptions
  readonly night?: string
}

async function findRun(id: string, journal: Journal | null): Promise<RunRow> {
  const run = await journal?.findRun(id)
  if (run?.command === 'reconcile') return run
  throw new Failure(
    'usage',
    `There is no reconcile run ${escapeInvisible(id, 60)} of this profile and merchant.`,
    run
      ? `It was a run of webhooks resend. Continue it with \`hisab webhooks resend --resume ${run.id}\`.`
      : 'Check the run id. It is in the report and in the name of its folder.',
  )
}

function readStored(run: RunRow): StoredRun {
  return JSON.parse(run.options) as StoredRun
}

function dayOf(date: string | null, timeZone: string): Window | null {
  const fromMs = date && parseInstant(date, timeZone)
  return fromMs ? {fromMs, toMs: startOfNextDay(fromMs, timeZone) - 1} : null
}

function checkUnchanged(ledger: Ledger, stored: StoredRun): void {
  const shas = (files: readonly {readonly sha256: string}[]) => files.map(({sha256}) => sha256).join()
  if (shas(ledger.files) === shas(stored.ledger)) return
  throw new Failure(
    'usage',
    'The ledger has changed since this run started.',
    'Resume with the same file, or start a new run without --resume. hisab remembers what was resent.',
  )
}

/**
 * Throws if the last ledger of a kind had a column that this one lacks. A renamed header would silently switch a
 * check off (docs/verdicts.md#the-window).
 */
async function checkColumns(
  {files}: Ledger,
  kindGiven: OrderKind | null,
  journal: Pick<Journal, 'lastColumns'>,
): Promise<void> {
  for (const {path, columns, kinds} of files) {
    for (const kind of kinds) {
      const last = await journal.lastColumns(kind)
      const gone = ledgerColumns.find(
        (column) =>
          last?.columns[column] !== undefined &&
          columns[column] === undefined &&
          !(column === 'kind' && kindGiven !== null),
      )
      if (last === null || gone === undefined) continue
      const header = escapeInvisible(last.columns[gone] ?? gone, 40)
      throw new Failure(
        'ledger_damaged',
        `${escapeInvisible(path)} has no column ${gone}, which the last run with ${kind}s (${last.runId}) read from "${header}".`,
        `If it has another header now, add --column ${gone}="…". If it is no longer in the file, add --columns-changed.`,
      )
    }
  }
}

function notesOn({files, doubts, notes, unreadTimes}: Ledger): string[] {
  const assumed = files
    .filter(({kindAssumed}) => kindAssumed)
    .map(
      ({path}) =>
        `note: ${escapeInvisible(path)} has no kind column, so its rows are read as deposits. For payouts add --kind payout`,
    )
  const unread = unreadTimes === null ? [] : [unreadTimes]
  return [
    ...assumed,
    ...[...doubts.map(({says}) => says), ...unread, ...notes].map((says) => `note: ${says}`),
  ]
}
