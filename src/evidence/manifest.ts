import {createHash} from 'node:crypto'

/** The sums of a run's files, in the format of `sha256sum -c`. The sum of this file identifies the run. */
export const manifestName = 'SHA256SUMS'
/**
 * Its name until the journal has its sum. If the run was killed in between, the journal knows whether it is proven.
 */
export const pendingName = 'SHA256SUMS.new'
export const documentName = 'evidence.json'

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

export function manifestText(sums: ReadonlyMap<string, string>): string {
  const names = [...sums.keys()].sort()
  return names.map((name) => `${sums.get(name)}  ${name}\n`).join('')
}

/** Null if the text differs by a byte from what `manifestText` writes. */
export function readManifest(text: string): ReadonlyMap<string, string> | null {
  const sums = new Map<string, string>()
  for (const line of text.split('\n').slice(0, -1)) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}([a-z0-9.-]+)$/.exec(line) ?? []
    if (sum === undefined || name === undefined) return null
    sums.set(name, sum)
  }
  return sums.has(documentName) && manifestText(sums) === text ? sums : null
}
