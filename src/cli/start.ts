import {createRequire} from 'node:module'
import {devNull, userInfo} from 'node:os'
import {isAbsolute} from 'node:path'
import {fileURLToPath} from 'node:url'
import {execute} from '@oclif/core/execute'
import {settings} from '@oclif/core/settings'

import {installErrorHandlers} from './error-handlers.ts'

/** Not awaited: a top-level await would end `hisab … | head` with status 13. */
export function start(binUrl: string): void {
  // Files of the journal and reports are private (P25).
  process.umask(0o077)
  // Otherwise oclif loads semver to repeat what bin/run.js says.
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1'
  setUserFolders(process.env)
  if (process.argv.includes('--no-color')) {
    process.env.NO_COLOR = '1'
    delete process.env.FORCE_COLOR
  }
  // oclif's log lines hold the arguments, with names and telephones (P20).
  delete process.env.DEBUG
  // Given, so that oclif does not search the parent folders.
  const root = fileURLToPath(new URL('..', binUrl))
  installErrorHandlers()
  // With NODE_ENV=development oclif would look for a compiler in every parent folder.
  settings.enableAutoTranspile = false
  const pjson = createRequire(binUrl)('../package.json')
  // Otherwise a package.json in the data directory could name code to run.
  void execute({loadOptions: {root, pjson, userPlugins: false, devPlugins: false}})
}

/**
 * Sets the folders that oclif and hisab use. With an empty HOME oclif would take the shared temporary folder; a
 * relative path belongs to whoever made it. A user without a home gets a path that cannot exist.
 */
export function setUserFolders(env: NodeJS.ProcessEnv): void {
  for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME']) {
    if (!isAbsolute(env[name] ?? '')) delete env[name]
  }
  if (!isAbsolute(env.HOME ?? '')) env.HOME = userOrNull()?.homedir || devNull
  // oclif would ask the system, which may not know the user.
  env.SHELL ??= userOrNull()?.shell ?? ''
}

function userOrNull() {
  try {
    return userInfo()
  } catch {
    return null
  }
}
