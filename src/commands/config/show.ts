import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {Setting} from '../../config/settings-list.ts'
import {escapeInvisible} from '../../core/text.ts'
import {settingsText} from '../../report/settings-text.ts'

export interface ShownSettings {
  readonly profile: string
  readonly chosenBy: string
  readonly configPath: string | null
  readonly settings: readonly Setting[]
}

export default class ConfigShow extends BaseCommand {
  static override summary = 'Show the settings in force, each with its source.'

  static override description = unwrap(`
    Sources in order: flags, environment, profile, built-in profile, defaults. The first one that has a setting counts.
    For a secret only the source is shown, and the secret is not read. \`hisab doctor\` reads and tries the secrets.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    {
      description: 'Only what differs from the defaults:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox --set',
    },
  ]

  static override flags = {
    set: Flags.boolean({summary: 'Show only settings that differ from their default.'}),
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
    await this.show(
      `${this.style('bold', `Profile ${escapeInvisible(name)}`)}, chosen by ${chosenBy}; ${file}\n\n${settingsText(settings, this.style)}`,
    )
    return {profile: name, chosenBy, configPath: loaded.configPath, settings}
  }
}
