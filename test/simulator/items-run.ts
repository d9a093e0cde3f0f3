import {writeSync} from 'node:fs'

import {items} from './items.ts'
import {prepare, Scene} from './scene.ts'

// Plays every directed history (test/simulator/README.md) and prints lines of JSON; with `C1.2` only history C1.2, step by step.
const wanted = process.argv[2]
const ground = await prepare()
const counts = new Map<string, number>()
for (const item of items) {
  const nth = (counts.get(item.id) ?? 0) + 1
  counts.set(item.id, nth)
  const name = `${item.id}.${nth}`
  if (wanted !== undefined && wanted !== name && wanted !== item.id) continue
  const scene = new Scene(ground.root, {keepsLines: true, ...item.scene})
  try {
    await item.play(scene)
  } catch (error) {
    scene.judge.blame(`it cannot be played: ${error instanceof Error ? error.stack : String(error)}`)
  }
  const {problems} = scene.judge
  const told = {name: `${name} ${item.what}`, problems, lines: problems.length > 0 ? scene.trace.lines : []}
  writeAll(wanted === undefined ? JSON.stringify(told) : `\n${told.name}\n${scene.trace.lines.join('\n')}`)
}
ground.remove()

/** A pipe takes what it has room for. */
function writeAll(line: string): void {
  const bytes = Buffer.from(`${line}\n`)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}
