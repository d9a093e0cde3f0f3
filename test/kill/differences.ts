import {isDeepStrictEqual} from 'node:util'

/** What is not as it is without a kill, one line a part that differs; empty where nothing does. */
export function differences(what: string, whole: unknown, found: unknown): string[] {
  if (isDeepStrictEqual(whole, found)) return []
  if (Array.isArray(whole) && Array.isArray(found)) {
    const parts = Array.from({length: Math.max(whole.length, found.length)}, (_, index) =>
      differences(`${what}, ${index + 1}`, whole[index], found[index]),
    )
    return parts.flat()
  }
  if (isRecord(whole) && isRecord(found)) {
    const names = [...new Set([...Object.keys(whole), ...Object.keys(found)])]
    if (names.some((name) => isRecord(whole[name]) || Array.isArray(whole[name]))) {
      return names.flatMap((name) => differences(`${what}: ${name}`, whole[name], found[name]))
    }
  }
  return [`${what}: ${JSON.stringify(found)} in place of ${JSON.stringify(whole)}`]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
