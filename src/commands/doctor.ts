import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {exactSecretFlag} from '../cli/flags.ts'
import {paintFor} from '../cli/paint.ts'
import {prose} from '../cli/prose.ts'
import {checksStatus} from '../core/check.ts'
import {doctorText} from '../report/doctor-text.ts'

export default class Doctor extends BaseCommand {
  static override summary = 'What is configured, what is assumed, and whether the service can be talked to.'

  static override description = prose(`
    Looks and changes nothing.
  `)

  static override examples = ['<%= config.bin %> <%= command.id %> --profile sandbox']

  static override flags = {
    offline: Flags.boolean({default: false, summary: 'Ask nothing of the network.'}),
    'exact-secret': exactSecretFlag,
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(Doctor)
    const {examine} = await import('../cli/doctor-examine.ts')
    const diagnosis = await examine(this.context, flags)
    await this.show(doctorText(diagnosis, paintFor(process.stdout), process.stdout.columns))
    this.endWith(checksStatus(diagnosis.checks))
    return diagnosis
  }
}
