import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {chaosFlags, readChaos} from '../../cli/sandbox/chaos-input.ts'
import {askSandbox} from '../../cli/sandbox/control.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {FaultState} from '../../sandbox/faults/fault-service.ts'

export default class SandboxChaos extends BaseCommand {
  static override summary = 'Set or show the faults of a running sandbox.'

  static override description = unwrap(`
    Without arguments it shows the active faults and how often each was played. New faults replace the active ones.
    \`--off\` ends them all. docs/sandbox.md explains every fault.

    Write a fault as [OPERATION.]FAULT[=RATE|#N][:SPAN][@FROM/TO]: how often or at which calls, how long, and between
    which times of the sandbox's clock (\`+1h\` is an hour from now).
  `)

  static override examples = [
    {
      description: 'Lose the answer of every second payout on average, after it was made:',
      command: '<%= config.bin %> <%= command.id %> payout-create.lost-answer-after=0.5 --seed 7',
    },
    {
      description: 'Take your receiver down for nine hours, an hour from now:',
      command: '<%= config.bin %> <%= command.id %> receiver-outage@+1h/+10h',
    },
    '<%= config.bin %> <%= command.id %> --off',
  ]

  static override strict = false

  static override args = {
    fault: Args.string({description: 'A fault; any number of them.', required: false}),
  }

  static override flags = {
    ...chaosFlags,
    off: Flags.boolean({summary: 'End every fault.', exclusive: ['chaos-file', 'seed']}),
  }

  async run(): Promise<FaultState> {
    const {flags, argv} = await this.parse(SandboxChaos)
    const given = argv.map(String)
    const file = flags['chaos-file']
    if (flags.off && given.length > 0) {
      throw new Failure('usage', '--off and faults were given together.', 'Give one or the other.')
    }
    if (flags.seed !== undefined && given.length === 0 && file === undefined) {
      throw new Failure('usage', '--seed needs a fault.', 'Add a fault or --chaos-file.')
    }
    const isSet = flags.off || given.length > 0 || file !== undefined
    const plan = isSet ? await readChaos(given, file, flags.seed) : undefined
    const answer = await askSandbox(this.context, flags.profile, '/faults', plan)
    const state = JSON.parse(JSON.stringify(answer)) as FaultState
    await this.show(chaosText(state))
    return state
  }
}

function chaosText({chaos, seed, played, forgeriesTaken}: FaultState): string {
  const rules = chaos.map((rule) => escapeInvisible(rule))
  if (rules.length === 0) return 'No faults are active.'
  const counts = Object.entries(played)
  return [
    ...rules,
    '',
    `seed ${seed} (--seed ${seed} plays the same again)`,
    `played ${counts.map(([fault, times]) => `${escapeInvisible(fault)} ${times}`).join(', ') || 'none yet'}`,
    ...(forgeriesTaken === 0 ? [] : [`YOUR RECEIVER TOOK ${forgeriesTaken} FORGED WEBHOOKS`]),
  ].join('\n')
}
