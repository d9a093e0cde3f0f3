import {visible} from '../core/text.ts'

/** A path as a shell takes it, for a line somebody will paste. */
export function quoted(path: string): string {
  const shown = visible(path)
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}
