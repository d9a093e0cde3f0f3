import {Failure} from '../core/failure.ts'
import type {DeliveryStatus} from '../core/order.ts'
import type {ResendOverrides} from '../core/reconcile/evidence.ts'
import type {ResendSelection} from '../workflows/resend-plan.ts'
import {localFilterOf} from './delivery-flags.ts'
import type {WrittenInstant} from './time-flag.ts'

interface SelectionFlags {
  readonly status?: DeliveryStatus | undefined
  readonly since?: WrittenInstant | undefined
  readonly until?: WrittenInstant | undefined
  readonly event?: string | undefined
}

/** What to resend: the ids, or the filter, and never both. Throws `usage`. */
export function selectionOf(
  ids: readonly string[],
  flags: SelectionFlags,
  timeZone: string,
): ResendSelection {
  const {status, since, until, event} = flags
  const isFiltered = [status, since, until, event].some((flag) => flag !== undefined)
  if (ids.length > 0 && isFiltered) {
    throw new Failure(
      'usage',
      'Ids and filters were given together.',
      'Name the records by id, or choose them with --status and the filters.',
    )
  }
  if (ids.length > 0) return {by: 'ids', ids}
  if (status === undefined) {
    throw new Failure('usage', 'Nothing says what to resend.', 'Name ids, or choose with --status failed.')
  }
  return {by: 'filter', status, local: localFilterOf(flags, timeZone)}
}

interface OverrideFlags {
  readonly 'include-delivered': boolean
  readonly 'ignore-cooldown': boolean
  readonly 'retry-unknown': boolean
}

export function overridesOf(flags: OverrideFlags): ResendOverrides {
  return {
    includeDelivered: flags['include-delivered'],
    ignoreCooldown: flags['ignore-cooldown'],
    retryUnknown: flags['retry-unknown'],
  }
}
