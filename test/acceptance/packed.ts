import {execFileSync} from 'node:child_process'
import {cpSync, globSync, mkdirSync} from 'node:fs'
import {join} from 'node:path'

import {root} from './own-home.ts'

export interface Packed {
  readonly tarball: string
  readonly size: number
  readonly unpackedSize: number
  readonly paths: readonly string[]
}

/** What `npm pack` makes of the built folder. In a copy: it exchanges package.json meanwhile. */
export function pack(dir: string): Packed {
  const copy = join(dir, 'copy')
  mkdirSync(copy)
  const parts = ['bin', 'dist', 'docs', 'LICENSE', ...globSync('*.{md,json}', {cwd: root})]
  for (const part of parts) {
    const filter = (path: string) => !/\/(dist\/code|docs\/images)$/.test(path)
    cpSync(join(root, part), join(copy, part), {recursive: true, filter})
  }
  execFileSync(process.execPath, [join(root, 'build/pack.mjs'), 'begin'], {cwd: copy})
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', dir]
  const listed = execFileSync('npm', args, {cwd: copy, stdio: ['ignore', 'pipe', 'inherit']})
  const [made] = JSON.parse(String(listed)) as [
    {filename: string; size: number; unpackedSize: number; files: {path: string}[]},
  ]
  return {
    tarball: join(dir, made.filename),
    size: made.size,
    unpackedSize: made.unpackedSize,
    paths: made.files.map(({path}) => path),
  }
}
