import {execFileSync} from 'node:child_process'
import {chmodSync, existsSync, realpathSync, rmSync, writeFileSync} from 'node:fs'
import {delimiter, dirname, join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it, vi} from 'vitest'

import {startSandbox} from '../../src/sandbox/library.ts'
import {pack} from './packed.ts'
import {asStranger, dirOfPrograms, run, sharedDir} from './stranger.ts'

/** `npm run campaign:package` names others, and asks for all of it: npm takes its time. */
const named = process.env.PACKAGE_NODES?.split(delimiter)
const nodes = named ?? [process.execPath]
const npmPath = (process.env.PATH ?? '')
  .split(delimiter)
  .map((dir) => join(dir, 'npm'))
  .find(existsSync)
const npm = realpathSync(npmPath ?? '')
// npm, and a process a command: on a busy machine that takes its time.
vi.setConfig({testTimeout: 180_000})
const dir = dirOfPrograms('install')
afterAll(() => rmSync(dir, {recursive: true, force: true}), 60_000)
const {tarball} = pack(dir)
chmodSync(tarball, 0o644)

/** As a new user would, with no network and nothing of anybody's in their home. */
describe.each(nodes)('the tarball, installed by another user under %s', (node) => {
  const version = String(execFileSync(node, ['--version'])).trim()
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  const home = sharedDir(dir, version)
  const env = {
    PATH: `${dirname(node)}${delimiter}/usr/bin${delimiter}/bin`,
    HOME: join(home, 'home'),
    TMPDIR: home,
    HISAB_DATA_DIR: join(home, 'data'),
    HISAB_API_SECRET: 'sandbox-secret-not-for-live-use',
  }
  const as = (words: readonly string[], more = {}) => run([...asStranger, ...words], {...env, ...more}, home)
  const [prefix, shop] = [join(home, 'prefix'), join(home, 'shop')]
  beforeAll(() => as(['mkdir', 'home', 'shop']))

  it('globally, and by npx: without a warning, one package', async () => {
    const install = [node, npm, 'install', '--global', '--offline', '--prefix', prefix, tarball]
    const installed = {status: 0, stderr: '', stdout: expect.stringMatching(/^\nadded 1 package in /)}
    expect(await as(install)).toMatchObject(installed)
    const says =
      major < 24
        ? {status: 2, stderr: expect.stringContaining('hisab needs Node 24')}
        : {status: 0, stdout: `hisab/0.1.0 node-${version}\n`, stderr: ''}
    expect(await as([join(prefix, 'bin/hisab'), '--version'])).toMatchObject(says)
    if (!named) return
    const npx = `exec --offline --yes --package ${tarball} -- hisab --version`
    expect(await as([node, npm, ...npx.split(' ')])).toMatchObject(says)
  })

  it.runIf(named)('as a library, with no package beside it: the sandbox wherever its SQLite is', async () => {
    expect(await as([node, npm, 'install', '--offline', '--prefix', shop, tarball])).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(await as(['ls', join(shop, 'node_modules')])).toMatchObject({stdout: 'hisab\n'})
    const use = `const text = JSON.stringify({orderNo: 'D-1', signature: sign({orderNo: 'D-1'}, 'secret-123')})
      console.log(verify(text, 'secret-123').isValid, verify(text, 'secret-124').reason)`
    const open = `startSandbox().then((sandbox) => sandbox.close()).then(() => console.log('closed'))`
    const inShop = (file: string, text: string) => {
      writeFileSync(join(shop, file), text, {mode: 0o644})
      return as([node, '--no-warnings', join(shop, file)])
    }
    const says = (stdout: string) => ({status: 0, stderr: '', stdout})
    expect(await inShop('a.mjs', `import {sign, verify} from 'hisab'; ${use}`)).toEqual(
      says('true mismatch\n'),
    )
    expect(await inShop('a.cjs', `const {sign, verify} = require('hisab'); ${use}`)).toEqual(
      says('true mismatch\n'),
    )
    if (major < 22 || (major === 22 && minor < 13)) return
    expect(await inShop('b.mjs', `import {startSandbox} from 'hisab/sandbox'; ${open}`)).toEqual(
      says('closed\n'),
    )
    expect(await inShop('b.cjs', `const {startSandbox} = require('hisab/sandbox'); ${open}`)).toEqual(
      says('closed\n'),
    )
  })

  it.runIf(major >= 24)(
    'with a package and a HOME that cannot be written, every ordinary command works',
    async () => {
      await using sandbox = await startSandbox()
      const service = {
        HISAB_MERCHANT_ID: sandbox.merchantId,
        HISAB_BASE_URL: sandbox.baseUrl,
        HISAB_APPLY_URL: sandbox.applyUrl,
        HISAB_API_SECRET: sandbox.credentials.apiSecret,
        HISAB_API_KEY: sandbox.credentials.apiKey,
      }
      writeFileSync(join(home, 'ledger.csv'), 'order_no,status,amount\nD-1,open,500.00\n', {mode: 0o644})
      await as(['chmod', '-R', 'a-w', prefix, env.HOME])
      const {stderr} = await as(['sh', '-c', `echo > ${prefix}/x; echo > ${env.HOME}/x`])
      expect(stderr.match(/denied/g)).toHaveLength(2)
      const hook = '--return-url http://127.0.0.1:9/hook'
      const lines: readonly (readonly [line: string, status: number])[] = [
        ['--help', 0],
        ['sign a=b', 0],
        ['verify a=b --signature 0123456789abcdef0123456789abcdef', 7],
        [`deposit create --order-no D-1 --player-phone 01712345678 --player-ref u-1 ${hook}`, 0],
        ['deposit query D-1', 0],
        ['deposit list', 0],
        ['webhooks list', 0],
        ['ledger check ledger.csv', 0],
        // No times in it, so nothing says what it lacks.
        ['reconcile ledger.csv --yes --wait 1s', 8],
        ['runs list', 0],
        ['items list', 0],
        ['find D-1', 0],
        ['config show', 0],
        ['completion bash', 0],
        ['doctor', 0],
        ['config init --profile x --merchant-id 0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01 --yes', 2],
      ]
      for (const [line, status] of lines) {
        const ran = await as([join(prefix, 'bin/hisab'), ...line.split(' ')], service)
        expect.soft({line, ...ran}).toMatchObject({line, status})
        expect.soft(ran.stderr).not.toMatch(/^ +at |EACCES/m)
      }
    },
  )
})
