/** A command with its flags and arguments. */
export interface KnownCommand {
  readonly words: string
  /** The argument's values, if they are a closed list. */
  readonly options: readonly string[]
  readonly flags: Readonly<
    Record<
      string,
      {
        readonly takesValue: boolean
        readonly isMultiple: boolean
        readonly options: readonly string[]
      }
    >
  >
}

/** Values from this machine, read only when they are offered. */
export interface Memory {
  profiles(): Promise<readonly string[]>
  runIds(): Promise<readonly string[]>
  orderNos(): Promise<readonly string[]>
}

type Source = keyof Memory

const valuesOfFlag: Readonly<Record<string, Source>> = {
  profile: 'profiles',
  resume: 'runIds',
  'order-no': 'orderNos',
}

const argumentsOf: Readonly<Record<string, Source>> = {
  find: 'orderNos',
  'deposit query': 'orderNos',
  'deposit resolve': 'orderNos',
  'payout query': 'orderNos',
  'payout resolve': 'orderNos',
  'events show': 'orderNos',
  'events forward': 'orderNos',
  'events close': 'orderNos',
  'ignores add': 'orderNos',
  'items show': 'orderNos',
  'items assign': 'orderNos',
  'items note': 'orderNos',
  'items close': 'orderNos',
  'runs show': 'runIds',
  'runs sign-off': 'runIds',
}

/** Completions of the last of `words`; none if the shell should offer files. */
export async function candidates(
  words: readonly string[],
  commands: readonly KnownCommand[],
  memory: Memory,
): Promise<string[]> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const offered = await offer(before, typed, commands, memory)
  // Words with a special meaning to the shell are not offered.
  return [...new Set(offered)].filter((word) => word.startsWith(typed) && /^[\w.:@+,=/-]+$/.test(word)).sort()
}

async function offer(
  before: readonly string[],
  typed: string,
  commands: readonly KnownCommand[],
  memory: Memory,
): Promise<readonly string[]> {
  const command = commands.findLast(({words}) => isBegun(before, words))
  if (!command) return nextWords(before.join(' '), commands)
  const flag = /^--(.+)/.exec(before.at(-1) ?? '')?.[1]
  const asked = flag === undefined ? undefined : command.flags[flag]
  if (flag !== undefined && asked?.takesValue) {
    const source = valuesOfFlag[flag]
    return source ? await memory[source]() : asked.options
  }
  if (typed.startsWith('-')) {
    return Object.entries(command.flags)
      .filter(([name, {isMultiple}]) => isMultiple || !before.includes(`--${name}`))
      .map(([name]) => `--${name}`)
  }
  const source = argumentsOf[command.words]
  return source ? await memory[source]() : command.options
}

function isBegun(typed: readonly string[], words: string): boolean {
  return `${typed.join(' ')} `.startsWith(`${words} `)
}

function nextWords(begun: string, commands: readonly KnownCommand[]): string[] {
  const prefix = begun === '' ? '' : `${begun} `
  return commands.flatMap(({words}) =>
    words.startsWith(prefix) ? (words.slice(prefix.length).split(' ')[0] ?? []) : [],
  )
}
