import {writeSync} from 'node:fs'
import {createRequire, enableCompileCache} from 'node:module'

/**
 * Hands the process to oclif. Not awaited by its caller: a top-level await would end `hisab … | head` with
 * status 13 instead of the command's own.
 */
export function start(binUrl: string): void {
  // Files of the journal and reports are made by SQLite and by us; none is for other users (P25).
  process.umask(0o077)
  if (process.argv.length === 3 && process.argv[2] === '--version') {
    const {version} = createRequire(binUrl)('../package.json') as {version: string}
    try {
      writeSync(1, `hisab/${version} node-${process.version}\n`)
    } catch (error) {
      void import('./last-net.ts').then(({tellLostOutput}) => tellLostOutput(error))
    }
    return
  }
  enableCompileCache()
  // Else oclif loads a whole semver to say what bin/run.js has said already.
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1'
  void Promise.all([import('@oclif/core/execute'), import('./last-net.ts')]).then(
    ([{execute}, {spreadLastNet}]) => {
      spreadLastNet()
      return execute({dir: binUrl})
    },
  )
}
