import {randomBytes} from 'node:crypto'

import {secretLengthMin} from '../../core/signing/secret.ts'
import {type DoctorResult, runDoctor} from '../../workflows/doctor/doctor.ts'
import type {Context} from '../context.ts'
import {Progress} from '../progress.ts'
import {hideSecret} from '../streams.ts'

/** Runs every check of `hisab doctor`. */
export async function runExamination(
  context: Context,
  flags: {readonly profile?: string | undefined; readonly 'exact-secret': boolean; readonly offline: boolean},
): Promise<DoctorResult> {
  const progress = new Progress()
  const diagnosis = await runDoctor(
    {
      nodeVersion: process.versions.node,
      env: process.env,
      configPath: context.configPath,
      dataDir: context.namedDataDir,
      load: () =>
        context.loadProfile(flags.profile, 'signing', {isSecretExact: flags['exact-secret'], isQuiet: true}),
      now: Date.now,
      madeUpNo: `hisab-doctor-${randomBytes(8).toString('hex')}`,
      onSecret: (secret) => secret.length >= secretLengthMin && hideSecret(secret),
      onProgress: (done, total) => progress.update('checks', done, total),
    },
    flags.offline,
  )
  progress.end()
  return diagnosis
}
