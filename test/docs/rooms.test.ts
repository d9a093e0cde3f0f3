import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {readFences, root} from './pages.ts'

const page = 'docs/ARCHITECTURE.md'
const lines = readFences(page).find(({lines}) => lines.includes('src/'))?.lines ?? []

/** The folders of the tree below `src/`, with what each line says of it. */
function readTree(): Map<string, string> {
  const tree = new Map<string, string>()
  const above: string[] = []
  for (const line of lines.slice(lines.indexOf('src/') + 1)) {
    const [, indent = '', name = '', text = ''] = /^( {2,})([a-z-]+)\/ +(\S.*)$/.exec(line) ?? []
    if (name === '') break
    above.splice(indent.length / 2 - 1, above.length, name)
    tree.set(above.join('/'), text)
  }
  return tree
}

test(`every folder of src has its line in ${page}, and no other has one`, () => {
  const folders = readdirSync(join(root, 'src'), {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'src/').length))
  expect([...readTree().keys()].sort()).toEqual(folders.sort())
})
