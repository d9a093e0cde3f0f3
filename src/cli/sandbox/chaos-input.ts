import {readFileSync} from 'node:fs'
import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {whyUnread} from '../../core/unread-file.ts'

export const chaosFlags = {
  'chaos-file': Flags.string({
    summary: 'File with one fault a line. Lines that start with # are comments.',
    helpValue: 'FILE',
  }),
  seed: Flags.integer({
    summary: 'Random seed. The same seed and the same calls play the same faults.',
    helpValue: 'N',
    min: 0,
    max: 999_999,
  }),
}

/** The rules of flags and of the script. Throws `file_unreadable`. */
export async function readChaos(
  given: readonly string[],
  file: string | undefined,
  seed: number | undefined,
): Promise<{readonly chaos: readonly string[]; readonly seed: number}> {
  const {readScript} = await import('../../sandbox/faults/rule.ts')
  const {newSeed} = await import('../../sandbox/faults/seed.ts')
  return {
    chaos: [...given, ...(file === undefined ? [] : readScript(readText(file)))],
    seed: seed ?? newSeed(),
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Failure(
      'file_unreadable',
      `${escapeInvisible(path)} cannot be read: ${whyUnread(error)}.`,
      'Check --chaos-file.',
    )
  }
}
