import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {askSandbox} from '../../cli/sandbox/control.ts'
import {durationFlag} from '../../cli/time-flag.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {JsonNumber, type JsonValue} from '../../core/json.ts'
import {formatInstant} from '../../core/time.ts'

export default class SandboxClock extends BaseCommand {
  static override summary = "Show or move a running sandbox's clock."

  static override description = unwrap(`
    Without a flag it shows the sandbox's time and speed. \`--advance\` moves the clock forward. Every webhook that
    becomes due on the way is sent at its own time, one after the other. The command ends after the last one. It also
    works while the clock is frozen. The clock never moves back.
  `)

  static override examples = [
    {
      description: 'Play all five retries of a webhook now:',
      command: '<%= config.bin %> <%= command.id %> --advance 7h21m',
    },
    {
      description: 'Freeze the clock:',
      command: '<%= config.bin %> <%= command.id %> --freeze',
    },
    {
      description: 'Run ten minutes in each second from now on:',
      command: '<%= config.bin %> <%= command.id %> --scale 600',
    },
  ]

  static override flags = {
    advance: durationFlag({
      summary: 'Move the clock forward by this time: `7h21m`, `90s`.',
      exclusive: ['scale', 'freeze'],
    }),
    scale: Flags.integer({
      summary: 'Speed from now on, as a multiple of real time.',
      helpValue: 'N',
      min: 1,
      max: 60_000,
      exclusive: ['freeze'],
    }),
    freeze: Flags.boolean({summary: 'Stop the clock until it is advanced.'}),
  }

  async run(): Promise<SandboxTime> {
    const {flags} = await this.parse(SandboxClock)
    const ask = (path: string, body?: object) => askSandbox(this.context, flags.profile, path, body)
    const scale = flags.freeze ? 0 : flags.scale
    const answer =
      flags.advance !== undefined
        ? await ask('/clock/advance', {byMs: flags.advance})
        : await ask('/clock', scale === undefined ? undefined : {timeScale: scale})
    const result = {
      now: String(answer.now),
      timeScale: readNumber(answer.timeScale) ?? 1,
      attempts: readNumber(answer.attempts),
    }
    await this.show(clockText(result))
    return result
  }
}

const readNumber = (value: JsonValue | undefined) =>
  value instanceof JsonNumber ? Number(value.source) : null

export interface SandboxTime {
  readonly now: string
  /** Speed as a multiple of real time; 0: frozen. */
  readonly timeScale: number
  /** Webhook attempts made on the way; null if time was not moved. */
  readonly attempts: number | null
}

function clockText({now, timeScale, attempts}: SandboxTime): string {
  const pace =
    timeScale === 0
      ? 'is stopped'
      : timeScale === 1
        ? 'runs in real time'
        : `runs ${timeScale} times as fast as real time`
  const made =
    attempts === null ? '' : `; ${attempts} webhook ${attempts === 1 ? 'attempt' : 'attempts'} on the way`
  return `${formatInstant(Date.parse(now), 'Asia/Dhaka')} in Dhaka, ${pace}${made}`
}
