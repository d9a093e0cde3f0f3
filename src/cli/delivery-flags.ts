import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import {deliveryStatuses, isUuid} from '../core/order.ts'
import {visible} from '../core/text.ts'
import type {LocalFilter} from '../workflows/list-deliveries.ts'
import type {WrittenInstant} from './time-flag.ts'

/** Flags that choose delivery records, in `webhooks list` and `webhooks resend`. */
export const deliveryStatusFlag = Flags.option({options: deliveryStatuses})({
  summary: 'Only records with this status.',
})

export const eventFlag = Flags.string({
  summary: 'Only records of this event, for example order.completed.',
  helpValue: 'NAME',
})

export const uuidFlag = Flags.custom<string>({
  helpValue: 'UUID',
  parse: async (text) => {
    if (isUuid(text)) return text
    throw new CLIError(`"${visible(text, 60)}" is not a UUID.`)
  },
})

interface LocalFlags {
  readonly since?: WrittenInstant | undefined
  readonly until?: WrittenInstant | undefined
  readonly event?: string | undefined
  readonly 'merchant-order-id'?: string | undefined
}

export function localFilterOf(flags: LocalFlags, timeZone: string): LocalFilter {
  const nowMs = Date.now()
  return {
    sinceMs: flags.since?.resolve(timeZone, nowMs) ?? null,
    untilMs: flags.until?.resolve(timeZone, nowMs) ?? null,
    event: flags.event ?? null,
    merchantOrderId: flags['merchant-order-id'] ?? null,
  }
}
