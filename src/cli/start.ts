import {createRequire} from 'node:module'
import {fileURLToPath} from 'node:url'
import {execute} from '@oclif/core/execute'

import {installErrorHandlers} from './error-handlers.ts'

/**
 * Hands the process to oclif. Not awaited: a top-level await would end `hisab … | head` with status 13 instead of
 * the command's own.
 */
export function start(binUrl: string): void {
  // Files of the journal and reports are made by SQLite and by us; none is for other users (P25).
  process.umask(0o077)
  // Else oclif loads a whole semver to say what bin/run.js has said already.
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1'
  // Named, so that oclif does not search the folders above for them.
  const root = fileURLToPath(new URL('..', binUrl))
  installErrorHandlers()
  void execute({loadOptions: {root, pjson: createRequire(binUrl)('../package.json')}})
}
