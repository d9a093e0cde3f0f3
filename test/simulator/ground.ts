import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {openJournal} from '../../src/journal/journal.ts'
import {Disk} from './disk.ts'
import type {Ground} from './history.ts'
import {profile} from './profile.ts'

/** Makes the folder all histories of this process are played in, in memory where the system has such a place. */
export function makeGround(): Ground & {remove(): void} {
  const memory = '/dev/shm'
  const root = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'hisab-simulator-'))
  const template = join(root, 'template')
  mkdirSync(template)
  const journal = openJournal(template, profile)
  journal.fingerprintPayee('01712345678', 1n)
  journal.close()
  const disk = new Disk(root)
  const letGo = disk.install()
  const remove = () => {
    letGo()
    rmSync(root, {recursive: true, force: true})
  }
  return {root, disk, template, remove}
}
