import {type ExitStatus, exitStatusOf, type FailureCode} from '../failure.ts'

/** The result of one check of `hisab doctor`. `skipped`: nothing to try. `unknown`: tried without a conclusion. */
export const checkStatuses = ['ok', 'warning', 'failed', 'skipped', 'unknown'] as const
export type CheckStatus = (typeof checkStatuses)[number]

/** The checks in the order of the screen; those from `base_url` on use the network. */
export const checkNames = [
  'node',
  'environment',
  'config',
  'profile',
  'settings',
  'api_secret',
  'api_key',
  'data',
  'journal',
  'journal_commits',
  'journal_standbys',
  'journal_clock',
  'journal_role',
  'journal_addresses',
  'payee_key',
  'lock',
  'events',
  'base_url',
  'apply_url',
  'legacy_url',
  'clock',
  'deposits',
  'payouts',
  'webhooks',
  'receiver',
] as const
/** Of a shared journal. */
export const sharedChecks: readonly CheckName[] = checkNames.slice(
  checkNames.indexOf('journal_commits'),
  checkNames.indexOf('lock'),
)
export type CheckName = (typeof checkNames)[number]

export interface Check {
  readonly name: CheckName
  readonly status: CheckStatus
  readonly why: string
  /** What to do about it, or null. */
  readonly next: string | null
  /** For a failed or unknown check: the failure that a command would end with. */
  readonly code: FailureCode | null
}

export function ok(name: CheckName, why: string): Check {
  return {name, status: 'ok', why, next: null, code: null}
}

export function warning(name: CheckName, why: string, next: string): Check {
  return {name, status: 'warning', why, next, code: null}
}

export function failed(name: CheckName, code: FailureCode, why: string, next: string): Check {
  return {name, status: 'failed', why, next, code}
}

export function skipped(name: CheckName, why: string, next: string | null = null): Check {
  return {name, status: 'skipped', why, next, code: null}
}

export function unknown(name: CheckName, why: string, next: string): Check {
  return {name, status: 'unknown', why, next, code: 'incomplete'}
}

/**
 * The exit status of all checks: the first failure of configuration, credentials and reachability; 8 for a check
 * without a conclusion. Warnings and skipped checks count as 0.
 */
export function checksStatus(checks: readonly Check[]): ExitStatus {
  const statuses = new Set(checks.map(({code}): ExitStatus => (code === null ? 0 : exitStatusOf[code])))
  return ([1, 2, 3, 9, 5, 6, 8, 7] as const).find((status) => statuses.has(status)) ?? 0
}
