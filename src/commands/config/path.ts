import {existsSync} from 'node:fs'

import {BaseCommand} from '../../cli/base-command.ts'

export interface ConfigPlace {
  readonly path: string
  readonly exists: boolean
}

export default class ConfigPath extends BaseCommand {
  static override summary = 'Show the path of the configuration file.'

  static override description =
    'It is HISAB_CONFIG, or config.toml in the configuration directory. The file may not exist yet; --json shows whether it does.'

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {description: 'Open it in an editor:', command: '"$EDITOR" "$(<%= config.bin %> <%= command.id %>)"'},
  ]

  // The file is the same for every profile.
  static override baseFlags = {debug: BaseCommand.baseFlags.debug} as typeof BaseCommand.baseFlags

  async run(): Promise<ConfigPlace> {
    await this.parse(ConfigPath)
    const path = this.context.configPath
    await this.show(path)
    return {path, exists: existsSync(path)}
  }
}
