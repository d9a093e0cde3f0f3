import {devNull} from 'node:os'
import {isAbsolute, resolve} from 'node:path'
import type {Config} from '@oclif/core/config'

import {Failure} from '../core/failure.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

/**
 * The folder of the journal. A relative path would make a journal for each working folder, and what was sent from one
 * would be sent again from another.
 *
 * Throws `config_invalid` for a relative HISAB_DATA_DIR, and for a user without any folder.
 */
export function dataDirOf(config: Pick<Config, 'dataDir' | 'home'>): string {
  const {HISAB_DATA_DIR: named} = process.env
  if (!named && config.home === devNull) {
    throw new Failure(
      'config_invalid',
      'There is no home folder for the journal. HOME is not set, and the system does not know this user.',
      'Set HISAB_DATA_DIR or HOME to a folder that this user owns.',
    )
  }
  if (!named || isAbsolute(named)) return named || config.dataDir
  throw new Failure(
    'config_invalid',
    `HISAB_DATA_DIR is ${escapeInvisible(named)}, a relative path. It would be another folder, with another journal, for each working folder. An order could then be sent twice. Nothing was sent.`,
    `Write the full path: HISAB_DATA_DIR=${quoteForShell(escapeInvisible(resolve(named)))}.`,
  )
}
