import {maskPhones} from '../core/personal.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'

const lengthMax = 40

/** A text from the merchant's file for an error: quoted, cut to 40 characters, phones masked (P20, P24). */
export function quoteCell(text: string): string {
  return `"${escapeInvisible(maskPhones(text), lengthMax)}"`
}

/** The filled cells of a line as one text. */
export function lineText(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.trim())
    .filter(Boolean)
    .join(', ')
}

/** The flag that says of a text that it tells of no booking, as a sentence without its point. */
export function leavingOut(text: string): string {
  return `If that text says nothing of bookings, ${flagFor('--ignore-text', maskPhones(text))} leaves it out`
}

/** A flag with a text of the merchant's file, to be copied. `cmd.exe` reads no quotes but double ones. */
export function flagFor(flag: string, text: string): string {
  const shown = escapeInvisible(text, 80)
  return `${flag}=${/["$`\\!%]/.test(shown) ? quoteForShell(shown) : `"${shown}"`}`
}
