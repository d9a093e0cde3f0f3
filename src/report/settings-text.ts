import {escapeInvisible} from '../core/text.ts'
import type {Style} from './table.ts'

/** A line of `config show`. */
export interface SettingLine {
  readonly key: string
  readonly value: string | readonly (string | number)[] | null
  readonly from: string
  readonly where: string | null
}

/** Settings with their sources. Defaults are dim. */
export function settingsText(settings: readonly SettingLine[], style: Style): string {
  const keyWidth = Math.max(...settings.map(({key}) => key.length))
  const sourceWidth = Math.max(...settings.map((setting) => sourceOf(setting).length))
  return settings
    .map((setting) => {
      const {key, from} = setting
      const isQuiet = from === 'default' || from === 'unset'
      const line = `${key.padEnd(keyWidth)}  ${sourceOf(setting).padEnd(sourceWidth)}  ${shownValue(setting)}`
      return isQuiet ? style('dim', line.trimEnd()) : line.trimEnd()
    })
    .join('\n')
}

/** A setting's value; of a secret only its source. */
export function shownValue({key, value, from, where}: SettingLine): string {
  if (value === null) return isOfSecret(key) && from !== 'unset' ? `from ${where}` : '-'
  // A newline in a recipe's input must not break the line.
  if (typeof value === 'string') return escapeInvisible(value.replaceAll('\n', '\\n'), 300)
  return value.length === 0 ? 'none' : escapeInvisible(value.map(String).join(' | '), 300)
}

function sourceOf({key, from, where}: SettingLine): string {
  return from === 'environment' && where !== null && !isOfSecret(key) ? where : from
}

function isOfSecret(key: string): boolean {
  return key.startsWith('api_') || key === 'journal'
}
