import {Failure} from '../core/failure.ts'
import {type OrderState, orderStates} from '../core/order.ts'
import {defaultLedgerMapping, type LedgerColumn, type LedgerMapping, ledgerColumns} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {isTimeZone} from '../core/time.ts'
import {refuseSharedWords} from './dialect-settings.ts'
import type {ProfileSettings} from './schema.ts'

/**
 * How the merchant's file is read. Words given for a state are added to its defaults and removed from those of the
 * other two: `open = ["Paid"]` makes `paid` open only.
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
    status: wordsOf(given?.status, place),
    holds: given?.holds ?? null,
    ignoredColumns: given?.ignored_columns ?? [],
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

function wordsOf(
  given: NonNullable<ProfileSettings['ledger']>['status'],
  place: (key: string) => string,
): LedgerMapping['status'] {
  refuseSharedWords(given ?? {}, place('ledger.status'), fold)
  const words = (state: OrderState): readonly string[] => {
    const claimed = new Set(orderStates.flatMap((other) => (given?.[other] ?? []).map(fold)))
    const kept = defaultLedgerMapping.status[state].filter((word) => !claimed.has(fold(word)))
    return [...kept, ...(given?.[state] ?? [])]
  }
  return {completed: words('completed'), open: words('open'), failed: words('failed')}
}

/** Words of the merchant's file are compared without case. */
function fold(word: string): string {
  return word.toLowerCase()
}
