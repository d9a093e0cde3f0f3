import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

/** A path as a shell takes it, for a line somebody will paste. */
export function quoted(path: string): string {
  return quoteForShell(escapeInvisible(path))
}
