import type {TomlValue} from '../../config/toml-edit.ts'
import type {LedgerDates} from '../../core/profile.ts'
import type {LedgerCheck} from '../../report/ledger-check-text.ts'
import {saveConfig} from '../config/home.ts'
import type {Context} from '../context.ts'

export interface SavedImport {
  readonly columns: Readonly<Record<string, string>>
  readonly sheet: string | null
}

/** A sheet that nobody named is found anew in each file. */
export function importOf({columns, file}: LedgerCheck, sheet: string | undefined): SavedImport {
  return {
    columns: Object.fromEntries(columns.map(({column, header}) => [column, header])),
    sheet: sheet === undefined ? null : file.sheet,
  }
}

/** Puts what the merchant's files look like into the profile; an empty one takes it out. */
export async function saveImport(
  context: Context,
  profile: string,
  {columns, sheet}: SavedImport,
  dates?: LedgerDates,
): Promise<void> {
  const {editConfig} = await import('../../config/edit-config.ts')
  const isEmpty = Object.keys(columns).length === 0
  const value: TomlValue = isEmpty ? {} : {...(sheet === null ? {} : {sheet}), columns}
  const ledger = ['profiles', profile, 'ledger']
  const edited = await editConfig(context.configPath, profile, [
    {path: [...ledger, 'import'], value},
    ...(dates === undefined ? [] : [{path: [...ledger, 'dates'], value: dates}]),
  ])
  if (edited.isChanged) await saveConfig(edited)
}
