import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {readSentence} from '../../cli/items/select.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type SignOffView, signOffText, viewSignOff} from '../../report/runs-text.ts'

export interface SignedOffRun {
  readonly runId: string
  readonly signOffs: readonly SignOffView[]
}

export default class RunsSignOff extends BaseCommand {
  static override summary = 'Approve the figures of a run, with your name and a note.'

  static override description = unwrap(`
    The journal records who approved the run, when, and the note; runs show and statement show them. Another person than the one who ran it must approve it. If you work alone, add --alone. The journal records that too.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> 20261121-041205-7f3a9c --note "agrees with the bank" --by rahima',
  ]

  static override args = {
    id: Args.string({description: 'Id of the run.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    note: Flags.string({summary: 'What was checked.', required: true, helpValue: 'TEXT'}),
    alone: Flags.boolean({
      default: false,
      summary: 'You ran it and approve it yourself, because there is nobody else.',
    }),
    by: byFlag,
  }

  async run(): Promise<SignedOffRun> {
    const {args, flags} = await this.parse(RunsSignOff)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const run = await journal.findRun(args.id)
    const name = escapeInvisible(args.id, 60)
    if (run?.status !== 'finished') {
      const is = run
        ? `The run ${name} is not finished.`
        : `There is no run ${name} of this profile and merchant.`
      throw new Failure(run ? 'usage' : 'not_found', is, 'See `hisab runs list`.')
    }
    const by = authorOf(flags.by)
    const isOwn = run.by === null || run.by === by
    if (isOwn && !flags.alone) {
      const who = run.by === null ? 'hisab does not know who ran it' : `${escapeInvisible(by, 60)} ran it`
      throw new Failure(
        'usage',
        `${who}. Another person must approve it. Nothing was recorded.`,
        'Let another person approve it (--by NAME). If there is nobody else, add --alone. The journal records that.',
      )
    }

    const note = readSentence('note', flags.note)
    await journal.signOff(args.id, {by, note, isAlone: isOwn, atMs: Date.now()})

    const {timeZone} = loaded.profile.ledger
    const signOffs = (await journal.signOffsOf(args.id)).map((one) =>
      viewSignOff(one, timeZone, run.finishedAtMs),
    )
    await this.show(signOffs.map((one) => escapeInvisible(signOffText(one))).join('\n'))
    return {runId: args.id, signOffs}
  }
}
