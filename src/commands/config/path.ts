import {existsSync} from 'node:fs'

import {BaseCommand} from '../../cli/base-command.ts'

/** Where the configuration is looked for. */
export interface ConfigPlace {
  readonly path: string
  readonly exists: boolean
}

export default class ConfigPath extends BaseCommand {
  static override summary = 'Where the configuration file is looked for.'

  static override description =
    'HISAB_CONFIG, else config.toml in the configuration directory. The path is printed whether or not there is a file; with --json it says so.'

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {description: 'Open it in an editor:', command: '"$EDITOR" "$(<%= config.bin %> <%= command.id %>)"'},
  ]

  // The file is the same whatever the profile.
  static override baseFlags = {debug: BaseCommand.baseFlags.debug} as typeof BaseCommand.baseFlags

  async run(): Promise<ConfigPlace> {
    await this.parse(ConfigPath)
    const path = this.context.configPath
    await this.show(path)
    return {path, exists: existsSync(path)}
  }
}
