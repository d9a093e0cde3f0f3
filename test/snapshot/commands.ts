import type {Command} from '@oclif/core/command'

import {BaseCommand} from '../../src/cli/base-command.ts'
import {commandFiles} from './command-files.ts'

type CommandClass = typeof Command
type Flag = CommandClass['flags'][string]
type Arg = CommandClass['args'][string]

/** What a script relies on of a flag; not its summary, which may be put better. */
const kept = [
  ...['type', 'char', 'aliases', 'charAliases', 'required', 'options', 'default', 'multiple', 'min', 'max'],
  ...[
    'allowNo',
    'exclusive',
    'exactlyOne',
    'dependsOn',
    'relationships',
    'hidden',
    'deprecated',
    'helpValue',
  ],
]

/** Every command by its words: its flags and arguments. What all have stands under `every command`, once. */
export async function describeCommands(): Promise<Record<string, object>> {
  const globals = describeAll(BaseCommand.baseFlags)
  const commands: Record<string, object> = {
    'every command': {flags: {...globals, json: {type: 'boolean'}, help: {type: 'boolean', char: 'h'}}},
  }
  for (const {words, file} of commandFiles()) {
    const {default: command} = (await import(new URL(`../../${file}`, import.meta.url).href)) as {
      default: CommandClass
    }
    const without = Object.keys(globals).filter((name) => !(name in command.baseFlags))
    commands[words] = {
      flags: describeAll(command.flags ?? {}),
      args: Object.entries(command.args ?? {}).map(([name, arg]) => ({name, ...describe(arg)})),
      ...(command.strict ? {} : {takesMoreArguments: true}),
      ...(command.enableJsonFlag ? {} : {json: false}),
      ...(without.length > 0 && {without}),
    }
  }
  return commands
}

function describeAll(flags: CommandClass['flags']): Record<string, object> {
  const names = Object.keys(flags).sort()
  return Object.fromEntries(names.map((name) => [name, describe(flags[name] as Flag)]))
}

function describe(flag: Flag | Arg): object {
  const all = flag as unknown as Record<string, unknown>
  const told = kept.flatMap((name): [string, unknown][] => {
    const value = all[name]
    const isNothing = value === undefined || value === false || (Array.isArray(value) && value.length === 0)
    return isNothing ? [] : [[name, plain(value)]]
  })
  return Object.fromEntries(told)
}

function plain(value: unknown): unknown {
  if (typeof value === 'function') return 'worked out'
  return typeof value === 'bigint' ? String(value) : value
}
