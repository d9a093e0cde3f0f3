import {JsonNumber} from '../core/json.ts'
import {escapeInvisible, jsonText} from '../core/text.ts'

/** An object as lines of name and value, one level deep; text from outside is made visible (P24). */
export function fieldsText(fields: object): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...entries.map(([name]) => escapeInvisible(name).length))
  return entries
    .map(([name, value]) => `${escapeInvisible(name).padEnd(width)}  ${valueText(value)}`)
    .join('\n')
}

/** JSON or text of any size, indented, line by line visible. */
export function blockText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text
    .split(/\r?\n/)
    .map((line) => `  ${escapeInvisible(line, 2_000)}`)
    .join('\n')
}

function valueText(value: unknown): string {
  if (value === null) return '-'
  if (typeof value === 'string') return escapeInvisible(value)
  if (value instanceof JsonNumber) return value.source
  return escapeInvisible(jsonText(value))
}
