import {spawn} from 'node:child_process'
import {resolve} from 'node:path'

/**
 * Runs this program with other arguments and resolves with its exit status. Its result goes to our stdout, or to
 * stderr if ours is a JSON document. `input`: whether it may ask.
 */
export async function runHisab(
  args: readonly string[],
  {cwd, env}: {readonly cwd: string; readonly env: Readonly<Record<string, string>>},
  output: 'stdout' | 'stderr',
  input: 'ignore' | 'inherit' = 'ignore',
): Promise<number> {
  const bin = resolve(process.argv[1] ?? '')
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: {...process.env, ...env},
    stdio: [input, output === 'stdout' ? 'inherit' : 2, 'inherit'],
  })
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
