import {join} from 'node:path'
import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Context} from '../context.ts'

export const dataFlag = Flags.string({
  summary: 'Folder of the sandbox. Default: `sandbox` in the data directory.',
  helpValue: 'DIR',
})

export function stateDirOf(context: Context, given: string | undefined): string {
  return given ?? join(context.dataDir, 'sandbox')
}

export function noStateIn(dir: string): Failure {
  return new Failure(
    'file_unreadable',
    `${escapeInvisible(dir)} has no sandbox state.`,
    'Give its folder with --data, or create one with `hisab sandbox start` or `hisab sandbox seed`.',
  )
}
