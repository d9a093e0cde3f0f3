import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Context} from '../context.ts'

/**
 * Reads a profile for the sandbox, without its secrets and without contacting its addresses. Throws `config_invalid`
 * if a live profile would have rehearsals delivered beyond this machine.
 */
export async function readSandboxProfile(context: Context, profileFlag: string | undefined) {
  const {profile, sandboxDeliverTo} = await context.loadProfile(profileFlag ?? 'sandbox', 'signing')
  const {isLoopback} = await import('../../core/loopback.ts')
  const addresses = [profile.baseUrl, profile.applyUrl, profile.legacyUrl]
  const isLive = addresses.some((url) => url !== '' && !isLoopback(url))
  if (isLive && sandboxDeliverTo.length > 0) {
    throw new Failure(
      'config_invalid',
      `The profile "${escapeInvisible(profile.name)}" is live, and its sandbox.deliver_to would send test webhooks to another machine.`,
      'Put deliver_to, with the same tables, into a profile without live addresses, such as [profiles.sandbox].',
    )
  }
  return {name: profile.name, isLive, dialect: profile.dialect, deliverTo: sandboxDeliverTo}
}
