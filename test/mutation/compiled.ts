import {spawnSync} from 'node:child_process'
import {cpSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {fromSource} from './rooms.ts'

/** A change that no test noticed. Lines and columns begin at 1. */
export interface Survivor {
  readonly fileName: string
  readonly replacement?: string | undefined
  readonly location: {readonly start: Place; readonly end: Place}
}

interface Place {
  readonly line: number
  readonly column: number
}

/**
 * Those of them that `npm run types` notices: it is part of every check, and a change that does not compile never
 * reaches a test. One of each file at a time, since an error names its file and not the change.
 */
export function refusedByCompiler<Change extends Survivor>(
  survivors: readonly Change[],
  folder: string,
): Set<Change> {
  for (const name of ['src', 'tsconfig.json', 'package.json'])
    cpSync(name, join(folder, name), {recursive: true})
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  const refused = new Set<Change>()
  const left = new Map(Object.entries(Object.groupBy(survivors, ({fileName}) => fromSource(fileName))))
  while (left.size > 0) {
    const round = [...left].flatMap(([file, those = []]) => {
      const [change, ...later] = those
      if (later.length > 0) left.set(file, later)
      else left.delete(file)
      return change ? [{file, change, text: readFileSync(file, 'utf8')}] : []
    })
    for (const {file, change, text} of round) writeFileSync(join(folder, file), changed(text, change))
    const {stdout} = spawnSync('tsc', ['--noEmit', '--pretty', 'false'], {cwd: folder, encoding: 'utf8'})
    for (const {file, change, text} of round) {
      if (stdout.includes(`${file}(`)) refused.add(change)
      writeFileSync(join(folder, file), text)
    }
  }
  return refused
}

function changed(text: string, {location: {start, end}, replacement = ''}: Survivor): string {
  const lines = text.split('\n')
  const at = ({line, column}: Place) =>
    lines.slice(0, line - 1).reduce((sum, {length}) => sum + length + 1, 0) + column - 1
  return text.slice(0, at(start)) + replacement + text.slice(at(end))
}
