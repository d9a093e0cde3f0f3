import {Failure} from '../core/failure.ts'
import type {Profile} from '../core/profile.ts'
import {visible} from '../core/text.ts'
import type {ProfileSettings} from './schema.ts'
import {isLoopback, readOrigin} from './urls.ts'

/**
 * The origins beyond this machine to which a sandbox started with this profile may deliver webhooks.
 *
 * Throws `config_invalid` where the profile's own service is not on this machine: a receiver that knows the live
 * service must never be sent a rehearsal's webhooks.
 */
export function deliverToOf(
  given: ProfileSettings['sandbox'],
  {baseUrl, applyUrl, legacyUrl}: Profile,
  place: (key: string) => string,
): readonly string[] {
  const origins = (given?.deliver_to ?? []).map((text) => readOrigin(text, place('sandbox.deliver_to')))
  const away = [baseUrl, applyUrl, legacyUrl].find((url) => url !== '' && !isLoopback(url))
  if (origins.length === 0 || away === undefined) return origins
  throw new Failure(
    'config_invalid',
    `${place('sandbox.deliver_to')}: this profile reaches a live service at ${visible(away)}.`,
    'Move deliver_to to a profile of its own whose addresses are those of the sandbox.',
  )
}
