import {join} from 'node:path'
import * as Args from '@oclif/core/args'

import {BaseCommand} from '../../cli/base-command.ts'
import {viewRun} from '../../cli/runs.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import type {ResendRow} from '../../journal/rows.ts'
import {totalsFields} from '../../report/run-totals.ts'
import {type RunView, runFields, type SignOffView, signOffText, viewSignOff} from '../../report/runs-text.ts'
import {labelled} from '../../report/wrap.ts'
import {openDoubts} from '../../workflows/orders/doubts.ts'

export interface RunDetails extends RunView {
  readonly resends: readonly RunResendView[]
  readonly signOffs: readonly SignOffView[]
  /** One for each process that worked on it. */
  readonly evidence: readonly RunEvidenceView[]
}

interface RunEvidenceView {
  readonly host: string
  readonly dir: string
  /** The sum of its manifest; null if it was not finished. */
  readonly sha256: string | null
  /** Its files were removed by age. */
  readonly removed: boolean
}

interface RunResendView
  extends Pick<ResendRow, 'deliveryId' | 'orderNo' | 'event' | 'state' | 'responseCode' | 'overrides'> {
  readonly intentAt: string
  readonly sentAt: string | null
  /** The command that may resolve its doubt, or null. */
  readonly next: string | null
}

export default class RunsShow extends BaseCommand {
  static override summary = 'Show one past run: its end, its findings, its report and every resend.'

  static override description =
    'The journal records each resend before and after it is sent, so the list is complete even for a killed run.'

  static override examples = ['<%= config.bin %> <%= command.id %> 20261121-041205-7f3a9c --profile sandbox']

  static override args = {
    id: Args.string({description: 'Id of the run.', required: true, ignoreStdin: true}),
  }

  async run(): Promise<RunDetails> {
    const {args, flags} = await this.parse(RunsShow)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const row = await journal.findRun(args.id)
    if (!row) {
      throw new Failure(
        'not_found',
        `There is no run ${escapeInvisible(args.id, 60)} of this profile and merchant.`,
        'See `hisab runs list`.',
      )
    }

    const run = await viewRun(row, loaded, this.context, journal)
    const {timeZone} = loaded.profile.ledger
    const doubts = new Map(
      (await openDoubts(journal, loaded.profile.name))
        .filter(({runId}) => runId === row.id)
        .map((doubt) => [doubt.recordId, doubt]),
    )
    const resends = (await journal.resendsOfRun(row.id)).map(
      ({deliveryId, orderNo, event, state, intentAtMs, sentAtMs, responseCode, overrides}) => ({
        deliveryId,
        orderNo,
        event,
        state,
        intentAt: formatInstant(intentAtMs, timeZone),
        sentAt: sentAtMs === null ? null : formatInstant(sentAtMs, timeZone),
        responseCode,
        overrides,
        next: doubts.get(deliveryId)?.next ?? null,
      }),
    )

    const lines = resends.flatMap(({orderNo, deliveryId, state, next}) => [
      `  ${(orderNo ?? deliveryId).padEnd(36)}  ${state}`,
      ...(next === null ? [] : [`    In doubt. Next: ${next}`]),
    ])
    const signOffs = (await journal.signOffsOf(row.id)).map((one) =>
      viewSignOff(one, timeZone, row.finishedAtMs),
    )
    const evidence = (await journal.listEvidence())
      .filter(({runId}) => runId === row.id)
      .map(({host, dir, folder, sha256, removedAtMs}) => ({
        ...{host, dir: join(dir, folder), sha256, removed: removedAtMs !== null},
      }))
    const fields = [
      ...runFields(run),
      ...signOffs.map((one): [string, string] => ['Approval', signOffText(one)]),
      ...totalsFields(run.totals),
      ...evidence.flatMap(({dir, sha256}): [string, string][] => [
        ['Evidence', sha256 === null ? 'not finished' : sha256],
        ['', dir],
      ]),
      ['Resends', `${resends.length}`] as const,
    ]
    const width = process.stdout.columns ?? Number.POSITIVE_INFINITY
    const shown = fields.map(([name, text]) => labelled(name.padEnd(12), escapeInvisible(text), width))
    await this.show([...shown, ...lines.map((line) => escapeInvisible(line))].join('\n'))
    return {...run, resends, signOffs, evidence}
  }
}
