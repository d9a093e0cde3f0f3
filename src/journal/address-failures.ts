import {Failure} from '../core/failure.ts'
import {quoteForShell} from '../core/shell.ts'
import {visible} from '../core/text.ts'
import type {Caller} from './addresses.ts'

export function ofAnotherEnvironment(
  address: string,
  theirs: string,
  {account: {environment}, profileName}: Caller,
): Failure {
  return new Failure(
    'config_invalid',
    `${visible(address)} is known as environment "${theirs}" of this merchant, and this command says "${environment}". One service would get two memories, and what one sent the other would send again. Nothing was sent.`,
    `Say environment = "${theirs}" in the profile, or HISAB_ENVIRONMENT=${theirs}. If they are two deployments at one address: hisab journal link --profile ${quoteForShell(profileName)}.`,
  )
}

export function fromNowhere(address: string, {account: {environment}, profileName}: Caller): Failure {
  return new Failure(
    'config_invalid',
    `The journal of this merchant (${environment}) is of an earlier version, which did not write down where it sent what is in doubt now. Another deployment would end the doubt by orders of its own. Nothing was sent.`,
    `If it was sent to ${visible(address)}: hisab journal link --profile ${quoteForShell(profileName)}. If not, say the same of the profile that reaches the service it was sent to.`,
  )
}

export function neverReached(address: string, {account: {environment}, profileName}: Caller): Failure {
  return new Failure(
    'config_invalid',
    `This merchant (${environment}) was never reached at ${visible(address)} before, and its journal is of other addresses. Nothing was sent.`,
    `If the service moved there: hisab journal link --profile ${quoteForShell(profileName)}. If it is another deployment, give it an environment of its own: environment = "staging" in the profile, or HISAB_ENVIRONMENT.`,
  )
}
