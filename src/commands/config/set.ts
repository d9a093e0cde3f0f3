import * as Args from '@oclif/core/args'

import {BaseCommand} from '../../cli/base-command.ts'
import {saveConfig} from '../../cli/config/home.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {TomlValue} from '../../config/toml-edit.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'

export interface ConfigChange {
  readonly path: string
  /** Null for a key outside the profiles. */
  readonly profile: string | null
  readonly key: string
  readonly value: TomlValue
  /** False if the file had this value already. */
  readonly changed: boolean
}

export default class ConfigSet extends BaseCommand {
  static override summary = 'Set one key of the configuration file. The rest of the file stays as it is.'

  static override description = unwrap(`
    KEY is a key of the profile (\`base_url\`, \`status.completed\`), a whole path (\`profiles.live.base_url\`), or
    \`default_profile\`; docs/configuration.md lists them. Give a list as one or more values, or as a TOML list
    (\`[]\` for an empty one). Comments, order and blanks of the file stay.

    Never give a secret itself. \`api_secret\` and \`api_key\` take \`file PATH\`, \`env NAME\` or \`command PROGRAM
    ARGUMENT…\`.
  `)

  static override usage = 'config set KEY VALUE… [FLAGS]'

  static override examples = [
    '<%= config.bin %> <%= command.id %> base_url https://pay.example.com/v1 --profile live',
    '<%= config.bin %> <%= command.id %> status.completed completed SUCCESS --profile live',
    '<%= config.bin %> <%= command.id %> api_secret file /run/secrets/hisab-secret --profile live',
    '<%= config.bin %> <%= command.id %> default_profile live',
  ]

  static override strict = false

  static override args = {
    key: Args.string({description: 'The key to set.', required: true, ignoreStdin: true}),
    value: Args.string({description: 'Its value; a list takes several.', ignoreStdin: true}),
  }

  async run(): Promise<ConfigChange> {
    const {flags, argv} = await this.parse(ConfigSet)
    const [text = '', ...words] = argv as string[]
    const {parseConfig, readConfigText} = await import('../../config/config-file.ts')
    const {readConfigKey, readConfigValue} = await import('../../config/config-key.ts')
    const {editConfig} = await import('../../config/edit-config.ts')
    const {writeKey, writeTomlValue} = await import('../../config/toml-edit.ts')
    const path = this.context.configPath
    const file = parseConfig((await readConfigText(path))?.text ?? '', path)

    const key = readConfigKey(text, () => {
      const name = flags.profile ?? process.env.HISAB_PROFILE ?? file.defaultProfile
      if (name) return name
      throw new Failure('usage', 'No profile was given.', 'Add --profile NAME.')
    })
    if (key.profile !== null) requireProfile(key.profile, Object.keys(file.profiles))
    const value = readConfigValue(key, words, process.cwd())
    const edited = await editConfig(path, key.profile, [{path: key.path, value}])
    if (edited.isChanged) await saveConfig(edited)

    const name = writeKey(key.path)
    const line = escapeInvisible(`${name} = ${writeTomlValue(value)}`, 500)
    await this.show(
      edited.isChanged
        ? `${line}\nwritten to ${escapeInvisible(path)}`
        : `${line}\nunchanged: the file has this value already`,
    )
    return {path, profile: key.profile, key: name, value, changed: edited.isChanged}
  }
}

/** A mistyped name must not become a new profile; the two built-in ones need no table in the file. */
function requireProfile(name: string, known: readonly string[]): void {
  if (known.includes(name) || name === 'sandbox' || name === 'environment') return
  throw new Failure(
    'config_invalid',
    `There is no profile "${escapeInvisible(name, 64)}" in the configuration.`,
    `${known.length === 0 ? '' : `Profiles: ${known.join(', ')}. `}To make it, run \`hisab config init --profile ${escapeInvisible(name, 64)}\`.`,
  )
}
