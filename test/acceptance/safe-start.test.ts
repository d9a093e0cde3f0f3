import {spawnSync} from 'node:child_process'
import {chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, describe, expect, it} from 'vitest'

import {binary, OwnHome, root} from './own-home.ts'

/** What other users of the machine may have put where hisab, or oclif, once looked (P25). */
describe.concurrent('code and configuration that another user planted', () => {
  const home = new OwnHome({HISAB_API_SECRET: 'sandbox-secret-not-for-live-use'})
  afterAll(() => home.remove())
  const proof = join(home.dir, 'planted')
  const plant = `require('node:fs').writeFileSync(${JSON.stringify(proof)}, '')`
  const signs = {status: 0, stdout: expect.stringMatching(/^[0-9a-f]{32}\n$/)}

  it('under another Node there is no cache in the temporary folder', async () => {
    const copy = join(home.dir, 'copy')
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(root, part), join(copy, part), {recursive: true})
    rmSync(join(copy, 'dist/code'), {recursive: true})
    const TMPDIR = join(home.dir, 'empty')
    mkdirSync(TMPDIR)
    expect(await home.run(['sign', 'a=b'], {bin: join(copy, 'bin/run.js'), env: {TMPDIR}})).toMatchObject(
      signs,
    )
    expect(readdirSync(TMPDIR)).toEqual([])
  })

  it('a package.json in the data directory is nobody’s', async () => {
    home.write(join(home.dataDir, 'plugin.cjs'), plant)
    const pjson = {name: 'x', version: '1.0.0', oclif: {hooks: {init: './plugin.cjs'}, plugins: ['x']}}
    home.write(join(home.dataDir, 'package.json'), JSON.stringify(pjson))
    home.write(
      join(home.dataDir, 'node_modules/x/package.json'),
      JSON.stringify({...pjson, main: 'plugin.cjs'}),
    )
    home.write(join(home.dataDir, 'node_modules/x/plugin.cjs'), plant)
    expect(await home.run(['sign', 'a=b'])).toMatchObject(signs)
    expect(existsSync(proof)).toBe(false)
  })

  it.each([
    ['an empty HOME', {HOME: ''}],
    ['a HOME that begins at the working folder', {HOME: '.'}],
    ['an XDG_CONFIG_HOME that does', {XDG_CONFIG_HOME: '.config'}],
  ])('%s leads to no folder of others', async (_what, env) => {
    const config = `default_profile = "x"\n[profiles.x]\napi_secret = {command = ["touch", "${proof}"]}\n`
    for (const dir of [home.tempDir, home.workDir]) home.write(join(dir, '.config/hisab/config.toml'), config)
    // What the real home of whoever runs the tests holds is theirs to say.
    const {stderr} = await home.run(['sign', 'a=b'], {env})
    expect(stderr).not.toContain(home.dir)
    expect(existsSync(proof)).toBe(false)
  })

  it('NODE_ENV=development loads no compiler, and DEBUG logs no argument (P20)', async () => {
    const env = {NODE_ENV: 'development', DEBUG: '*'}
    const ran = await home.run(['sign', 'playerPhone=01712345678'], {env})
    expect(ran).toMatchObject({...signs, stderr: ''})
  })

  it.runIf(process.getuid?.() === 0)('a user whom the system does not know can start hisab', () => {
    chmodSync(home.dir, 0o755)
    const as = (args: string[], env: Record<string, string>) =>
      spawnSync(
        'setpriv',
        ['--reuid=54321', '--regid=54321', '--clear-groups', process.execPath, binary, ...args],
        {
          env: {PATH: home.env.PATH ?? '', HISAB_API_SECRET: 'sandbox-secret-not-for-live-use', ...env},
          encoding: 'utf8',
        },
      )
    expect(as(['sign', 'a=b'], {})).toMatchObject(signs)
    const list = ['deposit', 'list', '--profile', 'sandbox']
    expect(as(list, {})).toMatchObject({status: 2, stderr: expect.stringContaining('Set HISAB_DATA_DIR')})
    const theirs = join(home.dir, 'theirs')
    mkdirSync(theirs)
    chmodSync(theirs, 0o1777)
    expect(as(list, {HISAB_DATA_DIR: join(theirs, 'data')})).toMatchObject({status: 0})
    // Their folder is not ours: a journal that they may take away is none.
    const ours = home.run(list, {env: {HISAB_DATA_DIR: join(theirs, 'data')}})
    return expect(ours).resolves.toMatchObject({status: 2, stderr: expect.stringContaining('another user')})
  })

  it('a data directory that others can change is refused before anything is sent', async () => {
    const open = join(home.dir, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    const ran = await home.run(['deposit', 'list', '--profile', 'sandbox'], {env: {HISAB_DATA_DIR: open}})
    expect(ran).toMatchObject({status: 2, stderr: expect.stringContaining(`Run: chmod go-w ${open}`)})
    // Also for a report: whoever exchanges its folder chooses what hisab replaces.
    const report = [
      'reconcile',
      home.write('ledger.csv', 'order_no\nD-1\n'),
      '--profile',
      'sandbox',
      '--report',
    ]
    expect(await home.run([...report, join(open, 'report')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`The report folder ${join(open, 'report')} is not used`),
    })
    const scripts = join(open, '.local/share/hisab')
    mkdirSync(scripts, {recursive: true})
    chmodSync(open, 0o755)
    chmodSync(scripts, 0o777)
    const completion = await home.run(['completion', 'bash', '--install'], {env: {HOME: open}})
    expect(completion).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The place of the completion script'),
    })
  })
})
