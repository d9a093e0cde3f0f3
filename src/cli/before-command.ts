import type {Hook} from '@oclif/core/hooks'

import {Failure} from '../core/failure.ts'
import {requireTrusted} from '../files/trust.ts'
import {tell} from './error-handlers.ts'

/** Completions are read by the user's shell, which runs what is in them. */
const hook: Hook.Prerun = async ({Command, config}) => {
  if (!Command.id.startsWith('autocomplete')) return
  try {
    requireTrusted(config.cacheDir, 'The folder for completions')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // oclif runs the command all the same where a hook throws.
    tell(error)
    process.exit()
  }
}

export default hook
