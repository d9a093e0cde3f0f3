import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {untilAborted} from '../../cli/interrupt.ts'
import {chaosFlags, readChaos} from '../../cli/sandbox/chaos-input.ts'
import {sandboxLine} from '../../cli/sandbox/line.ts'
import {readSandboxProfile} from '../../cli/sandbox/profile.ts'
import {dataFlag, stateDirOf} from '../../cli/sandbox/state.ts'
import {durationFlag} from '../../cli/time-flag.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {sandboxCredentials, sandboxMerchantId, sandboxPort} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {FaultPlan} from '../../sandbox/faults/fault-service.ts'

export interface RunningSandbox {
  readonly url: string
  readonly baseUrl: string
  readonly applyUrl: string
  readonly legacyUrl: string
  readonly consoleUrl: string
  readonly merchantId: string
  readonly faults: FaultPlan
}

export default class SandboxStart extends BaseCommand {
  static override summary = 'Run the whole service on this machine.'

  static override description = unwrap(`
    Runs both APIs, the payment page, webhooks with five retries, and the legacy API, on 127.0.0.1 only. Every other
    command uses it with \`--profile sandbox\`, without configuration. People use its console, scripts its control
    addresses; docs/sandbox.md explains both.

    \`--profile\` makes it use the status words, field names and signatures of that profile. Nothing else of a live
    profile is used: the credentials are always the sandbox's own.

    Orders and delivery records survive a restart. Ctrl-C ends it.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'Play the 7 h 21 min of webhook retries in 45 seconds:',
      command: '<%= config.bin %> <%= command.id %> --time-scale 600',
    },
    {
      description: 'Lose one answer in twenty after the work was done:',
      command: '<%= config.bin %> <%= command.id %> --chaos lost-answer-after=0.05 --seed 7',
    },
  ]

  static override flags = {
    port: Flags.integer({
      summary: 'Port to listen on; payouts are on the next one. 0: any two that are free.',
      default: sandboxPort,
      min: 0,
      max: 65_534,
    }),
    data: dataFlag,
    'time-scale': Flags.integer({
      summary: 'Speed of its clock, as a multiple of real time. 0: frozen until `sandbox clock` moves it.',
      default: 1,
      min: 0,
      max: 60_000,
    }),
    'pay-within': durationFlag({
      summary: 'Time a player has to pay before a deposit fails. 0s: no limit.',
      default: 30 * 60_000,
      defaultHelp: async () => '30m',
    }),
    chaos: Flags.string({
      summary: 'A fault to play, such as `html=0.05`. May be repeated. docs/sandbox.md lists them.',
      helpValue: 'FAULT',
      multiple: true,
      default: [],
    }),
    ...chaosFlags,
  }

  async run(): Promise<RunningSandbox> {
    const {flags} = await this.parse(SandboxStart)
    const {startSandbox} = await import('../../sandbox/start.ts')
    const {scaledClock} = await import('../../sandbox/clock.ts')
    const profile = await readSandboxProfile(this.context, flags.profile)
    if (profile.isLive) {
      this.tell(
        `Status words, field names and signatures are from the profile "${escapeInvisible(profile.name)}". It is live, so its credentials and addresses are not used.`,
      )
    }

    const faults = await readChaos(flags.chaos, flags['chaos-file'], flags.seed)
    const sandbox = await startSandbox({
      port: flags.port,
      dataDir: stateDirOf(this.context, flags.data),
      dialect: profile.dialect,
      deliverTo: profile.deliverTo,
      depositLifetimeMs: flags['pay-within'] === 0 ? null : flags['pay-within'],
      clock: scaledClock(flags['time-scale']),
      faults,
      log: (event) => this.tell(`${new Date().toISOString().slice(11, 19)} ${sandboxLine(event)}`),
    })
    const {url, baseUrl, applyUrl, legacyUrl, consoleUrl} = sandbox
    const port = Number(new URL(url).port)
    await this.show(
      `The sandbox runs at ${url}\n` +
        `  deposits   ${baseUrl}\n  payouts    ${applyUrl}\n  webhooks   ${legacyUrl}\n` +
        `  console    ${consoleUrl} (for a browser)\n` +
        `  merchant   ${sandboxMerchantId}\n` +
        `  secret     ${sandboxCredentials.apiSecret}\n` +
        `  API key    ${sandboxCredentials.apiKey}\n` +
        (faults.chaos.length === 0
          ? ''
          : `  faults     ${faults.chaos.map((rule) => escapeInvisible(rule)).join(' ')} --seed ${faults.seed}\n`) +
        'In another terminal, for hisab and for your own server:\n' +
        `  eval "$(hisab sandbox env${port === sandboxPort ? '' : ` --port ${port}`})"\n` +
        'Ctrl-C ends it.',
    )
    // Shown now, while the service runs, so that a script can read the address.
    void untilAborted(this.context.signal).then(() => sandbox.close())
    return {url, baseUrl, applyUrl, legacyUrl, consoleUrl, merchantId: sandboxMerchantId, faults}
  }
}
