import {chmodSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs'
import {homedir} from 'node:os'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {runSecretCommand} from '../../src/config/secret-command.ts'
import {secretSource} from '../../src/config/secret-sources.ts'
import {tempDir} from '../temp-dir.ts'
import {canary, failureOf, liveEnvironment, liveToml, load} from './load.ts'

function secretFile(content: string | Uint8Array, mode = 0o600): string {
  const path = join(tempDir(), 'secret')
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

/** The live profile with another `api_secret`. */
function tomlWith(secret: string): string {
  return liveToml.replace('{ env = "LIVE_SECRET" }', secret)
}

/** The environment with the API secret in a file instead. */
function envWithFile(path: string): Record<string, string | undefined> {
  return {...liveEnvironment, HISAB_API_SECRET: undefined, HISAB_API_SECRET_FILE: path}
}

const node = JSON.stringify(process.execPath)

describe('where a secret may be', () => {
  test('a variable, a file of a variable', async () => {
    expect(await (await load({env: liveEnvironment})).apiSecret()).toBe('the secret')
    expect(await (await load({env: envWithFile(secretFile(canary))})).apiSecret()).toBe(canary)
  })

  test.each([
    ['a variable of your own', () => '{ env = "MINE" }'],
    ['a file', () => `{ file = "${secretFile(canary)}" }`],
    ['a command', () => `{ command = [${node}, "-e", "console.log('${canary}')"] }`],
    ['plain text', () => `"${canary}"`],
  ])('in the profile: %s', async (_, setting) => {
    const {apiSecret, sources} = await load({toml: tomlWith(setting()), env: {MINE: canary}})
    expect(await apiSecret()).toBe(canary)
    expect(sources.api_secret).toBe('profile')
  })

  test('a variable wins over the profile', async () => {
    const {apiSecret, sources} = await load({toml: tomlWith(`"${canary}"`), env: {HISAB_API_SECRET: 'mine'}})
    expect(await apiSecret()).toBe('mine')
    expect(sources.api_secret).toBe('environment')
  })

  test('there is one standard input, and not for both secrets', async () => {
    const env = {HISAB_API_SECRET: undefined, HISAB_API_KEY: undefined}
    const both = {HISAB_API_SECRET_FILE: '-', HISAB_API_KEY_FILE: '-'}
    const failure = await failureOf(load({env: {...liveEnvironment, ...env, ...both}}))
    expect(failure).toMatchObject({code: 'config_invalid', message: expect.stringContaining('both "-"')})
  })

  test('nothing is read before it is asked for, and it is read once', async () => {
    const path = secretFile('first')
    const {apiSecret} = await load({env: envWithFile(path)})
    writeFileSync(path, 'second')
    expect(await apiSecret()).toBe('second')
    writeFileSync(path, 'third')
    expect(await apiSecret()).toBe('second')
    await load({toml: tomlWith('{ file = "/nowhere/at/all" }')})
  })

  test('a relative file of the profile starts at the configuration, ~/ at home', () => {
    const pathOf = (file: string) =>
      secretSource(
        'api_secret',
        {},
        {name: 'live', chosenBy: 'flag', settings: {api_secret: {file}}},
        '/etc/hisab/config.toml',
      )?.source
    expect(pathOf('keys/secret')).toMatchObject({path: '/etc/hisab/keys/secret'})
    expect(pathOf('~/secret')).toMatchObject({path: join(homedir(), 'secret')})
    expect(pathOf('/run/secret')).toMatchObject({path: '/run/secret'})
  })
})

describe('what the end of a secret may be', () => {
  test.each([
    ['one line end is left out, and noted', `${canary}\n`, canary, 0, 1],
    ['also of Windows', `${canary}\r\n`, canary, 0, 1],
    ['nothing to leave out', canary, canary, 0, 0],
    ['another blank is kept, with a warning', ` ${canary} \n`, ` ${canary} `, 1, 1],
    ['a byte order mark is not part of it', `\ufeff${canary}`, canary, 0, 0],
  ])('%s', async (_, content, secret, warnings, notes) => {
    const loaded = await load({env: envWithFile(secretFile(content))})
    expect(await loaded.apiSecret()).toBe(secret)
    expect([loaded.warnings.length, loaded.notes.length]).toEqual([warnings, notes])
    expect(JSON.stringify([loaded.warnings, loaded.notes])).not.toContain(canary)
  })

  test.each([
    ['two lines', `${canary}\nmore\n`],
    ['two line ends', `${canary}\n\n`],
    ['a tab', `${canary}\tmore`],
    ['bytes that are not UTF-8', Uint8Array.from([0xff, 0xfe, 0x41])],
  ])('%s: refused', async (_, content) => {
    const {apiSecret} = await load({env: envWithFile(secretFile(content))})
    const failure = await failureOf(apiSecret())
    expect(failure).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('HISAB_API_SECRET_FILE'),
    })
    expect(failure.message + failure.hint).not.toContain(canary)
  })

  test('a line end in a variable is a mistake that is told', async () => {
    const {apiSecret} = await load({env: {...liveEnvironment, HISAB_API_SECRET: `${canary}\n`}})
    const {code, message} = await failureOf(apiSecret())
    expect([code, message.includes(canary)]).toEqual(['config_invalid', false])
  })
})

describe('no secret: exit 3, naming the setting', () => {
  const rows: [string, () => Parameters<typeof load>[0], RegExp][] = [
    [
      'nowhere',
      () => ({env: {...liveEnvironment, HISAB_API_SECRET: undefined}}),
      /"environment" has no API secret/,
    ],
    [
      'an empty variable',
      () => ({env: {...liveEnvironment, HISAB_API_SECRET: ''}}),
      /HISAB_API_SECRET is empty/,
    ],
    [
      'an empty variable does not fall through',
      () => ({toml: tomlWith(`"${canary}"`), env: {HISAB_API_SECRET: ''}}),
      /HISAB_API_SECRET is empty/,
    ],
    ['blanks', () => ({env: {...liveEnvironment, HISAB_API_SECRET: '  '}}), /only blanks/],
    ['an empty file', () => ({env: envWithFile(secretFile('\n'))}), /HISAB_API_SECRET_FILE is only blanks/],
    ['an empty name of a file', () => ({env: envWithFile('')}), /HISAB_API_SECRET_FILE is empty/],
    [
      'a file that is not there',
      () => ({env: envWithFile('/nowhere/secret')}),
      /\/nowhere\/secret.*: there is no such file/,
    ],
    [
      'a variable that is not set',
      () => ({toml: liveToml}),
      /profiles\.live\.api_secret names the variable LIVE_SECRET/,
    ],
    [
      'a command that is not there',
      () => ({toml: tomlWith('{ command = ["no-such-program-here"] }')}),
      /no-such-program-here, could not be started \(ENOENT\)/,
    ],
    [
      'a command that fails',
      () => ({toml: tomlWith(`{ command = [${node}, "-e", "console.log('${canary}'); process.exit(3)"] }`)}),
      /ended with status 3/,
    ],
    [
      'a command that says nothing',
      () => ({toml: tomlWith(`{ command = [${node}, "-e", ""] }`)}),
      /profiles\.live\.api_secret is empty/,
    ],
    [
      'a command that says too much',
      () => ({toml: tomlWith(`{ command = [${node}, "-e", "process.stdout.write('x'.repeat(1e6))"] }`)}),
      /wrote more than 64 KiB/,
    ],
  ]
  test.each(rows)('%s', async (_, given, message) => {
    const {apiSecret} = await load(given())
    const failure = await failureOf(apiSecret())
    expect(failure).toMatchObject({code: 'credentials_missing', exitStatus: 3})
    expect(failure.message).toMatch(message)
    expect(failure.message + failure.hint).not.toContain(canary)
  })

  test('a missing API key does not stop what needs only the secret', async () => {
    const {apiSecret, credentials} = await load({env: {...liveEnvironment, HISAB_API_KEY: undefined}})
    expect(await apiSecret()).toBe('the secret')
    expect((await failureOf(credentials())).message).toMatch(/no API key/)
  })
})

describe('what is refused', () => {
  test.each([
    ['HISAB_API_SECRET', 'HISAB_API_SECRET_FILE'],
    ['HISAB_API_KEY', 'HISAB_API_KEY_FILE'],
  ])('%s and %s together', async (text, file) => {
    const failure = await failureOf(load({env: {...liveEnvironment, [text]: canary, [file]: '/x'}}))
    expect(failure).toMatchObject({code: 'config_invalid', message: `${text} and ${file} are both set.`})
  })

  test.each([0o640, 0o604, 0o620, 0o644])(
    'a secret file others can reach (%o), with the chmod line (P25)',
    async (mode) => {
      const path = secretFile(canary, mode)
      const failure = await failureOf((await load({env: envWithFile(path)})).apiSecret())
      expect(failure).toMatchObject({
        code: 'config_invalid',
        hint: expect.stringContaining(`chmod 600 ${path}`),
      })
    },
  )

  test('a link is followed, and its target is judged', async () => {
    const dir = tempDir()
    symlinkSync(secretFile(canary, 0o400), join(dir, 'good'))
    symlinkSync(secretFile(canary, 0o444), join(dir, 'bad'))
    expect(await (await load({env: envWithFile(join(dir, 'good'))})).apiSecret()).toBe(canary)
    expect((await failureOf((await load({env: envWithFile(join(dir, 'bad'))})).apiSecret())).hint).toMatch(
      /chmod 600/,
    )
  })

  test('a folder in place of the file, and a file of a megabyte', async () => {
    const folder = join(tempDir(), 'folder')
    mkdirSync(folder)
    expect((await failureOf((await load({env: envWithFile(folder)})).apiSecret())).message).toMatch(
      /not a regular file/,
    )
    const large = secretFile('x'.repeat(2 ** 20))
    expect((await failureOf((await load({env: envWithFile(large)})).apiSecret())).message).toMatch(
      /larger than/,
    )
  })

  test.each([0o644, 0o640, 0o604])(
    'a configuration with a plain secret that others can read (%o)',
    async (fileMode) => {
      const failure = await failureOf(load({toml: tomlWith(`"${canary}"`), fileMode}))
      expect(failure).toMatchObject({
        code: 'config_invalid',
        hint: expect.stringMatching(/^Run: chmod 600 .*config\.toml$/),
      })
      expect(failure.message).not.toContain(canary)
    },
  )

  test('without a plain secret the configuration may be read by others', async () => {
    expect((await load({toml: liveToml, fileMode: 0o644})).warnings).toEqual([])
  })

  test('a plain secret is warned about, and not shown', async () => {
    const {warnings} = await load({toml: tomlWith(`"${canary}"`)})
    expect(warnings).toEqual([expect.stringMatching(/profiles\.live\.api_secret in .* is plain text/)])
    expect(warnings.join()).not.toContain(canary)
  })

  test.each([
    ['no way at all', '{ }', /must be exactly one of/],
    ['two ways', `{ file = "${canary}", env = "X" }`, /must be exactly one of/],
    ['a mistyped way', `{ fiel = "${canary}" }`, /did you mean "file"\?/],
    ['a command for a shell', `{ command = "echo ${canary}" }`, /list of words/],
    ['an empty command', '{ command = [] }', /list of words/],
    ['a number', '12345', /must be \{ file/],
    ['a list', `["${canary}"]`, /must be \{ file/],
    ['empty text', '""', /is empty; give it as/],
  ])('%s', async (_, setting, message) => {
    const failure = await failureOf(load({toml: tomlWith(setting)}))
    expect(failure.code).toBe('config_invalid')
    expect(failure.message).toMatch(message)
    expect(failure.message).toContain('profiles.live.api_secret')
    expect(failure.message + failure.hint).not.toContain(canary)
  })
})

describe('the command of a secret', () => {
  const run = (script: string, env = {}, timeoutMs = 10_000) =>
    runSecretCommand([process.execPath, '-e', script], {place: 'api_secret', env, timeoutMs})

  test('gets a small environment, without anything of hisab’s', async () => {
    const env = {
      PATH: '/bin',
      HOME: '/home/x',
      HISAB_API_KEY: canary,
      NODE_OPTIONS: '--bad',
      AWS_TOKEN: canary,
    }
    const seen = JSON.parse(String(await run('console.log(JSON.stringify(process.env))', env)))
    expect(seen).toEqual({PATH: '/bin', HOME: '/home/x'})
  })

  test('has no shell: its arguments arrive as they are', async () => {
    const argv = [process.execPath, '-p', 'process.argv[1]', '$(id); `id` *']
    const output = await runSecretCommand(argv, {place: 'x', env: {}, timeoutMs: 10_000})
    expect(String(output)).toBe('$(id); `id` *\n')
  })

  test('is stopped when it does not end', async () => {
    const failure = await failureOf(run('setInterval(() => {}, 1000)', {}, 100))
    expect(failure).toMatchObject({
      code: 'credentials_missing',
      message: expect.stringMatching(/did not end within 0.1 s/),
    })
  })

  test('is not waited for when a child of its own keeps the pipe open', async () => {
    // Longer than a test may take.
    const script = `require('child_process').spawn('sleep', ['40'], {stdio: 'inherit'}).unref(); setTimeout(() => {}, 1e6)`
    expect((await failureOf(run(script, process.env, 100))).message).toMatch(/did not end/)
  })
})

describe('a secret that really ends with a line end', () => {
  test.each([
    ['a file', () => `{ file = "${secretFile(`${canary}\n`)}", exact = true }`],
    ['a command', () => `{ command = [${node}, "-e", "console.log('${canary}')"], exact = true }`],
  ])('%s: exact = true keeps it, and says so', async (_, setting) => {
    const {apiSecret, notes} = await load({toml: tomlWith(setting()), env: {LIVE_KEY: 'k'}})
    expect(await apiSecret()).toBe(`${canary}\n`)
    expect(notes).toEqual([expect.stringContaining('used as part of it')])
  })

  test('nothing else is let through by it', async () => {
    const within = secretFile(`${canary}\nmore\n`)
    const failure = await failureOf(
      (await load({toml: tomlWith(`{ file = "${within}", exact = true }`)})).apiSecret(),
    )
    expect(failure.message).toContain('line break')
    const blank = secretFile('\n')
    const blanks = await failureOf(
      (await load({toml: tomlWith(`{ file = "${blank}", exact = true }`)})).apiSecret(),
    )
    expect(blanks.code).toBe('credentials_missing')
  })

  test.each([
    ['beside a variable', '{ env = "X", exact = true }'],
    ['that is no true or false', '{ file = "x", exact = "yes" }'],
  ])('exact %s is refused', async (_, setting) => {
    expect((await failureOf(load({toml: tomlWith(setting)}))).message).toContain('may have exact')
  })
})
