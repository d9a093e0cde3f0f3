import type {EditedConfig} from '../../config/edit-config.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Context} from '../context.ts'
import {confirm, isTerminal} from '../prompt.ts'

function isOwnDir(): boolean {
  return !process.env.HISAB_CONFIG && !process.env.HISAB_CONFIG_DIR
}

/** Writes the configuration with private modes. */
export async function saveConfig(edited: EditedConfig): Promise<void> {
  const {writeConfig} = await import('../../config/edit-config.ts')
  await writeConfig(edited, isOwnDir())
}

/**
 * Whether to write a proposal: a person's yes, or `--write` with `--yes`. Otherwise it says on stderr how to write
 * it.
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
