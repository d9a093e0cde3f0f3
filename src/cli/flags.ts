import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import {escapeInvisible} from '../core/text.ts'
import {durationFlag} from './time-flag.ts'

/** Flags that two or more commands share, each with one meaning everywhere. */

const positiveNumber = Flags.custom<number>({
  helpValue: 'N',
  parse: async (text) => {
    const number = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
    if (number > 0) return number
    throw new CLIError(`"${escapeInvisible(text, 40)}" is not a number above 0.`)
  },
})

export const concurrencyFlag = Flags.integer({
  summary: 'Requests on their way at once, at most; hisab asks less where the service shows strain.',
  helpValue: 'N',
  min: 1,
  max: 256,
  default: 16,
})

/** Requests a second; without it the service's own signs of strain are the only limit. */
export const rateFlag = positiveNumber({summary: 'Requests started a second, at most.'})

export const fileRateFlag = positiveNumber({
  summary: 'Requests started a second, at most.',
  dependsOn: ['from'],
})

export const resendRateFlag = positiveNumber({summary: 'Resends a second, at most.', default: 5})

interface Parsed {
  readonly flags: object
  readonly metadata: {
    readonly flags: Readonly<Record<string, {readonly setFromDefault?: boolean} | undefined>>
  }
}

/** Names of the flags a person wrote: a default is no word to a run that began with another. */
export function writtenFlags({flags, metadata}: Parsed): ReadonlySet<string> {
  return new Set(Object.keys(flags).filter((name) => !metadata.flags[name]?.setFromDefault))
}

export const maxResendsDefault = 100

export const maxResendsFlag = Flags.integer({
  summary: 'Send nothing at all where more than this many resends are planned.',
  helpValue: 'N',
  min: 0,
  default: maxResendsDefault,
})

/** Milliseconds. */
export const waitFlag = durationFlag({
  summary: 'How long to wait for the delivery records to show how the resends ended.',
  default: 60_000,
  defaultHelp: async () => '60s',
})

export const yesFlag = Flags.boolean({
  default: false,
  char: 'y',
  summary: 'Send without asking.',
  exclusive: ['dry-run'],
})

export const dryRunFlag = Flags.boolean({
  default: false,
  char: 'n',
  summary: 'Show what would be sent, and send nothing.',
})

/** A person's word against a guard (P4, P5); each that was used is recorded with the resend. */
export const overrideFlags = {
  'include-delivered': Flags.boolean({
    default: false,
    summary: 'Also resend what your server has already accepted, or `reconcile` saw booked.',
  }),
  'ignore-cooldown': Flags.boolean({
    default: false,
    summary: 'Also resend what hisab resent less than 8 hours ago, or saw waiting 24 hours ago.',
  }),
  'retry-unknown': Flags.boolean({
    default: false,
    summary: 'Also resend what an earlier resend left in doubt.',
  }),
}

export const listFormats = ['table', 'csv', 'ndjson'] as const
export type ListFormat = (typeof listFormats)[number]

export const formatFlag = Flags.option({options: listFormats, default: 'table'})({
  summary: 'How the list is written.',
})

export const returnUrlFlag = Flags.string({
  summary: 'Address that takes the webhook; else the return_url of the profile.',
  helpValue: 'URL',
})

/** For a secret that really ends with a line end; without it one is taken for the editor's. */
export const exactSecretFlag = Flags.boolean({
  default: false,
  summary: 'Use the secret of a file or a command with the line end it has.',
})

export const searchRateFlag = positiveNumber({
  summary: 'With --find-legacy-scheme: requests a second, at most; 0.5 unless given.',
})
