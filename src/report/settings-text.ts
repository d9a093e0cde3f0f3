import {escapeInvisible} from '../core/text.ts'
import type {Style} from './table.ts'

/** One line of `config show`; the shape is that of the configuration's list of settings. */
export interface SettingLine {
  readonly key: string
  readonly value: string | readonly (string | number)[] | null
  readonly from: string
  readonly where: string | null
}

/** Settings with their sources. Defaults are dim, so that the others are easy to see. */
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

/** A value as it is shown everywhere: of a secret where it is, and nothing of itself. */
export function shownValue({key, value, from, where}: SettingLine): string {
  if (value === null) return isOfSecret(key) && from !== 'unset' ? `from ${where}` : '-'
  // A newline of a recipe's input must not break the line.
  if (typeof value === 'string') return escapeInvisible(value.replaceAll('\n', '\\n'), 300)
  return value.length === 0 ? 'none' : escapeInvisible(value.map(String).join(' | '), 300)
}

function sourceOf({key, from, where}: SettingLine): string {
  return from === 'environment' && where !== null && !isOfSecret(key) ? where : from
}

function isOfSecret(key: string): boolean {
  return key.startsWith('api_') || key === 'journal'
}
