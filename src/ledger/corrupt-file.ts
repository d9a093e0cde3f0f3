import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'

/** A file that cannot be trusted as a whole: nothing of it is used, and nothing is sent (P11, exit 2). */
export function corruptFile(path: string, problem: string, hint: string): Failure {
  return new Failure('ledger_damaged', `${escapeInvisible(path)}: ${problem}`, hint)
}

/** A file that cannot be opened or read at all (exit 2). */
export function unreadableFile(path: string, problem: string, hint: string): Failure {
  return new Failure('file_unreadable', `${escapeInvisible(path)}: ${problem}`, hint)
}

export const saveAsUtf8 =
  'Save it again as UTF-8. LibreOffice: File > Save As > Text CSV, tick "Edit filter settings", character set ' +
  '"Unicode (UTF-8)". Excel: File > Save As > "CSV UTF-8 (Comma delimited)".'

export const exportAgain = 'Export the ledger again and use the new file.'
