import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, mkdirSync, mkdtempSync} from 'node:fs'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'

/** Whether a test may act as another user than its own, which is root's to do. */
export const isRoot = process.getuid?.() === 0
/** A user whom the system does not know; no test starts programs of theirs that outlive it. */
export const strangersUid = 54321

/** Words before a program that make another user run it; none where the test is not root's, for then it is one already. */
export const asStranger: readonly string[] = isRoot
  ? ['setpriv', `--reuid=${strangersUid}`, `--regid=${strangersUid}`, '--clear-groups']
  : []

export interface Done {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Done> {
  const [program = '', ...args] = words
  const child = spawn(program, args, {env: {...env}, cwd, stdio: ['ignore', 'pipe', 'pipe']})
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return {status: status as number | null, stdout, stderr}
}

/** Not where memory is the disk: programs are copied there, and there none may run on some machines. */
export const dirOfPrograms = (name: string) => mkdtempSync(join('/tmp', `hisab-${name}-`))

/** A folder that anybody may add to, as /tmp, below one that anybody may enter. */
export function sharedDir(dir: string, name: string): string {
  chmodSync(dir, 0o755)
  const shared = join(dir, name)
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  return shared
}
