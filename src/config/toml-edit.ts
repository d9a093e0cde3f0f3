import {isDeepStrictEqual} from 'node:util'

import {parse, TomlError} from 'smol-toml'

import {Failure} from '../core/failure.ts'
import {scanToml, type TomlPair, type TomlSection} from './toml-scan.ts'

export type TomlValue = string | number | boolean | readonly TomlValue[] | {readonly [key: string]: TomlValue}

export interface TomlChange {
  readonly path: readonly string[]
  readonly value: TomlValue
}

/**
 * Sets keys of a TOML text and leaves every other byte. Proved by reading both texts: they must differ in these keys
 * alone, else `config_invalid`.
 */
export function setTomlKeys(text: string, changes: readonly TomlChange[]): string {
  return changes.reduce(setKey, text)
}

export function writeTomlValue(value: TomlValue): string {
  if (typeof value === 'string') return writeText(value)
  if (typeof value !== 'object') return String(value)
  if (isList(value)) return `[${value.map(writeTomlValue).join(', ')}]`
  const pairs = Object.entries(value).map(([key, inner]) => `${writeKey([key])} = ${writeTomlValue(inner)}`)
  return `{ ${pairs.join(', ')} }`
}

/** A JSON string is a TOML basic string; invisible characters are escaped too. */
function writeText(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{VS}]/gu, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}

function isList(value: TomlValue): value is readonly TomlValue[] {
  return Array.isArray(value)
}

function setKey(text: string, {path, value}: TomlChange): string {
  const after = editText(text, path, writeTomlValue(value))
  const wanted = withValue(read(text), path, value)
  if (wanted !== null && isDeepStrictEqual(read(after), wanted)) return after
  throw new Failure(
    'config_invalid',
    `hisab cannot safely change ${writeKey(path)} in this configuration file. The file was not changed.`,
    `Change it with an editor: ${writeKey(path.slice(-1))} = ${writeTomlValue(value)} under [${writeKey(path.slice(0, -1))}].`,
  )
}

function editText(text: string, path: readonly string[], value: string): string {
  const sections = scanToml(text)
  const pairs = sections.flatMap((section) => section.pairs)
  const exact = pairs.find((pair) => isSame(pair.path, path))
  if (exact) return splice(text, exact.valueStart, exact.valueEnd, value)
  const inline = pairs.findLast(
    (pair) => isBelow(path, pair.path) && text[pair.valueStart] === '{' && !isSame(pair.path, path),
  )
  if (inline) return intoInlineTable(text, inline, pairs, path, value)
  const parent = path.slice(0, -1)
  const section = sections.find((candidate) => isSame(candidate.path, parent)) ?? dottedHome(sections, parent)
  if (section && (section.headerEnd > 0 || section.pairs.length > 0)) {
    const key = writeKey(path.slice(section.path.length))
    return afterSection(text, section, `${indentOf(text, section)}${key} = ${value}`)
  }
  if (parent.length === 0) return atTop(text, `${writeKey(path)} = ${value}`)
  return newTable(text, sections, parent, `${writeKey(path.slice(-1))} = ${value}`)
}

/** The section that spells `parent` with dots (`status.open = …`): a header of its own would clash. */
function dottedHome(sections: readonly TomlSection[], parent: readonly string[]): TomlSection | undefined {
  if (parent.length === 0) return undefined
  return sections.find((section) =>
    section.pairs.some(
      (pair) => !pair.isInline && isBelow(pair.path, parent) && isBelow(parent, section.path),
    ),
  )
}

function intoInlineTable(
  text: string,
  table: TomlPair,
  pairs: readonly TomlPair[],
  path: readonly string[],
  value: string,
): string {
  const pair = `${writeKey(path.slice(table.path.length))} = ${value}`
  const last = pairs.findLast(
    ({isInline, valueStart, valueEnd}) =>
      isInline && valueStart > table.valueStart && valueEnd < table.valueEnd,
  )
  if (last) return splice(text, last.valueEnd, last.valueEnd, `, ${pair}`)
  return splice(text, table.valueStart, table.valueEnd, `{ ${pair} }`)
}

function afterSection(text: string, {headerEnd, pairs}: TomlSection, line: string): string {
  const end = lineEnd(text, Math.max(headerEnd, ...pairs.map(({valueEnd}) => valueEnd)))
  return splice(text, end, end, `${eolOf(text)}${line}`)
}

/** After the last table of the same profile. */
function newTable(
  text: string,
  sections: readonly TomlSection[],
  parent: readonly string[],
  line: string,
): string {
  const eol = eolOf(text)
  const table = `[${writeKey(parent)}]${eol}${line}`
  const kin = sections.findLast(({path}) => path.length > 1 && isBelow(path, parent.slice(0, 2)))
  if (kin) return afterSection(text, kin, `${eol}${table}`)
  const body = text.trimEnd()
  return `${body === '' ? '' : `${body}${eol}${eol}`}${table}${eol}`
}

/** Above the first table, but below a comment that introduces the file. */
function atTop(text: string, line: string): string {
  const eol = eolOf(text)
  const [opening = ''] = /^(?:#[^\n]*\n)+\r?\n/.exec(text) ?? []
  return splice(text, opening.length, opening.length, `${line}${eol}${text === '' ? '' : eol}`)
}

function indentOf(text: string, {pairs}: TomlSection): string {
  const last = pairs.findLast(({isInline}) => !isInline)
  if (!last) return ''
  return /[ \t]*$/.exec(text.slice(0, last.keyStart))?.[0] ?? ''
}

function lineEnd(text: string, from: number): number {
  const rest = /\r?\n|$/g
  rest.lastIndex = from
  return rest.exec(text)?.index ?? text.length
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** A path as a TOML key: `profiles.live.status`, quoted if necessary. */
export function writeKey(path: readonly string[]): string {
  return path.map((step) => (/^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step))).join('.')
}

/** A dotted key as its steps, by TOML's rules; null if it is no key. */
export function readKey(text: string): string[] | null {
  const steps: string[] = []
  try {
    let tree: unknown = parse(`${text} = 0`)
    for (;;) {
      if (tree === 0) return steps
      const entries = Object.entries(tree as object)
      const [entry] = entries
      if (!entry || entries.length > 1) return null
      steps.push(entry[0])
      tree = entry[1]
    }
  } catch (error) {
    if (error instanceof TomlError) return null
    throw error
  }
}

function splice(text: string, start: number, end: number, middle: string): string {
  return text.slice(0, start) + middle + text.slice(end)
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && isBelow(a, b)
}

/** Whether `path` is `top` or below it. */
function isBelow(path: readonly string[], top: readonly string[]): boolean {
  return top.every((step, index) => path[index] === step)
}

interface Tree {
  [key: string]: unknown
}

/** A broken edit must count as different, not throw. Cloned, because the reader's objects have no prototype. */
function read(text: string): Tree | null {
  try {
    return structuredClone(parse(text))
  } catch (error) {
    if (error instanceof TomlError) return null
    throw error
  }
}

function withValue(tree: Tree | null, path: readonly string[], value: TomlValue): Tree | null {
  let at: unknown = tree
  for (const step of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return null
    const table = at as Tree
    table[step] ??= {}
    at = table[step]
  }
  if (typeof at !== 'object' || at === null || Array.isArray(at)) return null
  const last = path.at(-1) ?? ''
  ;(at as Tree)[last] = value
  return tree
}
