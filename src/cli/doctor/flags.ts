import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {schemeTriesMax} from '../../workflows/doctor/find-legacy-scheme.ts'
import {exactSecretFlag, type FlagsOf, searchRateFlag} from '../flags.ts'

const knownOrder = (state: string) =>
  Flags.string({
    summary: `With --learn: an order you know to be ${state}, and its amount in taka. May be repeated.`,
    helpValue: 'ORDER_NO[=BDT]',
    multiple: true,
    multipleNonGreedy: true,
  })

/** `refuseMixture` says which belong to which of the doctor's three tasks. */
export const doctorFlags = {
  offline: Flags.boolean({
    default: false,
    summary: 'Do not use the network.',
    exclusive: ['learn', 'find-legacy-scheme'],
  }),
  'exact-secret': exactSecretFlag,
  learn: Flags.boolean({
    default: false,
    summary: 'Propose status words and field names from orders you know.',
    exclusive: ['find-legacy-scheme'],
  }),
  completed: knownOrder('completed'),
  open: knownOrder('open'),
  failed: knownOrder('failed'),
  'find-legacy-scheme': Flags.boolean({
    default: false,
    summary: 'Try the likeliest signatures of the webhook log on the live service.',
  }),
  tries: Flags.integer({
    summary: `With --find-legacy-scheme: most recipes to try. Default and limit: ${schemeTriesMax}.`,
    helpValue: 'N',
    min: 1,
    max: schemeTriesMax,
  }),
  rate: searchRateFlag,
  write: Flags.boolean({
    default: false,
    summary: 'With --yes: write the proposal into the profile without asking.',
  }),
  yes: Flags.boolean({
    default: false,
    char: 'y',
    summary: 'Start without asking. With --write: also write without asking.',
  }),
}

export type DoctorFlags = FlagsOf<typeof doctorFlags>

export function refuseMixture(flags: DoctorFlags, args: readonly string[]): void {
  const isLearning = args.length > 0 || flags.completed || flags.open || flags.failed
  if (isLearning && !flags.learn) {
    throw new Failure('usage', 'Order numbers need --learn.', 'Add --learn, or leave out the order numbers.')
  }
  if ((flags.tries !== undefined || flags.rate !== undefined) && !flags['find-legacy-scheme']) {
    throw new Failure(
      'usage',
      '--tries and --rate need --find-legacy-scheme.',
      'Add --find-legacy-scheme, or leave them out.',
    )
  }
  const isProposing = flags.learn || flags['find-legacy-scheme']
  if ((flags.write || flags.yes) && !isProposing) {
    throw new Failure(
      'usage',
      '--write and --yes need --learn or --find-legacy-scheme. The plain checks change nothing.',
      'Leave them out.',
    )
  }
  if (flags.write && !flags.yes) {
    throw new Failure('usage', '--write needs --yes.', 'Add --yes, or leave out --write. hisab then asks.')
  }
}
