import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'

import {escapeInvisible} from '../core/text.ts'
import {durationFlag} from './time-flag.ts'

/** Flags that two or more commands share, with one meaning everywhere. */

export type FlagsOf<Defined> = Readonly<Omit<InferredFlags<Defined>, 'json'>> & {
  readonly profile?: string | undefined
}

const positiveNumber = Flags.custom<number>({
  helpValue: 'N',
  parse: async (text) => {
    const number = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
    if (number > 0) return number
    throw new CLIError(`"${escapeInvisible(text, 40)}" is not a number above 0.`)
  },
})

export const concurrencyFlag = Flags.integer({
  summary: 'Most requests at the same time. hisab uses fewer when the service is overloaded.',
  helpValue: 'N',
  min: 1,
  max: 256,
  default: 16,
})

export const rateFlag = positiveNumber({summary: 'Most requests a second.'})

export const fileRateFlag = positiveNumber({
  summary: 'Most requests a second.',
  dependsOn: ['from'],
})

export const resendRateFlag = positiveNumber({summary: 'Most resends a second.', default: 5})

interface Parsed {
  readonly flags: object
  readonly metadata: {
    readonly flags: Readonly<Record<string, {readonly setFromDefault?: boolean} | undefined>>
  }
}

/** Names of the flags that were typed. Defaults must not override the options of a resumed run. */
export function writtenFlags({flags, metadata}: Parsed): ReadonlySet<string> {
  return new Set(Object.keys(flags).filter((name) => !metadata.flags[name]?.setFromDefault))
}

export const maxResendsDefault = 100

export const maxResendsFlag = Flags.integer({
  summary: 'Send nothing if more resends than this are planned.',
  helpValue: 'N',
  min: 0,
  default: maxResendsDefault,
})

/** In milliseconds. */
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

export const overrideFlags = {
  'include-delivered': Flags.boolean({
    default: false,
    summary: 'Also resend webhooks that your server accepted, or orders that `reconcile` saw booked.',
  }),
  'ignore-cooldown': Flags.boolean({
    default: false,
    summary: 'Also resend webhooks resent less than 8 hours ago, or seen waiting 24 hours ago.',
  }),
  'retry-unknown': Flags.boolean({
    default: false,
    summary: 'Also resend webhooks that an earlier resend left in doubt.',
  }),
}

export const listFormats = ['table', 'csv', 'ndjson'] as const

export const formatFlag = Flags.option({options: listFormats, default: 'table'})({
  summary: 'Format of the list.',
})

export const returnUrlFlag = Flags.string({
  summary: 'Address for the webhook. Default: return_url of the profile.',
  helpValue: 'URL',
})

/** For a secret that really ends with a newline; by default one newline at the end is dropped. */
export const exactSecretFlag = Flags.boolean({
  default: false,
  summary: 'Keep the newline at the end of a secret from a file or a command.',
})

export const searchRateFlag = positiveNumber({
  summary: 'With --find-legacy-scheme: most requests a second. Default: 0.5.',
})
