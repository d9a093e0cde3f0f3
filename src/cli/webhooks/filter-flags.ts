import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import {type DeliveryFilter, isCodePattern, noHost} from '../../core/delivery-filter.ts'
import {deliveryStatuses, isUuid} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {FlagsOf} from '../flags.ts'
import {instantFlag, resolveWindow, windowFlags} from '../time-flag.ts'

/** Flags that select delivery records, in `webhooks list` and `webhooks resend`. */
export const deliveryStatusFlag = Flags.option({options: deliveryStatuses})({
  summary: 'Only records with this status.',
})

export const uuidFlag = Flags.custom<string>({
  helpValue: 'UUID',
  parse: async (text) => {
    if (isUuid(text)) return text
    throw new CLIError(`"${escapeInvisible(text, 60)}" is not a UUID.`)
  },
})

const codeFlag = Flags.custom<string>({
  helpValue: 'CODE',
  parse: async (text) => {
    if (isCodePattern(text)) return text
    throw new CLIError(`"${escapeInvisible(text, 40)}" is no HTTP status. Write 503, 5xx or none.`)
  },
})

/** The port must be written as in the address: a scheme's default port is not part of a host. */
const hostFlag = Flags.custom<string>({
  helpValue: 'HOST',
  parse: async (text) => {
    if (text === noHost) return text
    const [, port = ''] = /(:\d{1,5})$/.exec(text) ?? []
    const name = /[/?#@\s]/.test(text) ? undefined : URL.parse(`https://${text}`)?.hostname
    if (name) return `${name}${port}`
    throw new CLIError(
      `"${escapeInvisible(text, 80)}" is not a host. Write shop.example or shop.example:8443.`,
    )
  },
})

export const localFilterFlags = {
  ...windowFlags,
  since: instantFlag({
    summary:
      'From this time on: `2026-11-20T14:30`, or `24h` ago. Failed: the last attempt; else: the creation.',
  }),
  event: Flags.string({
    summary: 'Only records of this event, for example order.completed.',
    helpValue: 'NAME',
  }),
  'order-no': Flags.string({
    aliases: ['merchant-order-id'],
    summary: 'Only records of this order number.',
    helpValue: 'NO',
  }),
  code: codeFlag({
    summary:
      'Only records with this answer of your server: 503, 5xx, or none for no answer. May be repeated.',
    multiple: true,
  }),
  host: hostFlag({summary: 'Only records sent to this host, with the port where the address has one.'}),
  url: Flags.string({summary: 'Only records whose address starts with this.', helpValue: 'URL'}),
}

export type LocalFlags = Partial<FlagsOf<typeof localFilterFlags>>

export function localFilterOf(flags: LocalFlags, timeZone: string): DeliveryFilter {
  return {
    ...resolveWindow(flags, timeZone),
    event: flags.event ?? null,
    merchantOrderId: flags['order-no'] ?? null,
    codes: flags.code ?? [],
    host: flags.host ?? null,
    urlStart: flags.url ?? null,
  }
}

export function isLocallyFiltered(flags: LocalFlags): boolean {
  return Object.keys(localFilterFlags).some((name) => flags[name as keyof LocalFlags] !== undefined)
}
