import {isAbsolute, join, resolve} from 'node:path'
import type {Config} from '@oclif/core/config'

import {Failure} from '../core/failure.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

/**
 * The folder of the journal. A path that begins at the working folder would be a memory for each folder a command is
 * started in, and what was sent from one would be sent again from the other.
 *
 * Throws `config_invalid` for such a HISAB_DATA_DIR; such an XDG_DATA_HOME is ignored, as its rule says.
 */
export function dataDirOf(config: Pick<Config, 'dataDir' | 'home' | 'dirname' | 'windows'>): string {
  const {HISAB_DATA_DIR: named, XDG_DATA_HOME: xdg, LOCALAPPDATA: local} = process.env
  if (named && isAbsolute(named)) return named
  if (named) {
    throw new Failure(
      'config_invalid',
      `HISAB_DATA_DIR is ${escapeInvisible(named)}, which is another folder wherever a command is started: each would have a journal of its own, and what one sent the other would send again. Nothing was sent.`,
      `Write it in full: HISAB_DATA_DIR=${quoteForShell(escapeInvisible(resolve(named)))}.`,
    )
  }
  if (!xdg || isAbsolute(xdg)) return config.dataDir
  return join((config.windows && local) || join(config.home, '.local/share'), config.dirname)
}
