import type {EditedConfig} from '../../config/edit-config.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Context} from '../context.ts'
import {confirm, isTerminal} from '../prompt.ts'

/** Whether the folder of the configuration is hisab's own; one that a variable names may hold anything. */
function isOwnDir(): boolean {
  return !process.env.HISAB_CONFIG && !process.env.HISAB_CONFIG_DIR
}

/** Writes the configuration, 0600 in a 0700 folder. */
export async function saveConfig(edited: EditedConfig): Promise<void> {
  // Here, for it brings the TOML reader and zod along.
  const {writeConfig} = await import('../../config/edit-config.ts')
  await writeConfig(edited, isOwnDir())
}

/**
 * Whether a proposal may be written: a person's yes, or `--write` with `--yes`. Otherwise no, and it says on
 * stderr how it would be.
 */
export async function approveWrite(
  flags: {readonly write: boolean; readonly yes: boolean},
  {configPath}: Context,
): Promise<boolean> {
  if (flags.write && flags.yes) return true
  if (isTerminal() && !flags.yes)
    return (await confirm(`Write this to ${escapeInvisible(configPath)}?`)) === true
  process.stderr.write(`Nothing was written; --write --yes puts this into ${escapeInvisible(configPath)}.\n`)
  return false
}
