import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {authorOf} from '../../cli/reconcile/ignores.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {addressesOf} from '../../core/profile.ts'

/** Whose journal took which addresses. */
export interface LinkedJournal {
  readonly merchantId: string
  readonly environment: string
  readonly addresses: readonly string[]
  /** The earlier journal was given up as lost. */
  readonly startedOver: boolean
}

export default class JournalLink extends BaseCommand {
  static override summary = 'Say that the addresses of a profile belong to its merchant’s journal.'

  static override description = unwrap(`
    The journal belongs to a merchant and an environment, whatever the profile is called. An address that is not known
    in it is refused, because it may be another deployment, with other orders. An address that is known in another
    environment of the merchant is refused as well, because one service would get two memories. This command adds the
    profile's addresses to those of the journal: its doubts may be ended by what is answered there. It asks the service
    nothing. Where another environment knows the merchant, it is refused until environment is set in the profile, or
    HISAB_ENVIRONMENT.

    With --start-over it says that the earlier journal is lost for good, and that memory begins with the one that is
    there now, be it empty or a copy that was put back. What that one does not know is forgotten then: compare with the
    service before you send again. The same holds of the store of received events.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile live',
    '<%= config.bin %> <%= command.id %> --profile live --start-over --reason "the disk died on Sunday"',
  ]

  static override flags = {
    'start-over': Flags.boolean({
      default: false,
      summary: 'The earlier journal is lost: begin with the one that is there now.',
    }),
    reason: Flags.string({summary: 'Why, for the record.', helpValue: 'TEXT'}),
    by: Flags.string({summary: 'Your name. Default: the user of this machine.', helpValue: 'NAME'}),
  }

  async run(): Promise<LinkedJournal> {
    const {flags} = await this.parse(JournalLink)
    const reason = flags.reason?.trim() || null
    if (flags['start-over'] && reason === null) {
      throw new Failure(
        'usage',
        '--start-over needs a reason.',
        'Give it: --reason "the disk died on Sunday".',
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
    for (const other of journal.linkAddresses()) {
      const what = other.isShared ? 'has an address of these too' : 'is another memory'
      this.tell(
        `warning: environment "${other.environment}" of this merchant ${what}. What is sent in one is not known in the other.`,
      )
    }
    journal.addNote({atMs: Date.now(), by: authorOf(flags.by), what, reason})
    await this.show(
      `${startsOver ? 'Started over' : 'Linked'}: merchant ${merchantId} (${environment}) at ${addresses.join(', ')}`,
    )
    return {merchantId, environment, addresses, startedOver: startsOver}
  }
}
