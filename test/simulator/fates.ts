import {Failure} from '../../src/core/failure.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import type {History} from './history.ts'
import type {Try} from './network.ts'
import type {Ending} from './night.ts'
import type {Fate, SimulatedProcess} from './process.ts'
import {profile} from './profile.ts'

/** The points around a send, where it matters most. */
const momentous = [
  'resend',
  'Intent',
  'settleResend',
  'the service had resend',
  'rename',
  'create',
  'claimNumber',
  'settleRequest',
] as const

/** What befalls a process: nothing, mostly. */
export function fateFrom(history: History, holdsLock = true): Fate {
  const {dice} = history
  return {
    ...(holdsLock && dice.chance(0.1)
      ? {meanwhile: {at: dice.int(1, 15), run: () => beginAnother(history)}}
      : {}),
    ...(dice.chance(0.25) ? {diesAt: dice.int(1, 80)} : {}),
    ...(dice.chance(0.25) ? {diesOn: {what: dice.pick(momentous), times: dice.int(1, 4)}} : {}),
    ...(dice.chance(0.08) ? {interruptedAt: dice.int(1, 60)} : {}),
    ...(dice.chance(0.08) ? {fullAt: dice.int(1, 40)} : {}),
  }
}

/** Another process for the same merchant is turned away, and one for another environment is not (P14). */
function beginAnother({site, blame}: History): void {
  site.counts.add('overlapping runs')
  try {
    acquireRunLock(site.dir, profile).release()
    blame(['a second run of the profile was let in (P14)'])
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'locked') throw error
  }
  acquireRunLock(site.dir, {...profile, environment: 'staging'}).release()
}

/** Whether a run that ended without a result had a reason to. */
export function judgeEnding({
  ending,
  process,
  tries,
}: {
  readonly ending: Ending<unknown>
  readonly process: SimulatedProcess
  readonly tries: readonly Try[]
}): string[] {
  if (ending.is !== 'failed') return []
  const {code, message} = ending.failure
  const heard = tries.filter(({isHeard}) => isHeard)
  const isShort = heard.some(
    ({hears, reply}) => hears === 'nothing' || hears === 'throttled' || (reply?.status ?? 0) >= 400,
  )
  const reasons: Partial<Record<typeof code, boolean>> = {
    storage_failed: process.hitFullDisk,
    service_unreachable: heard.some(({hears}) => hears === 'not_sent'),
    credentials_rejected: heard.some(({reply}) => reply?.status === 401),
    too_many_resends: true,
    interrupted: process.stop.signal.aborted,
    legacy_unavailable: !process.site.world.hasLegacyApi,
    service_busy: isShort,
    answer_untrusted: isShort,
    service_refused: heard.some(({hears}) => hears === 'no'),
  }
  return reasons[code] ? [] : [`it failed with ${code}: ${message}`]
}
