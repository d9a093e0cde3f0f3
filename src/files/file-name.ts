import {hash} from 'node:crypto'

/**
 * A name as part of a file name, without collisions: lower-case letters, digits, `-` and `_` stay; anything else adds
 * a digest (capitals too, because some file systems ignore case).
 */
export function fileNameOf(name: string): string {
  if (/^[a-z0-9_-]{1,40}$/.test(name)) return name
  const readable = name.toLowerCase().replace(/[^a-z0-9_-]+/g, '_')
  return `${readable.slice(0, 27)}.${hash('sha256', name, 'hex').slice(0, 12)}`
}
