import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {
  receiverPath,
  receiverPort,
  sandboxCredentials,
  sandboxMerchantId,
  sandboxPort,
} from '../../core/profile.ts'
import {quoteForShell} from '../../core/shell.ts'

/** Environment variables for the sandbox. Its credentials are public. */
export interface SandboxVariables {
  readonly HISAB_PROFILE: string
  readonly HISAB_MERCHANT_ID: string
  readonly HISAB_API_SECRET: string
  readonly HISAB_API_KEY: string
  readonly HISAB_BASE_URL: string
  readonly HISAB_APPLY_URL: string
  readonly HISAB_LEGACY_URL: string
  readonly HISAB_RETURN_URL: string
}

export default class SandboxEnv extends BaseCommand {
  static override summary = 'Print the variables that reach the sandbox, for a shell or your own server.'

  static override description = unwrap(`
    With them every command of this shell uses the sandbox without \`--profile\`, and your own server finds its address
    and its credentials. The credentials are public and open nothing but a sandbox.
  `)

  static override examples = [
    {description: 'In bash and zsh:', command: 'eval "$(<%= config.bin %> <%= command.id %>)"'},
    {description: 'In fish:', command: '<%= config.bin %> <%= command.id %> --shell fish | source'},
    {description: 'For docker run --env-file:', command: '<%= config.bin %> <%= command.id %> --shell file'},
  ]

  static override flags = {
    port: Flags.integer({
      summary: 'Port of the sandbox; payouts are on the next one.',
      default: sandboxPort,
      min: 1,
      max: 65_534,
    }),
    'return-url': Flags.string({
      summary: 'Where webhooks go.',
      helpValue: 'URL',
      default: `http://127.0.0.1:${receiverPort}${receiverPath}`,
    }),
    shell: Flags.option({options: ['sh', 'fish', 'powershell', 'file'] as const})({
      summary: 'For which shell; `file` has NAME=VALUE alone.',
      default: 'sh' as const,
    }),
    unset: Flags.boolean({summary: 'Print what takes the variables back.', default: false}),
  }

  async run(): Promise<SandboxVariables> {
    const {flags} = await this.parse(SandboxEnv)
    const origin = `http://127.0.0.1:${flags.port}`
    const variables: SandboxVariables = {
      HISAB_PROFILE: 'sandbox',
      HISAB_MERCHANT_ID: sandboxMerchantId,
      HISAB_API_SECRET: sandboxCredentials.apiSecret,
      HISAB_API_KEY: sandboxCredentials.apiKey,
      HISAB_BASE_URL: `${origin}/v1`,
      HISAB_APPLY_URL: `http://127.0.0.1:${flags.port + 1}/v1`,
      HISAB_LEGACY_URL: origin,
      HISAB_RETURN_URL: flags['return-url'],
    }
    const {set, unset} = syntaxes[flags.shell]
    const lines = Object.entries(variables).map(([name, value]) =>
      flags.unset ? unset(name) : set(name, value),
    )
    await this.show(lines.join('\n'))
    return variables
  }
}

interface Syntax {
  readonly set: (name: string, value: string) => string
  readonly unset: (name: string) => string
}

const syntaxes: Readonly<Record<'sh' | 'fish' | 'powershell' | 'file', Syntax>> = {
  sh: {set: (name, value) => `export ${name}=${quoteForShell(value)}`, unset: (name) => `unset ${name}`},
  fish: {set: (name, value) => `set -gx ${name} ${quoteForShell(value)}`, unset: (name) => `set -e ${name}`},
  powershell: {
    set: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
    unset: (name) => `Remove-Item Env:${name}`,
  },
  file: {set: (name, value) => `${name}=${value}`, unset: (name) => `${name}=`},
}
