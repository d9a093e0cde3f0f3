import {spawnSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import type {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {parse} from '@oclif/core/parser'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'

import type {Sandbox} from '../../src/sandbox/start.ts'

import {type Rehearsal, rehearse} from '../docs/rehearsal.ts'
import {sourceFiles} from '../source-files.ts'
import {fixture} from './export-fixture.ts'
import {OwnHome} from './own-home.ts'

/** Every example of every command's help is parsed by the command's own flags, and run beside a sandbox. */
const paths = sourceFiles().flatMap(({path}) => (path.startsWith('commands/') ? path : []))
const commands = await Promise.all(
  paths.map(async (path) => {
    const {default: command} = await import(new URL(`../../src/${path}`, import.meta.url).href)
    const id = path.replace('commands/', '').replace('.ts', '').replaceAll('/', ' ')
    return {id, command: command as typeof Command}
  }),
)
const examples = commands.flatMap(({id, command}) =>
  (command.examples ?? []).map((example) => {
    const text = typeof example === 'string' ? example : example.command
    return {id, command, text: text.replace('<%= config.bin %>', 'hisab').replace('<%= command.id %>', id)}
  }),
)

/** They serve, play, wait for a person or take a minute, need a database of their own, or they are lines for a shell. */
const notRun =
  /^hisab (demo|sandbox start|webhooks listen|config init|complete|trigger|journal import|nightly)\b|--(wait|open|pick|discover|all-merchants)\b|--orders 1000000|^"\$EDITOR"|^eval |^HISAB_/

/** The words of a command line as a shell has them; examples use no more of it than double quotes, `>` and `|`. */
function wordsOf(line: string): string[] {
  const [, ...words] = line.replace(/ [>|] .*/, '').match(/(?:[^\s"]|"[^"]*")+/g) ?? []
  return words.map((word) => word.replaceAll('"', ''))
}

it('no example is wrapped in quotes, and each is shell that parses', () => {
  const lines = examples.map(({text}) => text)
  expect(lines.filter((text) => /^(?:"(?!\$EDITOR")|')/.test(text))).toEqual([])
  const {status, stderr} = spawnSync('sh', ['-n'], {input: lines.join('\n'), encoding: 'utf8'})
  expect({status, stderr}).toEqual({status: 0, stderr: ''})
})

describe('parses', () => {
  it.each(examples.filter(({text}) => text.startsWith('hisab ')))('$text', async ({id, command, text}) => {
    const argv = wordsOf(text).slice(id.split(' ').length)
    const {baseFlags, flags, args, strict} = command
    const known = {...baseFlags, ...flags, json: Flags.boolean()}
    await expect(parse(argv, {flags: known, args, strict})).resolves.toBeDefined()
  })
})

describe('runs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-examples-'))
  let rehearsal: Rehearsal
  let sandbox: Sandbox
  let home: OwnHome

  beforeAll(async () => {
    rehearsal = await rehearse(dir)
    sandbox = await rehearsal.serve(join(dir, 'sandbox'))
    home = new OwnHome({
      HISAB_PROFILE: 'sandbox',
      HISAB_BASE_URL: sandbox.baseUrl,
      HISAB_CONFIG: join(dir, 'config.toml'),
    })
    home.write('ledger.csv', 'order_no,kind,status,amount\nD-1001,deposit,completed,500.00\n')
    home.write('orders.csv', 'Order ID,kind,Amount (BDT)\nD-1001,deposit,500.00\n')
    home.write('ledger.xlsx', fixture('finance.xlsx'))
    home.write('numbers.txt', 'D-1001\n')
    home.write(
      join(dir, 'config.toml'),
      `[profiles.live]\nmerchant_id = "0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01"\napply_url = "${sandbox.applyUrl}"\n`,
    )
    const signed = '{"orderNo":"D-1001","signature":"00000000000000000000000000000000"}'
    for (const name of ['request.json', 'hook.json']) home.write(name, signed)
  }, 60_000)
  afterAll(async () => {
    await sandbox.close()
    await rehearsal.close()
    home.remove()
    rmSync(dir, {recursive: true})
  })

  it.each(examples.filter(({text}) => !notRun.test(text)))('$text', async ({text}) => {
    const words = wordsOf(text)
    // What changes the configuration changes a profile that stands in it.
    const env = text.startsWith('hisab config set') ? {HISAB_PROFILE: 'live'} : {}
    const args = words.includes('--json') ? words : [...words, '--json']
    const {status, stdout, stderr} = await home.runHere(args, env)
    const {error} = JSON.parse(stdout)
    // What the sandbox does not have, or a signature that is wrong, is an answer (7); a mistake in the line is none.
    expect(['usage', 'input_invalid', 'config_invalid', 'bug'], stderr).not.toContain(error?.code)
    expect([0, 2, 7, 8]).toContain(status)
  })
})
