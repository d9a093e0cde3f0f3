import {readFileSync, writeFileSync} from 'node:fs'

/** A scenario file: what comes before the first section is for the reader, the last section is what comes out. */
export interface Scenario {
  readonly path: string
  readonly sections: ReadonlyMap<string, string>
}

const heading = /^-- (\S+) --\n/m

/** Reads `-- name --` sections; every section but the last is input. Throws where a name stands twice. */
export function readScenario(path: string): Scenario {
  const [, ...parts] = readFileSync(path, 'utf8').split(heading)
  const sections = new Map<string, string>()
  for (let index = 0; index < parts.length; index += 2) {
    const name = parts[index] ?? ''
    if (sections.has(name)) throw new Error(`${path} has the section "${name}" twice`)
    sections.set(name, parts[index + 1] ?? '')
  }
  return {path, sections}
}

export function sectionOf({path, sections}: Scenario, name: string): string {
  const text = sections.get(name)
  if (text === undefined) throw new Error(`${path} has no section "-- ${name} --"`)
  return text
}

/** Puts `text` in the place of the file's last section, `-- findings.txt --`. */
export function rewriteFindings({path}: Scenario, text: string): void {
  const [before = ''] = readFileSync(path, 'utf8').split(/^-- findings\.txt --\n/m)
  writeFileSync(path, `${before}-- findings.txt --\n${text}`)
}
