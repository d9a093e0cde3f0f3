import * as Flags from '@oclif/core/flags'

import {
  dryRunFlag,
  type FlagsOf,
  formatFlag,
  maxResendsFlag,
  overrideFlags,
  resendRateFlag,
  waitFlag,
  yesFlag,
} from '../flags.ts'
import {deliveryStatusFlag, localFilterFlags} from './filter-flags.ts'

export const resendFlags = {
  status: deliveryStatusFlag,
  ...localFilterFlags,
  outage: Flags.string({
    summary:
      'Only the failed records of one outage, by the id that `webhooks list --outages` shows, or of `all`.',
    helpValue: 'ID',
    exclusive: ['status'],
  }),
  pick: Flags.boolean({
    default: false,
    summary: 'Mark the records in a list. Shows failed ones unless you give --status.',
  }),
  resume: Flags.string({summary: 'Continue a run that was interrupted.', helpValue: 'RUN_ID'}),
  'dry-run': dryRunFlag,
  yes: yesFlag,
  'max-resends': maxResendsFlag,
  rate: resendRateFlag,
  wait: waitFlag,
  'no-canary': Flags.boolean({default: false, summary: 'Do not send one first and wait for its delivery.'}),
  ...overrideFlags,
  format: formatFlag,
}

export type ResendFlags = FlagsOf<typeof resendFlags> & {readonly written: ReadonlySet<string>}
