/** What is known of a command here: the flags it takes, and what its arguments are. */
export interface KnownCommand {
  /** Its words: `webhooks list`. */
  readonly words: string
  /** What its arguments may be, where that is a closed list. */
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

/** What this machine remembers, asked only where it is offered. */
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
  'ignores add': 'orderNos',
  'items show': 'orderNos',
  'items assign': 'orderNos',
  'items note': 'orderNos',
  'items close': 'orderNos',
  'runs show': 'runIds',
  'runs sign-off': 'runIds',
}

/** What the last of `words`, still being typed, may become; none where the shell should offer files. */
export async function candidates(
  words: readonly string[],
  commands: readonly KnownCommand[],
  memory: Memory,
): Promise<string[]> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const offered = await offer(before, typed, commands, memory)
  // A word that a shell would take for more than a word is not offered.
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

/** The words that may follow: topics and commands alike. */
function nextWords(begun: string, commands: readonly KnownCommand[]): string[] {
  const prefix = begun === '' ? '' : `${begun} `
  return commands.flatMap(({words}) =>
    words.startsWith(prefix) ? (words.slice(prefix.length).split(' ')[0] ?? []) : [],
  )
}
