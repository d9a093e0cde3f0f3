import {createReadStream} from 'node:fs'

import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {whyUnread} from '../../core/unread-file.ts'
import {firstBytes} from '../../files/first-bytes.ts'

/** A million order numbers of the greatest length. */
const bytesMax = 64 * 1024 * 1024

/**
 * The order numbers of the command line and of `--from` (a path, or `-` for stdin; one a line, blank lines skipped),
 * without repetitions, in their order, byte for byte (P13).
 *
 * Throws `usage` if there is none, `file_unreadable`, `input_invalid` naming the line.
 */
export async function readOrderNumbers(args: readonly string[], from: string | undefined): Promise<string[]> {
  const listed = from === undefined ? [] : linesOf(await readText(from), from)
  const numbers = new Set([...args, ...listed])
  if (numbers.has('')) {
    throw new Failure('usage', 'One of the order numbers is empty.', 'Remove the empty one.')
  }
  if (numbers.size > 0) return [...numbers]
  throw from === undefined
    ? new Failure('usage', 'No order number was given.', 'Give at least one, or a list with --from FILE.')
    : new Failure(
        'input_invalid',
        `${nameOf(from)} holds no order number.`,
        'Write one order number on each line.',
      )
}

async function readText(from: string): Promise<string> {
  try {
    const bytes = await firstBytes(from === '-' ? process.stdin : createReadStream(from), bytesMax + 1)
    if (bytes.length > bytesMax) throw Object.assign(new Error(), {code: 'it is larger than 64 MiB'})
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (error) {
    throw new Failure(
      'file_unreadable',
      `${nameOf(from)} cannot be read: ${whyUnread(error)}.`,
      'Give a text file in UTF-8 with one order number a line, or - for standard input.',
    )
  }
}

function linesOf(text: string, from: string): string[] {
  const lines = text.split(/\r?\n/)
  const bad = lines.findIndex(
    (line) => line.trim() !== '' && (line !== line.trim() || escapeInvisible(line) !== line),
  )
  if (bad === -1) return lines.filter((line) => line.trim() !== '')
  throw new Failure(
    'input_invalid',
    `Line ${bad + 1} of ${nameOf(from)} has a blank at its start or end, or an invisible character: "${escapeInvisible(lines[bad] ?? '', 60)}".`,
    'Correct the line. Order numbers are compared byte by byte.',
  )
}

function nameOf(from: string): string {
  return from === '-' ? 'Standard input' : escapeInvisible(from)
}
