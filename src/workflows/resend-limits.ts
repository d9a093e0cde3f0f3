import {Failure} from '../core/failure.ts'
import type {ResendOverrides} from '../core/reconcile/evidence.ts'
import type {OverrideWord} from '../journal/rows.ts'

/** Throws `too_many_resends`: a plan over the limit is not carried out in part. */
export function refuseTooMany(planned: number, resendsMax: number): void {
  if (planned <= resendsMax) return
  throw new Failure(
    'too_many_resends',
    `${planned} resends are planned and --max-resends allows ${resendsMax}; none was sent.`,
    `Look at the plan with --dry-run, then allow them with --max-resends ${planned}.`,
  )
}

/** The overrides as the journal records them. */
export function overrideWordsOf(overrides: ResendOverrides): OverrideWord[] {
  const given: (OverrideWord | false)[] = [
    overrides.includeDelivered && 'include-delivered',
    overrides.ignoreCooldown && 'ignore-cooldown',
    overrides.retryUnknown && 'retry-unknown',
    overrides.includeMissing === true && 'include-missing',
  ]
  return given.filter((word) => word !== false)
}
