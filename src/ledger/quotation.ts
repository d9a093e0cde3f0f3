import {maskPhones} from '../core/personal.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

const lengthMax = 40

/** Text of the merchant's file as an error may show it: in quotes, cut to 40 characters, phones masked (P20, P24). */
export function quoteCell(text: string): string {
  return `"${escapeInvisible(maskPhones(text), lengthMax)}"`
}

/** A flag with a text of the merchant's file, to be copied. Every shell reads double quotes, `cmd.exe` no others. */
export function flagFor(flag: string, text: string): string {
  const shown = escapeInvisible(text, 80)
  return `${flag}=${/["$`\\!%]/.test(shown) ? quoteForShell(shown) : `"${shown}"`}`
}
