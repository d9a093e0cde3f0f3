import {Failure} from '../../core/failure.ts'
import type {ResendOverrides} from '../../core/reconcile/evidence.ts'
import type {OverrideWord} from '../../journal/rows.ts'

/** Throws `too_many_resends`: a plan over the limit is not carried out in part. `made`: by earlier processes of the run. */
export function refuseTooMany(planned: number, made: number, resendsMax: number): void {
  if (!isTooMany(planned, made, resendsMax)) return
  throw new Failure(
    'too_many_resends',
    tooManyText(planned, made, resendsMax),
    `Check the plan with --dry-run. Then allow them with --max-resends ${planned + made}.`,
  )
}

export function tooManyText(planned: number, made: number, resendsMax: number): string {
  const earlier = made === 0 ? '' : `, ${made} were made by this run before`
  return `${planned} resends are planned${earlier}, but --max-resends allows ${resendsMax}. None was sent${made === 0 ? '' : ' now'}.`
}

/** Whether all processes of a run together would send more than a person allowed. */
export function isTooMany(planned: number, made: number, resendsMax: number): boolean {
  return planned > 0 && planned + made > resendsMax
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
