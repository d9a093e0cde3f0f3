import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

/** The first words of a command that takes the profile of the one that names it. `config init` makes another one. */
const ofProfile =
  'config (?:show|path|set)|deposit|doctor|events|find|ignores|items|journal|ledger|nightly|payout|reconcile|runs|sandbox (?:chaos|clock)|sign|statement|verify|webhooks'

/** In backticks, or after a colon up to the end of its sentence. */
const inBackticks = new RegExp(`\`(hisab (?:${ofProfile})(?![\\w-])[^\`\\n]*)\``, 'g')
const afterColon = new RegExp(
  `(?<=: )(hisab (?:${ofProfile.replace('nightly|', '')})(?![\\w-])[^\`\\n]*?)(?=\\.?$|\\. |, |\\))`,
  'gm',
)

/** `--profile` of a command line; undefined where it was left out. */
export function profileIn(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  const joined = words.findLast((word) => word.startsWith('--profile='))
  return joined?.slice('--profile='.length) ?? words[words.lastIndexOf('--profile') + 1 || words.length]
}

/** A text whose commands have the `--profile` of the command that shows it: without it they would ask for one. */
export function withProfile(text: string, profileFlag: string | undefined): string {
  if (profileFlag === undefined || !text.includes('hisab ')) return text
  const flag = ` --profile ${quoteForShell(escapeInvisible(profileFlag, 64))}`
  const carry = (command: string) =>
    / (?:--profile|--help|-h)\b/.test(command) ? command : `${command}${flag}`
  return text
    .replace(inBackticks, (_, command: string) => `\`${carry(command)}\``)
    .replace(afterColon, (command) => carry(command))
}
