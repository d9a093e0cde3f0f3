import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {nearest} from '../../core/nearest.ts'
import {orderKinds} from '../../core/order.ts'
import {
  type LedgerColumn,
  type LedgerDates,
  type LedgerMapping,
  ledgerColumns,
  ledgerDates,
} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'

const delimiters = {comma: ',', semicolon: ';', tab: '\t', pipe: '|'} as const

/** How to read the merchant's file, over what the profile says. */
export const ledgerFlags = {
  kind: Flags.option({options: orderKinds})({
    summary: 'Kind of all rows, where the ledger has no `kind` column.',
  }),
  column: Flags.string({
    summary: 'Header of your file for a column: `order_no="Order ID"`. May be repeated.',
    multiple: true,
    helpValue: 'NAME=HEADER',
  }),
  dates: Flags.option({options: ledgerDates})({
    summary:
      'Whether dates such as 05/11/2026 start with the day or the month. auto finds it from the column.',
  }),
  delimiter: Flags.option({options: Object.keys(delimiters) as (keyof typeof delimiters)[]})({
    summary: 'Separator of the cells. Default: found from the header line.',
  }),
  sheet: Flags.string({
    summary: 'Sheet of a spreadsheet, by its name or number. Default: the only one with anything in it.',
    helpValue: 'NAME|N',
  }),
  'header-row': Flags.integer({
    summary: 'Line of the header. hisab does not read the lines above it. Default: found automatically.',
    min: 1,
    helpValue: 'N',
  }),
  'ignore-column': Flags.string({
    summary:
      'Header of a column that says nothing of bookings: it holds no order back. May be repeated; for good: ledger.ignored_columns.',
    multiple: true,
    helpValue: 'HEADER',
  }),
}

export type DelimiterName = keyof typeof delimiters

/** The character of a delimiter's name, or null. */
export function delimiterOf(name: DelimiterName | null | undefined) {
  return name == null ? null : delimiters[name]
}

/** The profile's import and mapping with the command line's values over them. */
export function mappingWith(
  mapping: LedgerMapping,
  columns: readonly string[] = [],
  dates: LedgerDates | null = null,
  ignoredColumns: readonly string[] = [],
): LedgerMapping {
  const stated = {...mapping.columns, ...Object.fromEntries(columns.map(readColumn))}
  const saved = Object.entries(mapping.import?.columns ?? {}).filter(([column]) => !(column in stated))
  return {
    ...mapping,
    dates: dates ?? mapping.dates,
    ignoredColumns: [...mapping.ignoredColumns, ...ignoredColumns],
    columns: {...Object.fromEntries(saved), ...stated},
    ...(mapping.import && {import: {...mapping.import, columns: Object.fromEntries(saved)}}),
  }
}

function readColumn(text: string): [LedgerColumn, string] {
  const [name = '', ...header] = text.split('=')
  const column = ledgerColumns.find((known) => known === name.trim())
  if (column && header.length > 0) return [column, header.join('=')]
  const near = nearest(name, ledgerColumns)
  throw new Failure(
    'usage',
    column
      ? `--column ${escapeInvisible(text, 60)} has no header.`
      : `--column ${escapeInvisible(text, 60)}: hisab reads no column "${escapeInvisible(name, 40)}".`,
    `Write --column ${column ?? near ?? 'order_no'}="Your header". Columns: ${ledgerColumns.join(', ')}.`,
  )
}
