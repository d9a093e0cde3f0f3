import * as Flags from '@oclif/core/flags'

import {languages} from '../../core/language.ts'

import {
  concurrencyFlag,
  dryRunFlag,
  type FlagsOf,
  maxResendsFlag,
  overrideFlags,
  rateFlag,
  waitFlag,
  yesFlag,
} from '../flags.ts'
import {instantFlag, windowFlags} from '../time-flag.ts'
import {ledgerFlags} from './ledger-flags.ts'

export const reconcileFlags = {
  'dry-run': dryRunFlag,
  yes: yesFlag,
  ...ledgerFlags,
  'ignore-sheet': Flags.string({
    summary:
      'Sheet of a spreadsheet that has no bookings: the orders it names are not held back. May be repeated.',
    multiple: true,
    helpValue: 'NAME',
  }),
  'ignore-text': Flags.string({
    summary:
      'Text outside of the rows that tells of no booking: it holds no order back. May be repeated; for good: ledger.ignored_texts.',
    multiple: true,
    helpValue: 'TEXT',
  }),
  ...windowFlags,
  'max-resends': maxResendsFlag,
  ...overrideFlags,
  'include-missing': Flags.boolean({
    default: false,
    summary:
      'Also resend orders missing from a ledger of orders. Without this flag, only a ledger of credits proves that they are missing.',
  }),
  'no-deliveries': Flags.boolean({
    default: false,
    summary: 'Do not read the delivery records. Nothing can be resent then.',
  }),
  plan: Flags.boolean({
    default: false,
    summary: 'Show which calls would be made, how many, and how long they take. Make none.',
    exclusive: ['yes', 'dry-run'],
  }),
  'since-last-run': Flags.boolean({
    default: false,
    summary: 'Start the search for missing orders where the window of the last run ended.',
    exclusive: ['since'],
  }),
  'columns-changed': Flags.boolean({
    default: false,
    summary: 'Accept a ledger that lacks a column the last one had.',
  }),
  'skip-final': Flags.boolean({
    default: false,
    summary: 'Do not query orders that an earlier run found final and whose row is unchanged.',
  }),
  'whole-list': Flags.boolean({
    default: false,
    summary: 'Read the whole list of delivery records, even if its order shows that the rest is older.',
  }),
  concurrency: concurrencyFlag,
  rate: rateFlag,
  wait: waitFlag,
  report: Flags.string({
    summary: 'Folder for the report. Default: a new one in the data directory.',
    helpValue: 'DIR',
  }),
  'mail-to-stdout': Flags.boolean({
    default: false,
    summary:
      'Write the mail of the report to standard output in place of the summary, for sendmail or msmtp.',
    exclusive: ['plan', 'json'],
  }),
  'from-evidence': Flags.string({
    summary: 'Make the findings of a past run again from its evidence. Needs no service and no credentials.',
    helpValue: 'DIR',
    exclusive: ['yes', 'resume', 'plan', 'since-last-run'],
  }),
  cutoff: instantFlag({
    summary: 'With --from-evidence: which breaks vanish when only what had happened by then counts.',
    dependsOn: ['from-evidence'],
  }),
  resume: Flags.string({summary: 'Continue a run that was interrupted.', helpValue: 'RUN_ID'}),
  all: Flags.boolean({
    default: false,
    summary: 'Also list orders that agree and orders still open on both sides.',
  }),
  lang: Flags.option({options: languages})({
    default: 'en',
    summary: 'Language of report.html and of the mail.',
  }),
  'since-last': Flags.boolean({
    default: false,
    summary:
      'List only what is new or back since earlier runs. Totals and exit status still cover everything.',
  }),
}

export type ReconcileFlags = FlagsOf<typeof reconcileFlags> & {readonly written: ReadonlySet<string>}
