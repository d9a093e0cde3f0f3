import {BaseCommand} from '../cli/base-command.ts'
import {candidates, type KnownCommand} from '../cli/completion/candidates.ts'
import type {Journal} from '../journal/journal.ts'

export interface Candidates {
  readonly candidates: readonly string[]
}

/** Most numbers offered from the journal. */
const numbersMax = 200
const runsMax = 50

/** For the shells' scripts only: `hisab complete -- WORD…`, the last one being typed. */
export default class Complete extends BaseCommand {
  static override summary = 'Print what the last word may become. The scripts of `completion` call it.'
  static override description = 'For the scripts of `hisab completion` alone; give the words after `--`.'
  static override examples = ['<%= config.bin %> <%= command.id %> -- webhooks re']
  static override hidden = true
  static override strict = false

  async run(): Promise<Candidates> {
    const {argv} = await this.parse(Complete)
    const words = argv as string[]
    const profile = words[words.indexOf('--profile') + 1]
    const named = words.includes('--profile') ? profile : undefined
    const found = await candidates(words, this.knownCommands(), {
      profiles: () => this.profiles(),
      runIds: () =>
        this.fromJournal(named, async (journal) => (await journal.listRuns(runsMax)).map(({id}) => id)),
      orderNos: () =>
        this.fromJournal(named, async (journal) => [
          ...(await journal.listRequests('deposit', numbersMax)).map(({orderNo}) => orderNo),
          ...(await journal.listRequests('payout', numbersMax)).map(({orderNo}) => orderNo),
          ...(await journal.openFindings()).map(({orderNo}) => orderNo),
        ]),
    })
    await this.show(found.join('\n'))
    return {candidates: found}
  }

  private knownCommands(): KnownCommand[] {
    return this.config.commands
      .filter(({hidden}) => !hidden)
      .map(({id, flags, args}) => ({
        words: id.replaceAll(':', ' '),
        options: Object.values(args ?? {}).flatMap(({options}) => options ?? []),
        flags: Object.fromEntries(
          Object.entries(flags).map(([name, flag]) => [
            name,
            {
              takesValue: flag.type === 'option',
              isMultiple: flag.type === 'option' && flag.multiple === true,
              options: (flag.type === 'option' && flag.options) || [],
            },
          ]),
        ),
      }))
  }

  private async profiles(): Promise<string[]> {
    const {parseConfig, readConfigText} = await import('../config/config-file.ts')
    const {sandboxName} = await import('../config/choose-profile.ts')
    const path = this.context.configPath
    const file = parseConfig((await readConfigText(path))?.text ?? '', path)
    return [...Object.keys(file.profiles), sandboxName]
  }

  private async fromJournal(
    profile: string | undefined,
    read: (journal: Journal) => Promise<string[]>,
  ): Promise<string[]> {
    const loaded = await this.context.loadProfile(profile)
    const journal = await this.context.journalIfAny(loaded)
    return journal ? await read(journal) : []
  }
}
