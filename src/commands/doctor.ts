import * as Args from '@oclif/core/args'

import {BaseCommand} from '../cli/base-command.ts'
import {approveWrite, saveConfig} from '../cli/config/home.ts'
import {type DoctorFlags, doctorFlags, refuseMixture} from '../cli/doctor/flags.ts'
import {unwrap} from '../cli/unwrap.ts'
import type {EditedConfig} from '../config/edit-config.ts'
import {checksStatus} from '../core/doctor/check.ts'
import type {ExitStatus} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {doctorText} from '../report/doctor-text.ts'
import {type Lesson, lessonText} from '../report/learn-text.ts'
import {type SchemeView, schemeText, viewScheme} from '../report/scheme-text.ts'
import type {DoctorResult} from '../workflows/doctor/doctor.ts'

export interface DoctorReport extends DoctorResult {
  readonly exitStatus: ExitStatus
}

export interface LearnReport extends Lesson, Written {}

export interface SchemeReport extends SchemeView, Written {}

interface Written {
  /** The file with the proposal; null if nothing was written. */
  readonly written: string | null
}

export default class Doctor extends BaseCommand {
  static override summary = 'Check the configuration, the assumptions and the connection to the service.'

  static override description = unwrap(`
    hisab checks the settings, this machine and every assumption about the service. Then it checks the service: name,
    connection, certificate, clock, signature and webhook log. It changes nothing. Exit status: 2 the configuration is
    wrong, 3 credentials are missing or rejected, 5 an address cannot be reached, 8 a check could not be finished.

    --learn queries orders whose outcome you know, and proposes status words and field names for the profile. You say
    what each word means; hisab never guesses it. Give one completed, one open and one failed order with their amounts
    (D-1001=500.00). Write payouts as payout:NUMBER: deposits and payouts are learned apart. A proposal must read every
    order as you said.

    --find-legacy-scheme asks first, and then tries the likeliest signatures of the webhook log on the live service.
  `)

  static override usage =
    'doctor [FLAGS] | doctor --learn [ORDER_NO…] [FLAGS] | doctor --find-legacy-scheme [FLAGS]'

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    {
      description: 'Without the network:',
      command: '<%= config.bin %> <%= command.id %> --offline --json',
    },
    {
      description: 'Learn which word the service uses for paid:',
      command:
        '<%= config.bin %> <%= command.id %> --learn --completed D-1001=500.00 --open D-1005 --failed D-1004',
    },
  ]

  static override strict = false

  static override args = {
    orderNo: Args.string({
      description: 'With --learn: orders you know; payout:NUMBER for a payout.',
      ignoreStdin: true,
    }),
  }

  static override flags = doctorFlags

  async run(): Promise<DoctorReport | LearnReport | SchemeReport> {
    const {flags, argv} = await this.parse(Doctor)
    refuseMixture(flags, argv as string[])
    if (flags.learn) return await this.learn(flags, argv as string[])
    if (flags['find-legacy-scheme']) return await this.findScheme(flags)
    const {runExamination: examine} = await import('../cli/doctor/examine.ts')
    const diagnosis = await examine(this.context, flags)
    await this.show(this.named(doctorText(diagnosis, this.style, process.stdout.columns)))
    const exitStatus = checksStatus(diagnosis.checks)
    this.endWith(exitStatus)
    return {...diagnosis, exitStatus}
  }

  private async learn(flags: DoctorFlags, args: readonly string[]): Promise<LearnReport> {
    const {learn} = await import('../cli/doctor/learn.ts')
    const {readKnownOrders} = await import('../cli/doctor/known-orders.ts')
    const {lesson, edited} = await learn(this.context, flags, readKnownOrders(args, flags))
    await this.show(this.named(lessonText(lesson, this.style)))
    const written = await this.write(edited, flags)
    const isOpen = lesson.unexplained.length > 0 || lesson.fields.some(({state}) => state === 'undecided')
    const absent = lesson.orders.filter(({found}) => found === false).length
    if (isOpen || lesson.obstacles.length > absent) this.endWith(8)
    else if (absent > 0) this.endWith(7)
    return {...lesson, written}
  }

  private async findScheme(flags: DoctorFlags): Promise<SchemeReport> {
    const {searchScheme} = await import('../cli/doctor/scheme.ts')
    const {search, toml, edited} = await searchScheme(this.context, flags)
    await this.show(this.named(schemeText(viewScheme(search, toml), this.style)))
    if (search.stopped) throw search.stopped
    const written = await this.write(edited, flags)
    this.endWith(search.found ? 0 : 7)
    return {...viewScheme(search, toml), written}
  }

  /** The file with the proposal; null if there is none, or nobody approved it. */
  private async write(edited: EditedConfig | null, flags: DoctorFlags): Promise<string | null> {
    if (edited === null || !(await approveWrite(flags, this.context))) return null
    await saveConfig(edited)
    this.tell(`Written to ${escapeInvisible(edited.path)}.`)
    return edited.path
  }
}
