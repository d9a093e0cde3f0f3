import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, describe, expect, it} from 'vitest'

import {OwnHome, root} from './own-home.ts'

const installedOclif = join(import.meta.dirname, 'installed-oclif.mjs')

interface Entry {
  readonly flags: Readonly<Record<string, object>>
  readonly args: Readonly<Record<string, object>>
}
const manifest: {commands: Record<string, Entry & object>} = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
)

/** What help could write of a command otherwise: each property of it, of its flags and of its arguments that is there. */
function traitsOf(command: Entry): string[] {
  const of = (what: string, one: object) =>
    Object.entries(one).flatMap(([name, value]) => (value && `${value}` ? `${what} ${name}` : []))
  const {flags, args} = command
  return [
    ...of('command', command),
    ...Object.values(flags).flatMap((flag) => of('flag', flag)),
    ...Object.values(args).flatMap((arg) => of('argument', arg)),
  ]
}

/** Commands that have every trait between them, each with its words: `deposit create`. A start takes its time. */
const commands: string[][] = []
const met = new Set<string>()
for (const [id, command] of Object.entries(manifest.commands)) {
  const traits = traitsOf(command)
  if (traits.every((trait) => met.has(trait))) continue
  for (const trait of traits) met.add(trait)
  commands.push(id.split(':'))
}

/**
 * The build changes when oclif loads what (`build/lazy-oclif.mjs`). What a user reads must be what the oclif that npm
 * installed would have written.
 */
describe('the bundle speaks as the oclif that npm installed', () => {
  const home = new OwnHome({HISAB_API_SECRET: 'sandbox-secret-not-for-live-use', COLUMNS: '80'})
  afterAll(() => home.remove())

  it.each<[string, ...string[]]>([
    ['no word at all'],
    ['help of everything', '--help'],
    ['help of a topic', 'webhooks', '--help'],
    ['help by its own command', 'help', 'payout', 'create'],
    ...commands.map((words): [string, ...string[]] => [`help of ${words.join(' ')}`, ...words, '--help']),
    ['a flag that does not exist', 'sign', 'a=b', '--sceme', 'request'],
    ['a flag without its value', 'sign', 'a=b', '--scheme'],
    ['a value that is not one of the options', 'sign', 'a=b', '--scheme', 'md6'],
    ['a missing flag', 'payout', 'create', '--amount', '5'],
    ['a missing flag, as JSON', 'payout', 'create', '--amount', '5', '--json'],
    ['an argument too many', 'webhooks', 'get', 'a', 'b'],
    ['a missing argument', 'webhooks', 'get'],
    ['an unknown command', 'webhook', 'list'],
    ['an unknown command of a known topic', 'webhooks', 'lst'],
  ])('%s', async (_, ...args) => {
    const [bundled, installed] = await Promise.all([home.run(args), home.run(args, {bin: installedOclif})])
    expect(bundled).toEqual(installed)
    expect(bundled.stdout + bundled.stderr).not.toBe('')
  })
})
