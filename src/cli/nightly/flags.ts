import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import {type Paisa, parsePaisa} from '../../core/money.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {FlagsOf} from '../flags.ts'
import {reconcileFlags} from '../reconcile/flags.ts'
import {durationFlag} from '../time-flag.ts'

const {
  yes: _yes,
  plan: _plan,
  since: _since,
  until: _until,
  'since-last-run': _sinceLastRun,
  report: _report,
  resume: _resume,
  'include-delivered': _includeDelivered,
  'ignore-cooldown': _ignoreCooldown,
  'retry-unknown': _retryUnknown,
  'include-missing': _includeMissing,
  'from-evidence': _fromEvidence,
  cutoff: _cutoff,
  ...ofRuns
} = reconcileFlags

const takaFlag = Flags.custom<Paisa>({
  helpValue: 'BDT',
  parse: async (text) => {
    const paisa = parsePaisa(text)
    if (paisa !== null && paisa >= 0n) return paisa
    throw new CLIError(`"${escapeInvisible(text, 40)}" is not an amount. Write 5000 or 5000.00.`)
  },
})

const urlFlag = Flags.custom<string>({
  helpValue: 'URL',
  parse: async (text) => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
    throw new CLIError('The heartbeat is not a URL that starts with https:// or http://.')
  },
})

export const nightlyFlags = {
  ledger: Flags.string({
    summary:
      'Where the day’s ledger is: `/exports/ledger-{date}.csv`. May be repeated. A * in the file name is any text.',
    helpValue: 'PATH',
    multiple: true,
  }),
  'export-command': Flags.string({
    summary:
      'Command that makes the ledger: to --ledger, or without it to its standard output. Run by the shell.',
    helpValue: 'COMMAND',
  }),
  day: Flags.string({summary: 'Business day. Default: the one that ended last.', helpValue: 'YYYY-MM-DD'}),
  'wait-for': durationFlag({
    summary: 'How long to wait for the ledger: until it is there and no longer grows.',
    default: 0,
    defaultHelp: async () => '0s',
  }),
  until: Flags.string({
    summary:
      'Time of the morning after the day until when a run is tried again that ended with 5, 6, 8 or 9. Without it there is one try.',
    helpValue: 'HH:MM',
  }),
  'max-breaks': Flags.integer({
    summary: 'Up to so many breaks are usual: the status is 7, and no alarm is raised.',
    helpValue: 'N',
    min: 0,
  }),
  'max-break-amount': takaFlag({summary: 'Up to this amount breaks are usual, all together.'}),
  'metrics-file': Flags.string({
    summary: 'Write the figures of the night as Prometheus text, for the textfile collector.',
    helpValue: 'FILE.prom',
  }),
  heartbeat: urlFlag({
    summary:
      'Address to call at the start, the end, and an alarm: URL/start, URL, URL/fail. Or HISAB_HEARTBEAT.',
  }),
  'on-break-command': Flags.string({
    summary:
      'Command to run where breaks are left. It gets the facts as HISAB_… variables and as JSON on stdin.',
    helpValue: 'COMMAND',
  }),
  'log-file': Flags.string({summary: 'Add each step to this file, a JSON object a line.', helpValue: 'FILE'}),
  'log-json': Flags.boolean({default: false, summary: 'Write stderr as JSON, an object a line.'}),
  ...ofRuns,
  'mail-to-stdout': {...ofRuns['mail-to-stdout'], exclusive: ['json']},
}

export type NightlyFlags = FlagsOf<typeof nightlyFlags>
