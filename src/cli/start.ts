import {createRequire} from 'node:module'
import {devNull, userInfo} from 'node:os'
import {isAbsolute} from 'node:path'
import {fileURLToPath} from 'node:url'
import {execute} from '@oclif/core/execute'
import {settings} from '@oclif/core/settings'

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
  settleFolders(process.env)
  if (process.argv.includes('--no-color')) {
    process.env.NO_COLOR = '1'
    delete process.env.FORCE_COLOR
  }
  // oclif's own log lines hold the arguments, and with them names and telephones (P20).
  delete process.env.DEBUG
  // Named, so that oclif does not search the folders above for them.
  const root = fileURLToPath(new URL('..', binUrl))
  installErrorHandlers()
  // With NODE_ENV=development oclif would look for a compiler in every folder above this one.
  settings.enableAutoTranspile = false
  const pjson = createRequire(binUrl)('../package.json')
  // Else a package.json in the data directory could name code to run.
  void execute({loadOptions: {root, pjson, userPlugins: false, devPlugins: false}})
}

/**
 * Where oclif and hisab look for this user's folders. Where HOME is empty oclif would take the temporary folder, which
 * is everybody's; a path that begins at the working folder belongs to whoever made that. A user who has no home gets a
 * place where nothing can be.
 */
export function settleFolders(env: NodeJS.ProcessEnv): void {
  for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME']) {
    if (!isAbsolute(env[name] ?? '')) delete env[name]
  }
  if (!isAbsolute(env.HOME ?? '')) env.HOME = userOrNull()?.homedir || devNull
  // oclif would ask the system, which does not know every user.
  env.SHELL ??= userOrNull()?.shell ?? ''
}

function userOrNull() {
  try {
    return userInfo()
  } catch {
    return null
  }
}
