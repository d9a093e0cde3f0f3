import {posix} from 'node:path'
import {describe, expect, test} from 'vitest'

import {importsOf, type SourceFile, sourceFiles} from './source-files.ts'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Which file imports which, type-only imports included. */
function graphOf(files: readonly SourceFile[]): Graph {
  const names = new Set(files.map(({path}) => path))
  return new Map(
    files.map(({path, text}) => {
      const targets = importsOf(text).map((target) => posix.join(posix.dirname(path), target))
      return [path, new Set(targets.filter((target) => names.has(target)))]
    }),
  )
}

/** The same of folders. A folder and those inside it are one topic: they may use each other. */
function foldersOf(graph: Graph): Graph {
  const folders = new Map<string, Set<string>>()
  for (const [file, targets] of graph) {
    const from = posix.dirname(file)
    const uses = folders.get(from) ?? new Set()
    folders.set(from, uses)
    for (const to of [...targets].map(posix.dirname)) {
      if (!`${to}/`.startsWith(`${from}/`) && !`${from}/`.startsWith(`${to}/`)) uses.add(to)
    }
  }
  return folders
}

/** For each member of a circle the shortest way from it back to it, once a circle: `a -> b -> a`. */
function circles(graph: Graph): string[] {
  const found = new Map<string, string>()
  for (const start of graph.keys()) {
    const way = wayBack(graph, start)
    if (way) found.set([...way].sort().join(), [...way, start].join(' -> '))
  }
  return [...found.values()].sort()
}

function wayBack(graph: Graph, start: string): string[] | null {
  const ways: string[][] = [[start]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return way
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return null
}

const graph = graphOf(sourceFiles())

test('no file of src imports itself by way of others', () => {
  expect(graph.size).toBeGreaterThan(200)
  expect(circles(graph), 'move what both need into the lower file').toEqual([])
})

test('no folder of src imports itself by way of others', () => {
  expect(circles(foldersOf(graph)), 'move what both need into the lower folder').toEqual([])
})

describe('the test sees', () => {
  const file = (path: string, ...targets: string[]) => ({
    path,
    text: targets.map((target) => `import type {A} from '${target}'`).join('\n'),
  })

  test('a circle of files', () => {
    const files = [file('a/a.ts', './b.ts'), file('a/b.ts', './c.ts'), file('a/c.ts', './a.ts', './d.ts')]
    expect(circles(graphOf([...files, file('a/d.ts')]))).toEqual(['a/c.ts -> a/a.ts -> a/b.ts -> a/c.ts'])
  })

  test('a circle of folders, but not of a folder and what is in it', () => {
    const files = [file('a/x/a.ts', '../y/b.ts'), file('a/y/b.ts'), file('a/y/c.ts', '../x/d.ts', '../e.ts')]
    const more = [file('a/x/d.ts'), file('a/e.ts', './x/d.ts')]
    expect(circles(foldersOf(graphOf([...files, ...more])))).toEqual(['a/y -> a/x -> a/y'])
  })
})
