import type {TomlValue} from '../../config/toml-edit.ts'
import type {LedgerDates} from '../../core/profile.ts'
import type {LedgerCheck} from '../../report/ledger-check-text.ts'
import {saveConfig} from '../config/home.ts'
import type {Context} from '../context.ts'
import type {CheckFlags} from './check-ledger.ts'

/** Saves the form of the merchant's files in the profile. A sheet that was not named is found anew in each file. */
export async function saveImport(
  context: Context,
  profile: string,
  {columns, file}: LedgerCheck,
  flags: CheckFlags,
): Promise<void> {
  const value = {
    ...(flags.sheet === undefined || file.sheet === null ? {} : {sheet: file.sheet}),
    columns: Object.fromEntries(columns.map(({column, header}) => [column, header])),
  }
  await writeImport(context, profile, value, flags.dates)
}

export async function removeImport(context: Context, profile: string): Promise<void> {
  await writeImport(context, profile, {})
}

async function writeImport(
  context: Context,
  profile: string,
  value: TomlValue,
  dates?: LedgerDates,
): Promise<void> {
  const {editConfig} = await import('../../config/edit-config.ts')
  const ledger = ['profiles', profile, 'ledger']
  const edited = await editConfig(context.configPath, profile, [
    {path: [...ledger, 'import'], value},
    ...(dates === undefined ? [] : [{path: [...ledger, 'dates'], value: dates}]),
  ])
  if (edited.isChanged) await saveConfig(edited)
}
