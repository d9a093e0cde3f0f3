import {userInfo} from 'node:os'
import * as Flags from '@oclif/core/flags'

export const byFlag = Flags.string({
  summary: 'Your name. Default: the user of this machine.',
  helpValue: 'NAME',
})

/** The person given by a flag, else this machine's user. */
export function authorOf(by?: string): string {
  return by?.trim() || machineUser()
}

function machineUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user may have no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
