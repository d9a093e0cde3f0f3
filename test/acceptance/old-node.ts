import {spawnSync} from 'node:child_process'
import {delimiter, join} from 'node:path'

/** A Node on the PATH that hisab does not run on; npm puts its own Node 24 before it. */
export const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((dir) => join(dir, 'node'))
  .find((path) => majorOf(path) < 24)

function majorOf(path: string): number {
  const {status, stdout} = spawnSync(path, ['--version'], {encoding: 'utf8'})
  return status === 0 ? Number(/^v(\d+)\./.exec(stdout)?.[1]) : Number.NaN
}
