import {userInfo} from 'node:os'
import * as Flags from '@oclif/core/flags'

export const byFlag = Flags.string({
  summary: 'Your name. Default: the user of this machine.',
  helpValue: 'NAME',
})

/** Who does it: as they say, else the user of this machine. */
export function authorOf(by?: string): string {
  return by?.trim() || machineUser()
}

function machineUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user that has no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
