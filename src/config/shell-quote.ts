import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

export function quoted(path: string): string {
  return quoteForShell(escapeInvisible(path))
}
