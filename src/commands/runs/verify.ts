import {existsSync, statSync} from 'node:fs'
import {basename, dirname, join, resolve} from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {evidenceDir} from '../../cli/evidence.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {ExitStatus} from '../../core/failure.ts'
import {Failure} from '../../core/failure.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import {documentName} from '../../evidence/manifest.ts'
import type {EvidenceRow} from '../../journal/evidence.ts'
import {counted} from '../../report/figures.ts'
import type {Style} from '../../report/table.ts'
import {type VerifiedEvidence, verifyEvidence} from '../../workflows/evidence/verify.ts'

export default class RunsVerify extends BaseCommand {
  static override summary = 'Prove that the evidence of past runs was not changed.'

  static override description = unwrap(`
    Reads every byte of the evidence and compares it with the sums of each run, the runs with each other, and all of them
    with the journal. Names the run, the file and the place of a change. A folder, such as an auditor's copy, is proven by
    itself; add --profile to compare it with the journal too. docs/evidence.md says what is proven against whom.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'A copy, against a sum that somebody wrote down:',
      command: '<%= config.bin %> <%= command.id %> /mnt/audit/november --sum SHA256',
    },
  ]

  static override args = {
    what: Args.string({description: 'A run, or a folder of evidence. Default: all runs.', ignoreStdin: true}),
  }

  static override flags = {
    sum: Flags.string({
      summary:
        'A sum of `runs show` that was written down: the run that has it, and all before it, are as they were.',
      helpValue: 'SHA256',
    }),
  }

  async run(): Promise<VerifiedEvidence> {
    const {args, flags} = await this.parse(RunsVerify)
    const folder = args.what !== undefined && isFolder(args.what) ? resolve(args.what) : null
    const only = args.what === undefined || folder !== null ? null : new Set([args.what])
    const isOfOne = folder !== null && existsSync(join(folder, documentName))

    const known = folder === null || flags.profile !== undefined ? await this.known(flags.profile) : null
    const dir = isOfOne ? dirname(folder) : (folder ?? known?.dir ?? '')
    const asked = isOfOne ? new Set([basename(folder)]) : only
    const result = verifyEvidence(dir, {
      rows: known?.rows ?? null,
      ...(asked && {only: asked}),
      ...(flags.sum !== undefined && {sum: flags.sum}),
    })
    if (result.runs === 0 && result.problems.length === 0) {
      throw new Failure(
        'not_found',
        `There is no evidence ${only ? `of ${escapeInvisible(args.what ?? '', 60)} ` : ''}in ${escapeInvisible(dir)}.${elsewhereText(result)}`,
        'See `hisab runs list`. Evidence is written unless evidence.keep is "off".',
      )
    }
    await this.show(
      [verifiedText(result, this.style), ...nextOfUnfinished(result, known?.profile ?? null)].join('\n'),
    )
    this.endWith(statusOf(result))
    return result
  }

  private async known(
    profile: string | undefined,
  ): Promise<{dir: string; rows: readonly EvidenceRow[]; profile: string}> {
    const loaded = await this.context.loadProfile(profile)
    const journal = await this.context.journal(loaded)
    const {name} = loaded.profile
    return {dir: evidenceDir(this.context, loaded), rows: await journal.listEvidence(), profile: name}
  }
}

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() === true
}

/** A changed file outranks an unfinished one. */
function statusOf({problems}: VerifiedEvidence): ExitStatus {
  if (problems.some(({what}) => what !== 'unfinished')) return 7
  return problems.length > 0 ? 8 : 0
}

function verifiedText(verified: VerifiedEvidence, style: Style): string {
  const {dir, runs, bytes, removedByAge, last, problems, comparedWithJournal, stopped, beginsWith} = verified
  const lines = problems.map(
    ({run, what, says}) =>
      `${style(what === 'unfinished' ? 'yellow' : 'red', escapeInvisible(run, 80))}: ${escapeInvisible(says, 400)}.`,
  )
  const more = [
    ...(removedByAge > 0
      ? [
          `The files of ${counted(removedByAge, 'run', 'runs')} were removed because of their age. Their sums are proven.`,
        ]
      : []),
    ...(stopped.length > 0 ? [`Stopped runs that were continued, not proven: ${stopped.join(', ')}.`] : []),
    ...(beginsWith === null
      ? []
      : [`The folder begins with ${beginsWith}. The runs before it are not here.`]),
    ...(verified.elsewhere.length > 0 ? [`Not looked at:${elsewhereText(verified)}`] : []),
    ...(comparedWithJournal
      ? []
      : ['Not compared with a journal. Add --profile, or --sum with a sum from a report or a mail.']),
  ]
  const changed = problems.filter(({what}) => what !== 'unfinished').length
  const unfinished = problems.length - changed
  const open = unfinished > 0 ? `, ${unfinished} more not finished` : ''
  return [
    ...lines,
    `${changed > 0 ? style('red', counted(changed, 'problem.', 'problems.')) : style('green', 'Nothing was changed.')} ${counted(runs, 'run', 'runs')}${open}, ${(bytes / 1_048_576).toFixed(1)} MiB.`,
    escapeInvisible(`Folder  ${dir}`),
    ...more.map((line) => escapeInvisible(line, 400)),
    ...(last ? [`Sum     ${last.sha256}`, `Of run  ${last.run}`] : []),
    ...(changed > 0 ? ['Next: take the named files from a backup, and run this again.'] : []),
  ].join('\n')
}

const commandsMax = 5

/** A run that is continued has its evidence in a folder of its own; only the journal's machine can do that. */
function nextOfUnfinished({problems}: VerifiedEvidence, profile: string | null): string[] {
  const runs = problems.flatMap(({run, what}) => (what === 'unfinished' ? run.replace(/\.\d+$/, '') : []))
  if (runs.length === 0 || profile === null) return []
  const commands = runs
    .slice(0, commandsMax)
    .map((run) => `  hisab reconcile --resume ${quoteForShell(run)} --profile ${quoteForShell(profile)}`)
  const more = runs.length > commandsMax ? [`  and ${runs.length - commandsMax} more`] : []
  return [
    'Next: continue what was stopped, and its evidence is complete:',
    ...commands,
    ...more,
    'Until then this command ends with 8. What cannot be continued stays unproven: reconcile its ledger again.',
  ]
}

/** Where the missing runs are. */
function elsewhereText({elsewhere}: VerifiedEvidence): string {
  const at = new Map<string, string[]>()
  for (const {runId, host, dir} of elsewhere)
    at.set(`${host}, ${dir}`, [...(at.get(`${host}, ${dir}`) ?? []), runId])
  const shown = [...at].map(
    ([place, runs]) => ` ${firstOf(runs, 5, (runId) => runId)} (on ${escapeInvisible(place, 120)})`,
  )
  return shown.length === 0 ? '' : `${shown.join(';')}.`
}
