import {execFileSync, spawnSync} from 'node:child_process'
import {copyFileSync, cpSync, mkdirSync, readFileSync, rmSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, describe, expect, test, vi} from 'vitest'

import {root} from './own-home.ts'
import {pack} from './packed.ts'
import {type Done, dirOfPrograms, isRoot, run, sharedDir, strangersUid} from './stranger.ts'

const recipe = join(root, 'build/container/Containerfile')
const steps = readFileSync(recipe, 'utf8')
const words = (step: string) => new RegExp(`^${step} (.*)$`, 'm').exec(steps)?.[1] ?? ''
const env = Object.fromEntries(
  words('ENV')
    .split(' ')
    .map((pair) => pair.split('=')),
)
const entry = JSON.parse(words('ENTRYPOINT')) as string[]

/** An engine inside a virtual machine may not raise its own. */
const limits = '--ulimit nofile=1000:1000 --ulimit nproc=1000:1000'

vi.setConfig({testTimeout: 180_000})
const dir = dirOfPrograms('container')
afterAll(() => rmSync(dir, {recursive: true, force: true}), 60_000)

/** What a user of the image does, as a user whom it does not know, the root read-only, no network. */
async function judge(hisab: (line: string) => Promise<Done>) {
  expect(await hisab('--version')).toEqual({
    status: 0,
    stdout: `hisab/0.1.0 node-${process.version}\n`,
    stderr: '',
  })
  // A whole day against the sandbox, with journal, working files and reports.
  const demo = await hisab('demo')
  expect(demo).toMatchObject({status: 0, stdout: expect.stringContaining('Booked twice: 0.')})
  expect(demo.stdout).toContain('Ledger   /data/demo/')
  expect(await hisab('deposit list --profile sandbox')).toMatchObject({status: 0, stderr: ''})
}

test('the recipe: no user of its own, one volume, no secret, no step as root but in the first stage', () => {
  expect(steps.match(/^VOLUME .*$/gm)).toEqual(['VOLUME /data'])
  expect(words('USER')).toMatch(/^\d{4,}:\d{4,}$/)
  expect(env).toEqual({HOME: '/data', HISAB_DATA_DIR: '/data', TMPDIR: '/data'})
  expect(steps.slice(steps.lastIndexOf('\nFROM'))).not.toMatch(/^(RUN|ADD)/m)
})

/** A container may take this from root. */
const mayMount = spawnSync('/usr/bin/unshare', ['--mount', 'true']).status === 0

describe.runIf(isRoot && mayMount && process.platform === 'linux')(
  'the image, made of files of this machine',
  () => {
    const {tarball} = pack(dir)
    /** A base without a package manager and without a network: a shell, and what Node links to. */
    const base = join(dir, 'base')
    for (const program of ['/bin/sh', '/bin/mkdir', '/bin/mv', '/bin/ln']) copyWithLibraries(program, true)
    copyWithLibraries(process.execPath, false)

    test('its steps played: a read-only root with nothing but the image, the data folder the one place to write', async () => {
      const image = join(dir, 'image')
      cpSync(base, image, {recursive: true})
      for (const folder of ['opt', 'usr/local/bin', 'proc', 'dev'])
        mkdirSync(join(image, folder), {recursive: true})
      execFileSync('tar', ['xzf', tarball, '-C', join(image, 'opt')])
      execFileSync('mv', ['opt/package', 'opt/hisab'], {cwd: image})
      cpSync(process.execPath, join(image, 'usr/local/bin/node'))
      mkdirSync(join(image, 'data'))
      const data = sharedDir(dir, 'data')
      const inside = `mount --bind ${image} ${image} && mount --bind ${data} ${image}/data && mount --bind /dev ${image}/dev &&
      mount -o remount,ro,bind ${image} && ! (echo > ${image}/x) 2> /dev/null && cd ${image}/data && exec chroot "$@"`
      const user = [`--userspec=${strangersUid}:${strangersUid}`, '--groups=', image]
      await judge((line) =>
        run(
          ['unshare', '--mount', 'sh', '-c', inside, 'sh', ...user, ...entry, ...line.split(' ')],
          {PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, ...env},
          dir,
        ),
      )
    })

    const engine = engineOf()
    test.runIf(engine.length > 0)(
      `built and run by ${engine.join(' ')}`,
      async () => {
        const context = join(dir, 'context')
        const node = `node_modules/node-linux-${process.arch}`
        for (const file of ['bin/node', 'LICENSE']) {
          mkdirSync(dirname(join(context, node, file)), {recursive: true})
          cpSync(join(root, node, file), join(context, node, file))
        }
        cpSync(tarball, join(context, 'hisab-0.1.0.tgz'))
        const [name, volume] = ['hisab-of-test', `hisab-of-test-${process.pid}`]
        const of = (line: string) =>
          run([...engine, ...line.split(' ')], process.env as Record<string, string>, context)
        try {
          const bases =
            '--build-arg BUILD=localhost/hisab-base-of-test --build-arg BASE=localhost/hisab-base-of-test'
          expect(await of(`build -f ${recipe} ${bases} -t ${name} .`)).toMatchObject({status: 0})
          const closed = '--read-only --cap-drop ALL --security-opt no-new-privileges'
          await judge((line) =>
            of(
              `run --rm ${limits} --network none ${closed} --user ${strangersUid} -v ${volume}:/data ${name} ${line}`,
            ),
          )
        } finally {
          await of(`volume rm ${volume}`)
          await of(`rmi ${name}`)
        }
      },
      180_000,
    )

    /** The words that begin a line for an engine that runs the base; none where there is none. */
    function engineOf(): string[] {
      const files = join(dir, 'base.tar')
      execFileSync('tar', ['-C', base, '-cf', files, '.'])
      for (const words of [['docker'], ['podman'], ['podman', '--runtime', 'runc']]) {
        const [program = '', ...args] = words
        const done = (line: string) => spawnSync(program, [...args, ...line.split(' ')]).status === 0
        if (!done(`import ${files} localhost/hisab-base-of-test`)) continue
        if (done(`run --rm ${limits} --network none localhost/hisab-base-of-test /bin/mkdir --version`))
          return words
      }
      return []
    }

    function copyWithLibraries(program: string, isTaken: boolean) {
      const libraries = String(execFileSync('ldd', [program])).match(/(?<=\s)\/\S+/g) ?? []
      for (const file of [...(isTaken ? [program] : []), ...libraries]) {
        mkdirSync(join(base, dirname(file)), {recursive: true})
        copyFileSync(file, join(base, file))
      }
    }
  },
)
