import type {LoadedProfile} from '../../config/load-profile.ts'
import {type Check, failed, ok, warning} from '../../core/doctor/check.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {doubtsCheck} from './machine.ts'

type SharedSetting = NonNullable<LoadedProfile['sharedJournal']>

/** The checks `journal` and `lock` of a journal that many machines share. */
export async function sharedJournalChecks(
  {url, place}: SharedSetting,
  {profile}: LoadedProfile,
  onSecret: (secret: string) => void,
): Promise<Check[]> {
  try {
    const {readAddress} = await import('../../journal/postgres/settings.ts')
    const {inspectShared} = await import('../../journal/postgres/inspect.ts')
    const address = readAddress(await url(), place)
    if (address.password !== '') onSecret(address.password)
    const {clockBehindMs, canDelete, asyncStandbys, holder, ...doubts} = await inspectShared(address, profile)
    const {holderText} = await import('../../journal/postgres/lease.ts')
    const {timeZone} = profile.ledger
    const lock = ok('lock', holder === null ? 'nobody is at work' : holderText(holder, timeZone))
    const minutes = Math.round(Math.abs(clockBehindMs) / 60_000)
    if (minutes >= 2)
      return [
        failed(
          'journal',
          'config_invalid',
          `${address.name}: this machine's clock differs from it by ${minutes} minutes, so nothing is sent`,
          'Correct the clock of this machine, or of the database.',
        ),
        lock,
      ]
    if (canDelete)
      return [
        warning(
          'journal',
          `${address.name}: this role may delete what was sent`,
          'Connect as a role that owns no table: hisab journal migrate --grant ROLE. See docs/shared-journal.md.',
        ),
        lock,
      ]
    if (asyncStandbys.length > 0)
      return [
        warning(
          'journal',
          `${address.name}: ${asyncStandbys.map((name) => escapeInvisible(name, 60)).join(', ')} may lack what was acknowledged`,
          'Name it in synchronous_standby_names, or never promote it without a comparison.',
        ),
        lock,
      ]
    return [doubtsCheck(address.name, doubts), lock]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [failed('journal', error.code, error.clause, error.hint), ok('lock', 'not known')]
  }
}
