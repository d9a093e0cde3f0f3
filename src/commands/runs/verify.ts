import {existsSync, statSync} from 'node:fs'
import {hostname} from 'node:os'
import {basename, dirname, join, resolve} from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {evidenceDir} from '../../cli/evidence.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {ExitStatus} from '../../core/failure.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {documentName} from '../../evidence/manifest.ts'
import type {EvidenceRow} from '../../journal/evidence.ts'
import {counted} from '../../report/figures.ts'
import type {Style} from '../../report/table.ts'
import {type VerifiedEvidence, verifyEvidence} from '../../workflows/evidence/verify.ts'

/** What is proven of the evidence of runs. */
export interface EvidenceVerified extends VerifiedEvidence {
  /** Runs of a shared journal whose evidence another machine has. */
  readonly elsewhere: number
}

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

  async run(): Promise<EvidenceVerified> {
    const {args, flags} = await this.parse(RunsVerify)
    const folder = args.what !== undefined && isFolder(args.what) ? resolve(args.what) : null
    const only = args.what === undefined || folder !== null ? null : new Set([args.what])
    const isOfOne = folder !== null && existsSync(join(folder, documentName))

    const known = folder === null || flags.profile !== undefined ? await this.known(flags.profile) : null
    const rows = known?.rows ?? null
    const here =
      rows?.filter(({host, dir}) => folder !== null || (host === hostname() && dir === known?.dir)) ?? null
    const dir = isOfOne ? dirname(folder) : (folder ?? known?.dir ?? '')
    const verified = verifyEvidence(dir, here, isOfOne ? new Set([basename(folder)]) : only, flags.sum)
    if (verified.runs === 0 && verified.problems.length === 0) {
      throw new Failure(
        'not_found',
        `There is no evidence ${only ? `of ${escapeInvisible(args.what ?? '', 60)} ` : ''}in ${escapeInvisible(dir)}.`,
        'See `hisab runs list`. Evidence is written unless evidence.keep is "off".',
      )
    }
    const result = {...verified, elsewhere: (rows?.length ?? 0) - (here?.length ?? 0)}
    await this.show(verifiedText(result, styleFor(process.stdout)))
    this.endWith(statusOf(result))
    return result
  }

  private async known(profile: string | undefined): Promise<{dir: string; rows: readonly EvidenceRow[]}> {
    const loaded = await this.context.loadProfile(profile)
    const journal = await this.context.journal(loaded)
    return {dir: evidenceDir(this.context, loaded), rows: await journal.listEvidence()}
  }
}

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() === true
}

/** What was changed outranks what was not finished. */
function statusOf({problems}: VerifiedEvidence): ExitStatus {
  if (problems.some(({what}) => what !== 'unfinished')) return 7
  return problems.length > 0 ? 8 : 0
}

function verifiedText(verified: EvidenceVerified, style: Style): string {
  const {dir, runs, bytes, removedByAge, last, problems, comparedWithJournal, elsewhere} = verified
  const lines = problems.map(({run, what, says}) =>
    escapeInvisible(`${style(what === 'unfinished' ? 'yellow' : 'red', run)}: ${says}.`, 400),
  )
  const more = [
    ...(removedByAge > 0
      ? [`${removedByAge} of them by their manifests alone: their files were removed by age`]
      : []),
    ...(elsewhere > 0 ? [`${elsewhere} more on other machines or in other folders were not looked at`] : []),
    ...(comparedWithJournal
      ? []
      : ['not compared with a journal: a chain made anew is found by --sum or --profile alone']),
  ]
  return [
    ...lines,
    `${problems.length === 0 ? style('green', 'Nothing was changed.') : style('red', counted(problems.length, 'problem', 'problems'))} ${counted(runs, 'run', 'runs')}, ${(bytes / 1_048_576).toFixed(1)} MiB, in ${escapeInvisible(dir)}`,
    ...more.map((line) => `  ${line}`),
    ...(last ? [`Sum  ${last.sha256}  ${last.run}`] : []),
  ].join('\n')
}
