import {resolve} from 'node:path'

import {BaseCommand} from '../../cli/base-command.ts'
import {saveConfig} from '../../cli/config/home.ts'
import {initFlags} from '../../cli/config/init-flags.ts'
import {readNewProfile} from '../../cli/config/wizard.ts'
import {confirm, isTerminal} from '../../cli/prompt.ts'
import {runHisab} from '../../cli/run-hisab.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {type ExitStatus, Failure} from '../../core/failure.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'

export interface WrittenProfile {
  readonly path: string
  readonly profile: string
  readonly keys: readonly string[]
  readonly secretFiles: readonly string[]
}

export default class ConfigInit extends BaseCommand {
  static override summary = 'Make a profile: a wizard in a terminal, flags elsewhere.'

  static override description = unwrap(`
    Writes \`[profiles.NAME]\` to the configuration file (0600, in a 0700 folder). An existing profile is never
    overwritten. The wizard asks only for what no flag gives. It checks each answer against the service, goes back with
    \`<\`, and ends with \`hisab doctor\`. The profile holds a reference to each secret: a secret
    that you type is written to its own file (0600) beside the configuration.
  `)

  static override usage = 'config init [FLAGS]'

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'Without a terminal:',
      command:
        '<%= config.bin %> <%= command.id %> --profile live --merchant-id 0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01 --base-url https://pay.example.com/v1 --apply-url https://apply.example.com/v1 --api-secret-file /run/secrets/hisab-secret --api-key-file /run/secrets/hisab-key --default',
    },
  ]

  static override flags = initFlags

  async run(): Promise<WrittenProfile> {
    const {flags} = await this.parse(ConfigInit)
    const {parseConfig, readConfigText} = await import('../../config/config-file.ts')
    const {editConfig} = await import('../../config/edit-config.ts')
    const {makeOwnDir, writeFileAtomically} = await import('../../files/private-files.ts')
    const path = this.context.configPath
    const file = parseConfig((await readConfigText(path))?.text ?? '', path)

    const {name, changes, secretFiles} = await readNewProfile(flags, path, Object.keys(file.profiles))
    const edited = await editConfig(path, name, changes)
    const secretPaths = secretFiles.map((secret) => secret.path)
    if (secretFiles.length > 0 || !flags['merchant-id']) {
      this.tell(
        `\n${styleFor(process.stderr)('dim', escapeInvisible(edited.text.trimEnd()).replaceAll('\\u{a}', '\n'))}\n`,
      )
      if ((await confirm(`Write this to ${escapeInvisible(path)}?`, true)) === false) throw notWritten()
    }
    // Secrets first: a configuration must not name a missing file.
    for (const {path: secretPath, secret} of secretFiles) {
      makeOwnDir(resolve(secretPath, '..'))
      writeFileAtomically(secretPath, secret)
    }
    await saveConfig(edited)
    const typed = secretPaths
      .map((secretPath) => `\nSecret in ${escapeInvisible(secretPath)}, mode 0600.`)
      .join('')
    await this.show(
      `Wrote the profile "${name}" to ${escapeInvisible(path)}.${typed}\nTry it: hisab doctor --profile ${quoteForShell(name)}`,
    )
    if (isTerminal() && !this.jsonEnabled()) {
      const doctor = ['doctor', '--profile', name]
      this.endWith((await runHisab(doctor, {cwd: process.cwd(), env: {}}, 'stderr')) as ExitStatus)
    }
    return {
      path,
      profile: name,
      keys: changes.map((change) => change.path.join('.')),
      secretFiles: secretPaths,
    }
  }
}

function notWritten(): Failure {
  return new Failure(
    'declined',
    'You answered no. Nothing was written.',
    'Run the command again to be asked again.',
  )
}
