import * as Flags from '@oclif/core/flags'
import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {addressesOf} from '../../core/profile.ts'

export interface LinkedJournal {
  readonly merchantId: string
  readonly environment: string
  readonly addresses: readonly string[]
  readonly startedOver: boolean
}

export default class JournalLink extends BaseCommand {
  static override summary = 'Add the addresses of a profile to the journal of its merchant.'

  static override description = unwrap(`
    A journal belongs to one merchant and one environment, whatever the profile is called. hisab refuses a new address,
    because it may be another deployment with other orders. It also refuses an address of another environment, because
    two journals of one service would send the same orders twice. This command adds the profile's addresses to the
    journal. Answers from there may then resolve its doubts. The service is not asked. If another environment has the
    merchant, set environment in the profile, or HISAB_ENVIRONMENT, first.

    --start-over gives up a lost journal and continues with the one that is there now: an empty one, or a restored
    copy. What that journal lacks is forgotten, so compare with the service before you send again. The store of received
    events starts over as well.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile live',
    '<%= config.bin %> <%= command.id %> --profile live --start-over --reason "the disk died on Sunday"',
  ]

  static override flags = {
    'start-over': Flags.boolean({
      default: false,
      summary: 'The earlier journal is lost. Continue with the one that is there now.',
    }),
    reason: Flags.string({summary: 'Why, for the record.', helpValue: 'TEXT'}),
    by: byFlag,
  }

  async run(): Promise<LinkedJournal> {
    const {flags} = await this.parse(JournalLink)
    const reason = flags.reason?.trim() || null
    if (flags['start-over'] && reason === null) {
      throw new Failure(
        'usage',
        '--start-over needs a reason.',
        'For example: --reason "the disk died on Sunday".',
      )
    }
    const loaded = await this.context.loadProfile(flags.profile)
    const startsOver = flags['start-over']
    const journal = await this.context.journal(loaded, {isLinking: true, isLossAccepted: startsOver})
    if (startsOver) {
      const {InboxWitness} = await import('../../receiver/inbox-witness.ts')
      new InboxWitness(this.context.dataDir, loaded.profile).forget()
    }
    const {merchantId, environment} = loaded.profile
    const addresses = addressesOf(loaded.profile)
    const what = startsOver ? 'start over' : `link ${addresses.join(' ')}`
    for (const other of await journal.linkAddresses()) {
      const what = other.isShared ? 'also has one of these addresses' : 'has its own journal'
      this.tell(
        `warning: environment "${other.environment}" of this merchant ${what}. Neither journal knows what the other sends.`,
      )
    }
    await journal.addNote({atMs: Date.now(), by: authorOf(flags.by), what, reason})
    await this.show(
      `${startsOver ? 'Started over' : 'Linked'}: merchant ${merchantId} (${environment}) at ${addresses.join(', ')}`,
    )
    return {merchantId, environment, addresses, startedOver: startsOver}
  }
}
