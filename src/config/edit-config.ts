import {realpathSync} from 'node:fs'
import {dirname} from 'node:path'

import {asFailure, Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {makeOwnDir, makePrivateDir, writeFileAtomically} from '../files/private-files.ts'
import type {ChosenProfile} from './choose-profile.ts'
import {type ConfigFile, parseConfig, readConfigText} from './config-file.ts'
import {dialectOf} from './dialect-settings.ts'
import {ledgerOf} from './ledger-settings.ts'
import {findTexts, readTexts} from './profile-texts.ts'
import {setTomlKeys, type TomlChange} from './toml-edit.ts'

export type EditedConfig = Awaited<ReturnType<typeof editConfig>>

/**
 * Sets these keys and checks the result as a command would: the file's shape and the profile's values. Throws
 * `config_invalid` or `file_unreadable`.
 */
export async function editConfig(path: string, profile: string | null, changes: readonly TomlChange[]) {
  const before = (await readConfigText(path))?.text ?? ''
  // Existing mistakes are reported first.
  parseConfig(before, path)
  const text = setTomlKeys(before, changes)
  try {
    checkConfig(parseConfig(text, path), profile)
  } catch (thrown) {
    const error = asFailure(thrown)
    const message = error.message.replace(`${escapeInvisible(path)}: `, '')
    throw new Failure(
      error.code,
      message,
      `The file was not changed. ${error.hint.replace(fileHint, '')}`.trim(),
    )
  }
  return {path, text, before, isChanged: text !== before}
}

const fileHint = 'Correct the file, or name another with HISAB_CONFIG.'

function checkConfig({profiles, defaultProfile}: ConfigFile, profile: string | null): void {
  if (profile !== null) {
    const chosen: ChosenProfile = {name: profile, chosenBy: 'flag', settings: profiles[profile] ?? {}}
    const place = (key: string) => `profiles.${profile}.${key}`
    readTexts(findTexts(chosen, {}, place))
    dialectOf(chosen.settings, place)
    ledgerOf(chosen.settings.ledger, place)
  }
  if (defaultProfile !== null && !Object.hasOwn(profiles, defaultProfile) && defaultProfile !== 'sandbox') {
    throw new Failure(
      'config_invalid',
      `default_profile would be "${defaultProfile}", but there is no such profile.`,
      `Known profiles: ${[...Object.keys(profiles), 'sandbox'].join(', ')}.`,
    )
  }
}

/**
 * Writes the file completely or not at all, 0600 (P16, P25). `isOwnDir`: the folder is hisab's and is closed to
 * others; another folder is made if needed and else left as it is. A link is followed, so that a configuration kept
 * elsewhere stays there. Throws `config_invalid` if the file was changed meanwhile.
 */
export async function writeConfig({path, text, before}: EditedConfig, isOwnDir: boolean): Promise<void> {
  if (((await readConfigText(path))?.text ?? '') !== before) {
    throw new Failure(
      'config_invalid',
      `${escapeInvisible(path)} was changed by another program at the same time. Nothing was written.`,
      'Run it again.',
    )
  }
  if (isOwnDir) makeOwnDir(dirname(path))
  else makePrivateDir(dirname(path))
  writeFileAtomically(targetOf(path), text)
}

function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
