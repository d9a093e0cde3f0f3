import {Failure} from '../core/failure.ts'
import {foldWord} from '../core/order-no-fold.ts'
import {defaultLedgerMapping, type LedgerColumn, type LedgerMapping, ledgerColumns} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {isTimeZone} from '../core/time.ts'
import {refuseSharedWords} from './dialect-settings.ts'
import type {ProfileSettings} from './schema.ts'

/**
 * How the merchant's file is read. Words given for a state or a kind are added to its defaults and removed from those of
 * the others: `open = ["Paid"]` makes `paid` open only.
 */
export function ledgerOf(given: ProfileSettings['ledger'], place: (key: string) => string): LedgerMapping {
  const timeZone = given?.timezone ?? defaultLedgerMapping.timeZone
  // The default needs no check, and the first time zone of a process takes a tenth of its start.
  if (timeZone !== defaultLedgerMapping.timeZone && !isTimeZone(timeZone)) {
    throw new Failure(
      'config_invalid',
      `${place('ledger.timezone')}: there is no time zone "${escapeInvisible(timeZone, 64)}".`,
      'Give an IANA name such as Asia/Dhaka.',
    )
  }
  return {
    timeZone,
    dates: given?.dates ?? defaultLedgerMapping.dates,
    columns: columnsOf(given?.columns, place('ledger.columns')),
    ...(given?.import?.columns && {
      import: {
        columns: columnsOf(given.import.columns, place('ledger.import.columns')),
        sheet: given.import.sheet ?? null,
      },
    }),
    status: wordsOf(given?.status, defaultLedgerMapping.status, place('ledger.status')),
    kinds: wordsOf(given?.kind, defaultLedgerMapping.kinds, place('ledger.kind')),
    holds: given?.holds ?? null,
    ignoredColumns: given?.ignored_columns ?? [],
    ignoredTexts: given?.ignored_texts ?? [],
  }
}

function columnsOf(
  given: NonNullable<ProfileSettings['ledger']>['columns'],
  place: string,
): LedgerMapping['columns'] {
  const columns: Partial<Record<LedgerColumn, string>> = {}
  const columnOf = new Map<string, LedgerColumn>()
  for (const column of ledgerColumns) {
    const header = given?.[column]
    if (header === undefined) continue
    const other = columnOf.get(header)
    if (other !== undefined) {
      throw new Failure(
        'config_invalid',
        `${place}: "${escapeInvisible(header, 64)}" was given for both ${other} and ${column}.`,
        'Give each column of the file once.',
      )
    }
    columnOf.set(header, column)
    columns[column] = header
  }
  return columns
}

function wordsOf<Meaning extends string>(
  given: {readonly [meaning in Meaning]?: readonly string[] | undefined} | undefined,
  defaults: Readonly<Record<Meaning, readonly string[]>>,
  place: string,
): Readonly<Record<Meaning, readonly string[]>> {
  if (given === undefined) return defaults
  refuseSharedWords(given, place, foldWord)
  const meanings = Object.keys(defaults) as Meaning[]
  const claimed = new Set(meanings.flatMap((meaning) => (given[meaning] ?? []).map(foldWord)))
  const words: Record<Meaning, readonly string[]> = {...defaults}
  for (const meaning of meanings)
    words[meaning] = [
      ...defaults[meaning].filter((word) => !claimed.has(foldWord(word))),
      ...(given[meaning] ?? []),
    ]
  return words
}
