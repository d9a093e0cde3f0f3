import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {readFences, root} from './pages.ts'

const page = 'docs/ARCHITECTURE.md'
const lines = readFences(page).find(({lines}) => lines.includes('src/'))?.lines ?? []

/** The folders of the tree below `src/` or `test/`, with what each line says of it. */
function readTree(top: string): Map<string, string> {
  const tree = new Map<string, string>()
  const above: string[] = []
  for (const line of lines.slice(lines.indexOf(`${top}/`) + 1)) {
    const [, indent = '', name = '', text = ''] = /^( {2,})([a-z-]+)\/ +(\S.*)$/.exec(line) ?? []
    if (name === '') break
    above.splice(indent.length / 2 - 1, above.length, name)
    tree.set(above.join('/'), text)
  }
  return tree
}

test.each(['src', 'test'])(`every folder of %s has its line in ${page}, and no other has one`, (top) => {
  const folders = readdirSync(join(root, top), {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, top, '/').length))
  expect([...readTree(top).keys()].sort()).toEqual(folders.sort())
})
