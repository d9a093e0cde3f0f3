// What the package promises and a test of seconds cannot show: two builds with one hash, what publint and arethetypeswrong
// say, and the tarball installed by another user under each Node it is for. Asks npm's registry for tools and Nodes.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {delimiter, join} from 'node:path'
import {fileURLToPath} from 'node:url'

const tools = [
  ['publint@0.3.25', 'publint'],
  ['@arethetypeswrong/cli@0.18.5', 'attw'],
]
const nodeVersions = ['20', '22', '24', '26']

const root = fileURLToPath(new URL('../..', import.meta.url))
const dir = mkdtempSync('/tmp/hisab-package-')
// Other users install from it.
execFileSync('chmod', ['755', dir])
const run = (program: string, args: readonly string[], cwd = dir, env = {}) =>
  execFileSync(program, args, {cwd, stdio: 'inherit', env: {...process.env, ...env}})

try {
  // Another folder and another umask, of which nothing may be in the package.
  const tarballs = [packed('one', '022'), packed('another one', '077')]
  const hashes = tarballs.map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'))
  console.log(`two builds: ${hashes.join(', ')}`)
  if (new Set(hashes).size > 1) throw new Error('Two builds of one commit differ.')

  for (const [name = '', program = ''] of tools) {
    run('npm', ['exec', '--yes', '--package', name, '--', program, tarballs[0] ?? ''])
  }

  const nodes = nodeVersions.map((version) => {
    const name = `node-${process.platform}-${process.arch}`
    const prefix = join(dir, version)
    run('npm', ['install', '--silent', '--no-save', '--prefix', prefix, `${name}@${version}`])
    return join(prefix, 'node_modules', name, 'bin/node')
  })
  const test = ['run', '--config', 'test/vitest.config.ts', '--testTimeout=300000', '--hookTimeout=300000']
  const files = ['install', 'container'].map((name) => `test/acceptance/${name}.test.ts`)
  run('vitest', [...test, ...files], root, {PACKAGE_NODES: nodes.join(delimiter)})
} finally {
  rmSync(dir, {recursive: true})
}

function packed(name: string, umask: string): string {
  const clone = join(dir, name)
  run('git', ['clone', '--quiet', root, clone])
  // Second names where it can be, for it is large.
  run('sh', ['-c', 'cp -al "$0" . 2>/dev/null || cp -a "$0" .', join(root, 'node_modules')], clone)
  const to = join(dir, `packed ${name}`)
  mkdirSync(to)
  run('sh', ['-c', `umask ${umask}; npm pack --silent --pack-destination "$0"`, to], clone)
  return join(to, 'hisab-0.1.0.tgz')
}
