import {JsonNumber} from '../core/json.ts'
import {escapeInvisible, jsonText} from '../core/text.ts'

/** A limit on what another program's answer can put on a screen; `--json` has everything. */
const fieldsMax = 200
const nameMax = 60
const linesMax = 2_000

/** One line for each name and value, one level deep; text from outside is made visible (P24). */
export function fieldsText(fields: object): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const shown = entries
    .slice(0, fieldsMax)
    .map(([name, value]) => [escapeInvisible(name, nameMax), valueText(value)] as const)
  const width = shown.reduce((most, [name]) => Math.max(most, name.length), 0)
  const lines = shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  return [...lines, ...omitted(entries.length - fieldsMax, 'fields')].join('\n')
}

export function blockText(value: unknown): string {
  const lines = (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split(/\r?\n/)
  const shown = lines.slice(0, linesMax).map((line) => `  ${escapeInvisible(line, 2_000)}`)
  return [...shown, ...omitted(lines.length - linesMax, 'lines').map((line) => `  ${line}`)].join('\n')
}

function omitted(count: number, what: string): string[] {
  return count > 0 ? [`… and ${count} ${what} more; --json shows them.`] : []
}

function valueText(value: unknown): string {
  if (value === null) return '-'
  if (typeof value === 'string') return escapeInvisible(value)
  return escapeInvisible(value instanceof JsonNumber ? value.source : jsonText(value))
}
