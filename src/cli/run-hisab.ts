import {spawn} from 'node:child_process'

/**
 * Runs this very program with other arguments, as a user would, and resolves with its exit status. Its result
 * goes to our stdout, or to stderr where ours is a JSON document.
 */
export async function runHisab(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  output: 'stdout' | 'stderr',
): Promise<number> {
  const bin = process.argv[1] ?? ''
  const child = spawn(process.execPath, [bin, ...args], {
    env: {...process.env, ...env},
    stdio: ['ignore', output === 'stdout' ? 'inherit' : 2, 'inherit'],
  })
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
