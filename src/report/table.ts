import {stripVTControlCharacters} from 'node:util'

import Table from 'cli-table3'

export type Style = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

export const plain: Style = (_style, text) => text

export interface TableColumn {
  readonly title: string
  readonly align?: 'left' | 'right'
}

/**
 * A table without borders. The last column is ragged, because cli-table3 measures Bengali wrongly and would shift
 * anything to the right of it. If a row is wider than `width`, the last column goes on its own line below.
 */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  style: Style,
  width = Number.POSITIVE_INFINITY,
): string {
  const lines = alignedLines(columns, rows, style)
  if (lines.every((line) => stripVTControlCharacters(line).length <= width)) return lines.join('\n')
  const [head = '', ...narrow] = alignedLines(
    columns.slice(0, -1),
    rows.map((row) => row.slice(0, -1)),
    style,
  )
  const below = rows.map((row) => row.at(-1) ?? '')
  return [head, ...narrow.map((line, at) => (below[at] ? `${line}\n    ${below[at]}` : line))].join('\n')
}

function alignedLines(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  style: Style,
): string[] {
  const table = new Table({
    head: columns.map(({title}) => style('dim', title)),
    colAligns: columns.map(({align}) => align ?? 'left'),
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': 2},
    chars: Object.fromEntries(borders.map((name) => [name, ''])),
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
}

const borders = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
]
