import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {untilAborted} from '../../cli/interrupt.ts'
import {chaosFlags, readChaos} from '../../cli/sandbox/chaos-input.ts'
import {sandboxLine} from '../../cli/sandbox/line.ts'
import {readSandboxProfile} from '../../cli/sandbox/profile.ts'
import {dataFlag, stateDirOf} from '../../cli/sandbox/state.ts'
import {durationFlag} from '../../cli/time-flag.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {sandboxMerchantId, sandboxPort} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {FaultPlan} from '../../sandbox/faults/fault-service.ts'

/** Where the sandbox is reached, and the faults it plays. */
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
    Both APIs, the players' payment page, webhooks with their five retries, and the legacy API, on 127.0.0.1 alone.
    Every other command reaches it with \`--profile sandbox\` and no configuration. A person sees and does
    everything in its console, a script through its control addresses; docs/sandbox.md shows both.

    With \`--profile\` it speaks as that profile's deployment does: its words, names and signatures. Of a live
    profile it takes that and nothing else; the credentials are always the sandbox's own.

    Orders and delivery records are kept over restarts. Ctrl-C ends it.
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
      summary: 'Port to listen on; 0 takes any.',
      default: sandboxPort,
      min: 0,
      max: 65_535,
    }),
    data: dataFlag,
    'time-scale': Flags.integer({
      summary:
        'How many times as fast as real time its clock runs; 0: it stands until `sandbox clock` moves it.',
      default: 1,
      min: 0,
      max: 60_000,
    }),
    'pay-within': durationFlag({
      summary: 'How long a player has to pay before a deposit fails; 0s: for ever.',
      default: 30 * 60_000,
      defaultHelp: async () => '30m',
    }),
    chaos: Flags.string({
      summary:
        'A fault to play, such as `html=0.05`; may be given more than once. docs/sandbox.md lists them.',
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
        `The words are those of the profile "${escapeInvisible(profile.name)}". It is live: its credentials and addresses are not used.`,
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
    await this.show(
      `The service stands at ${url}\n` +
        `  deposits   ${baseUrl}\n  payouts    ${applyUrl}\n  webhooks   ${legacyUrl}\n` +
        `  merchant   ${sandboxMerchantId} (--profile sandbox knows its credentials)\n` +
        `  console    ${consoleUrl} (for a browser)\n` +
        (faults.chaos.length === 0
          ? ''
          : `  faults     ${faults.chaos.map((rule) => escapeInvisible(rule)).join(' ')} --seed ${faults.seed}\n`) +
        'Ctrl-C ends it.',
    )
    // The result is given now and the service goes on: a script reads the address and begins.
    void untilAborted(this.context.signal).then(() => sandbox.close())
    return {url, baseUrl, applyUrl, legacyUrl, consoleUrl, merchantId: sandboxMerchantId, faults}
  }
}
