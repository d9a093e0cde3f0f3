import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {Setting} from '../../config/settings-list.ts'
import {escapeInvisible} from '../../core/text.ts'
import {settingsText} from '../../report/settings-text.ts'

/** The settings as they count now; of a secret never the value. */
export interface ShownSettings {
  readonly profile: string
  /** What named the profile: a flag, the environment, the file, or nothing. */
  readonly chosenBy: string
  /** Null where there is no file. */
  readonly configPath: string | null
  readonly settings: readonly Setting[]
}

export default class ConfigShow extends BaseCommand {
  static override summary = 'The settings as they count now, each with where it is from.'

  static override description = unwrap(`
    Flags, environment, profile, built-in, defaults: the first that has a setting wins, and this shows which did. Of
    a secret it shows where it is to be had, never the value, and reads none. \`hisab doctor\` reads them and tries
    them.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    {
      description: 'Only what differs from the defaults:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox --set',
    },
  ]

  static override flags = {
    set: Flags.boolean({summary: 'Leave out what is unset or stands at its default.'}),
  }

  async run(): Promise<ShownSettings> {
    const {flags} = await this.parse(ConfigShow)
    const {listSettings} = await import('../../config/settings-list.ts')
    const loaded = await this.context.loadProfile(flags.profile, 'signing')
    const all = listSettings(loaded)
    const settings = flags.set ? all.filter(({from}) => from !== 'default' && from !== 'unset') : all
    const {name} = loaded.profile
    const chosenBy = loaded.sources.profile ?? 'default'
    const file = loaded.configPath === null ? 'no configuration file' : escapeInvisible(loaded.configPath)
    const style = styleFor(process.stdout)
    await this.show(
      `${style('bold', `Profile ${escapeInvisible(name)}`)}, chosen by ${chosenBy}; ${file}\n\n${settingsText(settings, style)}`,
    )
    return {profile: name, chosenBy, configPath: loaded.configPath, settings}
  }
}
